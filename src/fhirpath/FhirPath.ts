import fhirpath from "fhirpath"
import { types } from "node:util"
import type { SourceRecord } from "../source/records/SourceRecord.ts"
import { compileTraced, compileTree, hasForeign } from "./evaluate/compile.ts"
import type { EvaluateStep } from "./evaluate/Frame.ts"
import { frameOf } from "./evaluate/Frame.ts"
import type { Node } from "./evaluate/Node.ts"
import { compileByLibrary, isNode, libraryOptions, rootNode } from "./evaluate/Node.ts"
import { sourcesOf, sourcesOfAll } from "./evaluate/sources.ts"
import { staysInRecord } from "./staysInRecord.ts"
import { parserFault, withoutTexts } from "./syntax/parserFault.ts"
import type { SyntaxNode } from "./syntax/SyntaxTree.ts"
import { offsetIn, syntaxTree, variableName } from "./syntax/SyntaxTree.ts"
import { Walks } from "./walk/Walks.ts"

/**
 * FHIRPath, as the rest of the program sees it. A path is compiled once; it is evaluated on a collection of elements and gives a
 * collection of elements. Elements are opaque outside: `valueOf`, `recordOf` and `elementPathOf` read them. What mappings mostly use is
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
  /** The values of what it finds: `valueOf` each element. Much cheaper, for who asks for nothing else. */
  readonly values: (focus: Elements, variables: Variables) => Elements
  /** Of each element that `evaluate` finds, the records whose values it holds. Slower; a record that only a condition reads is none of them. */
  readonly sources: (focus: Elements, variables: Variables) => ReadonlyArray<ReadonlySet<SourceRecord>>
  /** Each value that it finds is, or is made of, a value of the record that it is evaluated on. */
  readonly staysInRecord: () => boolean
  /** The variables it needs besides what it stands on; `undefined` when it asks functions that look elsewhere. */
  readonly needs: () => ReadonlySet<string> | undefined
}

/** What evaluates expressions: closures where they find what the library finds, or the library alone. */
export type PathEngine = "closures" | "library"

/** A function that mappings can call. It takes the input collection and the values of its arguments. */
export interface PathFunction {
  readonly parameters: ReadonlyArray<string>
  /** How many of the parameters must be given; all, unless said. */
  readonly least?: number
  readonly call: (
    input: Elements,
    args: ReadonlyArray<Elements>,
    variables: Variables,
    /** Where the input is values: the record they are of. */
    from?: SourceRecord,
    /** Reports each record whose values are in the texts that it gives, where that is not its input. */
    made?: (record: SourceRecord) => void
  ) => Elements
  /**
   * It reads `valueOf` its input and nothing else, or besides it `recordOf` its input: then it may be given the values themselves, with
   * the record they are of.
   */
  readonly reads?: "values" | "records"
  /** What it gives is made of its input; it gives nothing for nothing. */
  readonly ofInput?: true
  /** It gives some of its input, chosen by `valueOf` it: what comes after may stand on the values themselves. */
  readonly chooses?: true
  /** It gives the same for the same input and arguments throughout a run, and nobody is to know that it was asked. */
  readonly steady?: true
  /** The expression that `call` evaluates on each element, or on all at once, where it does nothing else. */
  readonly body?: { readonly text: string; readonly over: "item" | "collection" }
}

/** What is wrong with an expression; `offset` counts characters from its start. */
export interface PathFault {
  readonly message: string
  readonly offset: number
  readonly length?: number
  /** What to write instead. */
  readonly help?: string
}

/** A name used in an expression, and where. */
export interface PathName {
  readonly name: string
  readonly offset: number
  readonly length: number
}

/** A function that an expression calls. */
export interface PathCall extends PathName {
  readonly args: ReadonlyArray<PathArgument>
}

/** An argument, where it is a text (`keyOf('visit')`, placed within the quotes) or one name without them (`keyOf(visit)`). */
export interface PathArgument extends PathName {
  readonly kind: "text" | "name" | "path"
}

/** What an expression refers to, read from its syntax tree. */
export interface PathNames {
  readonly functions: ReadonlyArray<PathCall>
  readonly variables: ReadonlyArray<PathName>
}

