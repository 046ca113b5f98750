import { beginsAsObject, beginsAsValueOrComment, memberPattern } from "../../json/unparsed.ts"
import { delimiters } from "../tables/rows/findDialect.ts"

/** The format of a file by its first bytes; its name is ignored. */
export type ByteFormat =
  | { readonly _tag: "Gzip" }
  | { readonly _tag: "Text"; readonly encoding: "utf-8" | "utf-16le" | "utf-16be"; readonly bom: number }
  | Foreign

/** A format that cannot be read here. */
export interface Foreign {
  readonly _tag: "Foreign"
  /** With its article: `an Excel workbook`. */
  readonly what: string
  readonly help: string
  /** The file may hold records, so ignoring it may lose some. */
  readonly mayHoldRecords: boolean
  /** Several lines of the text have cells: under the name of a table they can be rows. */
  readonly hasCells?: boolean
}

const unpack = "unpack it first"
const exportFhir = "export the data as FHIR JSON, NDJSON or CSV"

/** A format that may hold records. */
const foreign = (what: string, help: string): Foreign => ({ _tag: "Foreign", what, help, mayHoldRecords: true })

const withoutRecords = (what: string): Foreign => ({
  _tag: "Foreign",
  what,
  help: exportFhir,
  mayHoldRecords: false
})

/** Signatures: first bytes as characters of Latin-1, and the format they identify. */
const signatures: ReadonlyArray<readonly [start: string, Foreign]> = [
  ["%PDF-", withoutRecords("a PDF document")],
  ["\u0089PNG", withoutRecords("a PNG picture")],
  ["\u00FF\u00D8\u00FF", withoutRecords("a JPEG picture")],
  ["GIF8", withoutRecords("a GIF picture")],
  ["DICM", withoutRecords("a DICOM image")],
  ["SQLite format 3\0", foreign("an SQLite database", exportFhir)],
  ["PAR1", foreign("a Parquet file", exportFhir)],
  ["Obj\u0001", foreign("an Avro file", exportFhir)],
  ["\u00D0\u00CF\u0011\u00E0", foreign("an old Office file (.xls, .doc)", "save the sheet as CSV")],
  ["\u0028\u00B5\u002F\u00FD", foreign("a file compressed with zstd", unpack)],
  ["\u00FD7zXZ\0", foreign("a file compressed with xz", unpack)],
  ["BZh", foreign("a file compressed with bzip2", unpack)],
  ["7z\u00BC\u00AF", foreign("a 7-Zip archive", unpack)],
  ["Rar!", foreign("a RAR archive", unpack)]
]

/** Detects the format from the first bytes of a file (a few hundred are enough). */
export const sniffBytes = (head: Buffer): ByteFormat => {
  const start = head.toString("latin1", 0, 4096)
  if (start.startsWith("\u001F\u008B")) return { _tag: "Gzip" }
  if (start.startsWith("\u00EF\u00BB\u00BF")) return { _tag: "Text", encoding: "utf-8", bom: 3 }
  if (start.startsWith("\u00FF\u00FE\0\0") || start.startsWith("\0\0\u00FE\u00FF")) {
    return foreign("text in UTF-32", "save it as UTF-8")
  }
  if (start.startsWith("\u00FF\u00FE")) return { _tag: "Text", encoding: "utf-16le", bom: 2 }
  if (start.startsWith("\u00FE\u00FF")) return { _tag: "Text", encoding: "utf-16be", bom: 2 }
  if (start.startsWith("PK\u0003\u0004")) {
    return /xl\/|\[Content_Types\]\.xml|word\//.test(start)
      ? foreign("an Excel workbook or another Office file", "save the sheet as CSV")
      : foreign("a ZIP archive", unpack)
  }
  for (const [signature, format] of signatures) if (start.startsWith(signature)) return format
  if (start.slice(257, 262) === "ustar") return foreign("a TAR archive", unpack)
  if (start.slice(128, 132) === "DICM") return withoutRecords("a DICOM image")
  if (start[1] === "\0" || start[0] === "\0") {
    return foreign("text in UTF-16 without its byte-order mark, or binary data", "save it as UTF-8")
  }
  return { _tag: "Text", encoding: "utf-8", bom: 0 }
}

/** The format of a text by its first lines. */
type TextFormat = { readonly _tag: "Json" } | { readonly _tag: "Csv" } | { readonly _tag: "Blank" } | Foreign

const typeMember = new RegExp(memberPattern("resourceType"), "u")

