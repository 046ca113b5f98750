import { at } from "../../../../at.ts"
import { hashName } from "../../../../run/links/hashName.ts"
import type { SniffedTable } from "../../../../source/tables/rows/sniffTable.ts"
import { SeenRows } from "../../../../source/tables/SeenRows.ts"
import { ColumnFacts } from "../columns/ColumnFacts.ts"
import { ValueSketch } from "../columns/ValueSketch.ts"
import {
  born,
  columnWordsOf,
  isKeyName,
  isMeasure,
  isVisitColumnName,
  listNameWords,
  mayPair,
  namesPatient,
  sexed
} from "../words/columnWords.ts"
import { BillSums } from "./BillSums.ts"
import { isMainTable } from "./repeatedKeys.ts"
import { RowGroups } from "./RowGroups.ts"

/** Maximum number of columns examined per table. */
const maxColumns = 400

/** Maximum number of key-like columns that are examined in pairs. */
const maxNaming = 6

/** Minimum number of columns of a table whose last rows can be totals, and maximum number of such rows. */
const minColumnsAboveTotals = 6
const maxTotals = 4

/** Maximum number of rows of a table of names whose rows are compared one by one. */
const maxNames = 60

/** Maximum number of columns that may number the visits. */
const maxGroups = 2

/** Maximum number of sets of columns that are filled in one row. */
const maxPatterns = 200

/** Two columns, and whether their combined values are unique so far. */
interface Pair {
  readonly one: number
  readonly other: number
  readonly values: ValueSketch
}

/** Collects statistics from the rows of one table. Constants bound the memory it uses. */
export class TableProfiler {
  /** The file, or the first of several. */
  readonly file: string
  readonly sniffed: SniffedTable
  /** If the table has several files: the statistics of each. */
  readonly parts: ReadonlyArray<TableProfiler>
  readonly columns: ReadonlyArray<ColumnFacts>
  /** The columns that only the first of several rows has. */
  readonly head: ReadonlyArray<string>
  readonly #names: ReadonlyArray<string>
  /** The column of the person a row is about: the patient, otherwise the visit, otherwise the first column. */
  readonly #who: string
  /** Pairs of columns that may be unique together. */
  #pairs: ReadonlyArray<Pair>
  /** The columns that, by their names, number the visits, with the rows of each value. */
  readonly #groups: ReadonlyArray<{ readonly at: number; readonly groups: RowGroups }>
  /** The amounts of the rows of each bill. */
  readonly #bills: BillSums | undefined
  /** Which columns are filled together in rows, by their numbers. With too many sets of columns, none is held. */
  readonly #patterns = new Set<string>()
  #hasPatterns = true
  /** The cells of all rows of a table that is as short as one of names; none of a longer one. */
  #few: Array<ReadonlyArray<string>> | undefined = []
  /** A row that occurs in two files is one row. */
  readonly #seen: SeenRows | undefined
  rows = 0
  /** Rows with few cells that no other row follows yet: at the end of a file they are totals and notes. */
  #sparse: ReadonlyArray<Readonly<Record<string, unknown>>> = []
  unreadable = 0

