import { type Collated, Collator } from "../diagnostic/collate.ts"
import { type CollatedJson, collatedJson } from "../diagnostic/renderJson.ts"
import type { CountedCode } from "../pipeline/convertRecords.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"
import type { Verb } from "../submission/explainPlan.ts"
import type { CountedRun } from "../submission/JournalReader.ts"
import type { Decision, PlannedVisit, Why } from "../submission/plan.ts"

/**
 * What came of a run, in numbers; a member that does not apply is 0. `records` is the sum of `usedRecords`, `unusedRecords` and
 * `rejectedRecords`; `visits` of `ready` and `rejected`; and after sending, `ready` of `stored`, `partial`, `refused`,
 * `duplicate`, `conflict`, `doubt`, `unknown`, `skipped` and `left`.
 */
export interface Counts {
  /** Records that were read. */
  readonly records: number
  readonly groups: number
  readonly visits: number
  /** Visits that may be sent. */
  readonly ready: number
  /** Visits that cannot be sent: an error of ours. */
  readonly rejected: number
  /** Visits that were part of a request in this run, whatever came of it. */
  readonly sent: number
  /** Visits the service holds, complete. */
  readonly stored: number
  /** Visits the service holds in part. */
  readonly partial: number
  /** Visits the service does not take as they are. */
  readonly refused: number
  /** Visits whose code is somebody else's record at the service. */
  readonly duplicate: number
  /** Visits that stand against another visit or another admission date. */
  readonly conflict: number
  /** Visits that may or may not be the record the service holds. */
  readonly doubt: number
  /** Visits that were sent and had no clear answer. */
  readonly unknown: number
  /** Ready visits with nothing to send: stored by an earlier run, or the same visit twice in the input. */
  readonly skipped: number
  /** Ready visits that were not sent: left for the next run, or never to be sent as they are. */
  readonly left: number
  /** Records of types that the mapping does not read, and records that are no visit by their own word: planned or cancelled. */
  readonly unusedRecords: number
  /** Records that are in a visit. */
  readonly usedRecords: number
  /** Records that belong to no visit, and lines that are not records. */
  readonly rejectedRecords: number
  /** Of these, lines and entries that are not records. */
  readonly unreadable: number
}

export const noCounts: Counts = {
  records: 0,
  groups: 0,
  visits: 0,
  ready: 0,
  rejected: 0,
  sent: 0,
  stored: 0,
  partial: 0,
  refused: 0,
  duplicate: 0,
  conflict: 0,
  doubt: 0,
  unknown: 0,
  skipped: 0,
  left: 0,
  unusedRecords: 0,
  usedRecords: 0,
  rejectedRecords: 0,
  unreadable: 0
}

/** Visits by what became of them before sending. */
export interface DayCounts {
  readonly ready: number
  readonly rejected: number
}

/** What came of a run. */
export interface Report {
  readonly command: string
  readonly facility: string | null
  readonly counts: Counts
  readonly problems: ReadonlyArray<Collated>
  readonly unmapped: ReadonlyArray<CountedCode>
  readonly unused: ReadonlyMap<string, number>
  /** Targets that references name and that are not in the input, by type. */
  readonly unresolved: ReadonlyMap<string, number>
  /** Records that name no encounter and were placed by their patient and time, by type. */
  readonly placedByTime: ReadonlyMap<string, number>
  /** The files of tables that were read, and what was found in them that the mapping does not say. */
  readonly tables?: ReadonlyArray<TableFile>
  /** ISO 8601 times. */
  readonly started: string
  readonly ended: string
  readonly version: string
  /** Hash of the mapping; `null` when none was used. */
  readonly mapping: string | null
  /** What would be done with each visit: a dry run. */
  readonly plan?: ReadonlyArray<PlannedVisit>
  /** Visits by the day of admission, `2026-03-02`; `""` for those that have none that can be read. */
  readonly days?: ReadonlyMap<string, DayCounts>
  /** What the journal knows of the runs up to now, this one included, oldest first. */
  readonly runs?: ReadonlyArray<CountedRun>
}

/** The report as it is written with `--report FILE.json`. */
export interface ReportJson {
  readonly counts: Counts
  readonly problems: ReadonlyArray<CollatedJson>
  readonly unmapped: ReadonlyArray<Pick<CountedCode, "table" | "system" | "code" | "display" | "count">>
  readonly unused: Readonly<Record<string, number>>
  readonly unresolved: Readonly<Record<string, number>>
  readonly placedByTime: Readonly<Record<string, number>>
  readonly tables?: ReadonlyArray<TableFile>
  readonly started: string
  readonly ended: string
  readonly version: string
  readonly mapping: string | null
  readonly command: string
  readonly facility: string | null
  /** Each visit of a dry run: `send`, `ask` about first, `hold` or `skip`, and why. */
  readonly plan?: ReadonlyArray<
    { readonly visit: string; readonly action: Verb; readonly why: Why; readonly source: string | null }
  >
}

export const reportJson = (report: Report): ReportJson => ({
  counts: report.counts,
  problems: report.problems.map(collatedJson),
  unmapped: report.unmapped.map(({ code, count, display, system, table }) => ({ table, system, code, display, count })),
  unused: byName(report.unused),
  unresolved: byName(report.unresolved),
  placedByTime: byName(report.placedByTime),
  ...(report.tables === undefined || report.tables.length === 0 ? {} : { tables: report.tables }),
  started: report.started,
  ended: report.ended,
  version: report.version,
  mapping: report.mapping,
  command: report.command,
  facility: report.facility,
  ...(report.plan === undefined ? {} : {
    plan: report.plan.map(({ code, decision, source }) => ({
      visit: code,
      action: verbs[decision._tag],
      why: decision.why,
      source
    }))
  })
})

const verbs: Readonly<Record<Decision["_tag"], Verb>> = { Send: "send", Settle: "ask", Hold: "hold", Skip: "skip" }

const mostDays = 10_000

/** The day of a time that has the form of one and is in the calendar; a text of another form says nothing here. */
const dayOf = (time: string | undefined): string => {
  const day = /^\d{4}-\d{2}-\d{2}(?=T|$)/u.exec(time ?? "")?.[0]
  return day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true ? day : ""
}

/** Gathers a report while visits pass by. Holds kinds of problems and numbers, no visits. */
export class Tally {
  readonly problems = new Collator()
  readonly #counts: { -readonly [K in keyof Counts]: number } = { ...noCounts }

  readonly #days = new Map<string, { -readonly [K in keyof DayCounts]: number }>()

  /** Counts a visit by the day of its admission. Holds a bounded number of days, whatever visits say. */
  addDay(admittedAt: string | undefined, ready: boolean): void {
    const said = dayOf(admittedAt)
    const day = this.#days.has(said) || this.#days.size < mostDays ? said : ""
    const known = this.#days.get(day) ?? { ready: 0, rejected: 0 }
    known[ready ? "ready" : "rejected"]++
    this.#days.set(day, known)
  }

  /** The days in their order, the unknown one last. */
  get days(): ReadonlyMap<string, DayCounts> {
    return new Map([...this.#days].toSorted(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : a < b ? -1 : 1)))
  }

  /** Adds to a number. */
  add(name: keyof Counts, by = 1): void {
    this.#counts[name] += by
  }

  set(counts: Partial<Counts>): void {
    Object.assign(this.#counts, counts)
  }

  get counts(): Counts {
    return { ...this.#counts }
  }
}

const byName = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
