import fhirpath, { type Options } from "fhirpath"
import r4 from "fhirpath/fhir-context/r4"
import type { Elements, Variables } from "../FhirPath.ts"

/**
 * An element of a resource in the library's representation. Compiled expressions make the same nodes as `fhirpath`, so closures and the
 * library can exchange elements.
 */
export interface Node {
  /** Numbers are exact decimals. */
  readonly data: unknown
  /** The companion of a primitive: for `birthDate` the value of `_birthDate`. */
  readonly _data: unknown
  readonly parentResNode: Node | null
  /** The type, or the path of a nested element, which identifies it in the model. */
  readonly path: string | null
  readonly fhirNodeDataType: string | null
  readonly propName: string | null
  readonly index: number | null
  /** Returns the data, or its form for comparison: a date, a time, a quantity. Throws for a quantity with a comparator. */
  readonly convertData: () => unknown
}

type NodeClass = new(
  context: object,
  data: unknown,
  parent: Node | null,
  path: string | null,
  companion: unknown,
  type: string | null,
  name: string | null,
  index: number | null
) => Node

const plainOptions: Options = { preciseMath: true, resolveInternalTypes: false }

let spell: Evaluate | undefined

/** Converts to texts; an element without a text has none, as in FHIRPath. The library would return `[object Object]`. */
const toText = (input: Elements): Elements => {
  const found = (spell ??= compileByLibrary("$this.toString()", plainOptions))(input, {})
  return found[0] === "[object Object]" ? [] : found
}

/** Options of the library: decimals keep their digits, results remain nodes, and only elements with a text become one. */
export const libraryOptions: Options = {
  ...plainOptions,
  userInvocationTable: { toString: { arity: { 0: [] }, internalStructures: true, fn: toText } }
}

type Evaluate = (focus: Elements, variables: Variables) => Elements

export const compileByLibrary = (text: string, options: Options = libraryOptions): Evaluate =>
  fhirpath.compile(text, r4, options)

/** The shared context of all nodes: the model, and the conversion of a number to an exact decimal (memoized). */
const context = { model: r4, getDecimal: (value: number | string): unknown => getDecimal(value) }

// The only class of the library that it does not export. Its functions require nodes of this class, and closures make very many.
const [example] = compileByLibrary("Patient.id")([{ resourceType: "Patient", id: "" }], {})
const LibraryNode = (example as Node).constructor as NodeClass

const decimals = new Map<number, unknown>()
const getDecimal = (value: number | string): unknown => {
  if (typeof value !== "number" || value === 0) return fhirpath.FP_Decimal.getDecimal(value)
  let decimal = decimals.get(value)
  if (decimal === undefined) {
    if (decimals.size > 10_000) decimals.clear()
    decimals.set(value, decimal = fhirpath.FP_Decimal.getDecimal(value))
  }
  return decimal
}

/** Returns the data of a node for a value. */
export const dataOf = (value: unknown): unknown => (typeof value === "number" ? getDecimal(value) : value)

/** Returns true for types that are compared as instants rather than as texts. */
export const isTimed = (path: string | null): path is "date" | "dateTime" | "instant" | "time" =>
  path === "dateTime" || path === "date" || path === "instant" || path === "time"

export const isNode = (element: unknown): element is Node => element instanceof LibraryNode

/** Returns the node of a value outside a resource: a resource itself, or the result of a function. */
export const rootNode = (value: unknown): Node => new LibraryNode(context, value, null, null, null, null, null, null)

export const childNode = (
  parent: Node,
  data: unknown,
  companion: unknown,
  path: string | null,
  type: string | null,
  name: string,
  index: number | null
): Node => new LibraryNode(context, data, parent, path, companion, type, name, index)

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

/** Returns whether a value is a resource that is no node yet. */
const isBareResource = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !isNode(value) &&
  Boolean((value as { readonly resourceType?: unknown }).resourceType)

/** Returns a collection in which each resource is a node; the collection itself if nothing changes. */
export const elementsOf = (values: Elements): Elements =>
  values.some(isBareResource) ? values.map((value) => (isBareResource(value) ? rootNode(value) : value)) : values
