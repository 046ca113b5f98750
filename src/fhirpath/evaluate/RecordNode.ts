import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { Node } from "./Node.ts"

const nothing: ReadonlySet<string> = new Set()

/** The node of a record, with the engine that made it. */
export class RecordNode extends Node {
  readonly record: SourceRecord
  readonly engine: symbol
  /** The elements that are not written as the model says, `null`: any; `undefined` until generated code asks for them. */
  odd: ReadonlySet<string> | null | undefined

  /** Only the record, made when it is first asked for. */
  alone: ReadonlySet<SourceRecord> | undefined

  constructor(record: SourceRecord, engine: symbol) {
    super(null, record.resource, null, null, null, null, null)
    this.record = record
    this.engine = engine
    this.alone = undefined
    this.odd = record.isUsual === true ? nothing : undefined
  }
}
