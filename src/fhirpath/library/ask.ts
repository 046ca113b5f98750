import type { Options, UserInvocationTable } from "fhirpath"
import { isProxy } from "node:util/types"
import { ExactNumber } from "../../json/exactNumber.ts"
import { isJson } from "../../json/JsonObject.ts"
import { Node } from "../evaluate/Node.ts"
import type { Element, Elements, PathFunction, Variables, ZoneScope } from "../FhirPath.ts"
import { type EvaluateInside, isLibraryNode, LibraryNodes } from "./LibraryNodes.ts"
import { loadLibrary } from "./loadLibrary.ts"
import { QuantityValue, TimeValue } from "./systemValues.ts"

/** Only functions of a mapping need a scope. */
type Evaluate = (focus: Elements, variables: Variables, scope?: ZoneScope) => Elements

/** Options of the library: decimals keep their digits, and results remain nodes. */
const plainOptions: Options = { preciseMath: true, resolveInternalTypes: false }

/** The library, with the functions that convert elements to the library's and back. It uses only what the library documents. */
class Library {
  readonly #loaded = loadLibrary()
  /** The library's form of an object, and the reverse: an element that comes back is the same one. */
  readonly #theirs = new WeakMap<object, object>()
  readonly #ours = new WeakMap<object, object>()
  /** Compiled expressions that make elements of the library. */
  readonly #compiled = new Map<string, EvaluateInside>()
  readonly #nodes = new LibraryNodes((text) => this.#compiledOnce(text))
  /** The variables and the scope of the current evaluation, which a function of a mapping receives. */
  #given: readonly [Variables, ZoneScope] | undefined

  /** Compiles to a function on the library's elements. */
  compileInside(text: string, options: Options): EvaluateInside {
    const evaluate = this.#loaded.fhirpath.compile(text, this.#loaded.r4, options)
    // The library does not change these, and is not asynchronous without the option.
    return (focus, variables) =>
      evaluate(focus as Array<unknown>, variables as Record<string, unknown>) as Array<unknown>
  }

  compile(text: string, options: Options): Evaluate {
    const evaluate = this.compileInside(text, options)
    return (focus, variables, scope) => {
      // A function of a mapping can evaluate another expression.
      const outer = this.#given
      this.#given = scope === undefined ? undefined : [variables, scope]
      try {
        return evaluate(focus.map((one) => this.toLibrary(one)), this.#variablesToLibrary(variables))
          .map((one) => this.fromLibrary(one))
      } finally {
        this.#given = outer
      }
    }
  }

  #variablesToLibrary(variables: Variables): object {
    const converted: Record<string, unknown> = {}
    // Variables can be on a prototype chain.
    for (const name in variables) {
      const value = variables[name]
      converted[name] = Array.isArray(value) ? value.map((one) => this.toLibrary(one)) : this.toLibrary(value)
    }
    return converted
  }

  toLibrary(element: Element): unknown {
    if (typeof element !== "object" || element === null) return element
    if (isJson(element)) return this.#jsonToLibrary(element)
    const known = this.#theirs.get(element)
    if (known !== undefined) return known
    const made = this.#make(element)
    if (typeof made !== "object" || made === null || made === element) return made
    this.#pair(element, made)
    return made
  }