/** Deeper trees than this would end in the middle of an evaluation. */
const maxDepth = 500

/** Parses an expression: what it refers to, or what is wrong with it. */
export const parsePath = (text: string): PathNames | PathFault => {
  const deep: PathFault = {
    message: "this is too long or nested too deep",
    offset: 0,
    help: "cut it into functions under `function:`; a long list of codes is a concept map:  code.mapped('name')"
  }
  if (nesting(text) > 100) return deep
  let tree: SyntaxNode
  try {
    tree = syntaxTree(text)
  } catch (cause) {
    return cause instanceof RangeError ? deep : parserFault(text, cause)
  }
  const functions: Array<PathCall> = []
  const variables: Array<PathName> = []
  const visit = (node: SyntaxNode, depth: number): boolean => {
    if (depth > maxDepth) return false
    const children = node.children ?? []
    if (node.type === "FunctionInvocation" && node.text !== undefined) {
      const list = children[0]?.children?.find((child) => child.type === "ParamList")
      functions.push({ ...placed(text, node), args: (list?.children ?? []).map((node) => argumentOf(text, node)) })
    }
    if (node.type === "ExternalConstantTerm") variables.push(placedVariable(text, node))
    return children.every((child) => visit(child, depth + 1))
  }
  return visit(tree, 0) ? { functions, variables } : deep
}

/** How many brackets are open at once. */
const nesting = (text: string): number => {
  let open = 0
  let most = 0
  for (const sign of withoutTexts(text)) {
    if (sign === "(" || sign === "[" || sign === "{") most = Math.max(most, ++open)
    if (sign === ")" || sign === "]" || sign === "}") open--
  }
  return most
}

const argumentOf = (text: string, node: SyntaxNode): PathArgument => {
  const literal = node.type === "TermExpression" ? node.children?.[0] : undefined
  const term = literal?.children?.[0]
  if (literal !== undefined && term?.type === "StringLiteral") {
    const { length, name, offset } = placed(text, literal)
    return { kind: "text", name: name.slice(1, -1), offset: offset + 1, length: length - 2 }
  }
  return term?.type === "MemberInvocation"
    ? { kind: "name", ...placed(text, term) }
    : { kind: "path", ...placed(text, node) }
}

const placed = (text: string, node: SyntaxNode): PathName => ({
  name: node.text ?? "",
  offset: node.start === undefined ? 0 : offsetIn(text, node.start.line, node.start.column),
  length: node.length ?? 1
})

