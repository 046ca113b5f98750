import type { SniffedTable } from "../../../source/tables/sniffTable.ts"
import { ColumnFacts } from "./ColumnFacts.ts"
import { born, columnWordsOf, isMeasure, isVisitColumnName, mayPair, namesPatient, sexed } from "./columnWords.ts"
import { Sketch, sketchHashOf } from "./Sketch.ts"

/** As many columns of a table are looked at. */
const maxColumns = 400

/** Of so many columns that are called like keys, each two are looked at together. */
const maxNaming = 6

/** Two columns, and whether their values together have been another in each row. */
interface Pair {
  readonly one: number
  readonly other: number
  readonly values: Sketch
}

/** Takes the rows of one file, and keeps numbers: what it holds is bounded by constants. */
export class TableProfiler {
  readonly file: string
  readonly sniffed: SniffedTable
  readonly columns: ReadonlyArray<ColumnFacts>
  readonly #names: ReadonlyArray<string>
  /** Whom a row is about: its patient, else its visit, else what stands first. */
  readonly #who: string
  /** Each two columns that together may tell the rows apart. */
  #pairs: ReadonlyArray<Pair>
  rows = 0
  unreadable = 0

  constructor(file: string, sniffed: SniffedTable) {
    this.file = file
    this.sniffed = sniffed
    const header = sniffed.header.slice(0, maxColumns)
    this.columns = header.map((name) => new ColumnFacts(name.trim()))
    this.#names = header.map((_, at) => `c${at + 1}`)
    const patient = header.findIndex(namesPatient)
    const visit = header.findIndex(isVisitColumnName)
    const naming = header.flatMap((name, at) => (mayPair(name) ? [at] : [])).slice(0, maxNaming)
    this.#pairs = naming.flatMap((one, at) =>
      naming.slice(at + 1).map((other) => ({ one, other, values: new Sketch() }))
    )
    this.#who = `c${(patient >= 0 ? patient : Math.max(0, visit)) + 1}`
  }

  /** A row as the reader gives it: the texts of its cells that are not empty, by number. */
  row(cells: Readonly<Record<string, unknown>>): void {
    this.rows++
    const stated = cells[this.#who]
    const who = typeof stated === "string" ? sketchHashOf(stated) : this.rows
    for (let at = 0; at < this.#names.length; at++) {
      const cell = cells[this.#names[at]!]
      if (typeof cell === "string") this.columns[at]!.add(cell, who)
    }
    if (this.#pairs.length > 0) this.#pairs = this.#pairs.filter((pair) => this.#isAnother(pair, cells))
  }

  /** Two columns in every row whose values together stood in one row each. */
  get pairs(): ReadonlyArray<readonly [ColumnFacts, ColumnFacts]> {
    return this.#pairs.map(({ one, other }) => [this.columns[one]!, this.columns[other]!] as const)
  }

  #isAnother({ one, other, values }: Pair, cells: Readonly<Record<string, unknown>>): boolean {
    const first = cells[this.#names[one]!]
    const second = cells[this.#names[other]!]
    if (typeof first !== "string" || typeof second !== "string") return false
    values.add(sketchHashOf(`${first.trim()}\n${second.trim()}`))
    return values.isUnique
  }

  /** The name of the file without what stands before and behind it. */
  get label(): string {
    return this.file.slice(this.file.lastIndexOf("/") + 1).replace(/\.gz$/iu, "").replace(/\.[A-Za-z]{1,4}$/u, "")
  }

  /** Its rows are people: they have a birth and a sex, or the file says so. */
  get isPeople(): boolean {
    const names = this.columns.map(({ name }) => columnWordsOf(name))
    const has = (words: RegExp): boolean => names.some((name) => words.test(name))
    return has(/\bbirth\w*\b/u) || has(born) ||
      names.some((name) => sexed.test(name)) && has(/\bname\b|\blast\b|\bnom\b/u) ||
      /\b(?:patients?|patientes?|pacientes?|pasien|malades?|benh nhan|persons?|people|personnes?|personnels?|clients?|beneficia\w*|staff|providers?|users?|utilisateurs?|doctors?|medecins?|medicos?|employees?)\b/u
        .test(columnWordsOf(this.label)) ||
      (!this.columns.some(({ name }) => isVisitColumnName(name)) &&
        this.columns.some(({ dates }) => dates.spanOfDays >= 30))
  }

  /** Columns of its own for measurements: `sbp`, `weight`. */
  get measures(): ReadonlyArray<ColumnFacts> {
    return this.columns.filter(({ decimals, filled, integers, name }) =>
      filled > 0 && (integers + decimals) * 10 >= filled * 9 && isMeasure(name)
    )
  }
}
