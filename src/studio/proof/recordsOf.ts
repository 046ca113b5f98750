import { readDocument } from "../../source/read/readDocument.ts"
import { defaultReadLimits } from "../../source/read/ReadLimits.ts"
import { RecordExtractor } from "../../source/read/RecordExtractor.ts"
import type { RecordIndex } from "../../source/records/RecordIndex.ts"
import { RecordCollector } from "../../source/records/RecordIndex.ts"

/** The text of an input file: a Bundle, or one resource per line. */
export interface SourceText {
  readonly file: string
  readonly text: string
}

/** The records in some texts, as a run reads and indexes them. */
interface RecordTexts {
  readonly index: RecordIndex
  readonly records: number
  /** Number of problems of unreadable records. */
  readonly unreadable: number
}

export const recordsOf = (texts: ReadonlyArray<SourceText>): RecordTexts => {
  const collector = new RecordCollector()
  let records = 0
  let unreadable = 0
  for (const { file, text } of texts) {
    const extractor = new RecordExtractor(file)
    if (readDocument(Buffer.from(text), extractor, defaultReadLimits) !== undefined) unreadable++
    extractor.finish()
    for (const item of extractor.take()) {
      collector.add(item)
      if (item._tag === "Record") records++
      if (item._tag === "Problem") unreadable++
    }
  }
  return { index: collector.index(), records, unreadable }
}