/** With the percent sign, which is part of the name. */
const placedVariable = (text: string, node: SyntaxNode): PathName => {
  const { offset } = placed(text, node)
  const [written] = /^%\s*(?:`[^`]*`|'[^']*'|\w*)/u.exec(text.slice(offset)) ?? ["%"]
  return { name: variableName(node), offset, length: written.length }
}

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
  const options = {
    ...libraryOptions,
    userInvocationTable: { ...libraryOptions.userInvocationTable, ...invocationTable(functions) }
  }
  const engine = Symbol("engine")
  let watched = false
  return {
    compile: (text) => {
      let stays: boolean | undefined
      const staysHere = (): boolean => (stays ??= staysInRecord(syntaxTree(text), functions))
      const needs = (): ReadonlySet<string> | undefined => needsOf(text, functions)
      const run = by === "closures" ? compileTree(syntaxTree(text), functions) : undefined
      if (run === undefined) {
        const evaluate = compileByLibrary(text, options)
        return {
          text,
          closures: false,
          evaluate,
          values: (focus, variables) => evaluate(focus, variables).map(valueOf),
          sources: (focus, variables) => sourcesWithin(evaluate(focus, variables), focus),
          staysInRecord: staysHere,
          needs
        }
      }
      let library: CompiledPath["evaluate"] | undefined
      const evaluate: CompiledPath["evaluate"] = (focus, variables) => {
        if (hasForeign(focus)) return (library ??= compileByLibrary(text, options))(focus, variables)
        const found = run(frameOf(focus, variables, undefined), focus)
        return found === focus ? [...found] : found
      }
      const walks = new Walks(text, functions)
      let traced: EvaluateStep | undefined
      return {
        text,
        closures: true,
        evaluate,
        values: (focus, variables) =>
          (watched ? undefined : walks.values(focus, variables)) ?? evaluate(focus, variables).map(valueOf),
        sources: (focus, variables) => {
          if (hasForeign(focus)) return sourcesWithin(evaluate(focus, variables), focus)
          traced ??= compileTraced(syntaxTree(text), functions)!
          return traced(frameOf(focus, variables, undefined), focus).map(sourcesOf)
        },
        staysInRecord: staysHere,
        needs
      }
    },
    elementOf: (record) => {
      const known = (record as PathFocus)[elementKey]
      if (known !== undefined && known.engine === engine && known.data === record.resource) return known
      // Who watches what is read is to see the same as ever: walks read less.
      watched ||= types.isProxy(record.resource)
      const element = rootNode(record.resource) as RecordNode
      element.record = record
      element.engine = engine
      ;(record as PathFocus)[elementKey] = element
      return element
    }
  }
}

/** What the library computes is taken to be of what the expression is evaluated on. */
const sourcesWithin = (found: Elements, focus: Elements): ReadonlyArray<ReadonlySet<SourceRecord>> =>
  found.map((element) => (isNode(element) ? sourcesOf(element) : sourcesOfAll(focus)))

/** The variables of an expression and of the functions it calls, their own parameters left out. */
const needsOf = (
  text: string,
  functions: ReadonlyMap<string, PathFunction>,
  within: ReadonlySet<string> = new Set()
): ReadonlySet<string> | undefined => {
  const names = parsePath(text)
  if (isPathFault(names)) return undefined
  const needs = new Set(names.variables.map(({ name }) => name))
  for (const { name } of names.functions) {
    const own = functions.get(name)
    if (own === undefined || own.steady === true) continue
    const inner = own.body === undefined || within.has(name)
      ? undefined
      : needsOf(own.body.text, functions, new Set([...within, name]))
    if (inner === undefined) return undefined
    for (const one of inner) if (!own.parameters.includes(one)) needs.add(one)
  }
  return needs
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

/** The element of a record, with the engine that it was made for. */
type RecordNode = Node & { record: SourceRecord; engine: symbol }

const elementKey = Symbol("element")

/** A record keeps its element: looking it up elsewhere takes time for every record, and more of it to clean up. */
type PathFocus = SourceRecord & { [elementKey]?: RecordNode }

/** The data of an element: a string, number, boolean, exact decimal or JSON object. */
export const valueOf = (element: Element): unknown => (isNode(element) ? element.data : element)

/** The record an element was read from, when it was read from one. */
export const recordOf = (element: Element): SourceRecord | undefined => {
  if (!isNode(element)) return undefined
  let node: Node = element
  while (node.parentResNode !== null) node = node.parentResNode
  return (node as Partial<RecordNode>).record
}

/** Where an element stands in its resource: `Observation.component[0].valueQuantity`. */
export const elementPathOf = (element: Element): string | undefined => {
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
  // Of a record whose `resourceType` is no text, the library's type is none either.
  if (isNode(element) && typeof element.fhirNodeDataType === "string") return element.fhirNodeDataType
  const value = valueOf(element)
  if (isExactDecimal(value)) return "decimal"
  return value === null ? "nothing" : Array.isArray(value) ? "list" : typeof value
}

/** The text of a value that has one. JSON objects have none, whatever their keys are called. */
export const valueText = (value: unknown): string | undefined => {
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
    return faultOf(cause)
  }
}

/** As `evaluatePath`, for the values alone. */
export const valuesOfPath = (path: CompiledPath, focus: Elements, variables: Variables): Elements | PathFault => {
  try {
    return path.values(focus, variables)
  } catch (cause) {
    return faultOf(cause)
  }
}

const faultOf = (cause: unknown): PathFault => ({ message: faultMessage(cause), offset: 0 })

// Engine messages can end in the JSON of what was found; only the words before it are kept.
const faultMessage = (cause: unknown): string => {
  const message = cause instanceof Error ? cause.message : "the expression failed"
  return message.split(/[\n{[]|: "/)[0]!.trim().slice(0, 160) || "the expression failed"
}

export const isPathFault = (result: Elements | PathFault | PathNames): result is PathFault =>
  !Array.isArray(result) && "offset" in result
