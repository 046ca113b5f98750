import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { ByteReader } from "../../src/source/read/ByteReader.ts"
import { defaultReadLimits } from "../../src/source/read/ReadLimits.ts"
import { sniffBytes } from "../../src/source/read/sniffFormat.ts"
import type { RecordIndex } from "../../src/source/records/RecordIndex.ts"
import { RecordCollector } from "../../src/source/records/RecordIndex.ts"
import { tablesOfFile } from "../../src/source/tables/matchFiles.ts"
import { readTables } from "../../src/source/tables/readTables.ts"
import type { TableLayout } from "../../src/source/tables/TableLayout.ts"
import { extractTables } from "../../src/studio/canonical/extractTables.ts"
import { CsvWriter, extractHeader } from "../../src/studio/canonical/toCsv.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { present } from "../present.ts"

/** The files of visits in the canonical extract, as `to-csv` writes them. */
export const csvFiles = (visits: ReadonlyArray<Visit>): ReadonlyMap<string, string> => {
  const writer = new CsvWriter()
  const files = new Map(extractTables.map((table) => [`${table.name}.csv`, extractHeader(table)]))
  for (const visit of visits) {
    for (const [table, rows] of writer.rows(visit) ?? []) {
      files.set(`${table}.csv`, present(files.get(`${table}.csv`)) + rows)
    }
  }
  return files
}

/** Reads CSV files as a run does. */
export const readCsvFiles = async (
  files: ReadonlyMap<string, string | Buffer>,
  tables: ReadonlyArray<TableLayout>,
  pieceBytes = 64 * 1024
): Promise<{ readonly records: RecordIndex; readonly problems: ReadonlyArray<Diagnostic> }> => {
  const collector = new RecordCollector()
  const problems: Array<Diagnostic> = []
  for (const [file, text] of files) {
    const bytes = Buffer.from(text)
    const format = sniffBytes(bytes)
    if (format._tag !== "Text") throw new Error(`${file} is no text`)
    const reader = new ByteReader(pieces(bytes, pieceBytes))
    for await (
      const items of readTables(reader, { file, tables: tablesOfFile(file, tables), format, limits: defaultReadLimits })
    ) {
      for (const item of items) {
        collector.add(item)
        if (item._tag === "Problem") problems.push(item.diagnostic)
      }
    }
  }
  return { records: collector.index(), problems }
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