/** Detects the format from the beginning of a text; `complete`: the text has no more than this. */
export const sniffText = (head: string, complete: boolean): TextFormat => {
  const text = head.trimStart()
  if (text === "") return { _tag: complete ? "Blank" : "Json" }
  if (beginsAsValueOrComment(text)) return { _tag: "Json" }
  if (/^<(?:!doctype\s+html|html|head|body)\b/i.test(text)) {
    return foreign("an HTML page", "it may be the sign-in or error page of a server: fetch the data again")
  }
  if (text.startsWith("<")) {
    return text.includes("http://hl7.org/fhir")
      ? foreign("FHIR in XML", "export it as FHIR JSON: XML is not read")
      : foreign("XML", exportFhir)
  }
  if (/^(?:MSH|FHS|BHS)[|^]/.test(text)) return foreign("HL7 v2 messages", "convert them to FHIR first")
  const lines = text.split("\n")
  if (!complete && lines.length > 1) lines.pop()
  // NDJSON with a damaged first line is still NDJSON.
  if (lines.some((line) => beginsAsObject(line) && typeMember.test(line))) return { _tag: "Json" }
  if (isCsv(lines.join("\n"))) return { _tag: "Csv" }
  return {
    ...withoutRecords(text.includes("\0") ? "binary data" : "text that is neither JSON nor CSV"),
    hasCells: [",", ";", "\t", "|"].some((delimiter) => lines.filter((line) => line.includes(delimiter)).length > 1)
  }
}

/**
 * Whether the text is a table: a header of several short names, and rows below it with as many fields. Ragged rows count as long as they
 * are rows. So is one without a header, if all rows have as many fields. A delimiter or line break inside double quotes is text.
 */
const isCsv = (text: string): boolean => {
  // A note in Markdown can contain a table: bars at both ends of each row, and a row of dashes.
  if (text.startsWith("|") || /^\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t\r]*$/mu.test(text)) return false
  return delimiters.some((delimiter) => {
    const all = rowsOf(text, delimiter, 60)
    if (hasTitles(all) || isWithoutHeader(all)) return true
    const [header, ...rows] = all.slice(0, 12)
    if (header === undefined || header.length < 2 || !namesColumns(header)) return false
    if (rows.length === 0) return header.length > 2
    const alike = rows.filter((row) => row.length === header.length).length
    const ragged = rows.filter((row) => row.length * 2 >= header.length).length
    return alike * 2 >= rows.length || (header.length > 3 && ragged * 2 >= rows.length)
  })
}

/**
 * Whether a row names columns. In a long one some names can be unusual (`1st Case Rate ICD`, a whole question), and those of empty columns
 * at its end are missing.
 */
const namesColumns = (row: ReadonlyArray<string>): boolean => {
  if (row.every(isColumnName)) return true
  const names = row.slice(0, row.findLastIndex((name) => name.trim() !== "") + 1)
  return names.length > 3 && names.filter(isColumnName).length * 3 >= names.length * 2
}

/** Whether rows of equal length begin without a header. Rows of numbers only are measurements, and no records. */
const isWithoutHeader = (rows: ReadonlyArray<ReadonlyArray<string>>): boolean => {
  const [first = []] = rows
  return rows.length > 1 && first.length > 3 && rows.every((row) => row.length === first.length) &&
    first.filter((cell) => /\p{L}/u.test(cell)).length > 1
}

/** Many reports have titles above the header: below them a row names several columns, and other rows have as many cells. */
const hasTitles = (rows: ReadonlyArray<ReadonlyArray<string>>): boolean => {
  const at = headerRow(rows)
  const header = rows[at] ?? []
  const names = header.filter((name) => name.trim() !== "")
  return at > 0 && header.length > 2 && names.length > 2 &&
    names.filter((name) => isColumnName(name)).length * 3 >= names.length * 2 &&
    rows.slice(at + 1).filter((row) => row.length === header.length).length >= 2
}

const isColumnName = (name: string): boolean => /^\s*[\p{L}_][\p{L}\p{M}\p{N} _.\-/()%#:°]{0,63}\s*$/u.test(name)

/** Returns the first rows that are not empty, each as its fields without quotes. */
const rowsOf = (text: string, delimiter: string, count: number): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<ReadonlyArray<string>> = []
  let row: Array<string> = []
  let field = ""
  let quoted = false
  for (const character of `${text}\n`) {
    if (character === "\"") quoted = !quoted
    else if (quoted || (character !== delimiter && character !== "\n")) field += character
    else {
      row.push(field.replace(/\r$/, ""))
      field = ""
      if (character === delimiter) continue
      if (row.length > 1 || row[0] !== "") rows.push(row)
      if (rows.length === count) return rows
      row = []
    }
  }
  return rows
}

/** Maximum number of rows above a header. */
const maxAbove = 30

/**
 * Returns which of the first rows of a table names its columns, from 0. Rows above it are titles. They have fewer than half as many
 * filled cells as the others, and often fewer cells. Without such titles, it is the first row.
 */
export const headerRow = (rows: ReadonlyArray<ReadonlyArray<string>>): number => {
  const filled = rows.map((row) => row.filter((cell) => cell.trim() !== "").length)
  const median = filled.toSorted((one, other) => one - other)[Math.floor(filled.length / 2)] ?? 0
  if (median < 3) return 0
  const at = filled.findIndex((count) => count * 2 >= median)
  if (at < 1 || at > maxAbove) return 0
  const names = (rows[at] ?? []).filter((cell) => cell.trim() !== "")
  // A row of numbers and dates is not a header; neither is a row that repeats a text.
  const isNamed =
    names.filter((name) => /\p{L}/u.test(name) && !/^\d/u.test(name.trim())).length * 3 >= names.length * 2
  return isNamed ? at : 0
}
