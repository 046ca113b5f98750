import { ExactNumber, isExactNumber } from "../../json/exactNumber.ts"
import { isNode, Node } from "../evaluate/Node.ts"
import { no, none, yes } from "../evaluate/values.ts"
import type { Element, Elements } from "../FhirPath.ts"
import { QuantityValue, TimeValue } from "../library/systemValues.ts"

/** An element that an expression states, as data. */
export type KeptElement =
  | string
  | boolean
  | { readonly number: string | number }
  | { readonly time: string; readonly type: "Date" | "DateTime" | "Time" }
  | { readonly quantity: string | number; readonly unit: string }

/** Thrown for what is not kept. */
export const notKept: unique symbol = Symbol("not kept")

/** Returns `undefined` if something is not kept. */
export const orNotKept = <A>(make: () => A): A | undefined => {
  try {
    return make()
  } catch (cause) {
    if (cause !== notKept) throw cause
    return undefined
  }
}

/** Throws for an element of a record. */
export const keptElement = (element: Element): KeptElement => {
  if (typeof element === "string" || typeof element === "boolean") return element
  if (isExactNumber(element)) return { number: element.toSource() }
  if (element instanceof TimeValue) return { time: element.toString(), type: TimeValue.typeOf(element) }
  if (element instanceof QuantityValue) return { quantity: element.value.toSource(), unit: element.unit }
  throw notKept
}

export const restoredElement = (kept: KeptElement): Element => {
  if (typeof kept !== "object") return kept
  if ("number" in kept) return new ExactNumber(kept.number)
  return "time" in kept
    ? new TimeValue(kept.type, kept.time)
    : new QuantityValue(new ExactNumber(kept.quantity), kept.unit)
}

export const restoredElements = (kept: ReadonlyArray<KeptElement>): Elements => {
  const [only] = kept
  if (only === undefined) return none
  return kept.length === 1 && typeof only === "boolean" ? (only ? yes : no) : kept.map(restoredElement)
}

/** The type of a node, without its data. */
interface KeptSample {
  readonly path: string | null
  readonly type: string | null
  readonly data: unknown
}

/** Returns the shape of what a unit returns, without data of the record for which it was written. */
export const keptShape = (shape: unknown): unknown => {
  if (!hasSample(shape) || !isNode(shape.sample)) return shape
  const { data, fhirNodeDataType: type, path } = shape.sample
  const form = typeof data === "string" ? "" : typeof data === "boolean" ? true : isExactNumber(data) ? 1 : {}
  const kept: KeptSample = { path, type, data: form }
  return { ...shape, sample: kept }
}

export const restoredShape = (kept: unknown): unknown => {
  if (!hasSample(kept) || kept.sample === undefined) return kept
  // `keptShape` made it.
  const { data, path, type } = kept.sample as KeptSample
  return { ...kept, sample: new Node(null, data, null, path, type, null, null) }
}

const hasSample = (shape: unknown): shape is { readonly sample: unknown } =>
  typeof shape === "object" && shape !== null && "sample" in shape
