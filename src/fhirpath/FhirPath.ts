import fhirpath from "fhirpath"
import type { Resource, SourceRecord } from "../source/SourceRecord.ts"
import { compileTree, hasForeign } from "./compile.ts"
import { frameOf } from "./Frame.ts"
import type { Node } from "./Node.ts"
import { compileByLibrary, isNode, libraryOptions, rootNode } from "./Node.ts"
import type { SyntaxNode } from "./SyntaxTree.ts"
import { syntaxTree } from "./SyntaxTree.ts"

/**
 * FHIRPath, as the rest of the program sees it. A path is compiled once; it is evaluated on a collection of elements and gives a
 * collection of elements. Elements are opaque outside: `valueOf`, `recordOf` and `placeOf` read them. What mappings mostly use is
 * compiled to closures (`compile.ts`); everything else is evaluated by the library `fhirpath`, and both find the same.
 */
export type Element = unknown
export type Elements = ReadonlyArray<Element>

/** `%name` variables; a prototype chain is welcome. Values are collections of elements or plain literals. */
export type Variables = Readonly<Record<string, unknown>>

/** A FHIRPath expression, ready to be evaluated. */
export interface CompiledPath {
  readonly text: string
  /** Compiled to closures; otherwise the library evaluates it. */
  readonly closures: boolean
  /** Throws what the engine throws; `evaluatePath` turns that into data. */
  readonly evaluate: (focus: Elements, variables: Variables) => Elements
}

/** What evaluates expressions: closures where they find what the library finds, or the library alone. */
export type PathEngine = "closures" | "library"

/** A function that mappings can call. It takes the input collection and the values of its arguments. */
export interface PathFunction {
  readonly parameters: ReadonlyArray<string>
  /** How many of the parameters must be given; all, unless said. */
  readonly least?: number
  readonly call: (input: Elements, args: ReadonlyArray<Elements>, variables: Variables) => Elements
  /** It reads `valueOf` its input and nothing else: then it may be given the values themselves. */
  readonly readsValues?: boolean
  /** The expression that `call` evaluates on each element, or on all at once, where it does nothing else. */
  readonly body?: { readonly text: string; readonly over: "item" | "collection" }
}

/** What is wrong with an expression; `offset` counts characters from its start. */
export interface PathFault {
  readonly message: string
  readonly offset: number
}

/** A name used in an expression, and where. */
export interface PathName {
  readonly name: string
  readonly offset: number
  readonly length: number
  /** Literal string arguments, for functions whose argument is a name (`keyOf('visit')`). */
  readonly literals: ReadonlyArray<string>
}

/** What an expression refers to, read from its syntax tree. */
export interface PathNames {
  readonly functions: ReadonlyArray<PathName>
  readonly variables: ReadonlyArray<PathName>
}

const offsetOf = (text: string, line: number, column: number): number => {
  let start = 0
  for (let n = 1; n < line; n++) start = text.indexOf("\n", start) + 1
  return start + column - 1
}

/** Parses an expression: what it refers to, or what is wrong with it. */
export const parsePath = (text: string): PathNames | PathFault => {
  let tree: SyntaxNode
  try {
    tree = syntaxTree(text)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    const place = /line: (\d+); column: (\d+); message: ([^\n]*)/.exec(message)
    return place === null
      ? { message, offset: 0 }
      // The parser counts columns from 0 in its messages, and from 1 in its tree.
      : { message: place[3]!, offset: offsetOf(text, Number(place[1]), Number(place[2]) + 1) }
  }
  const functions: Array<PathName> = []
  const variables: Array<PathName> = []
  const visit = (node: SyntaxNode): void => {
    const children = node.children ?? []
    if (node.type === "FunctionInvocation" && node.text !== undefined) {
      const literals: Array<string> = []
      const list = children[0]?.children?.find((child) => child.type === "ParamList")
      for (const parameter of list?.children ?? []) {
        const literal = parameter.children?.[0]?.children?.[0]
        if (literal?.type === "StringLiteral" && literal.text !== undefined) literals.push(literal.text.slice(1, -1))
      }
      functions.push({ ...placed(text, node), literals })
    }
    if (node.type === "ExternalConstantTerm") variables.push({ ...placed(text, node), literals: [] })
    for (const child of children) visit(child)
  }
  visit(tree)
  return { functions, variables }
}

