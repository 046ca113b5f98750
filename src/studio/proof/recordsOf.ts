import { readDocument } from "../../source/read/readDocument.ts"
import { defaultReadLimits } from "../../source/read/ReadLimits.ts"
import { RecordExtractor } from "../../source/read/RecordExtractor.ts"
import type { RecordIndex } from "../../source/records/RecordIndex.ts"
import { RecordCollector } from "../../source/records/RecordIndex.ts"

/** A text of a source: a Bundle, or resources one to a line. */
export interface SourceText {
  readonly file: string
  readonly text: string
}

/** What was read of some texts, by the readers and the index of a run. */
interface RecordTexts {
  readonly index: RecordIndex
  readonly records: number
  /** Problems of what could not be read as a record, each reported once. */
  readonly unreadable: number
}

export const recordsOf = (texts: ReadonlyArray<SourceText>): RecordTexts => {
  const collector = new RecordCollector()
  let records = 0
  let unreadable = 0
  for (const { file, text } of texts) {
    const reading = new RecordExtractor(file, true)
    if (readDocument(Buffer.from(text), reading, defaultReadLimits) !== undefined) unreadable++
    reading.finish()
    for (const item of reading.take()) {
      collector.add(item)
      if (item._tag === "Record") records++
      if (item._tag === "Problem") unreadable++
    }
  }
  return { index: collector.index(), records, unreadable }
}
