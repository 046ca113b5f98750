import { exactNumber, isExactNumber } from "../../json/exactNumber.ts"
import { notePart, parseRecord, parseText } from "../../json/parseRecord.ts"
import { scanValue } from "../../json/scanJson.ts"
import type { Written } from "../../source/read/RecordExtractor.ts"
import type { BundleContext, Resource, RowFacts, SourceRecord } from "../../source/records/SourceRecord.ts"
import type { RecordText } from "../links/findCopies.ts"
import { at } from "./at.ts"

/** Values shared by many records, stored once. */
export interface SharedRecordData {
  readonly files: ReadonlyArray<string>
  readonly bundles: ReadonlyArray<BundleContext>
  readonly rows: ReadonlyArray<SharedRow>
}

/** Values shared by the rows of a table in a file, as data. */
export interface SharedRow {
  readonly names: ReadonlyMap<string, string>
  readonly naming: ReadonlySet<string>
}

/** Collects the values that records share. */
export class SharedRecordCollector implements SharedRecordData {
  readonly files: Array<string> = []
  readonly bundles: Array<BundleContext> = []
  readonly rows: Array<SharedRow & { readonly names: Map<string, string> }> = []
  readonly #files = new Map<string, number>()
  readonly #bundles = new Map<BundleContext, number>()
  readonly #rows = new Map<RowFacts["nameOf"], number>()