  /** `head`: the indexes of the columns that only the first of several rows has. */
  constructor(
    file: string,
    sniffed: SniffedTable,
    head: ReadonlyArray<number> = [],
    parts: ReadonlyArray<TableProfiler> = []
  ) {
    this.file = file
    this.sniffed = sniffed
    this.parts = parts
    this.#seen = parts.length > 0 ? new SeenRows() : undefined
    const header = sniffed.header.slice(0, maxColumns)
    this.columns = header.map((name) => new ColumnFacts(name.trim()))
    this.head = head.flatMap((index) => this.columns[index]?.name ?? [])
    this.#names = header.map((_, at) => `c${at + 1}`)
    const patient = header.findIndex(namesPatient)
    const visit = header.findIndex(isVisitColumnName)
    const naming = header.flatMap((name, at) => (mayPair(name) ? [at] : [])).slice(0, maxNaming)
    this.#pairs = naming.flatMap((one, at) =>
      naming.slice(at + 1).map((other) => ({ one, other, values: new ValueSketch() }))
    )
    const numbers = header.flatMap((name, at) => isVisitColumnName(name) ? [at] : [])
    // The first number of the head of several rows is that of the document.
    const document = isMainTable(this.label) && !numbers.some((at) => head.includes(at))
      ? head.find((at) => isKeyName(header[at] ?? "") && !namesPatient(header[at] ?? ""))
      : undefined
    this.#groups = (document === undefined ? numbers : [document, ...numbers])
      .map((at) => ({ at, groups: new RowGroups() })).slice(0, maxGroups)
    this.#bills = BillSums.of(header)
    this.#who = `c${(patient >= 0 ? patient : Math.max(0, visit)) + 1}`
  }

  /** Takes a row from the reader: the texts of its non-empty cells, by column number. */
  row(cells: Readonly<Record<string, unknown>>): void {
    if (this.#isHeader(cells) || this.#isCopy(cells)) return
    if (this.columns.length >= minColumnsAboveTotals && this.#filled(cells) * 4 <= this.columns.length) {
      this.#sparse = [...this.#sparse, cells]
      if (this.#sparse.length <= maxTotals) return
    }
    for (const sparse of this.#sparse) if (sparse !== cells) this.#count(sparse)
    this.#sparse = []
    this.#count(cells)
  }

  /** Whether a row repeats the header, as in files that were joined: the reader ignores it, too. */
  #isHeader(cells: Readonly<Record<string, unknown>>): boolean {
    return this.columns.length > 1 && this.columns.every(({ name }, index) => {
      const cell = cells[at(this.#names, index)]
      return name === (typeof cell === "string" ? cell.trim() : "")
    })
  }

  #filled(cells: Readonly<Record<string, unknown>>): number {
    return this.#names.filter((name) => cells[name] !== undefined).length
  }

  #count(cells: Readonly<Record<string, unknown>>): void {
    this.rows++
    if (this.rows > maxNames) this.#few = undefined
    this.#few?.push(this.#names.map((name) => {
      const cell = cells[name]
      return typeof cell === "string" ? cell.trim() : ""
    }))
    const stated = cells[this.#who]
    const who = typeof stated === "string" ? hashName(stated) : this.rows
    for (let index = 0; index < this.#names.length; index++) {
      const cell = cells[at(this.#names, index)]
      if (typeof cell === "string") at(this.columns, index).add(cell, who)
    }
    this.#bills?.add((index) => cells[this.#names[index] ?? ""])
    for (const { at: column, groups } of this.#groups) {
      const value = cells[at(this.#names, column)]
      if (typeof value === "string") groups.add(hashName(value.trim()), () => this.#hashesOf(cells))
    }
    if (this.#groups.length > 0 && this.#hasPatterns) {
      this.#patterns.add(
        this.#names.flatMap((name, at) => {
          const cell = cells[name]
          return typeof cell === "string" && cell.trim() !== "" ? [at] : []
        }).join()
      )
      this.#hasPatterns = this.#patterns.size <= maxPatterns
    }
    if (this.#pairs.length > 0) this.#pairs = this.#pairs.filter((pair) => this.#isAnother(pair, cells))
  }

  #hashesOf(cells: Readonly<Record<string, unknown>>): ReadonlyArray<number> {
    return this.#names.map((name) => {
      const cell = cells[name]
      return typeof cell === "string" ? hashName(cell.trim()) : 0
    })
  }

  #isCopy(cells: Readonly<Record<string, unknown>>): boolean {
    if (this.#seen === undefined) return false
    const texts = this.#names.map((name) => {
      const cell = cells[name]
      return typeof cell === "string" ? cell : ""
    })
    return this.#seen.has(texts, [...texts.keys()])
  }

  /** The columns that number the visits, with several rows for some of them, and the columns that differ between these rows. */
  get visitsOnRows(): ReadonlyArray<{ readonly column: ColumnFacts; readonly varying: ReadonlySet<ColumnFacts> }> {
    return this.#groups.filter(({ groups }) => groups.repeats).map(({ at: column, groups }) => ({
      column: at(this.columns, column),
      varying: new Set([...groups.varying].map((index) => at(this.columns, index)))
    }))
  }

  /** The names of the rows of a short table of names, by a key. None of people are returned. */
  namesBy(key: ColumnFacts): ReadonlyMap<string, string> {
    const name = this.columns.findIndex((column) =>
      column !== key && column.filled > 0 &&
      listNameWords.test(columnWordsOf(column.name))
    )
    return new Map(
      this.isPeople || name < 0
        ? []
        : this.#few?.map((cells) => [cells[this.columns.indexOf(key)] ?? "", cells[name] ?? ""] as const)
    )
  }

  /** The columns with the total of a bill, or with an amount that all rows of a bill have. */
  get repeatedAmounts(): ReadonlyMap<ColumnFacts, "total" | "equal"> {
    return new Map(
      [...this.#bills?.repeated() ?? []].map(([column, meaning]) => [at(this.columns, column), meaning])
    )
  }

  /** The sets of columns that are filled together in rows; none if there are too many. */
  get patterns(): ReadonlyArray<ReadonlyArray<string>> | undefined {
    return this.#hasPatterns
      ? [...this.#patterns].map((pattern) =>
        pattern === "" ? [] : pattern.split(",").map((index) => at(this.columns, Number(index)).name)
      )
      : undefined
  }

  /** Pairs of columns that are filled in every row and unique together. */
  get pairs(): ReadonlyArray<readonly [ColumnFacts, ColumnFacts]> {
    return this.#pairs.map(({ one, other }) => [at(this.columns, one), at(this.columns, other)])
  }

  #isAnother({ one, other, values }: Pair, cells: Readonly<Record<string, unknown>>): boolean {
    const first = cells[at(this.#names, one)]
    const second = cells[at(this.#names, other)]
    if (typeof first !== "string" || typeof second !== "string") return false
    values.add(hashName(`${first.trim()}\n${second.trim()}`))
    return values.isUnique
  }

  /** The name of the file without its folder and extension. */
  get label(): string {
    return this.file.slice(this.file.lastIndexOf("/") + 1).replace(/\.gz$/iu, "").replace(/\.[A-Za-z]{1,4}$/u, "")
  }

  /** The rows are people: they have a birth date and a sex, or the file name means people. */
  get isPeople(): boolean {
    const names = this.columns.map(({ name }) => columnWordsOf(name))
    const has = (words: RegExp): boolean => names.some((name) => words.test(name))
    return has(/\bbirth\w*\b/u) || has(born) ||
      names.some((name) => sexed.test(name)) && has(/\bname\b|\blast\b|\bnom\b/u) ||
      /\b(?:patients?|patientes?|pacientes?|pasien|malades?|benh nhan|persons?|people|personnes?|personnels?|clients?|beneficia\w*|staff|providers?|users?|utilisateurs?|doctors?|medecins?|medicos?|employees?)\b/u
        .test(columnWordsOf(this.label)) ||
      (!this.columns.some(({ name }) => isVisitColumnName(name)) &&
        this.columns.some(({ dates }) => dates.spanInYears >= 30))
  }

  /** Columns of its own for measurements: `sbp`, `weight`. */
  get measures(): ReadonlyArray<ColumnFacts> {
    return this.columns.filter(({ decimals, filled, integers, name }) =>
      filled > 0 && (integers + decimals) * 10 >= filled * 9 && isMeasure(name)
    )
  }
}
