import type { Owner } from "../../diagnostic/Problem.ts"
import type { CollatedJson } from "../../diagnostic/render/renderJson.ts"
import type { TableFile } from "../../source/tables/TableLayout.ts"
import type { CountedRun } from "../../submission/journal/JournalReader.ts"
import type { Verb } from "../../submission/plan/explainPlan.ts"
import type { PlanReason } from "../../submission/plan/plan.ts"
import type { OutcomeCounts, ReportState } from "../../submission/status/sendingOutcomes.ts"

/**
 * The counts of a run; a member that does not apply is 0. `records` is the sum of `usedRecords`, `unusedRecords` and
 * `rejectedRecords`; `visits` of `ready`, `rejected` and `open`; and after sending, `ready` of all outcomes but `open`.
 */
export interface Counts extends OutcomeCounts {
  /** Records that were read. */
  readonly records: number
  readonly groups: number
  readonly visits: number
  /** Visits that may be sent. */
  readonly ready: number
  /** Visits rejected because of an error. */
  readonly rejected: number
  /** Visits that were part of a request in this run, whatever the outcome. */
  readonly sent: number
  /** Stored visits, also of earlier runs, whose source has changed since. They are counted as stored or skipped, too. */
  readonly changedSince: number
  /** Records of types that the mapping does not read, and records that are no visit by their own word: planned or cancelled. */
  readonly unusedRecords: number
  /** Records that are in a visit. */
  readonly usedRecords: number
  /** Unassigned records, and lines that are not records. */
  readonly rejectedRecords: number
  /** The lines and entries among them that are not records. */
  readonly unreadable: number
}

/** The purpose of a run: to send, to show what would be sent, to rehearse with the sandbox, or to write a file. */
export type Purpose = "send" | "plan" | "rehearsal" | "file"

/** How a run ended. After all but `done` and `same-refusal`, the same command resumes the run. */
export const endings = [
  "done",
  "interrupted",
  "rate-limited",
  "service-down",
  "access-denied",
  "same-refusal",
  "failed"
] as const
export interface RunEnding {
  readonly how: (typeof endings)[number]
  /** The message that was printed. */
  readonly message?: string
  /** The time (ISO) from which running again can help. */
  readonly until?: string
}

export interface VisitJson {
  /** Its code; otherwise its main record, otherwise its source location. */
  readonly visit: string
  /** The day of its admission, `2026-03-02`; `null` if unknown. */
  readonly day: string | null
  /** `null` if unknown, or if fewer than three patients were there. */
  readonly ward: string | null
  /** `ready` and `rejected` where nothing was sent. */
  readonly state: ReportState
  /** `file:line` */
  readonly origin: string
  /** Its problems, as indexes into `problems` of the report. */
  readonly problems: ReadonlyArray<number>
  /** For a visit that is still open: the time (ISO) from which it can be sent; `null` while it is not over. */
  readonly ready?: string | null
}

/** Visits of a ward or a day. A visit that needs a correction is rejected, or refused by the service. */
export interface GroupJson {
  /** The ward, or the day `2026-03-02`; `null` if unknown. */
  readonly name: string | null
  readonly visits: number
  readonly correction: number
}

/** The part of a run that a report is about, as `merge-reports` needs it. */
export interface PartReport {
  /** From 1 to `count`. */
  readonly index: number
  readonly count: number
  /** Identifies the run of the parts. */
  readonly of: string
  /** `parts.json`, as it was named. */
  readonly parts: string
  /** Accounts that need all parts. They cannot be read without `parts.json`. */
  readonly sealed: string
}

interface AssumptionJson {
  readonly name: string
  readonly visits: number
  readonly accepted: boolean
  readonly mapping: string
  /** What the problem means, in one sentence. */
  readonly means?: string
  /** Who decides. */
  readonly ask?: "hospital" | "operator"
}

interface UnmappedJson {
  readonly table: string
  readonly system: string | null
  readonly code: string
  readonly display: string | null
  readonly count: number
  readonly visits?: number
  /** The visits among them that are rejected for it. */
  readonly blocked?: number
}

/** The report as it is written with `--report FILE.json`. The page is made of it, and of nothing else. */
export interface ReportJson {
  /** The version of this form. Reports without it have neither visits nor wards, days and runs. */
  readonly format?: 2
  readonly counts: Counts
  readonly problems: ReadonlyArray<CollatedJson>
  readonly unmapped: ReadonlyArray<UnmappedJson>
  /** The assumptions that visits are made under, with the number of these visits. */
  readonly assumptions?: ReadonlyArray<AssumptionJson>
  readonly unused: Readonly<Record<string, number>>
  /** The unused records that are older versions, equal copies or deleted, by type. */
  readonly copies?: Readonly<Record<string, number>>
  /** Records that are in a visit, by type. */
  readonly used?: Readonly<Record<string, number>>
  readonly unresolved: Readonly<Record<string, number>>
  readonly placedByTime: Readonly<Record<string, number>>
  readonly tables?: ReadonlyArray<TableFile>
  readonly started: string
  readonly ended: string
  readonly version: string
  readonly mapping: string | null
  readonly command: string
  readonly purpose?: Purpose
  readonly ending?: RunEnding
  /** The facility's code. */
  readonly facility: string | null
  /** The facility's name. */
  readonly name?: string
  /** IANA name of the zone in which a page shows times. */
  readonly zone?: string
  /** Values of the source are in it; they may be patient data. */
  readonly values?: true
  readonly part?: PartReport
  /** Each visit of a dry run: `send`, `ask` about first, `hold` or `skip`, and why. */
  readonly plan?: ReadonlyArray<
    /** `ready` is when a visit that is still open can be sent (ISO); `null` while it is not over. */
    {
      readonly visit: string
      readonly action: Verb
      readonly why: PlanReason
      readonly source: string | null
      readonly ready?: string | null
    }
  >
  /** The first visits that are still open, with the time (ISO) from which each can be sent; `null` while it is not over. */
  readonly stillOpen?: ReadonlyArray<
    { readonly visit: string; readonly source: string | null; readonly ready: string | null }
  >
  /** The visits one by one: all that need something, then the others, each at most 100,000. */
  readonly visits?: ReadonlyArray<VisitJson>
  /** The first records that belong to no visit, and lines that are not records. */
  readonly rejectedRecords?: ReadonlyArray<
    { readonly record: string; readonly origin: string; readonly problems: ReadonlyArray<number> }
  >
  /** Visits by ward; wards where fewer than three patients were are one group, `few`. */
  readonly wards?: ReadonlyArray<GroupJson & { readonly few?: true }>
  readonly days?: ReadonlyArray<GroupJson>
  /** The last runs of the journal, oldest first. */
  readonly runs?: ReadonlyArray<CountedRun>
  /** What the codes of problems mean, and who can fix them. */
  readonly codes?: Readonly<Record<string, { readonly owner: Owner; readonly meaning: string; readonly next: string }>>
}
