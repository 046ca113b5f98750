import { isExactNumber } from "../json/exactNumber.ts"
import { isJson, jsonObjectOf } from "../json/JsonObject.ts"
import { getOrMake } from "../maps.ts"
import type { SourceRecord } from "../source/records/SourceRecord.ts"
import { type Contents, contentsOf } from "./contentsOf.ts"
import { compileTraced, compileTree } from "./evaluate/compile.ts"
import type { EvaluateStep } from "./evaluate/Frame.ts"
import { frameOf } from "./evaluate/Frame.ts"
import type { Node } from "./evaluate/Node.ts"
import { elementsOf, isNode } from "./evaluate/Node.ts"
import { RecordNode } from "./evaluate/RecordNode.ts"
import { sourcesOf, sourcesOfAll } from "./evaluate/sources.ts"
import { Units } from "./generate/Units.ts"
import { withGenerated } from "./generate/withGenerated.ts"
import { compileByLibrary } from "./library/ask.ts"
import { isOfEach, staysInRecord } from "./staysInRecord.ts"
import { offsetOf, type TextSpan } from "./syntax/nodeSpans.ts"
import { parserFault, withoutTexts } from "./syntax/parserFault.ts"
import type { SyntaxNode } from "./syntax/SyntaxTree.ts"
import { syntaxTree, variableName } from "./syntax/SyntaxTree.ts"

/**
 * The FHIRPath interface of the program. A path is compiled once, evaluated on a collection of elements, and returns a collection of
 * elements. Elements are opaque outside: `valueOf`, `recordOf` and `elementPathOf` read them. Expressions are compiled to closures
 * (`compile.ts`), which ask the library `fhirpath` for the results of rare operators and functions.
 */
export type Element = unknown
export type Elements = ReadonlyArray<Element>

/** `%name` variables, possibly on a prototype chain. Values are collections of elements or plain literals. */
export type Variables = Readonly<Record<string, unknown>>

/** What an evaluation reads besides its focus and variables. Functions of a mapping read more of it than expressions do. */
export interface ZoneScope {
  /** IANA name of the zone of times without an offset, and of dates that are compared with times. */
  readonly zone: string
  /**
   * Begins an evaluation that may be repeated. Returns what discards its reports. Without it, an expression that reports something is
   * evaluated by the definition only.
   */
  readonly begin?: () => () => void
  /** Returns what is found once for a visit, and reports each time what finding it has reported. Without it, there is no visit. */
  readonly once?: <A>(key: object, find: () => A) => A
}

/** A FHIRPath expression, ready for evaluation. */
export interface CompiledPath<Scope extends ZoneScope = ZoneScope> {
  readonly text: string
  /** Throws the engine's errors; `evaluatePath` returns them as data. */
  readonly evaluate: (focus: Elements, variables: Variables, scope: Scope) => Elements
  /** Returns `valueOf` each element of the result. */
  readonly values: (focus: Elements, variables: Variables, scope: Scope) => Elements
  /** Returns, for each element of `evaluate`, the records whose values it holds. Slower; excludes a record that only a condition reads. */
  readonly sources: (focus: Elements, variables: Variables, scope: Scope) => ReadonlyArray<ReadonlySet<SourceRecord>>
  /** Returns true if each value of the result is, or is made of, a value of the record that it is evaluated on. */
  readonly staysInRecord: () => boolean
  /** Returns true if the result on several elements is the list of the results on each. */
  readonly isOfEach: () => boolean
  /** Returns what its text proves about its values; `undefined` if it proves nothing. */
  readonly contents: () => Contents | undefined
}

/**
 * What evaluates expressions. The `definition` evaluates them by closures. It also evaluates what generated code leaves to it, which is
 * written for expressions that are evaluated often. Only tests let the library evaluate, in the zone of the process, and compare the
 * results.
 */
export type PathEngine = "definition" | "library" | GeneratedEngine

