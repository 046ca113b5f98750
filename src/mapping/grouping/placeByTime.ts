import type { Elements } from "../../fhirpath/FhirPath.ts"
import { valueOf, valueText } from "../../fhirpath/FhirPath.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { parseInstant } from "../../visit/values/Timestamp.ts"
import { startOfNext } from "../../visit/values/Zone.ts"
import type { GroupingPath, GroupingPlan, TimeWindow } from "./GroupingPlan.ts"
import type { UnassignedRecord } from "./VisitGroup.ts"

/** A time range in milliseconds since 1970; an instant if both ends are equal. */
export interface PlacementRange {
  readonly from: number
  readonly to: number
}

/** The context for finding a visit by patient and time. */
interface TimePlacing {
  readonly plan: Pick<GroupingPlan, "end" | "start">
  /** IANA name of the facility's zone: for its days, and for times without an offset. */
  readonly zone: string
  readonly evaluate: (path: GroupingPath, record: SourceRecord) => Elements
  /** The target record of an element of another record. */
  readonly target: (element: unknown, from: SourceRecord) => SourceRecord | undefined
  /** Encounters that are rows of visits, in the run's order, with the top of their visit. */
  readonly encounters: Iterable<readonly [encounter: SourceRecord, root: SourceRecord]>
  /** The patient of the visit with this root. */
  readonly patientOf: (root: SourceRecord) => SourceRecord | undefined
}

interface Stay extends PlacementRange {
  readonly encounter: SourceRecord
  readonly root: SourceRecord
}

/**
 * Finds the encounter of a record by its patient and its time. A date covers its whole day in the facility's zone, a month its whole month.
 * An encounter without an end lasts until the end of its first day. A concurrent visit takes precedence over one that only `before` and
 * `after` reach.
 */
export const placeByTime = (
  placing: TimePlacing
): (record: SourceRecord, window: TimeWindow) => SourceRecord | UnassignedRecord => {
  const { evaluate, plan, zone } = placing
  const firstTime = firstTimeOf(evaluate, zone)
  const stays = new Map<SourceRecord, Array<Stay>>()
  for (const [encounter, root] of placing.encounters) {
    const patient = placing.patientOf(root)
    const start = firstTime(plan.start, encounter)
    if (patient === undefined || start === undefined) continue
    const end = firstTime(plan.end, encounter)
    getOrMake(stays, patient, () => []).push({ encounter, root, ...stayOf(start, end, zone) })
  }
  return (record, window) => {
    let patient: SourceRecord | undefined
    for (const path of window.patient) {
      for (const element of evaluate(path, record)) patient ??= placing.target(element, record)
    }
    if (patient === undefined) return { why: "no-patient", window }
    const time = firstTime(window.time, record)
    if (time === undefined) return { why: "no-time", window }
    const candidates = stays.get(patient) ?? []
    const within = candidates.filter((stay) => meet(stay, time))
    const near = within.length > 0 ?
      within :
      candidates.filter((stay) => meet({ from: stay.from - window.before, to: stay.to + window.after }, time))
    const visits = new Set(near.map(({ root }) => root))
    if (visits.size === 0) return { why: "no-visit-then", window }
    if (visits.size > 1 && window.several === "reject") return { why: "several-visits", window }
    const gap = (stay: Stay): number => Math.max(0, stay.from - time.from, time.from - stay.to)
    // Choose the nearest; of several concurrent encounters the innermost.
    const isBetter = (one: Stay, other: Stay): boolean =>
      (gap(one) - gap(other) || other.from - one.from || one.to - one.from - (other.to - other.from)) < 0
    return near.reduce((best, stay) => (isBetter(stay, best) ? stay : best)).encounter
  }
}

/** Returns a function that finds the first time to which one of some paths leads. */
export const firstTimeOf =
  (evaluate: TimePlacing["evaluate"], zone: string) =>
  (paths: ReadonlyArray<GroupingPath>, record: SourceRecord): PlacementRange | undefined => {
    for (const path of paths) {
      for (const element of evaluate(path, record)) {
        const found = rangeOf(valueOf(element), zone)
        if (found !== undefined) return found
      }
    }
    return undefined
  }

/** Returns when a stay was. Without an end it lasts until the end of its first day. */
export const stayOf = (start: PlacementRange, end: PlacementRange | undefined, zone: string): PlacementRange => {
  const to = end === undefined ? Math.max(start.to, startOfNext("day", start.from, zone)) : end.to
  return { from: start.from, to: Math.max(to, start.from) }
}

/** An instant belongs to ranges that begin or end with it; a day only to ranges that overlap it. */
export const meet = (one: PlacementRange, other: PlacementRange): boolean =>
  one.from === one.to || other.from === other.to
    ? one.from <= other.to && other.from <= one.to
    : one.from < other.to && other.from < one.to

/** Returns the time range of a date, a time, or a Period. */
export const rangeOf = (value: unknown, zone: string): PlacementRange | undefined => {
  if (isJsonObject(value) && ("start" in value || "end" in value)) {
    const { end, start } = value
    const from = rangeOf(start ?? end, zone)
    const to = rangeOf(end ?? start, zone)
    return from === undefined || to === undefined ? undefined : { from: from.from, to: Math.max(from.from, to.to) }
  }
  const text = valueText(value)
  if (text === undefined) return undefined
  const instant = parseInstant(text, { zone })
  if ("reason" in instant) return undefined
  const { epochMillis: from, precision } = instant
  const whole = precision === "year" || precision === "month" || precision === "day"
  return { from, to: whole ? startOfNext(precision, from, zone) : from }
}
