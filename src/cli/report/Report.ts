import { type Collated, Collator } from "../../diagnostic/collate.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { CountedCode, RejectedRecord } from "../../run/convertRecords.ts"
import type { RecordRank } from "../../source/records/compareRecords.ts"
import type { TableFile } from "../../source/tables/TableLayout.ts"
import { AtLeastThree, digest } from "../../studio/profile/bounded.ts"
import type { Counts, PartReport, Purpose, RunEnding } from "../../studio/viewer/ReportJson.ts"
import type { CountedRun } from "../../submission/journal/JournalReader.ts"
import type { PlannedVisit } from "../../submission/plan.ts"
import { type OpenSummary, openSummary, type RunSummary, type StillOpen } from "../../submission/RunSummary.ts"
import { noOutcomes, type VisitOutcome } from "../../submission/visitOutcomes.ts"
import { MostlyUnused } from "../MostlyUnused.ts"
import type { CountedAssumption } from "../screen/countedAssumptions.ts"

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
  unusedRecords: 0,
  usedRecords: 0,
  rejectedRecords: 0,
  unreadable: 0
}

/** Visits by result before sending. */
export interface DayCounts {
  readonly ready: number
  readonly rejected: number
}

/** The visits of a ward, a department, a service. */
export interface PlaceCounts extends DayCounts {
  /** Its name was met for several patients, so that it says nothing about one of them. */
  readonly common: boolean
}

/** A visit as a list names it. */
export interface ListedVisit {
  /** Its code; else the record it grew from, else where it stands. */
  readonly name: string
  readonly origin: string
  /** `""` where it is not known. */
  readonly day: string
  readonly place: string
  /** Its errors, of a ready visit its warnings, each as the first of its kind that was met. */
  readonly kinds: ReadonlyArray<Diagnostic>
  /** Of a part: where it stands in the run. */
  readonly position?: number
}

/** A record that belongs to no visit, or a line that is none, as a list names it. */
export type ListedRecord = Pick<ListedVisit, "name" | "origin" | "kinds"> & Pick<RejectedRecord, "common" | "rank">

/** The result of a run. */
export interface Report {
  readonly command: string
  readonly facility: string | null
  /** What the hospital is called. */
  readonly name?: string
  readonly counts: Counts
  readonly problems: ReadonlyArray<Collated>
  readonly unmapped: ReadonlyArray<CountedCode>
  /** The assumptions that visits are made under. */
  readonly assumptions?: ReadonlyArray<CountedAssumption>
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
  /** The part of a run that this is. */
  readonly part?: PartReport
  /** What would be done with each visit: a dry run. */
  readonly plan?: Iterable<PlannedVisit>
  /** Visits by the day of admission, `2026-03-02`; `""` for those that have none that can be read. */
  readonly days?: ReadonlyMap<string, DayCounts>
  /** Visits by where they were; `""` for those that do not say. */
  readonly places?: ReadonlyMap<string, PlaceCounts>
  /** Records that are in a visit, by type. */
  readonly used?: ReadonlyMap<string, number>
  /** The visits that cannot be sent, the first of them; and those that can, and the records of no visit. */
  readonly rejectedVisits?: ReadonlyArray<ListedVisit>
  readonly readyVisits?: ReadonlyArray<ListedVisit>
  readonly rejectedRecords?: ReadonlyArray<ListedRecord>
  /** After sending: the outcomes of the first of the ready visits, by code. */
  readonly outcomes?: ReadonlyMap<string, VisitOutcome>
  /** After sending: what is wrong with visits that the service does not hold complete, by code. */
  readonly outcomeKinds?: ReadonlyMap<string, ReadonlyArray<Diagnostic>>
  /** What the visits were made for. */
  readonly purpose?: Purpose
  /** How the run ended. */
  readonly ending?: RunEnding
  /** How many visits have an error of each code, those of most visits first. */
  readonly blockers?: RunSummary["blockers"]
  /** Visits that are not over, or over too recently to be sent. */
  readonly stillOpen?: OpenSummary
  /** IANA name of the zone in which a page tells times; UTC where it is not said. */
  readonly zone?: string
  /** What the journal knows of the runs up to now, this one included, oldest first. */
  readonly runs?: ReadonlyArray<CountedRun>
}

const maxDays = 10_000
const maxPlaces = 1_000
/** Visits of a kind that are listed one by one. */
export const maxListed = 100_000
/** Records that are listed one by one. */
export const maxListedRecords = 500
/** As many codes of problems are remembered with a run. */
const maxBlockers = 12

