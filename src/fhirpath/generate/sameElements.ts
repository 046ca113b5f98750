import { isDeepStrictEqual } from "node:util"
import { isNode, type Node } from "../evaluate/Node.ts"
import { RecordNode } from "../evaluate/RecordNode.ts"
import type { Element, Elements } from "../FhirPath.ts"

/** Returns whether two evaluations found the same: equal values at the same places of the same records. */
export const areSame = (one: Elements, other: Elements): boolean =>
  one.length === other.length && one.every((element, at) => isSame(element, other[at]))

const isSame = (one: Element, other: Element | undefined): boolean =>
  isNode(one) && isNode(other) ? isSameNode(one, other) : isDeepStrictEqual(one, other)

const isSameNode = (one: Node, other: Node): boolean => {
  if (one === other) return true
  const { data, index, parentResNode: parent, propName } = one
  if (propName !== other.propName || index !== other.index || !isDeepStrictEqual(data, other.data)) return false
  return parent === null || other.parentResNode === null
    ? parent === other.parentResNode
    : isSameNode(parent, other.parentResNode)
}

/** Returns the name of the record that a focus is an element of: `Observation/12`. */
export const nameOfRecord = ([element]: Elements): string => {
  let node: Node | null = isNode(element) ? element : null
  while (node?.parentResNode != null) node = node.parentResNode
  return node instanceof RecordNode ? node.record.origin.reference : "a value of no record"
}