/** How code is generated for expressions. */
export interface GeneratedEngine {
  /** How often an expression is evaluated on a type of element by the definition, before code is written for it (default: 40). */
  readonly after?: number
  /** The definition does everything until a run is known to be so large that generating code saves time. */
  readonly waits?: true
  /** Whether a run proves visits by making them by the definition, too (default: true). A test compares them itself. */
  readonly proves?: boolean
  /** Whether code takes some elements of the record of a node as written as the model says. A test plants faults with it. */
  readonly canRead?: (node: Node, elements: ReadonlySet<string>) => boolean
  /** Changes the text of each function. A test plants faults with it. */
  readonly alter?: (text: string) => string
}

/** What the expression of a function is evaluated on: each element of its input, all at once, or nothing, once for a visit. */
export type FunctionInput = "item" | "collection" | "visit"

/** A function that mappings can call. It receives the input collection and the values of its arguments. */
export interface PathFunction<Scope extends ZoneScope = ZoneScope> {
  readonly parameters: ReadonlyArray<string>
  /** Number of required parameters (default: all). */
  readonly least?: number
  readonly call: (
    input: Elements,
    args: ReadonlyArray<Elements>,
    scope: Scope,
    /** Reports each record whose values are in the returned texts, if it is not the input's record. */
    made?: (record: SourceRecord) => void,
    /** The variables of the call, for a function with a `body`. */
    variables?: Variables
  ) => Elements
  /** `call` reads only `valueOf` its input. It can then receive the values themselves. */
  readonly readsValues?: true
  /** It returns exactly one boolean. */
  readonly isTest?: true
  /** What `call` returns for each element by itself, if it does only that; an element without a result is left out. */
  readonly forEach?: (
    element: Element,
    args: ReadonlyArray<Elements>,
    scope: Scope,
    made?: (record: SourceRecord) => void
  ) => Element | undefined
  /** Whether `call` returns `true`, if it only tests whether some element is as this says. */
  readonly forSome?: (element: Element, args: ReadonlyArray<Elements>, scope: Scope) => boolean
  /**
   * What a call does besides returning a result: nothing, or it only notes which records it `reads`. Such a function cannot fail.
   * Without this, it may report to the scope or fail.
   */
  readonly effect?: "none" | "reads"
  /** The result is made of the input; empty input gives an empty result. */
  readonly ofInput?: true
  /** It returns part of its input. */
  readonly chooses?: true
  /** It returns only records: those that its input refers to, or those of the type that its argument names (`Encounter`, `Encounter.partOf`). */
  readonly returns?: "targets" | "named"
  /**
   * What it returns for elements of records; nothing for nothing. `records`: elements of its input or of records that it notes as read;
   * `values`: values, each made of one or more of such records.
   */
  readonly reaches?: "records" | "values"
  /** The expression that `call` evaluates, if it does only that. */
  readonly body?: { readonly text: string; readonly over: FunctionInput }
}

/** An error in an expression; `offset` counts characters from its start. */
export interface PathFault {
  readonly message: string
  readonly offset: number
  readonly length?: number
  /** The suggested replacement. */
  readonly help?: string
  /** What an evaluation threw. Its text may hold a value of a record. */
  readonly cause?: unknown
}

/** A name in an expression, and its position. */
interface PathName extends TextSpan {
  readonly name: string
}

/** A function that an expression calls. */
export interface PathCall extends PathName {
  readonly args: ReadonlyArray<PathArgument>
}

/** An argument that is a text (`keyOf('visit')`, located within the quotes) or one name without them (`keyOf(visit)`). */
export interface PathArgument extends PathName {
  readonly kind: "text" | "name" | "path"
}

/** The names that an expression refers to, read from its syntax tree. */
export interface PathNames {
  /** Every word outside of texts. */
  readonly words: ReadonlyArray<string>
  readonly functions: ReadonlyArray<PathCall>
  readonly variables: ReadonlyArray<PathName>
  /** Every text, with its quotes. */
  readonly texts: ReadonlyArray<PathName>
}

/** Maximum depth of a syntax tree. A deeper tree would overflow the stack during evaluation. */
const maxDepth = 500

const parsed = new Map<string, PathNames | PathFault>()

