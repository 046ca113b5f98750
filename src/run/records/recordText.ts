import { at } from "../../at.ts"
import { exactNumber, isExactNumber } from "../../json/exactNumber.ts"
import { parsePassing, parseRecord, parseText } from "../../json/parseRecord.ts"
import { scanValue } from "../../json/scanJson.ts"
import type { Written } from "../../source/read/ReadItem.ts"
import { originOfRecord } from "../../source/records/originOfRecord.ts"
import type { BundleContext, Resource, RowFacts, SourceRecord } from "../../source/records/SourceRecord.ts"
import type { RecordText } from "../links/findCopies.ts"

/** Values that many records repeat, stored once: file names, Bundles, columns. */
export interface RepeatedValues {
  readonly files: ReadonlyArray<string>
  readonly bundles: ReadonlyArray<BundleContext>
  readonly rows: ReadonlyArray<TableColumns>
}

/** The columns of a table in a file, as data: all its rows have the same. */
export interface TableColumns {
  readonly names: ReadonlyMap<string, string>
  readonly naming: ReadonlySet<string>
  readonly currencies?: ReadonlyMap<string, string>
}

/** Collects the values that records repeat. */
export class RepeatedValueCollector implements RepeatedValues {
  readonly files: Array<string> = []
  readonly bundles: Array<BundleContext> = []
  readonly rows: Array<TableColumns & { readonly names: Map<string, string> }> = []
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

