import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { Element, Elements } from "../FhirPath.ts"
import { recordOf } from "../FhirPath.ts"
import { isNode, Node } from "./Node.ts"
import { RecordNode } from "./RecordNode.ts"

/** A computed value with its source records. */
class MadeNode extends Node {
  readonly sources: ReadonlySet<SourceRecord>

  constructor(value: unknown, sources: ReadonlySet<SourceRecord>) {
    super(null, value, null, null, null, null, null)
    this.sources = sources
  }
}

const noRecords: ReadonlySet<SourceRecord> = new Set()

/** Returns the records whose values an element holds: its own record, or the source records of a computed value. */
export const sourcesOf = (element: Element): ReadonlySet<SourceRecord> => {
  if (element instanceof MadeNode) return element.sources
  if (!isNode(element)) {
    const record = recordOf(element)
    return record === undefined ? noRecords : new Set([record])
  }
  let root = element
  while (root.parentResNode !== null) root = root.parentResNode
  return root instanceof RecordNode ? root.alone ??= new Set([root.record]) : noRecords
}

/** Returns the records whose values some elements hold. */
export const sourcesOfAll = (...operands: ReadonlyArray<Elements>): ReadonlySet<SourceRecord> => {
  let first = noRecords
  let all: Set<SourceRecord> | undefined
  for (const elements of operands) {
    for (const element of elements) {
      const some = sourcesOf(element)
      if (first.size === 0) first = some
      else if (some !== first) {
        all ??= new Set(first)
        for (const record of some) all.add(record)
      }
    }
  }
  return all ?? first
}

/** Returns computed values as nodes with their source records. Elements of records already have theirs. */
export const madeOf = (found: Elements, records: ReadonlySet<SourceRecord>): Elements =>
  records.size === 0 || found.every(isNode)
    ? found
    : found.map((element) => (isNode(element) ? element : new MadeNode(element, records)))

/** Converts to `true` and `false` themselves, because conditions are compared with them. */
export const asPlain = (found: Elements): Elements =>
  found.length === 1 && found[0] instanceof MadeNode ? [found[0].data] : found
