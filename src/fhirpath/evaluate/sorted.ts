import type { Element, Elements, ZoneScope } from "../FhirPath.ts"
import { ask } from "../library/ask.ts"
import { copyOfFrame, type EvaluateStep, type Frame } from "./Frame.ts"
import { compareWhenKnown } from "./values.ts"

/** A key of `sort(…)`: an expression on each element. */
interface SortKey {
  readonly run: EvaluateStep
  readonly isDescending: boolean
}

/**
 * Returns elements in the order of some keys; without a key, in their own order. Only elements with an equal key are compared by the
 * next one. Throws if a key has several values, or if two keys have no order.
 */
export const sorted = (
  elements: Elements,
  keys: ReadonlyArray<SortKey>,
  frame: Frame
): Elements =>
  keys.length === 0
    ? elements.toSorted((one, other) => compareForSort(one, other, frame.scope))
    : sortedByKeys(elements, keys, frame)

const sortedByKeys = (
  elements: Elements,
  [first, ...next]: ReadonlyArray<SortKey>,
  frame: Frame
): Elements => {
  if (elements.length < 2 || first === undefined) return elements
  const { scope } = frame
  const sign = first.isDescending ? -1 : 1
  const keyed = elements.map((element) => ({ element, key: keyOf(first.run, frame, element) }))
    .toSorted((one, other) => sign * compareForSort(one.key, other.key, scope))
  const groups: Array<Array<Element>> = []
  for (const [at, { element, key }] of keyed.entries()) {
    const before = keyed[at - 1]
    if (before !== undefined && compareForSort(before.key, key, scope) === 0) groups.at(-1)?.push(element)
    else groups.push([element])
  }
  return groups.flatMap((group) => sortedByKeys(group, next, frame))
}

/** Returns the key by which an element is sorted; `undefined` if it is empty. */
const keyOf = (run: EvaluateStep, frame: Frame, element: Element): Element => {
  const self = [element]
  try {
    const found = run({ ...copyOfFrame(frame, self), index: undefined }, self)
    if (found.length > 1) throw new Error("expected a singleton value")
    return found[0]
  } catch (cause) {
    throw new Error(`Sort expression evaluation error: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause
    })
  }
}

/** Returns the order of two keys; throws if they have none. */
const compareForSort = (one: Element, other: Element, scope: ZoneScope): number => {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined)
  const timed = compareWhenKnown(one, other, scope)
  if (timed === null) throw new Error("Cannot sort incomparable values")
  if (timed !== undefined) return timed
  // The library keeps the order of equal keys.
  const [first] = ask("%one.combine(%other).sort()", { one, other })
  const [last] = ask("%other.combine(%one).sort()", { one, other })
  return one === other || first !== last ? 0 : first === one ? -1 : 1
}