/** Parses an expression and returns the names it refers to, or its error. Memoized, as the lines of a base are checked with each overlay. */
export const parsePath = (text: string): PathNames | PathFault => getOrMake(parsed, text, parseNames)

/** Returns the first argument of each call of a function in an expression, as it is written without quotes. */
export const firstArgumentsOf = (text: string, name: string): ReadonlyArray<string> => {
  const names = parsePath(text)
  return isPathFault(names)
    ? []
    : names.functions.flatMap((call) => (call.name === name ? call.args[0]?.name ?? [] : []))
}

/** Like {@link firstArgumentsOf}, of the first call. */
export const firstArgumentOf = (text: string, name: string): string | undefined => firstArgumentsOf(text, name)[0]

/** Returns whether a word occurs in an expression: the name of an element or a function. */
export const hasWord = (text: string, word: string): boolean => {
  const names = parsePath(text)
  return !isPathFault(names) && names.words.includes(word)
}

/** Returns the functions that a text calls; none if it is not an expression. */
export const functionsCalledIn = (text: string): ReadonlyArray<string> => {
  // Most texts that are not expressions call nothing, and the parser's error would take long.
  const names = text.includes("(") ? parsePath(text) : undefined
  return names === undefined || isPathFault(names) ? [] : names.functions.map(({ name }) => name)
}

const parseNames = (text: string): PathNames | PathFault => {
  const deep: PathFault = {
    message: "this is too long or nested too deep",
    offset: 0,
    help: "cut it into functions under `function:`; a long list of codes is a concept map:  code.mapped('name')"
  }
  if (nesting(text) > 100) return deep
  if (/^\s*\d[\d.]*(?:\s*[-+*/]\s*\d[\d.]*)+\s*$/u.test(text)) {
    return {
      message: "numbers with signs between them are calculated",
      offset: text.search(/\S/u),
      length: text.trim().length,
      help: `a fixed text is  {value: "${text.trim()}"}  and a date in a path is  @2026-02-28`
    }
  }
  let tree: SyntaxNode
  try {
    tree = syntaxTree(text)
  } catch (cause) {
    return cause instanceof RangeError ? deep : parserFault(text, cause)
  }
  const functions: Array<PathCall> = []
  const variables: Array<PathName> = []
  const texts: Array<PathName> = []
  const visit = (node: SyntaxNode, depth: number): boolean => {
    if (depth > maxDepth) return false
    const children = node.children ?? []
    if (node.type === "FunctionInvocation" && node.text !== undefined) {
      const list = children[0]?.children?.find((child) => child.type === "ParamList")
      functions.push({ ...placed(text, node), args: (list?.children ?? []).map((node) => argumentOf(text, node)) })
    }
    if (node.type === "LiteralTerm" && children[0]?.type === "StringLiteral") texts.push(placed(text, node))
    if (node.type === "ExternalConstantTerm") variables.push(placedVariable(text, node))
    return children.every((child) => visit(child, depth + 1))
  }
  const words = text.replace(/'(?:[^'\\]|\\.)*'/gu, "").match(/[A-Za-z_]\w*/gu) ?? []
  return visit(tree, 0) ? { functions, texts, variables, words } : deep
}

/** Returns the maximum number of nested brackets. */
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
  offset: offsetOf(text, node),
  length: node.length ?? 1
})