  file(name: string): number {
    return numberOf(this.#files, name, () => this.files.push(name))
  }

  /** From 1; `0` means none. */
  bundle(bundle: BundleContext | undefined): number {
    return bundle === undefined ? 0 : 1 + numberOf(this.#bundles, bundle, () => this.bundles.push(bundle))
  }

  /** From 1; `0` means none. `elements` are the elements that its CSV rows have. */
  row(row: RowFacts | undefined, elements: ReadonlyArray<string>): number {
    if (row === undefined) return 0
    const number = numberOf(
      this.#rows,
      row.nameOf,
      () => this.rows.push({ names: new Map(), naming: row.naming })
    )
    const { names } = at(this.rows, number)
    for (const element of elements) {
      if (names.has(element)) continue
      const name = row.nameOf(element)
      if (name !== undefined) names.set(element, name)
    }
    return 1 + number
  }
}

const numberOf = <A>(numbers: Map<A, number>, of: A, add: () => number): number => {
  let number = numbers.get(of)
  if (number === undefined) numbers.set(of, number = add() - 1)
  return number
}

const plainMark = " "
const exactMark = "!"
const exactByte = 0x21

/**
 * Writes a record as text from which `recordReader` restores the same record. It is a JSON array of the fields around the resource, and the
 * resource. The first character shows whether the digits of numbers are kept.
 */
export const writeRecord = (
  { bundle, fullUrl, origin, resource, row }: SourceRecord,
  written: Written | undefined,
  values: SharedRecordCollector,
  append: (piece: string | Uint8Array) => void
): void => {
  const { bytes, exact } = written ?? textOf(resource)
  const head = [
    values.file(origin.file),
    origin.line,
    values.bundle(bundle),
    values.row(row, row === undefined ? [] : Object.keys(resource)),
    fullUrl ?? 0,
    row?.order ?? 0
  ]
  append(`${exact ? exactMark : plainMark}${JSON.stringify(head).slice(0, -1)},`)
  append(bytes)
  append("]")
}

/** Returns the text of a resource, and whether the digits of its numbers are kept. */
export const textOf = (resource: Resource): { readonly bytes: string; readonly exact: boolean } => {
  let exact = false
  const bytes = JSON.stringify(resource, function(this: unknown, key, value: unknown): unknown {
    // A number with exact digits is written as text by its own `toJSON`; the resource still has it.
    const own = (this as Readonly<Record<string, unknown>>)[key]
    if (!isExactNumber(own)) return value
    exact = true
    return rawJson(String(own))
  })
  return { bytes, exact }
}

/** `JSON.rawJSON`, which the type library does not declare yet. */
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON

type Entry = readonly [number, number, number, number, string | 0, string | 0, Resource]

/** Restores records from the texts that `writeRecord` wrote. */
export const recordReader = (
  values: SharedRecordData
): (bytes: Buffer, start: number, end: number) => SourceRecord => {
  const facts = values.rows.map(({ names, naming }): RowFacts => ({ nameOf: (element) => names.get(element), naming }))
  const rowOf = (number: number, order: string | 0): RowFacts => {
    const row = at(facts, number - 1)
    return order === 0 ? row : { ...row, order }
  }
  return (bytes, start, end) => {
    const exact = bytes[start] === exactByte
    const text = bytes.toString("utf8", start + 1, end)
    const entry = parseText(text) as Entry
    const [file, line, bundleNumber, rowNumber, fullUrl, order] = entry
    let resource = entry[6]
    if (!exact) notePart(entry, resource)
    else {
      resource = rowNumber === 0
        ? exactResource(bytes, start + 1, end)
        : (JSON.parse(text, exactly as (key: string, value: unknown) => unknown) as Entry)[6]
    }
    const id: unknown = resource.id
    const reference = (typeof id === "string" && id !== "") || typeof id === "number"
      ? `${resource.resourceType}/${id}`
      : fullUrl === 0
      ? resource.resourceType
      : fullUrl
    return {
      origin: { file: at(values.files, file), line, reference },
      resource,
      ...(fullUrl === 0 ? {} : { fullUrl }),
      ...(bundleNumber === 0 ? {} : { bundle: at(values.bundles, bundleNumber - 1) }),
      ...(rowNumber === 0 ? {} : { row: rowOf(rowNumber, order) })
    }
  }
}

/** Number of fields before the resource in an entry. */
const fieldsBefore = 6
const comma = 0x2c
const quote = 0x22
const backslash = 0x5c

/** The fields before the resource of an entry, as numbers of shared values, and the offset of the resource. */
export const headOfEntry = (
  bytes: Buffer,
  start: number,
  end: number
): {
  readonly head: readonly [file: number, line: number, bundle: number, row: number, fullUrl: string | 0]
  readonly offset: number
} => {
  // Start after the mark and the bracket.
  let next = start + 2
  for (let fields = 0; fields < fieldsBefore; next++) {
    if (next >= end) throw new Error("a spilled record is truncated")
    const byte = bytes[next]
    if (byte === comma) fields++
    else if (byte === quote) {
      for (next++; next < end && bytes[next] !== quote; next++) if (bytes[next] === backslash) next++
    }
  }
  return { head: JSON.parse(`${bytes.toString("utf8", start + 1, next - 1)}]`), offset: next }
}

/** The text before the line of an input file when it becomes an entry; a bracket follows it. */
export const headOfLine = (file: number, line: number, exact: boolean): string =>
  `${exact ? exactMark : plainMark}[${file},${line},0,0,0,0,`

/** Reads from the text of an entry what does not require parsing it completely. */
export const textOfEntry = (values: SharedRecordData, bytes: Buffer, start: number, end: number): RecordText => {
  const { head: [file, line, bundle, , fullUrl], offset } = headOfEntry(bytes, start, end)
  return {
    fullUrl: fullUrl === 0 ? "" : fullUrl,
    text: bytes.subarray(offset, end - 1),
    bundleKey: bundle === 0 ? "" : at(values.bundles, bundle - 1).key,
    file: at(values.files, file),
    line
  }
}

/** Parses the resource of an entry and keeps its numbers as written in the input. */
const exactResource = (bytes: Buffer, start: number, end: number): Resource => {
  const parsed = parseRecord(bytes, scanValue(bytes, start, end), Number.POSITIVE_INFINITY)
  if ("unfit" in parsed) throw new Error("a record that was read cannot be read again")
  const entry = parsed.value as Entry
  notePart(entry, entry[6])
  return entry[6]
}

/** Cells keep their digits, whatever the name of their column. */
const exactly = (_: string, value: unknown, context: { readonly source?: string }): unknown =>
  typeof value === "number" && context.source !== undefined && String(value) !== context.source
    ? exactNumber(context.source)
    : value