  /** From 1; `0` means none. `elements` are the elements that its CSV rows have, and those of cells that do not fit. */
  row(row: RowFacts | undefined, elements: ReadonlyArray<string>): number {
    if (row === undefined) return 0
    const number = numberOf(
      this.#rows,
      row.nameOf,
      () => {
        const { currencies, naming } = row
        return this.rows.push({ names: new Map(), naming, ...(currencies === undefined ? {} : { currencies }) })
      }
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
const scanMark = "!"
const scanByte = 0x21

/**
 * Writes a record as an entry, from which `recordReader` restores the same record. An entry is a JSON array of the fields around the resource,
 * a line feed, and the resource. Its first character shows whether the resource must be scanned to be parsed.
 */
export const writeRecord = (
  { bundle, fullUrl, origin, resource, row }: SourceRecord,
  written: Written | undefined,
  values: RepeatedValueCollector,
  append: (piece: string | Uint8Array) => void
): void => {
  const { bytes, needsScan } = written ?? textOf(resource)
  const head = [
    values.file(origin.file),
    origin.line,
    values.bundle(bundle),
    values.row(row, row === undefined ? [] : [...Object.keys(resource), ...row.unfit ?? []]),
    fullUrl ?? 0,
    row?.order ?? 0,
    row?.unfit ?? 0,
    row?.filled === true ? 1 : 0
  ]
  append(`${needsScan ? scanMark : plainMark}${JSON.stringify(head)}\n`)
  append(bytes)
}

/** Returns the text of a resource, and whether it must be scanned to be parsed, so that its numbers keep their digits. */
export const textOf = (resource: Resource): { readonly bytes: string; readonly needsScan: boolean } => {
  let needsScan = false
  const bytes = JSON.stringify(
    resource,
    function(this: Readonly<Record<string, unknown>>, key, value: unknown): unknown {
      // A number with exact digits is written as text by its own `toJSON`; the resource still has it.
      const own = this[key]
      if (!isExactNumber(own)) return value
      needsScan = true
      return JSON.rawJSON(String(own))
    }
  )
  return { bytes, needsScan }
}

/** The fields before the resource of an entry, as numbers of repeated values. */
type EntryHead = readonly [
  file: number,
  line: number,
  bundle: number,
  row: number,
  fullUrl: string | 0,
  order: string | 0,
  unfit: ReadonlyArray<string> | 0,
  filled: 1 | 0
]

/** The facts of a single row. */
type Tail = readonly [order: string | 0, unfit: ReadonlyArray<string> | 0, filled: 1 | 0]

const lineFeed = 0x0a

/** Returns the head of an entry, and the offset of its resource. */
export const headOfEntry = (
  bytes: Buffer,
  start: number,
  end: number
): { readonly head: EntryHead; readonly offset: number } => {
  const feed = bytes.indexOf(lineFeed, start)
  if (feed === -1 || feed >= end) throw new Error("a spilled record is truncated")
  return { head: JSON.parse(bytes.toString("utf8", start + 1, feed)), offset: feed + 1 }
}

/** The head of an entry whose resource is a line of an input file. */
export const headOfLine = (file: number, line: number, needsScan: boolean): string =>
  `${needsScan ? scanMark : plainMark}[${file},${line},0,0,0,0,0,0]\n`

/** Restores records from entries. */
export const recordReader = (
  values: RepeatedValues
): (bytes: Buffer, start: number, end: number) => SourceRecord => {
  const facts = values.rows.map(({ names, ...facts }): RowFacts => ({
    ...facts,
    nameOf: (element) => names.get(element)
  }))
  const rowOf = (number: number, [order, unfit, filled]: Tail): RowFacts => {
    const row = at(facts, number - 1)
    return order === 0 && unfit === 0 && filled === 0
      ? row
      : {
        ...row,
        ...(order === 0 ? {} : { order }),
        ...(unfit === 0 ? {} : { unfit }),
        ...(filled === 0 ? {} : { filled: true })
      }
  }
  return (bytes, start, end) => {
    const { head: [file, line, bundle, row, fullUrl, ...tail], offset } = headOfEntry(bytes, start, end)
    const needsScan = bytes[start] === scanByte
    const resource = row === 0 ? parseResource(bytes, offset, end, needsScan) : cellsOf(bytes, offset, end, needsScan)
    return {
      origin: originOfRecord(at(values.files, file), line, resource, fullUrl === 0 ? undefined : fullUrl),
      resource,
      ...(fullUrl === 0 ? {} : { fullUrl }),
      ...(bundle === 0 ? {} : { bundle: at(values.bundles, bundle - 1) }),
      ...(row === 0 ? {} : { row: rowOf(row, tail) })
    }
  }
}

/**
 * Parses a resource that was read before, as `parseRecord` did if it `needsScan`. One that is known to be written as usual is not searched
 * for modifier elements. Throws a `SyntaxError` if it has changed.
 */
export const parseResource = (
  bytes: Buffer,
  start: number,
  end: number,
  needsScan: boolean,
  isUsual = false
): Resource => {
  if (!needsScan) {
    const text = bytes.toString("utf8", start, end)
    // It was a resource when the run was read.
    return (isUsual ? parsePassing(text) : parseText(text)) as Resource
  }
  const scan = { ...scanValue(bytes, start, end), start, end }
  const parsed = parseRecord(bytes, scan, Number.POSITIVE_INFINITY, isUsual)
  if ("unfit" in parsed) throw new SyntaxError("a record that was read cannot be read again")
  // As above.
  return parsed.value as Resource
}

/** Restores the cells of a row as they were read: a system stays an OID. Numbers keep their digits, whatever the name of their column. */
const cellsOf = (bytes: Buffer, start: number, end: number, needsScan: boolean): Resource => {
  const exactly = (_: string, value: unknown, { source }: { readonly source?: string }): unknown =>
    typeof value === "number" && source !== undefined && String(value) !== source ? exactNumber(source) : value
  const text = bytes.toString("utf8", start, end)
  // It was a row when the run was read.
  return (needsScan ? JSON.parse(text, exactly) : JSON.parse(text)) as Resource
}

/** Reads from the text of an entry what does not require parsing its resource. */
export const textOfEntry = (values: RepeatedValues, bytes: Buffer, start: number, end: number): RecordText => {
  const { head: [file, line, bundle, , fullUrl], offset } = headOfEntry(bytes, start, end)
  return {
    fullUrl: fullUrl === 0 ? "" : fullUrl,
    text: bytes.subarray(offset, end),
    bundleKey: bundle === 0 ? "" : at(values.bundles, bundle - 1).key,
    file: at(values.files, file),
    line
  }
}
