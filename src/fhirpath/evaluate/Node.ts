import fhirpath from "fhirpath"
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
  readonly getTypeInfo: () => TypeInfo
}

/** A type in the library's form. */
export interface TypeInfo {
  readonly is: (other: TypeInfo, model: object) => boolean
  readonly isConvertibleTo: (other: TypeInfo, model: object) => boolean
  readonly isValid: (model: object) => boolean
}

interface TypeInfoClass {
  new(name: { readonly namespace?: string; readonly name: string }): TypeInfo
  readonly fromValue: (value: unknown) => TypeInfo
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

const plainOptions = { preciseMath: true, resolveInternalTypes: false } as const

let spell: Evaluate | undefined

/** Converts to texts; an element without a text has none, as in FHIRPath. The library would return `[object Object]`. */
const toText = (input: Elements): Elements => {
  const found = (spell ??= compileByLibrary("$this.toString()", plainOptions))(input, {})
  return found[0] === "[object Object]" ? [] : found
}

/** Options of the library: decimals keep their digits, results remain nodes, and only elements with a text become one. */
export const libraryOptions = {
  ...plainOptions,
  userInvocationTable: { toString: { arity: { 0: [] }, internalStructures: true, fn: toText } }
} as const

type Evaluate = (focus: Elements, variables: Variables) => Elements

export const compileByLibrary = (text: string, options: object = libraryOptions): Evaluate =>
  fhirpath.compile(text, r4, options as never) as Evaluate

/** The shared context of all nodes: the model, and the conversion of a number to an exact decimal (memoized). */
const context = { model: r4, getDecimal: (value: number | string): unknown => getDecimal(value) }

// The library does not export its classes; they are read from a node.
const [example] = fhirpath.util.makeChildResNodes(context, { data: { value: "" }, path: null }, "value") as readonly [
  Node
]
const LibraryNode = example.constructor as NodeClass
const LibraryType = example.getTypeInfo().constructor as unknown as TypeInfoClass

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

/** Returns a type by its name, with or without its namespace: `Quantity`, `FHIR.Quantity`. `undefined` if there is none. */
export const typeNamed = (namespace: string | undefined, name: string): TypeInfo | undefined => {
  const type = new LibraryType(namespace === undefined ? { name } : { namespace, name })
  return type.isValid(r4) ? type : undefined
}

/** Returns a type for a name, whether or not such a type exists. */
export const possibleType = (name: string): TypeInfo => new LibraryType({ name })

/** Returns the type of any value: for a node the model's type, otherwise the JavaScript type. */
export const typeOf = (element: unknown): TypeInfo => LibraryType.fromValue(element)

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
