import { number } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { getOrMake } from "../../maps.ts"
import { type InputProblem, lineOrigin, problemAt } from "../InputProblem.ts"
import type { ReadItem } from "../read/ReadItem.ts"
import type { RowFacts, SourceRecord } from "../records/SourceRecord.ts"
import type { UnreadableRecord } from "../records/UnreadableRecord.ts"
import type { BoundColumn, BoundTable, TableHeader } from "./bindTable.ts"
import { bindTable, columnTitle } from "./bindTable.ts"
import { CancelledCells } from "./CancelledCells.ts"
import { CellError } from "./cells/CellError.ts"
import { ColumnMisfits, maxReportedCells } from "./ColumnMisfits.ts"
import { DayOrder } from "./DayOrder.ts"
import { FillDown, type RowAbove } from "./FillDown.ts"
import { MisreadUtf8 } from "./MisreadUtf8.ts"
import { isRowOf, joined, linesWithin, rowIdOf, rowKeyText, unreadableRow, UnreadableRows } from "./rowNames.ts"
import {
  cancelledRow,
  damagedRow,
  floatedKey,
  headlessRow,
  keylessRow,
  missingRows,
  noteBelow,
  noteOfFewer,
  quotedRows,
  raggedRow,
  removedNul,
  repairedRow,
  repeatedHeader,
  totalsRow,
  undecodedRow,
  unfitCell,
  unsplitRow
} from "./rowProblems.ts"
import { footerOf, rowsStatedIn } from "./rows/footer.ts"
import type { CsvRow, RowError, UnreadableRow } from "./rows/readRows.ts"
import { SeenRows } from "./SeenRows.ts"
import type { TableLayout } from "./TableLayout.ts"

/** A table that is not read from this file. It is reported at the end, when its rows are known. */
interface UnreadTable {
  readonly table: BoundTable
  readonly problem: InputProblem
  readonly lost: UnreadableRows
}

/** The state of the text around a row. */
interface RowState {
  /** A `U+FFFD` in the row may replace bytes that could not be decoded. */
  readonly doubtful: boolean
  /** The likely encoding of the surrounding bytes, if it differs from the file's encoding. */
  readonly likely?: string | undefined
  /** The row may contain a NUL. */
  readonly nul: boolean
  /** The file ends with this row, without a line break. */
  readonly cut: boolean
}

/** Reads one file of one or several tables: rows go in, records and problems come out. */
export class TableExtractor {
  readonly #file: string
  readonly #tables: ReadonlyArray<TableLayout>
  readonly #delimiter: string
  #items: Array<ReadItem> = []
  #bound: ReadonlyArray<BoundTable> = []
  /** The header, if it may be shown. */
  #header: TableHeader
  #headerLine = 1
  #width = 0
  /** Problems that are reported for each cell, up to a limit. */
  readonly #counted = new Map<string, { count: number; readonly last: Diagnostic }>()
  /** The rows seen so far, for each table with a key that shares the file. */
  readonly #seen = new Map<TableLayout, SeenRows>()
  readonly #misfits = new ColumnMisfits()
  readonly #dayOrder: DayOrder
  #cancelled = new CancelledCells([], [])
  /** The heads of rows, if a table declares `fillDown`. */
  #fillDown: FillDown | undefined
  #rows = 0
  /** The rows since the last note that counts them. */
  #rowsAboveNote = 0
  readonly #unread: Array<UnreadTable> = []
  readonly #utf8: MisreadUtf8 | undefined

  /** `singleByte`: the encoding of the file, if it has one byte per character. `now`: the time of the run, in milliseconds since 1970. */
  constructor(
    file: string,
    tables: ReadonlyArray<TableLayout>,
    { delimiter, now, singleByte }: {
      readonly delimiter: string
      readonly now?: number | undefined
      readonly singleByte?: string | undefined
    }
  ) {
    this.#file = file
    this.#tables = tables
    this.#delimiter = delimiter
    this.#dayOrder = new DayOrder(now)
    this.#utf8 = singleByte === undefined ? undefined : new MisreadUtf8(singleByte)
  }

  /** Returns the items collected since the last call. */
  take(): ReadonlyArray<ReadItem> {
    const items = this.#items
    this.#items = []
    return items
  }

  /** Number of rows found below the header. */
  get rows(): number {
    return this.#rows
  }

