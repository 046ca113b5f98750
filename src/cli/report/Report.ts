import { compareTexts } from "../../compareTexts.ts"
import { AtLeastThree } from "../../diagnostic/AtLeastThree.ts"
import { type Collated, Collator } from "../../diagnostic/collate.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { originText } from "../../diagnostic/Origin.ts"
import { getOrMake, increment, mostFrequentFirst } from "../../maps.ts"
import { memberNames, withoutAbsent } from "../../objects.ts"
import type { CountedCode, RejectedRecord } from "../../run/Conversion.ts"
import type { RecordRank } from "../../source/records/compareRecords.ts"
import type { TableFile } from "../../source/tables/TableLayout.ts"
import type { Counts, PartReport, Purpose, RunEnding } from "../../studio/viewer/ReportJson.ts"
import type { CountedRun } from "../../submission/journal/JournalReader.ts"
import type { PlannedVisit } from "../../submission/plan/plan.ts"
import { type OpenSummary, openSummary, type RunSummary, type StillOpen } from "../../submission/status/RunSummary.ts"
import { convertedState, noOutcomes, type SendingOutcome } from "../../submission/status/sendingOutcomes.ts"
import { dayOf } from "../../visit/values/CalendarDate.ts"
import { type PatientCode, VisitCode } from "../../visit/values/Code.ts"
import type { CountedAssumption } from "../screen/countedAssumptions.ts"
import { MostlyUnused } from "./MostlyUnused.ts"

const { open, ...sentOutcomes } = noOutcomes

export const noCounts: Counts = {
  records: 0,
  groups: 0,
  visits: 0,
  ready: 0,
  rejected: 0,
  open,
  sent: 0,
  ...sentOutcomes,
  changedSince: 0,
  unusedRecords: 0,
  usedRecords: 0,
  rejectedRecords: 0,
  unreadable: 0
}

const countNames = memberNames(noCounts)

/** Returns the sums of several counts. */
export const sumCounts = (all: ReadonlyArray<Counts>): { -readonly [K in keyof Counts]: number } => {
  const sums = { ...noCounts }
  for (const counts of all) for (const name of countNames) sums[name] += counts[name]
  return sums
}

/** Visits by result before sending. */
export interface DayCounts {
  readonly ready: number
  readonly rejected: number
}

/** The visits of a ward, a department, or a service. */
export interface PlaceCounts extends DayCounts {
  /** Its name was seen for several patients, so it identifies no one. */
  readonly common: boolean
}

export interface ListedVisit {
  /** Its code; otherwise its main record, otherwise its source location. */
  readonly name: string
  readonly origin: string
  /** `""` if unknown. */
  readonly day: string
  readonly place: string
  /** Its errors, or the warnings of a ready visit: of each kind the first problem. */
  readonly kinds: ReadonlyArray<Diagnostic>
  /** For a part: its position in the run. */
  readonly position?: number
}

/** A record without a visit, or a line that is not a record, in a list. */
export type ListedRecord = Pick<ListedVisit, "name" | "origin" | "kinds"> & Pick<RejectedRecord, "common" | "rank">