/** The day of a time that has the form of one and is in the calendar; a text of another form says nothing here. */
const dayOf = (time: string | undefined): string => {
  const day = /^\d{4}-\d{2}-\d{2}(?=T|$)/u.exec(time ?? "")?.[0]
  return day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true ? day : ""
}

/** A visit as it is counted. */
interface CountedVisit {
  readonly code: string | null
  readonly admittedAt?: string
  readonly patientCode?: string
  readonly place?: string
  /** The record or line it came from, where it has no code. */
  readonly source: string
  readonly origin: { readonly file: string; readonly line: number }
  readonly ready: boolean
  readonly notOver?: true
  readonly problems: ReadonlyArray<Diagnostic>
  /** Of a part: where it stands in the run. */
  readonly position?: number
  /** The assumptions that it is made under, by name. */
  readonly assumed?: ReadonlyArray<string>
}

/** Something of the input did not become a visit that may be sent: exit code 1. */
export const isIncomplete = ({ counts, problems }: Pick<Report, "counts" | "problems">): boolean =>
  counts.rejected + counts.rejectedRecords + counts.unreadable > 0 ||
  problems.some(({ first }) => first.severity === "error")

/** What is known of a run's input at its end, to be kept with the run. */
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

/** Gathers a report while visits pass by. Holds kinds of problems, numbers, and the names of the first visits. */
export class Tally {
  readonly problems = new Collator()
  readonly mostlyUnused = new MostlyUnused()
  /** Of a part: rejected records that other parts hold too, by their numbers, with their problems. */
  readonly commonRejected: Array<readonly [number: number, problems: ReadonlyArray<Diagnostic>]> = []
  /** Of a part: of each kind of problem of rejected records the place of the first among them. */
  readonly rejectedRanks = new Map<Diagnostic, RecordRank>()
  readonly #counts: { -readonly [K in keyof Counts]: number } = { ...noCounts }

  readonly #days = new Map<string, { -readonly [K in keyof DayCounts]: number }>()
  readonly #places = new Map<string, { ready: number; rejected: number; readonly met: AtLeastThree }>()
  readonly #rejected: Array<ListedVisit> = []
  readonly #ready: Array<ListedVisit> = []
  readonly #rejectedRecords: Array<ListedRecord> = []
  readonly #outcomeKinds = new Map<string, ReadonlyArray<Diagnostic>>()
  readonly #blockers = new Map<string, number>()
  readonly #assumed = new Map<string, number>()
  readonly #open: Array<StillOpen & { readonly admittedAt: string; readonly position: number }> = []

  /** Counts a visit as ready or rejected, by its day and place, with its problems. */
  addVisit(visit: CountedVisit): void {
    const { admittedAt, assumed = [], code, origin, place = "", position = -1, problems, ready, source } = visit
    this.problems.position = position
    if (visit.notOver === true) {
      this.add("visits")
      this.add("open")
      this.#open.push({ visit: code ?? source, source, readyAt: null, admittedAt: admittedAt ?? "", position })
      return
    }
    for (const assumption of assumed) this.#assumed.set(assumption, (this.#assumed.get(assumption) ?? 0) + 1)
    this.add("visits")
    this.add(ready ? "ready" : "rejected")
    this.addDay(admittedAt, ready)
    this.#addPlace(visit)
    const name = code ?? source
    const kinds = new Set<Diagnostic>()
    for (const problem of problems) kinds.add(this.problems.add(problem, this.#counts.visits))
    const errors = [...kinds].filter(({ severity }) => severity === "error")
    for (const blocker of new Set(errors.map((error) => error.code))) {
      this.#blockers.set(blocker, (this.#blockers.get(blocker) ?? 0) + 1)
    }
    const list = ready ? this.#ready : this.#rejected
    if (list.length < maxListed) {
      list.push({
        name,
        origin: `${origin.file}:${origin.line}`,
        day: dayOf(admittedAt),
        place: place.trim(),
        kinds: ready ? [...kinds] : errors,
        position
      })
    }
  }

  /** Counts a record that belongs to no visit, or a line that is none. */
  addRejectedRecord({ common, origin, problems, rank, source }: RejectedRecord): void {
    this.add("rejectedRecords")
    const kinds = problems.map((problem) => this.problems.add(problem))
    for (const kind of rank === undefined ? [] : kinds) {
      if (!this.rejectedRanks.has(kind)) this.rejectedRanks.set(kind, rank!)
    }
    if (common !== undefined) this.commonRejected.push([common, kinds])
    if (this.#rejectedRecords.length < maxListedRecords) {
      this.#rejectedRecords.push({
        name: source,
        origin: `${origin.file}:${origin.line}`,
        kinds,
        ...(rank === undefined ? {} : { rank }),
        ...(common === undefined ? {} : { common })
      })
    }
  }

