import fhirpath from "fhirpath"
import r4 from "fhirpath/fhir-context/r4"
import type { Elements, Variables } from "../FhirPath.ts"

/**
 * An element of a resource as `fhirpath` itself stands for it. Compiled expressions make the same nodes as the library does, so
 * an element that one of them found can be given to the other.
 */
export interface Node {
  /** Numbers are exact decimals. */
  readonly data: unknown
  /** The companion of a primitive: of `birthDate` what stands under `_birthDate`. */
  readonly _data: unknown
  readonly parentResNode: Node | null
  /** The type, or the path of a nested element: what the model knows it by. */
  readonly path: string | null
  readonly fhirNodeDataType: string | null
  readonly propName: string | null
  readonly index: number | null
  /** The data, or what it is compared as: a date, a time, a quantity. Throws for a quantity with a comparator. */
  readonly convertData: () => unknown
  readonly getTypeInfo: () => TypeInfo
}

/** A type as the library tells it. */
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

/** What has no text has none, as FHIRPath says: the library makes `[object Object]` of it. */
const toText = (input: Elements): Elements => {
  const found = (spell ??= compileByLibrary("$this.toString()", plainOptions))(input, {})
  return found[0] === "[object Object]" ? [] : found
}

/** How the library evaluates for us: decimals keep their digits, results stay nodes, and only what has a text becomes one. */
export const libraryOptions = {
  ...plainOptions,
  userInvocationTable: { toString: { arity: { 0: [] }, internalStructures: true, fn: toText } }
} as const

type Evaluate = (focus: Elements, variables: Variables) => Elements

export const compileByLibrary = (text: string, options: object = libraryOptions): Evaluate =>
  fhirpath.compile(text, r4, options as never) as Evaluate

// The library does not export its classes; its nodes know them.
const [example] = compileByLibrary("$this")([{ resourceType: "Basic" }], {}) as readonly [
  Node & { readonly ctx: object }
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

/** What every node points to besides its data: the model, and how a number becomes an exact decimal (the same one each time). */
const context = { ...example.ctx, getDecimal }

/** A number as it is written in an expression. */
export const writtenDecimal = (digits: string): unknown => fhirpath.FP_Decimal.getDecimal(digits)

/** The data of a node that would stand for a value. */
export const dataOf = (value: unknown): unknown => (typeof value === "number" ? getDecimal(value) : value)

export const isNode = (element: unknown): element is Node => element instanceof LibraryNode

/** The node of a value that stands nowhere: a resource, or what a function gave. */
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

/** A type by its name, with or without its namespace: `Quantity`, `FHIR.Quantity`. `undefined` when there is none. */
export const typeNamed = (namespace: string | undefined, name: string): TypeInfo | undefined => {
  const type = new LibraryType(namespace === undefined ? { name } : { namespace, name })
  return type.isValid(r4) ? type : undefined
}

/** Whether what the model calls by one name is of a type, or can be taken for it. */
export const isModelType = (name: string, type: TypeInfo, fits: "is" | "isConvertibleTo"): boolean =>
  new LibraryType(
    name.startsWith("System.") ? { namespace: "System", name: name.slice(7) } : { namespace: "FHIR", name }
  )[fits](type, r4)

/** A name that may be the name of a type, or of none. */
export const possibleType = (name: string): TypeInfo => new LibraryType({ name })

/** The type of any value: of a node what the model says, else what JavaScript says. */
export const typeOf = (element: unknown): TypeInfo => LibraryType.fromValue(element)

const requested = new Map<string, Evaluate>()

/**
 * What the library gives for an operator or function whose operands have been found: `ask("%a = %b", { a, b })`. So a compiled
 * expression decides the cases it is sure of and leaves every other to the library, its errors too.
 */
export const ask = (text: string, operands: Variables): Elements => {
  let evaluate = requested.get(text)
  if (evaluate === undefined) requested.set(text, evaluate = compileByLibrary(text))
  return evaluate([], operands)
}