/** The result of a run. */
export interface Report {
  readonly command: string
  readonly facility: string | null
  /** The hospital's name. */
  readonly name?: string
  readonly counts: Counts
  readonly problems: ReadonlyArray<Collated>
  readonly unmapped: ReadonlyArray<CountedCode>
  /** The assumptions of the visits. */
  readonly assumptions?: ReadonlyArray<CountedAssumption>
  readonly unused: ReadonlyMap<string, number>
  /** The unused records that are older versions, equal copies or deleted, by type. */
  readonly copies?: ReadonlyMap<string, number>
  /** Targets of references that are not in the input, by type. */
  readonly unresolved: ReadonlyMap<string, number>
  /** Records without an encounter that were assigned by patient and time, by type. */
  readonly placedByTime: ReadonlyMap<string, number>
  /** The table files that were read, and what was detected in them. */
  readonly tables?: ReadonlyArray<TableFile>
  /** ISO 8601 times. */
  readonly started: string
  readonly ended: string
  readonly version: string
  /** Hash of the mapping; `null` without a mapping. */
  readonly mapping: string | null
  /** The part of a run that this is. */
  readonly part?: PartReport
  /** For a dry run: the plan for each visit. */
  readonly plan?: Iterable<PlannedVisit>
  /** Visits by the day of admission, `2026-03-02`; `""` if it is absent or unreadable. */
  readonly days?: ReadonlyMap<string, DayCounts>
  /** Visits by ward, department, or service; `""` if unknown. */
  readonly places?: ReadonlyMap<string, PlaceCounts>
  /** Records that are in a visit, by type. */
  readonly used?: ReadonlyMap<string, number>
  /** The first rejected visits, the first ready visits, and the first records without a visit. */
  readonly rejectedVisits?: ReadonlyArray<ListedVisit>
  readonly readyVisits?: ReadonlyArray<ListedVisit>
  readonly rejectedRecords?: ReadonlyArray<ListedRecord>
  /** After sending: the outcomes of the first of the ready visits, by code. */
  readonly outcomes?: ReadonlyMap<string, SendingOutcome>
  /** After sending: the problems of visits that the service does not store completely, by code. */
  readonly outcomeKinds?: ReadonlyMap<string, ReadonlyArray<Diagnostic>>
  /** The purpose of the visits. */
  readonly purpose?: Purpose
  readonly ending?: RunEnding
  /** Number of visits with an error of each code, the most frequent first. */
  readonly blockers?: RunSummary["blockers"]
  /** Visits that are not over, or over too recently to be sent. */
  readonly stillOpen?: OpenSummary
  /** IANA name of the time zone of pages (default: UTC). */
  readonly zone?: string
  /** The runs in the journal, including this one, oldest first. */
  readonly runs?: ReadonlyArray<CountedRun>
}

const maxDays = 10_000
const maxPlaces = 1_000
/** Maximum of listed visits of a kind. */
export const maxListed = 100_000
/** Maximum of listed records. */
export const maxListedRecords = 500
/** Maximum of problem codes stored with a run. */
const maxBlockers = 12

interface CountedVisit {
  readonly code: VisitCode | null
  readonly admittedAt?: string
  readonly patientCode?: PatientCode
  readonly place?: string
  /** Its record or line, if it has no code. */
  readonly source: string
  readonly origin: { readonly file: string; readonly line: number }
  readonly ready: boolean
  readonly notOver?: true
  readonly problems: ReadonlyArray<Diagnostic>
  /** For a part: its position in the run. */
  readonly position?: number
  /** The names of its assumptions. */
  readonly assumed?: ReadonlyArray<string>
}

/** Whether a visit is rejected because it is of another facility than the run. */
export const isOfOtherFacility = ({ problems }: Pick<CountedVisit, "problems">): boolean =>
  problems.some(({ code, field, severity }) =>
    code === "foreign-code" && field === "health_facility_code" && severity === "error"
  )

/** Returns true if part of the input did not become a ready visit: exit code 1. */
export const isIncomplete = ({ counts, problems }: Pick<Report, "counts" | "problems">): boolean =>
  counts.rejected + counts.rejectedRecords + counts.unreadable > 0 ||
  problems.some(({ first }) => first.severity === "error")

/** Returns the summary of a run's input, to be stored with the run. */
export const summaryOf = (
  { blockers = [], counts, stillOpen }: Pick<Report, "blockers" | "counts" | "stillOpen">
): RunSummary => ({
  records: counts.records,
  rejectedRecords: counts.rejectedRecords,
  visits: counts.visits,
  ready: counts.ready,
  rejected: counts.rejected,
  blockers: blockers.slice(0, maxBlockers),
  ...(stillOpen === undefined || stillOpen.visits === 0 ? {} : { open: stillOpen })
})

/** Collects a report from a stream of visits. It holds kinds of problems, counts, and for a report file the first visits. */
export class Tally {
  readonly #listsVisits: boolean
  readonly problems = new Collator()
  readonly mostlyUnused = new MostlyUnused()
  /** For a part: rejected records that are in other parts too, by number, with their problems. */
  readonly commonRejected: Array<readonly [number: number, problems: ReadonlyArray<Diagnostic>]> = []
  /** For a part: the position of the first problem of each kind among rejected records. */
  readonly rejectedRanks = new Map<Diagnostic, RecordRank>()
  readonly #counts: { -readonly [K in keyof Counts]: number } = { ...noCounts }

