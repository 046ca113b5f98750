import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { Node } from "./Node.ts"

/** The node of a record, with the engine that made it. */
export class RecordNode extends Node {
  readonly record: SourceRecord
  readonly engine: symbol
  /** Whether the record is written as the model says; `undefined` if it is not known until generated code asks for it. */
  isRegular: boolean | undefined

  constructor(record: SourceRecord, engine: symbol) {
    super(null, record.resource, null, null, null, null, null)
    this.record = record
    this.engine = engine
    this.isRegular = record.isUsual === true ? true : undefined
  }
}