const placed = (text: string, node: SyntaxNode) => ({
  name: node.text ?? node.delimitedText?.slice(1, -1) ?? "",
  offset: node.start === undefined ? 0 : offsetOf(text, node.start.line, node.start.column),
  length: node.length ?? 1
})

/** FHIRPath functions that would make a run depend on the moment, reach out to the network, or print values. */
export const forbiddenFunctions: ReadonlySet<string> = new Set([
  "now",
  "today",
  "timeOfDay",
  "trace",
  "memberOf",
  "conformsTo",
  "validateVS",
  "subsumes",
  "subsumedBy",
  "translate",
  "expand",
  "weight",
  "ordinal"
])

/** FHIRPath functions that mappings may call besides those that are defined for them. */
export const standardFunctions: ReadonlySet<string> = new Set(
  ("empty not exists all allTrue anyTrue allFalse anyFalse subsetOf supersetOf isDistinct distinct count where extension " +
    "select coalesce sort aggregate sum min max avg single first last type ofType is as tail take skip combine union intersect " +
    "exclude iif defineVariable toInteger toLong toDecimal toString toDate toDateTime toTime toBoolean toQuantity hasValue " +
    "getValue convertsToBoolean convertsToInteger convertsToLong convertsToDecimal convertsToString convertsToDate " +
    "convertsToDateTime convertsToTime convertsToQuantity indexOf lastIndexOf substring startsWith endsWith contains upper " +
    "lower replace matches matchesFull replaceMatches length toChars join split trim encode decode escape unescape abs ceiling " +
    "exp floor ln log power round sqrt truncate lowBoundary highBoundary yearOf monthOf dayOf hourOf minuteOf secondOf " +
    "millisecondOf timezoneOffsetOf dateOf timeOf repeat children descendants comparable").split(" ")
)

/** The expressions of one mapping, with the functions they may call. */
export interface FhirPath {
  readonly compile: (text: string) => CompiledPath
  /** The element that stands for a record; the same one each time. */
  readonly elementOf: (record: SourceRecord) => Element
}

/**
 * Makes an engine whose expressions can call `functions` (looked up by name when an expression is compiled, so functions may
 * call each other). With `by: "library"` nothing is compiled to closures, for comparison.
 */
export const makeFhirPath = (
  functions: ReadonlyMap<string, PathFunction>,
  { by = "closures" }: { readonly by?: PathEngine | undefined } = {}
): FhirPath => {
  const options = { ...libraryOptions, userInvocationTable: invocationTable(functions) }
  const elements = new WeakMap<Resource, Element>()
  return {
    compile: (text) => {
      const run = by === "closures" ? compileTree(syntaxTree(text), functions) : undefined
      if (run === undefined) return { text, closures: false, evaluate: compileByLibrary(text, options) }
      let library: CompiledPath["evaluate"] | undefined
      return {
        text,
        closures: true,
        evaluate: (focus, variables) => {
          if (hasForeign(focus)) return (library ??= compileByLibrary(text, options))(focus, variables)
          const found = run(frameOf(focus, variables, undefined), focus)
          return found === focus ? [...found] : found
        }
      }
    },
    elementOf: (record) => {
      const known = elements.get(record.resource)
      if (known !== undefined) return known
      const element = rootNode(record.resource)
      elements.set(record.resource, element)
      recordsByResource.set(record.resource, record)
      return element
    }
  }
}

