import { type Origin, originText } from "../../diagnostic/Origin.ts"
import type { Facility } from "../../facility/Facility.ts"
import { type RejectedForm, rejectedLine } from "../files/Rejected.ts"
import { version } from "../process/version.ts"
import type { Report, Tally } from "../report/Report.ts"
import type { CheckedVisit } from "./checkVisit.ts"

/** Returns the source location of a visit of a file: `visits.ndjson:3`. */
const placeOf = ({ origin }: CheckedVisit): string => originText(origin)

/** Parses a source location that `placeOf` returned. */
export const visitOriginOf = (source: string): Origin | undefined => {
  const [, file, line] = /^(.+):(\d+)$/su.exec(source) ?? []
  return file === undefined ? undefined : { file, line: Number(line), reference: "" }
}

/** Counts a visit of a file as ready or rejected, with its problems; one that was given before as skipped, too. */
export const countChecked = (tally: Tally, visit: CheckedVisit): void => {
  tally.addVisit({ ...visit, source: placeOf(visit), ready: visit.submission !== undefined })
  if (visit.again === true) tally.set({ skipped: tally.counts.skipped + 1 })
}

/** The line of a visit of a file in the rejected file. */
export const checkedLine = (visit: CheckedVisit, form?: RejectedForm): string =>
  rejectedLine({ ...visit, source: placeOf(visit) }, form)

/** The report of a command that reads visits: it has no records and no mapping. */
export const checkedReport = (
  command: "submit" | "validate",
  facility: Facility,
  tally: Tally,
  started: string,
  ended: string
): Report => ({
  command,
  facility: facility.code,
  counts: tally.counts,
  problems: tally.problems.all(),
  unmapped: [],
  unused: new Map(),
  unresolved: new Map(),
  placedByTime: new Map(),
  started,
  ended,
  version,
  mapping: null,
  zone: facility.timezone,
  ...(facility.name === null ? {} : { name: facility.name }),
  ...tally.facets
})