/** Returns the variable's name with the percent sign, which is part of it. */
const placedVariable = (text: string, node: SyntaxNode): PathName => {
  const { offset } = placed(text, node)
  const [written] = /^%\s*(?:`[^`]*`|'[^']*'|\w*)/u.exec(text.slice(offset)) ?? ["%"]
  return { name: variableName(node), offset, length: written.length }
}

/** FHIRPath functions that would make a run depend on the current time, access the network, or print values. */
export const forbiddenFunctions: ReadonlySet<string> = new Set(
  ("now today timeOfDay trace memberOf conformsTo validateVS subsumes subsumedBy translate expand weight "
    + "ordinal").split(" ")
)

/** The expressions of one mapping, with the functions that they can call. */
export interface FhirPath<Scope extends ZoneScope = ZoneScope> {
  readonly compile: (text: string) => CompiledPath<Scope>
  /** Returns the element of a record; the same one each time. */
  readonly elementOf: (record: SourceRecord) => Element
  /** The functions that its expressions can call, by name. */
  readonly functions: ReadonlyMap<string, PathFunction>
  /** The generated functions of the engine, if it generates code. */
  readonly units: Units | undefined
}

/**
 * Makes an engine whose expressions can call `functions`. They are looked up by name when an expression is compiled, so functions can call
 * each other.
 */
export const makeFhirPath = <Scope extends ZoneScope>(
  called: ReadonlyMap<string, PathFunction<Scope>>,
  by: PathEngine = { waits: true }
): FhirPath<Scope> => {
  // The paths that are returned take only a scope that the functions can read.
  const functions = called as ReadonlyMap<string, PathFunction>
  const context = { functions }
  const units = typeof by === "string" ? undefined : new Units(functions, by)
  const engine = Symbol("engine")
  const made = new Map<string, CompiledPath>()
  const compileToClosures = (text: string): CompiledPath => {
    // Compiled when it is first evaluated: most expressions of a mapping never are.
    let code: ReturnType<typeof compileTree> | undefined
    const codeOf = (): ReturnType<typeof compileTree> => code ??= compileTree(syntaxTree(text), context)
    let traced: EvaluateStep | undefined
    const evaluate: CompiledPath["evaluate"] = (focus, variables, scope) => {
      const root = elementsOf(focus)
      const found = codeOf().run(frameOf(root, variables, scope, undefined), root)
      return found === focus ? [...found] : found
    }
    let stays: boolean | undefined
    let each: boolean | undefined
    let contents: Contents | null | undefined
    return {
      text,
      evaluate,
      values: (focus, variables, scope) => {
        const { values } = codeOf()
        const root = elementsOf(focus)
        if (values !== undefined) return values(frameOf(root, variables, scope, undefined), root)
        const found = evaluate(root, variables, scope)
        return found.length === 1 ? [valueOf(found[0])] : found.map(valueOf)
      },
      sources: (focus, variables, scope) => {
        traced ??= compileTraced(syntaxTree(text), context)
        const root = elementsOf(focus)
        return traced(frameOf(root, variables, scope, undefined), root).map(sourcesOf)
      },
      staysInRecord: () => (stays ??= staysInRecord(syntaxTree(text), functions)),
      isOfEach: () => (each ??= isOfEach(syntaxTree(text))),
      contents: () => {
        if (contents === undefined) contents = contentsOf(syntaxTree(text), functions) ?? null
        return contents ?? undefined
      }
    }
  }
  const compile = by === "library"
    ? libraryCompiler(functions)
    : units === undefined
    ? compileToClosures
    : (text: string): CompiledPath => withGenerated(compileToClosures(text), units)
  return {
    // Many lines have the same text. They share its closures, of which there are more than fit into the processor's caches.
    compile: (text) => ({ ...getOrMake(made, text, () => compile(text)) }),
    functions,
    units,
    elementOf: (record: ElementHolder) => {
      const known = record[elementKey]
      if (known !== undefined && known.engine === engine && known.data === record.resource) return known
      return record[elementKey] = new RecordNode(record, engine)
    }
  }
}

/** Compiles expressions to be evaluated only by the library. A value that it computes is assumed to come from the focus. */
const libraryCompiler = (functions: ReadonlyMap<string, PathFunction>): FhirPath["compile"] => (text) => {
  const evaluate: CompiledPath["evaluate"] = compileByLibrary(text, functions)
  return {
    text,
    evaluate,
    values: (focus, variables, scope) => evaluate(focus, variables, scope).map(valueOf),
    sources: (focus, variables, scope) =>
      evaluate(focus, variables, scope).map((element) => (isNode(element) ? sourcesOf(element) : sourcesOfAll(focus))),
    staysInRecord: () => staysInRecord(syntaxTree(text), functions),
    isOfEach: () => isOfEach(syntaxTree(text)),
    contents: () => contentsOf(syntaxTree(text), functions)
  }
}

const elementKey = Symbol("element")

/**
 * The element is stored on its record: a lookup table costs time for every record, and more in garbage collection. Only `elementOf` sets
 * and reads the key, so no other type of a record mentions it.
 */
type ElementHolder = SourceRecord & { [elementKey]?: RecordNode }

/** Returns the data of an element: a string, number, boolean, exact decimal or JSON object. */
export const valueOf = (element: Element): unknown => (isNode(element) ? element.data : element)

/** Returns the record of an element, if it was read from one. */
export const recordOf = (element: Element): SourceRecord | undefined => {
  if (!isNode(element)) return undefined
  let node: Node = element
  while (node.parentResNode !== null) node = node.parentResNode
  // The outermost node is that of a record, or of a value outside any record.
  return node instanceof RecordNode ? node.record : undefined
}

/** Returns the path of an element in its resource: `Observation.component[0].valueQuantity`. */
export const elementPathOf = (element: Element): string | undefined => {
  if (!isNode(element)) return undefined
  const steps: Array<string> = []
  let node: Node = element
  while (node.parentResNode !== null) {
    steps.push(node.index === null ? `${node.propName}` : `${node.propName}[${node.index}]`)
    node = node.parentResNode
  }
  const type = jsonObjectOf(node.data).resourceType
  return [typeof type === "string" ? type : "?", ...steps.toReversed()].join(".")
}

/** Returns a name for an element's type, safe to show: `Quantity`, `string`, `CodeableConcept`. */
export const typeNameOf = (element: Element): string => {
  // If a record's `resourceType` is not a text, the library's type is not a text either.
  if (isNode(element) && typeof element.fhirNodeDataType === "string") return element.fhirNodeDataType
  const value = valueOf(element)
  if (isExactNumber(value)) return "decimal"
  return value === null ? "nothing" : Array.isArray(value) ? "list" : typeof value
}

/** Returns the text of a value, if it has one. JSON objects have none, whatever their keys are called. */
export const valueText = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  // Exact decimals and FHIRPath's own dates.
  return typeof value === "object" && value !== null && !isJson(value) ? String(value) : undefined
}

/** Evaluates a path, and returns the engine's errors as data. The message is from the engine and holds no value of a record. */
export const evaluatePath = <Scope extends ZoneScope>(
  path: CompiledPath<Scope>,
  focus: Elements,
  variables: Variables,
  scope: Scope
): Elements | PathFault => {
  try {
    return path.evaluate(focus, variables, scope)
  } catch (cause) {
    return faultOf(cause)
  }
}

/** Same as `evaluatePath`, but returns only the values. */
export const valuesOfPath = <Scope extends ZoneScope>(
  path: CompiledPath<Scope>,
  focus: Elements,
  variables: Variables,
  scope: Scope
): Elements | PathFault => {
  try {
    return path.values(focus, variables, scope)
  } catch (cause) {
    return faultOf(cause)
  }
}

const faultOf = (cause: unknown): PathFault => ({ message: faultMessage(cause), offset: 0, cause })

// Messages of the engine can have a value that was found: as JSON, in quotes, or after a colon. Only the text before it is kept.
const faultMessage = (cause: unknown): string => {
  // Where the engine has no message of its own, such as for the sum of a text and a duration.
  if (cause instanceof TypeError) return "an operator or a function does not take a value of this type"
  // Other errors of JavaScript have values anywhere: `Cannot convert … to a BigInt`.
  const message = cause instanceof Error && cause.name === "Error" ? cause.message : ""
  if (message.startsWith("Cannot convert ") && message.includes(" to ")) {
    return "a value cannot be converted to a number"
  }
  if (message.startsWith("Type of ")) return "values of two types cannot be compared"
  return message.replace(/(?:[\n{["]|: )[^]*$/u, "").trim().slice(0, 160) || "the expression failed"
}

export const isPathFault = (result: Elements | PathFault | PathNames): result is PathFault =>
  !Array.isArray(result) && "offset" in result