/** Functions as the library wants them told. */
const invocationTable = (functions: ReadonlyMap<string, PathFunction>): Readonly<Record<string, unknown>> => {
  const table: Record<string, unknown> = Object.create(null)
  for (const [name, fn] of functions) {
    const arity: Record<number, ReadonlyArray<string>> = {}
    for (let n = fn.least ?? fn.parameters.length; n <= fn.parameters.length; n++) {
      arity[n] = Array.from({ length: n }, () => "AnyAtRoot")
    }
    table[name] = {
      arity,
      internalStructures: true,
      // The library calls with its own context as `this`; the variables of the evaluation are in it.
      fn(this: { readonly vars: Variables }, input: Elements, ...args: ReadonlyArray<unknown>) {
        return fn.call(
          input,
          args.map((argument) => (Array.isArray(argument) ? argument : argument == null ? [] : [argument])),
          this.vars
        )
      }
    }
  }
  return table
}

const recordsByResource = new WeakMap<object, SourceRecord>()

/** The data of an element: a string, number, boolean, exact decimal or JSON object. */
export const valueOf = (element: Element): unknown => (isNode(element) ? element.data : element)

/** The record an element was read from, when it was read from one. */
export const recordOf = (element: Element): SourceRecord | undefined => {
  if (!isNode(element)) return undefined
  let node: Node = element
  while (node.parentResNode !== null) node = node.parentResNode
  return typeof node.data === "object" && node.data !== null ? recordsByResource.get(node.data) : undefined
}

/** Where an element stands in its resource: `Observation.component[0].valueQuantity`. */
export const placeOf = (element: Element): string | undefined => {
  if (!isNode(element)) return undefined
  const steps: Array<string> = []
  let node: Node = element
  while (node.parentResNode !== null) {
    steps.push(node.index === null ? `${node.propName}` : `${node.propName}[${node.index}]`)
    node = node.parentResNode
  }
  const type = (node.data as { readonly resourceType?: unknown } | null)?.resourceType
  return [typeof type === "string" ? type : "?", ...steps.toReversed()].join(".")
}

/** A name for what an element is, safe to show: `Quantity`, `string`, `CodeableConcept`. */
export const typeNameOf = (element: Element): string => {
  if (isNode(element) && element.fhirNodeDataType !== null) return element.fhirNodeDataType
  const value = valueOf(element)
  if (isExactDecimal(value)) return "decimal"
  return value === null ? "nothing" : Array.isArray(value) ? "list" : typeof value
}

/** The text of a value that has one. JSON objects have none, whatever their keys are called. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  // Exact decimals and FHIRPath's own dates.
  return typeof value === "object" && value !== null && !isJson(value) ? String(value) : undefined
}

const isJson = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Array.isArray(value)
}

/** A number that keeps the digits it was written with: `7.20`. */
export interface ExactDecimal {
  readonly toNumber: () => number
  readonly toString: () => string
}

/** The exact decimal with these digits, for functions that calculate. */
export const exactDecimal = (digits: string): ExactDecimal =>
  fhirpath.FP_Decimal.getDecimal(digits) as unknown as ExactDecimal

export const isExactDecimal = (value: unknown): value is ExactDecimal => value instanceof fhirpath.FP_Decimal

/** Evaluates, and turns what the engine throws into data. The message is the engine's and holds no value of a record. */
export const evaluatePath = (path: CompiledPath, focus: Elements, variables: Variables): Elements | PathFault => {
  try {
    return path.evaluate(focus, variables)
  } catch (cause) {
    return { message: faultMessage(cause), offset: 0 }
  }
}

// Engine messages can end in the JSON of what was found; only the words before it are kept.
const faultMessage = (cause: unknown): string => {
  const message = cause instanceof Error ? cause.message : "the expression failed"
  return message.split(/[\n{[]|: "/)[0]!.trim().slice(0, 160) || "the expression failed"
}

export const isPathFault = (result: Elements | PathFault | PathNames): result is PathFault =>
  !Array.isArray(result) && "offset" in result