  #pair(ours: object, theirs: object): void {
    this.#theirs.set(ours, theirs)
    this.#ours.set(theirs, ours)
  }

  #make(element: object): unknown {
    if (element instanceof Node) return this.#makeNode(element)
    if (element instanceof ExactNumber) return this.#loaded.fhirpath.FP_Decimal.getDecimal(element.toSource())
    if (element instanceof TimeValue) return this.#made(`$this.to${TimeValue.typeOf(element)}()`, String(element))
    if (element instanceof QuantityValue) {
      // A unit such as 'year' in quotes is only possible in a literal. There are too many literals to keep them compiled.
      return this.#made("$this.toQuantity()", String(element)) ??
        this.compileInside(String(element), plainOptions)([], {})[0]
    }
    return element
  }

  #made(text: string, focus: string): unknown {
    return this.#compiledOnce(text)([focus], {})[0]
  }

  #compiledOnce(text: string): EvaluateInside {
    let evaluate = this.#compiled.get(text)
    if (evaluate === undefined) this.#compiled.set(text, evaluate = this.compileInside(text, plainOptions))
    return evaluate
  }

  #makeNode(node: Node): object {
    const { _data, data, parentResNode } = node
    const made = parentResNode === null
      ? this.#nodes.outermost(this.toLibrary(data))
      : this.#nodes.inside(this.toLibrary(parentResNode), this.toLibrary(_data), node)
    // The library made its own form of a number that is a double in the record.
    if (data instanceof ExactNumber) this.#ours.set(made.data, data)
    return made
  }

  /** Returns a view of an object that contains exact numbers. Only what the library reads of it is converted, and counts as read. */
  #jsonToLibrary(value: object): object {
    const known = this.#theirs.get(value)
    if (known !== undefined) return known
    if (!contains(value, (one) => one instanceof ExactNumber)) return value
    const view = new Proxy(value, { get: (target, key) => this.toLibrary(Reflect.get(target, key)) })
    this.#pair(value, view)
    return view
  }

  fromLibrary(element: unknown): Element {
    if (typeof element !== "object" || element === null) return element
    const known = this.#ours.get(element)
    if (known !== undefined) return known
    const { FP_Decimal } = this.#loaded.fhirpath
    const made = !isJson(element)
      ? this.#read(element)
      // Only an object that the library made contains its numbers.
      : contains(element, (one) => one instanceof FP_Decimal)
      ? copyWith(element, (one) => this.fromLibrary(one))
      : element
    if (made !== element) this.#pair(made, element)
    return made
  }

  #read(element: object): object {
    const { FP_Decimal, resolveInternalTypes, types } = this.#loaded.fhirpath
    if (isLibraryNode(element)) {
      return new Node(
        // The parent of a node is a node.
        this.fromLibrary(element.parentResNode) as Node | null,
        this.fromLibrary(element.data),
        this.fromLibrary(element._data),
        element.path,
        element.fhirNodeDataType,
        // The library has `null` where it states `undefined`.
        element.propName ?? null,
        element.index ?? null
      )
    }
    if (element instanceof FP_Decimal) return new ExactNumber(element.toString())
    // The classes of these are private, but they have a type and a text.
    const text = (): string => String(resolveInternalTypes(element))
    switch (types([element])[0]) {
      case "System.Date":
        return new TimeValue("Date", text())
      case "System.DateTime":
        return new TimeValue("DateTime", text())
      case "System.Time":
        return new TimeValue("Time", text())
      case "System.Quantity": {
        const [value = "", ...unit] = text().split(" ")
        return new QuantityValue(new ExactNumber(value), unit.join(" "))
      }
      default:
        return element
    }
  }

  /** Returns functions in the form that the library requires. */
  invocationTable(functions: ReadonlyMap<string, PathFunction>): UserInvocationTable {
    const table: UserInvocationTable = Object.create(null)
    const fromLibrary = (elements: unknown): Elements =>
      (Array.isArray(elements) ? elements : elements == null ? [] : [elements]).map((one) => this.fromLibrary(one))
    for (const [name, fn] of functions) {
      const arity: Record<number, Array<"AnyAtRoot">> = {}
      for (let n = fn.least ?? fn.parameters.length; n <= fn.parameters.length; n++) {
        arity[n] = Array.from({ length: n }, () => "AnyAtRoot" as const)
      }
      const toLibrary = (element: Element): unknown => this.toLibrary(element)
      table[name] = {
        arity,
        internalStructures: true,
        fn: (input: Elements, ...args: ReadonlyArray<unknown>) => {
          if (this.#given === undefined) throw new Error("a function is called outside of an expression")
          const [variables, scope] = this.#given
          return fn.call(fromLibrary(input), args.map(fromLibrary), scope, undefined, variables).map(toLibrary)
        }
      }
    }
    return table
  }

  /** Only elements with a text become one, as in FHIRPath. The library would return `[object Object]`. */
  readonly textFunction: UserInvocationTable = {
    toString: {
      arity: { 0: [] },
      internalStructures: true,
      fn: (input: Elements): Elements => {
        const found = this.#compiledOnce("$this.toString()")(input, {})
        return found[0] === "[object Object]" ? [] : found
      }
    }
  }
}

/** Returns whether an object or list of JSON contains an object of a class. The view of a tracked record does not count this as reading. */
const contains = (value: object, isOne: (member: object) => boolean): boolean => {
  const isTracked = isProxy(value)
  for (const name of Object.keys(value)) {
    // The name is one of the keys of this object.
    const member: unknown = isTracked
      ? Object.getOwnPropertyDescriptor(value, name)?.value
      : (value as Readonly<Record<string, unknown>>)[name]
    if (typeof member !== "object" || member === null) continue
    if (isJson(member) ? contains(member, isOne) : isOne(member)) return true
  }
  return false
}

/** Returns a copy of a JSON value with converted members. */
const copyWith = (value: object, convert: (member: unknown) => unknown): object =>
  Array.isArray(value)
    ? value.map(convert)
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, convert(member)]))

let opened: Library | undefined

const library = (): Library => (opened ??= new Library())

/** Compiles an expression that only the library evaluates. It is loaded and compiles when the expression is first evaluated. */
export const compileByLibrary = (text: string, functions?: ReadonlyMap<string, PathFunction>): Evaluate => {
  let evaluate: Evaluate | undefined
  return (focus, variables, scope) => {
    evaluate ??= library().compile(text, {
      ...plainOptions,
      userInvocationTable: {
        ...library().textFunction,
        ...(functions === undefined ? {} : library().invocationTable(functions))
      }
    })
    return evaluate(focus, variables, scope)
  }
}

const requested = new Map<string, Evaluate>()

/**
 * Returns the library's result for an operator or function on evaluated operands: `ask("%a = %b", { a, b })`. A compiled expression thus
 * decides the certain cases and leaves all others, including errors, to the library.
 */
export const ask = (text: string, operands: Variables, root: Elements = []): Elements => {
  let evaluate = requested.get(text)
  if (evaluate === undefined) requested.set(text, evaluate = compileByLibrary(text))
  return evaluate(root, operands)
}
