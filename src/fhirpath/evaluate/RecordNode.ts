import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { isRegular } from "../generate/regular.ts"
import { Node } from "./Node.ts"

/** The node of a record, with the engine that made it. */
export class RecordNode extends Node {
  readonly record: SourceRecord
  readonly engine: symbol
  #isRegular: boolean | undefined

  constructor(record: SourceRecord, engine: symbol) {
    super(null, record.resource, null, null, null, null, null)
    this.record = record
    this.engine = engine
  }

  /** Whether the record is written as the model says. */
  get isRegular(): boolean {
    return this.#isRegular ??= isRegular(this.data)
  }
}

/** Returns whether a node is an element of a record that is written as the model says. */
export const isOfRegularRecord = (node: Node): boolean => {
  let one = node
  while (one.parentResNode !== null) one = one.parentResNode
  return one instanceof RecordNode && one.isRegular
}