  readonly #days = new Map<string, { -readonly [K in keyof DayCounts]: number }>()
  readonly #places = new Map<string, { ready: number; rejected: number; readonly patients: AtLeastThree }>()
  readonly #rejected: Array<ListedVisit> = []
  readonly #ready: Array<ListedVisit> = []
  readonly #rejectedRecords: Array<ListedRecord> = []
  readonly #outcomeKinds = new Map<string, ReadonlyArray<Diagnostic>>()
  readonly #blockers = new Map<string, number>()
  readonly #assumed = new Map<string, number>()
  /** The visits that are not sent. Codes of another facility are not ours. */
  readonly unsent = { rejected: new Set<VisitCode>(), excluded: new Set<string>() }
  readonly #open: Array<StillOpen & { readonly admittedAt: string; readonly position: number }> = []

  /** `listsVisits`: also keeps the first visits, which only a report file shows. */
  constructor(listsVisits = true) {
    this.#listsVisits = listsVisits
  }

  /** Counts a visit as ready or rejected, by day and place, with its problems. */
  addVisit(visit: CountedVisit): void {
    const { admittedAt, assumed = [], code, origin, place = "", position = -1, problems, ready, source } = visit
    this.problems.position = position
    const state = convertedState(visit)
    this.add("visits")
    this.add(state)
    if (state === "open") {
      this.#open.push({ visit: code ?? source, source, readyAt: null, admittedAt: admittedAt ?? "", position })
      return
    }
    for (const assumption of assumed) increment(this.#assumed, assumption)
    this.addDay(admittedAt, ready)
    this.#addPlace(visit)
    const name = code ?? source
    const kinds = new Set<Diagnostic>()
    for (const problem of problems) kinds.add(this.problems.add(problem, this.#counts.visits))
    const errors = [...kinds].filter(({ severity }) => severity === "error")
    for (const blocker of new Set(errors.map((error) => error.code))) {
      increment(this.#blockers, blocker)
    }
    if (!ready && code !== null && !isOfOtherFacility(visit)) this.unsent.rejected.add(code)
    const list = ready ? this.#ready : this.#rejected
    if (this.#listsVisits && list.length < maxListed) {
      list.push({
        name,
        origin: originText(origin),
        day: dayOf(admittedAt) ?? "",
        place: place.trim(),
        kinds: ready ? [...kinds] : errors,
        position
      })
    }
  }

  /** Counts a record without a visit, or a line that is not a record. */
  addRejectedRecord({ common, origin, problems, rank, source }: RejectedRecord): void {
    this.add("rejectedRecords")
    const kinds = problems.map((problem) => this.problems.add(problem))
    if (rank !== undefined) {
      for (const kind of kinds) if (!this.rejectedRanks.has(kind)) this.rejectedRanks.set(kind, rank)
    }
    if (common !== undefined) this.commonRejected.push([common, kinds])
    if (this.#rejectedRecords.length < maxListedRecords) {
      this.#rejectedRecords.push({
        name: source,
        origin: originText(origin),
        kinds,
        ...withoutAbsent({ rank, common })
      })
    }
  }

  /** Counts the problems of a visit after sending, and keeps them for the list of visits. */
  addOutcome(visit: string, problems: ReadonlyArray<Diagnostic>): void {
    this.#outcomeKinds.set(visit, problems.map((problem) => this.problems.add(problem)))
  }

  /** Holds a bounded number of places. */
  #addPlace({ patientCode, place = "", ready }: CountedVisit): void {
    const stated = place.trim()
    const name = this.#places.has(stated) || this.#places.size < maxPlaces ? stated : ""
    const known = getOrMake(this.#places, name, () => ({ ready: 0, rejected: 0, patients: new AtLeastThree() }))
    known[ready ? "ready" : "rejected"]++
    known.patients.addPerson(patientCode)
  }

  /** Visits by place, the most frequent first, the unknown one last. */
  get places(): ReadonlyMap<string, PlaceCounts> {
    return inOrderOfPlaces(
      new Map(
        [...this.#places].map((
          [name, { patients, ready, rejected }]
        ) => [name, { ready, rejected, common: patients.areEnough }])
      )
    )
  }

  /** Digests of the first patients of each place. */
  get placePeople(): ReadonlyArray<readonly [place: string, people: ReadonlyArray<number>]> {
    return [...this.#places].map(([name, { patients }]) => [name, patients.digests])
  }

  /** Counts visits that ended too recently as open instead of ready. */
  addOpen(visits: Iterable<PlannedVisit>): void {
    for (const { admittedAt, code, decision, source } of visits) {
      if (decision._tag !== "Hold" || decision.why !== "still-open") continue
      this.add("ready", -1)
      this.add("open")
      this.#open.push({ visit: code, source, readyAt: decision.readyAt ?? null, admittedAt, position: -1 })
    }
  }

  /** The visits that are not over, in the form of a plan. */
  get notOver(): ReadonlyArray<PlannedVisit> {
    return this.#open.flatMap(({ admittedAt, readyAt, source, visit }) =>
      readyAt === null
        ? [{
          // A plan shows a visit without a code by its record.
          code: VisitCode(visit),
          admittedAt,
          source,
          decision: { _tag: "Hold", why: "still-open", readyAt } as const
        }]
        : []
    )
  }

  /** The positions of the first open visits in the run. */
  get openPositions(): ReadonlyArray<number> {
    return this.#open.map(({ position }) => position)
  }

  /** Visits by assumption. */
  get assumed(): ReadonlyMap<string, number> {
    return this.#assumed
  }

  /** The visits for a page: counts by day and place, and a list of the first visits. */
  get facets(): Pick<
    Report,
    "days" | "places" | "readyVisits" | "rejectedVisits" | "rejectedRecords" | "outcomeKinds" | "blockers" | "stillOpen"
  > {
    return {
      days: this.days,
      places: this.places,
      readyVisits: this.#ready,
      rejectedVisits: this.#rejected,
      rejectedRecords: this.#rejectedRecords,
      outcomeKinds: this.#outcomeKinds,
      stillOpen: openSummary(this.#open.map(({ admittedAt: _admittedAt, position: _position, ...visit }) => visit)),
      blockers: mostFrequentFirst(this.#blockers)
    }
  }

  /** Counts a visit by the day of its admission. Holds a bounded number of days. */
  addDay(admittedAt: string | undefined, ready: boolean): void {
    const stated = dayOf(admittedAt) ?? ""
    const day = this.#days.has(stated) || this.#days.size < maxDays ? stated : ""
    getOrMake(this.#days, day, () => ({ ready: 0, rejected: 0 }))[ready ? "ready" : "rejected"]++
  }

  /** The days in ascending order, the unknown one last. */
  get days(): ReadonlyMap<string, DayCounts> {
    return inOrderOfDays(this.#days)
  }

  /** Increases a count. */
  add(name: keyof Counts, by = 1): void {
    this.#counts[name] += by
  }

  /** Replaces counts that are known only after sending. */
  set(counts: Partial<Counts>): void {
    Object.assign(this.#counts, counts)
  }

  get counts(): Counts {
    return { ...this.#counts }
  }
}

/** Sorts places by their visits, the unknown one last. */
export const inOrderOfPlaces = (places: ReadonlyMap<string, PlaceCounts>): ReadonlyMap<string, PlaceCounts> =>
  new Map(
    [...places].toSorted(([a, one], [b, other]) =>
      a === "" ? 1 : b === "" ? -1 : sum(other) - sum(one) || compareTexts(a, b)
    )
  )

/** Sorts days in ascending order, the unknown one last. */
export const inOrderOfDays = (days: ReadonlyMap<string, DayCounts>): ReadonlyMap<string, DayCounts> =>
  new Map([...days].toSorted(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : compareTexts(a, b))))

const sum = ({ ready, rejected }: DayCounts): number => ready + rejected