  /** Counts what is wrong with a visit that was ready, and remembers it for the list of visits. */
  addOutcome(visit: string, problems: ReadonlyArray<Diagnostic>): void {
    this.#outcomeKinds.set(visit, problems.map((problem) => this.problems.add(problem)))
  }

  /** Holds a bounded number of places, whatever visits say. */
  #addPlace({ patientCode, place = "", ready }: CountedVisit): void {
    const stated = place.trim()
    const name = this.#places.has(stated) || this.#places.size < maxPlaces ? stated : ""
    const known = this.#places.get(name) ?? { ready: 0, rejected: 0, met: new AtLeastThree() }
    known[ready ? "ready" : "rejected"]++
    if (patientCode !== undefined && !known.met.areEnough) known.met.add(digest(patientCode))
    this.#places.set(name, known)
  }

  /** By where visits were, the places of most visits first, the unknown one last. */
  get places(): ReadonlyMap<string, PlaceCounts> {
    return inOrderOfPlaces(
      new Map(
        [...this.#places].map((
          [name, { met: seen, ready, rejected }]
        ) => [name, { ready, rejected, common: seen.areEnough }])
      )
    )
  }

  /** Digests of the patients of each place, up to as many as matter. */
  get placePeople(): ReadonlyArray<readonly [place: string, people: ReadonlyArray<number>]> {
    return [...this.#places].map(([name, { met: seen }]) => [name, seen.digests])
  }

  /** Moves visits that are over too recently from the ready ones to those still open. */
  addOpen(visits: Iterable<PlannedVisit>): void {
    for (const { admittedAt, code, decision, source } of visits) {
      if (decision._tag !== "Hold" || decision.why !== "still-open") continue
      this.add("ready", -1)
      this.add("open")
      this.#open.push({ visit: code, source, readyAt: decision.readyAt ?? null, admittedAt, position: -1 })
    }
  }

  /** The visits that are not over, as a plan has them. */
  get notOver(): ReadonlyArray<PlannedVisit> {
    return this.#open.flatMap(({ admittedAt, readyAt, source, visit }) =>
      readyAt === null
        ? [{ code: visit, admittedAt, source, decision: { _tag: "Hold", why: "still-open", readyAt } as const }]
        : []
    )
  }

  /** Where the visits that are still open stand in the run, the first of them. */
  get openPositions(): ReadonlyArray<number> {
    return this.#open.map(({ position }) => position)
  }

  /** Visits by the assumptions that they are made under. */
  get assumed(): ReadonlyMap<string, number> {
    return this.#assumed
  }

  /** What a page tells of the visits: by day and place, and the first of them one by one. */
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
      blockers: [...this.#blockers].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    }
  }

  /** Counts a visit by the day of its admission. Holds a bounded number of days, whatever visits say. */
  addDay(admittedAt: string | undefined, ready: boolean): void {
    const stated = dayOf(admittedAt)
    const day = this.#days.has(stated) || this.#days.size < maxDays ? stated : ""
    const known = this.#days.get(day) ?? { ready: 0, rejected: 0 }
    known[ready ? "ready" : "rejected"]++
    this.#days.set(day, known)
  }

  /** The days in their order, the unknown one last. */
  get days(): ReadonlyMap<string, DayCounts> {
    return inOrderOfDays(this.#days)
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

/** The places of most visits first, the unknown one last. */
export const inOrderOfPlaces = (places: ReadonlyMap<string, PlaceCounts>): ReadonlyMap<string, PlaceCounts> =>
  new Map(
    [...places].toSorted(([a, one], [b, other]) =>
      a === "" ? 1 : b === "" ? -1 : sum(other) - sum(one) || (a < b ? -1 : 1)
    )
  )

export const inOrderOfDays = (days: ReadonlyMap<string, DayCounts>): ReadonlyMap<string, DayCounts> =>
  new Map([...days].toSorted(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : a < b ? -1 : 1)))

const sum = ({ ready, rejected }: DayCounts): number => ready + rejected