  /** Takes the header. `hint` is the likely cause of missing columns. */
  header(header: ReadonlyArray<string>, line: number, hint?: string): void {
    this.#bind(line, { header, hint })
  }

  /** The file has no header: its first row is one of values, and the tables declare the places of their columns. */
  noHeader(): void {
    this.#bind(1)
  }

  #bind(
    line: number,
    { header, hint }: { readonly header?: TableHeader; readonly hint?: string | undefined } = {}
  ): void {
    this.#headerLine = line
    const bound: Array<BoundTable> = []
    for (const layout of this.#tables) {
      const { problems, table, titles, unread } = bindTable(layout, header)
      this.#header ??= titles
      for (const problem of problems) {
        if (problem.severity === "warning") this.#problem(line, problem)
        else if (unread !== undefined) {
          const reported = hint === undefined ? problem : { ...problem, help: [hint] }
          this.#unread.push({ table: unread, problem: reported, lost: new UnreadableRows() })
        }
      }
      if (table !== undefined) bound.push(table)
    }
    this.#bound = bound
    this.#width = header?.length ?? 0
    const read = new Set(bound.flatMap(({ indexes }) => indexes))
    const others = header?.flatMap((_, index) => read.has(index) ? [] : [index]) ?? []
    this.#cancelled = new CancelledCells(others, this.#tables)
    if (bound.some(({ layout }) => layout.fillDown !== undefined)) this.#fillDown = new FillDown(bound)
  }

  /** The columns of the header that no table reads. */
  get undeclared(): ReadonlyArray<string> {
    const read = new Set(this.#bound.flatMap(({ indexes }) => indexes))
    return this.#header?.filter((name, index) => name.trim() !== "" && !read.has(index)) ?? []
  }

  /** Whether some table is read from this file. */
  get isBound(): boolean {
    return this.#bound.length > 0
  }

  /** Reads one row, and the state of the text around it. */
  row(row: CsvRow | UnreadableRow, { cut, doubtful, likely, nul }: RowState): void {
    this.#rows++
    for (const { lost, table } of this.#unread) {
      lost.add(unreadableRow(table, "cells" in row ? row.cells : row.pieces, this.#width))
    }
    if (!this.isBound) return
    if (!("cells" in row)) {
      this.#rowsAboveNote++
      const { fault, line, pieces } = row
      this.#fillDown?.lost(pieces)
      return this.#problem(line, { ...unsplitRow(fault), ...this.#columnOfError(fault) }, [pieces], { cut })
    }
    const { line } = row
    let { cells } = row
    if (this.#width === 0) this.#width = cells.length
    const footer = footerOf(cells, this.#width)
    if (footer !== undefined) {
      const isFewer = footer === "note" && this.#compareRows(line, cells)
      return this.#problem(line, footer === "totals" ? totalsRow : isFewer ? noteOfFewer : noteBelow)
    }
    if (this.#isHeader(cells)) return this.#problem(line, repeatedHeader)
    if (!cells.every(isBlank)) this.#rowsAboveNote++
    const within = row.broken === true ? linesWithin(cells, this.#delimiter) : []
    if (within.some((line) => this.#isRow(line, cells))) {
      for (const one of [cells, ...within]) this.#fillDown?.lost(one)
      return this.#problem(line, quotedRows(within.length + 1), [cells, ...within])
    }
    if (cells.length !== this.#width && !(cells.length > this.#width && cells.slice(this.#width).every(isBlank))) {
      const isCut = cut && cells.length < this.#width
      for (const one of [cells, ...within]) this.#fillDown?.lost(one)
      return this.#problem(line, raggedRow(cells.length, this.#width), [cells, ...within], { cut: isCut })
    }
    if (row.fault !== undefined) this.#problem(line, { ...repairedRow(row.fault), ...this.#columnOfError(row.fault) })
    this.#utf8?.row(line, cells, (cell) => this.#isRead(cell))
    if (doubtful) {
      const cell = cells.findIndex((text, at) => text.includes("\uFFFD") && this.#isRead(at))
      if (cell !== -1) return this.#undecodedRow(line, cells, cell, likely)
    }
    if (nul) cells = this.#withoutNul(line, cells)
    const above = this.#fillDown !== undefined && this.#hasValue(cells) ? this.#fillDown.row(cells) : undefined
    if (above === "unknown" || above === "other") return this.#headlessRow(above, line, cells)
    const cancelled = this.#cancelled.find(cells)
    if (cancelled !== undefined) {
      return this.#problem(
        line,
        { ...cancelledRow, ...this.#namesOf(cells), ...this.#columnOf([cancelled]) },
        [cells, ...within]
      )
    }
    const [head] = above === "filled" ? this.#fillDown?.above ?? [] : []
    let keyless: Array<KeylessRow> | undefined
    const made: Array<BoundTable> = []
    for (const table of this.#bound) {
      const whole = head === undefined ? cells : this.#fillDown?.fill(table, cells, head) ?? cells
      const found = this.#record(table, whole, line, whole !== cells)
      if (found === "record") made.push(table)
      else if (found !== "nothing") (keyless ??= []).push(found)
    }
    if (keyless === undefined) return
    // Every value of a row is in one of its records, or the row is rejected.
    const kept = new Set(made.flatMap(({ indexes }) => indexes))
    for (const { cells, faults, table } of keyless) {
      const holdsMore = table.columns.some(({ indexes, read }) =>
        !indexes.every((index) => kept.has(index)) && read(joined(cells, indexes)) !== undefined
      )
      if (holdsMore) this.#keylessRow(table, line, faults, cells)
    }
  }

  /** Reports what is known only at the end of the file. The caller must have read the whole file. */
  finish(): void {
    for (const { lost, problem, table } of this.#unread) this.#reportUnread(table.layout, problem, lost.all())
    for (const { diagnostic, misread } of this.#misfits.take()) this.#report(diagnostic, misread)
    for (const diagnostic of this.#dayOrder.take()) this.#report(diagnostic, true)
    for (const { count, last } of this.#counted.values()) {
      if (count > maxReportedCells) {
        this.#report({ ...last, times: count - maxReportedCells })
      }
    }
    this.#counted.clear()
    this.#seen.clear()
  }

  /** Reports a file that turned out to be UTF-8, if a cell is wrong for this reason. Its texts are wrong, so no visit is sent with them. */
  reportUtf8(): void {
    const [table] = this.#bound
    const found = this.#utf8?.found(this.#rows)
    if (found === undefined || table === undefined) return
    const { cell, line, problem } = found
    this.#report({
      ...problem,
      mapping: table.layout.span,
      origin: lineOrigin(this.#file, line),
      facts: [...this.#columnOf([cell]).facts, ...(problem.facts ?? [])]
    }, true)
  }

  /** Whether a row has a value of some table. */
  #hasValue(cells: ReadonlyArray<string>): boolean {
    return this.#bound.some((table) => hasValueOf(table, cells))
  }

  /** Whether some table reads a cell. */
  #isRead(cell: number): boolean {
    return this.#bound.some(({ indexes }) => indexes.includes(cell))
  }

  /** Whether a cell identifies this row or a row that it belongs to. */
  #isNaming(cell: number): boolean {
    return this.#bound.some((table) =>
      table.columns.some(({ column, indexes }) => indexes.includes(cell) && isNamingIn(table, column.name))
    )
  }

  /** Whether some cells of a row could be a row of their own. */
  #isRow(cells: ReadonlyArray<string>, around: ReadonlyArray<string>): boolean {
    return cells.length === this.#width && this.#bound.some((table) => isRowOf(table, cells, around))
  }

  /** Passes on what a row holds for a table: a record, nothing, or values without a key. */
  #record(
    table: BoundTable,
    cells: ReadonlyArray<string>,
    line: number,
    /** Some cells are those of a row above. */
    isFilled: boolean
  ): "record" | "nothing" | KeylessRow {
    const { columns, layout, needed } = table
    const shared = this.#tables.length > 1
    if (shared && layout.key.length > 0 && this.#isRepeated(table, cells)) return "record"
    const resource: Record<string, unknown> & { resourceType: string } = { resourceType: layout.name }
    let faults: Array<readonly [BoundColumn, CellError]> | undefined
    let empty = true
    for (const bound of columns) {
      const { indexes, read } = bound
      const [first] = indexes
      const text = indexes.length === 1 && first !== undefined ? (cells[first] ?? "") : joined(cells, indexes)
      const value = read(text)
      if (value === undefined) continue
      empty = false
      if (value instanceof CellError) {
        if (value.isDamage) {
          this.#damagedRow(table, bound, value, { line, cells })
          return "record"
        }
        ;(faults ??= []).push([bound, value])
      } else {
        resource[bound.column.name] = value
        if (bound.column.group !== undefined && bound.column.type === "decimal") {
          this.#misfits.number(bound, text, () => this.#cellProblem(bound, "", layout.name, { line, cells }))
        }
        if (typeof value === "string" && isFloated(value) && isNamingIn(table, bound.column.name)) {
          this.#count(`float ${bound.column.name}`, {
            ...floatedKey(bound),
            origin: lineOrigin(this.#file, line),
            ...this.#columnOf(indexes)
          })
        }
        if (bound.column.formats.length > 0 && typeof value === "string" && this.#dayOrder.isOpen(bound)) {
          const isBeginning = layout.beginnings?.has(bound.column.name) === true
          this.#dayOrder.add(
            bound,
            text,
            value,
            isBeginning,
            () => this.#cellProblem(bound, "", layout.name, { line, cells })
          )
        }
      }
      if (bound.column.type !== "text") this.#misfits.filled(bound)
    }
    // A row with no values of a table is not a row of that table.
    if (empty) return "nothing"
    const id = needed.every((name) => resource[name] !== undefined) ? rowIdOf(resource, layout.key) : undefined
    if (layout.key.length > 0) {
      if (id === undefined) return { table, faults, cells }
      resource.id = id
    } else if (shared && !hasOwn(resource, layout)) return "nothing"
    for (const { name, on, parts, table: target } of layout.links) {
      const to = rowIdOf(resource, on, parts)
      if (to !== undefined) resource[name] = { reference: `${target}/${to}` }
    }
    const reference = id === undefined ? layout.name : `${layout.name}/${id}`
    if (faults !== undefined) {
      for (const [bound, { reason }] of faults) {
        this.#misfits.add(bound, reason, this.#cellProblem(bound, reason, reference, { line, cells }))
      }
    }
    const record: SourceRecord = {
      origin: { file: this.#file, line, reference },
      resource,
      row: isFilled
        ? { ...factsOf(table, id === undefined ? resource : undefined, faults), filled: true }
        : factsOf(table, id === undefined ? resource : undefined, faults)
    }
    this.#items.push({ _tag: "Record", record })
    return "record"
  }

  /** In a file of several tables, a row with a key can repeat on many lines. Equal values mean the same row. */
  #isRepeated({ layout, indexes }: BoundTable, cells: ReadonlyArray<string>): boolean {
    return getOrMake(this.#seen, layout, () => new SeenRows()).has(cells, indexes)
  }

  /** Reports a table as one unreadable thing per file. Visits that its rows refer to are not sent without them. */
  #reportUnread({ name }: TableLayout, problem: InputProblem, lost: ReadonlyArray<UnreadableRecord>): void {
    const rows = this.#rows === 0 ? [] : [["rows", `${number(this.#rows)}, not read`]] as const
    const then = this.#rows === 0 && this.#header !== undefined
      ? ""
      : lost.length === 0
      ? ", and the visits of its rows are unknown: no visit is sent"
      : ": visits to which its rows belong are rejected"
    const diagnostic = {
      ...problem,
      facts: [...(problem.facts ?? []), ...rows],
      help: [...(problem.help ?? []), `nothing of the table \`${name}\` was read from this file${then}`]
    }
    // A first line that names no columns is a row, or the file is not a table.
    const breaksOff = lost.length === 0 && (this.#rows > 0 || this.#header === undefined)
    this.#items.push(problemAt(this.#file, this.#headerLine, diagnostic, { lost, breaksOff }))
  }

  /** `lost`: the cells of each lost row, for these tables. `cut`: everything after them is lost as well. */
  #problem(
    line: number,
    diagnostic: InputProblem,
    lost: ReadonlyArray<ReadonlyArray<string>> = [],
    { cut = false, tables = this.#bound }: { readonly cut?: boolean; readonly tables?: ReadonlyArray<BoundTable> } = {}
  ): void {
    this.#items.push(problemAt(this.#file, line, diagnostic, {
      ...(lost.length === 0
        ? {}
        : { lost: lost.flatMap((cells) => tables.flatMap((table) => this.#lostRows(table, cells))) }),
      ...(cut ? { cut } : {})
    }))
  }

  /** Returns what a lost row could hold: it may have values of a row above it. */
  #lostRows(table: BoundTable, cells: ReadonlyArray<string>): ReadonlyArray<UnreadableRecord> {
    const heads = this.#fillDown?.fills(table) === true ? this.#fillDown.above : []
    return [cells, ...heads].map((one) => unreadableRow(table, one, this.#width))
  }

  /**
   * Reports a row without a head, if that above it is unknown or not its own. If nothing shows to which visit it belongs, it may belong to
   * any.
   */
  #headlessRow(above: RowAbove, line: number, cells: ReadonlyArray<string>): void {
    const tables = this.#bound.filter((table) => hasValueOf(table, cells))
    const isOwned = tables.some((table) => this.#lostRows(table, cells).some(({ references }) => references.length > 0))
    this.#problem(line, { ...headlessRow(above === "other"), ...this.#namesOf(cells) }, [cells], {
      tables,
      cut: !isOwned
    })
  }

  /** Returns the names of cells in the header, for a problem. */
  #columnOf(indexes: ReadonlyArray<number>) {
    return { facts: [["column", indexes.map((index) => columnTitle(this.#header, index)).join(" + ")]] as const }
  }

  #columnOfError({ column }: RowError): Pick<InputProblem, "facts"> {
    return column === undefined ? {} : this.#columnOf([column - 1])
  }

  /** Returns the row's key, or otherwise the keys it refers to: the visit or patient to look for. */
  #namesOf(cells: ReadonlyArray<string>): { readonly source?: string } {
    const rows = this.#bound.flatMap((table) => this.#lostRows(table, cells))
    const source = rows.flatMap(({ names }) => names)[0] ?? rows.flatMap(({ references }) => references)[0]
    return source === undefined ? {} : { source }
  }

  /** Reports a row with undecodable bytes. If no readable cell identifies the owner, the row may belong to any visit. */
  #undecodedRow(line: number, cells: ReadonlyArray<string>, cell: number, likely: string | undefined): void {
    const readable = cells.map((text) => (text.includes("\uFFFD") ? "" : text))
    const isHeadLost = cells.some((text, at) => text.includes("\uFFFD") && this.#fillDown?.isOfHead(at) === true)
    if (isHeadLost) this.#fillDown?.lost(readable)
    else this.#fillDown?.row(cells)
    const isNaming = cells.some((text, at) => text.includes("\uFFFD") && this.#isNaming(at))
    this.#problem(
      line,
      { ...undecodedRow(likely), ...this.#namesOf(readable), ...this.#columnOf([cell]) },
      [readable],
      { cut: isNaming && this.#hasUnknownOwner(readable, this.#bound) }
    )
  }

  /** Whether no readable cell of a lost row shows which record it belongs to: it may belong to any visit. */
  #hasUnknownOwner(cells: ReadonlyArray<string>, tables: ReadonlyArray<BoundTable>): boolean {
    const linked = tables.filter(({ layout }) => layout.links.length > 0)
    return linked.length > 0 &&
      linked.every((table) => this.#lostRows(table, cells).every(({ references }) => references.length === 0))
  }

  /** Reports a cell that a spreadsheet changed, or a number that is not the key that was written. Its original value is lost, and the row without it may mean something else. */
  #damagedRow(table: BoundTable, bound: BoundColumn, fault: CellError, { cells, line }: CellsOfLine): void {
    const { indexes } = bound
    this.#problem(
      line,
      {
        ...damagedRow(bound, fault),
        ...this.#namesOf(cells),
        ...this.#columnOf(indexes),
        value: joined(cells, indexes)
      },
      [cells],
      { tables: [table], cut: indexes.some((index) => this.#isNaming(index)) && this.#hasUnknownOwner(cells, [table]) }
    )
  }

  /** Whether a row repeats the header, as in files that were joined. */
  #isHeader(cells: ReadonlyArray<string>): boolean {
    const header = this.#header
    return header !== undefined && header.length > 1 && cells.length === header.length &&
      cells.every((cell, at) => cell.trim() === header[at]?.trim())
  }

  /**
   * Reports a note that counts more rows than were read above it: the others are missing, and may belong to any visit. Returns whether it
   * counts fewer.
   */
  #compareRows(line: number, cells: ReadonlyArray<string>): boolean {
    const stated = rowsStatedIn(cells)
    if (stated === undefined) return false
    const read = this.#rowsAboveNote
    this.#rowsAboveNote = 0
    if (stated <= read) return stated < read
    this.#problem(line, missingRows(stated, read), [], { cut: true })
    return false
  }

  #keylessRow(
    table: BoundTable,
    line: number,
    faults: ReadonlyArray<readonly [BoundColumn, CellError]> | undefined,
    cells: ReadonlyArray<string>
  ): void {
    const { columns, layout } = table
    const wrong = faults?.find(([{ column }]) => layout.key.includes(column.name))
    const bound = wrong?.[0] ?? columns.find(({ column }) => layout.key.includes(column.name))
    this.#problem(
      line,
      {
        ...keylessRow(layout, wrong?.[1]),
        ...(bound === undefined ? {} : { mapping: bound.column.span, ...this.#columnOf(bound.indexes.slice(0, 1)) })
      },
      [cells],
      { tables: [table] }
    )
  }

  #cellProblem(bound: BoundColumn, reason: string, reference: string, { cells, line }: CellsOfLine): Diagnostic {
    return {
      ...unfitCell(bound, reason),
      source: reference,
      origin: { file: this.#file, line, reference },
      ...this.#columnOf(bound.indexes),
      value: joined(cells, bound.indexes)
    }
  }

  /** `misread`: other rows of the file may mean something else than was read. */
  #report(diagnostic: Diagnostic, misread = false): void {
    this.#items.push(misread ? { _tag: "Problem", diagnostic, misread } : { _tag: "Problem", diagnostic })
  }

  #count(key: string, diagnostic: Diagnostic): void {
    const known = this.#counted.get(key)
    const count = (known?.count ?? 0) + 1
    this.#counted.set(key, { count, last: diagnostic })
    if (count <= maxReportedCells) this.#report(diagnostic)
  }

  #withoutNul(line: number, cells: ReadonlyArray<string>): ReadonlyArray<string> {
    return cells.map((cell, index) => {
      if (!cell.includes("\0")) return cell
      this.#count(`nul ${index}`, {
        ...removedNul,
        origin: lineOrigin(this.#file, line),
        ...this.#columnOf([index])
      })
      return cell.replaceAll("\0", "")
    })
  }
}

/** Whether a column identifies the rows of a table, or rows that they belong to. */
const isNamingIn = ({ facts, layout }: BoundTable, name: string): boolean =>
  facts.naming.has(name) && name !== layout.order

/** Whether a text is a whole number with decimals, as programs and spreadsheets write numbers: `1001.0`. */
const isFloated = (text: string): boolean => text.endsWith("0") && /^\d+\.0+$/u.test(text)

type CellsOfLine = Pick<CsvRow, "line" | "cells">

/** The values of a row for a table whose key the row lacks. */
interface KeylessRow {
  readonly table: BoundTable
  readonly cells: ReadonlyArray<string>
  readonly faults: ReadonlyArray<readonly [BoundColumn, CellError]> | undefined
}

const hasValueOf = ({ columns }: BoundTable, cells: ReadonlyArray<string>): boolean =>
  columns.some(({ indexes, read }) => read(joined(cells, indexes)) !== undefined)

const isBlank = (cell: string): boolean => cell.trim() === ""

/** The facts of a row: those of its table if nothing else is known of it. `resource`: its values, if it has no key. */
const factsOf = (
  { facts, layout: { order } }: BoundTable,
  resource: Readonly<Record<string, unknown>> | undefined,
  faults: ReadonlyArray<readonly [BoundColumn, CellError]> | undefined
): RowFacts => {
  const isOrdered = order !== undefined && resource !== undefined
  return isOrdered || faults !== undefined
    ? {
      ...facts,
      ...(isOrdered ? { order: rowKeyText(resource[order]) } : {}),
      ...(faults === undefined ? {} : { unfit: faults.map(([{ column }]) => column.name) })
    }
    : facts
}

/** Whether a row has a value of a table other than its links. */
const hasOwn = (resource: Readonly<Record<string, unknown>>, { links, order }: TableLayout): boolean =>
  Object.keys(resource).some((name) =>
    name !== "resourceType" && name !== order && !links.some(({ on }) => on.includes(name))
  )
