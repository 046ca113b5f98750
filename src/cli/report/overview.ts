import { compareTexts } from "../../compareTexts.ts"
import { number, plural } from "../../diagnostic/count.ts"
import { isProblemCode, problemOf } from "../../diagnostic/Problem.ts"
import { getOrMake, mostFrequentFirst } from "../../maps.ts"
import { objectWith } from "../../objects.ts"
import type { TablesJson } from "../../studio/viewer/PageData.ts"
import type { ReportJson } from "../../studio/viewer/ReportJson.ts"
import { minute } from "../process/minute.ts"

/** The counts of an overview: those of a facility, and their sums. */
const figures = ["visits", "ready", "rejected", "open", "stored"] as const
type Figures = Readonly<Record<(typeof figures)[number], number>>

/** A facility by its last report. */
interface FacilityOverview extends Figures {
  /** Its code, otherwise the name of the report file. */
  readonly facility: string
  /** When its last run ended (ISO). */
  readonly ended: string
  readonly stale: boolean
  /** How its last run ended, if it did not complete. */
  readonly ending?: string
  /** The codes of errors with the visits they stop, most visits first. */
  readonly blockers: ReadonlyArray<readonly [code: string, visits: number]>
}

/** The last reports of many facilities together. */
interface Overview extends Figures {
  readonly format: 1
  readonly facilities: ReadonlyArray<FacilityOverview>
  /** Reports that are not used, because their facility has a newer one. */
  readonly olderReports: number
  /** Problems of most facilities first. `visits` counts a visit once for each kind of problem. */
  readonly problems: ReadonlyArray<
    {
      readonly code: string
      readonly severity: string
      readonly facilities: number
      readonly count: number
      readonly visits: number
      readonly meaning: string
    }
  >
  /** Codes that are unmapped at two facilities or more. */
  readonly unmapped: ReadonlyArray<
    {
      readonly table: string
      readonly system: string | null
      readonly code: string
      readonly display: string | null
      readonly facilities: number
      readonly count: number
    }
  >
  /** Reports written with --show-values. Their codes can be a patient's data, so they are not compared. */
  readonly withValues: number
}

const maxBlockers = 3
const maxRows = 200
const dayMillis = 86_400_000

export const overviewOf = (
  read: ReadonlyArray<{ readonly file: string; readonly report: ReportJson }>,
  { now, showValues, staleDays }: { readonly now: number; readonly staleDays: number; readonly showValues: boolean }
): Overview => {
  const last = new Map<string, ReportJson>()
  for (const { file, report } of read) {
    const name = report.facility ?? file
    const known = last.get(name)
    if (known === undefined || Date.parse(known.ended) < Date.parse(report.ended)) last.set(name, report)
  }
  const facilities = [...last].map(([facility, report]) => facilityOf(facility, report, now - staleDays * dayMillis))
  const reports = [...last.values()]
  const comparable = reports.filter(({ values }) => showValues || values !== true)
  return {
    format: 1,
    facilities: facilities.toSorted((one, other) =>
      Number(other.stale) - Number(one.stale) || rejectedShare(other) - rejectedShare(one) ||
      compareTexts(one.facility, other.facility)
    ),
    olderReports: read.length - last.size,
    ...objectWith(figures, (name) => reports.reduce((all, { counts }) => all + counts[name], 0)),
    problems: problemsOf(reports),
    unmapped: unmappedOf(comparable),
    withValues: reports.length - comparable.length
  }
}

const facilityOf = (facility: string, report: ReportJson, oldest: number): FacilityOverview => {
  const { counts, ended, ending, problems } = report
  const blockers = new Map<string, number>()
  for (const problem of problems) {
    if (problem.severity !== "error" || problem.visits === 0) continue
    blockers.set(problem.code, Math.max(blockers.get(problem.code) ?? 0, problem.visits))
  }
  return {
    facility,
    ended,
    stale: !(Date.parse(ended) >= oldest),
    ...(ending === undefined || ending.how === "done" ? {} : { ending: ending.how }),
    ...objectWith(figures, (name) => counts[name]),
    blockers: mostFrequentFirst(blockers).slice(0, maxBlockers)
  }
}

const problemsOf = (reports: ReadonlyArray<ReportJson>): Overview["problems"] => {
  const found = new Map<string, { severity: string; count: number; visits: number; at: Set<ReportJson> }>()
  for (const report of reports) {
    for (const { code, count, severity, visits } of report.problems) {
      const known = getOrMake(found, `${severity} ${code}`, () => ({ severity, count: 0, visits: 0, at: new Set() }))
      known.count += count
      known.visits += visits
      known.at.add(report)
    }
  }
  return [...found].map(([key, { at, ...one }]) => {
    const code = key.slice(key.indexOf(" ") + 1)
    const meaning = isProblemCode(code) ? problemOf(code).meaning : ""
    return { code, ...one, facilities: at.size, meaning }
  }).toSorted((one, other) =>
    (one.severity === other.severity ? 0 : one.severity === "error" ? -1 : 1) || other.facilities - one.facilities ||
    other.visits - one.visits || compareTexts(one.code, other.code)
  )
}

const unmappedOf = (reports: ReadonlyArray<ReportJson>): Overview["unmapped"] => {
  const found = new Map<string, ReportJson["unmapped"][number] & { readonly facilities: number }>()
  for (const report of reports) {
    for (const one of report.unmapped) {
      if (one.code === "(words)") continue
      const key = JSON.stringify([one.table, one.system, one.code])
      const known = found.get(key)
      found.set(key, {
        ...one,
        display: known?.display ?? one.display,
        count: one.count + (known?.count ?? 0),
        facilities: 1 + (known?.facilities ?? 0)
      })
    }
  }
  return [...found.values()].filter(({ facilities }) => facilities > 1)
    .map(({ code, count, display, facilities, system, table }) => ({ table, system, code, display, facilities, count }))
    .toSorted((one, other) =>
      other.facilities - one.facilities || other.count - one.count || compareTexts(one.code, other.code)
    )
}

/** `1 facility`, `1,200 facilities` */
export const facilityCount = (count: number): string => plural(count, "facility", "facilities")

const rejectedShare = ({ rejected, visits }: FacilityOverview): number => (visits === 0 ? 0 : rejected / visits)

const percent = (part: number, whole: number): string =>
  whole === 0
    ? "–"
    : part > 0 && part * 100 < whole
    ? "under 1 %"
    : `${part === whole ? 100 : Math.min(99, Math.round((part * 100) / whole))} %`

/** The overview as the data of a page. */
export const overviewTables = (overview: Overview): TablesJson => {
  const { facilities, olderReports, open, problems, ready, rejected, stored, unmapped, visits, withValues } = overview
  const stale = facilities.filter((one) => one.stale).length
  const part = <A>(
    id: string,
    title: string,
    heads: ReadonlyArray<string>,
    all: ReadonlyArray<A>,
    row: (one: A) => ReadonlyArray<string | number>
  ) => ({
    id,
    title,
    heads,
    rows: all.slice(0, maxRows).map(row),
    ...(all.length <= maxRows ? {} : { note: `${number(all.length - maxRows)} more in the JSON form.` })
  })
  return {
    title: `${facilityCount(facilities.length)}, ${plural(visits, "visit")}`,
    lead: `${number(ready)} ready (${percent(ready, visits)}), ${number(rejected)} to correct, ${number(open)} open, ${
      number(stored)
    } stored by the service.`,
    ...(stale === 0 ? {} : { alert: `${facilityCount(stale)} stale.` }),
    parts: [
      part(
        "facilities",
        "Facilities",
        [
          "Facility",
          "Last run",
          "Visits",
          "Ready",
          "To correct",
          "Open",
          "Stored",
          "Share ready",
          "Most frequent errors"
        ],
        facilities,
        (one) => [
          one.facility,
          [minute(one.ended), ...(one.stale ? ["stale"] : []), ...(one.ending === undefined ? [] : [one.ending])].join(
            ", "
          ),
          one.visits,
          one.ready,
          one.rejected,
          one.open,
          one.stored,
          percent(one.ready, one.visits),
          one.blockers.map(([code, count]) => `\`${code}\` ${number(count)}`).join(", ")
        ]
      ),
      part(
        "problems",
        "Problems",
        ["Problem", "Severity", "Facilities", "Count", "Meaning"],
        problems,
        (one) => [`\`${one.code}\``, one.severity, one.facilities, one.count, one.meaning]
      ),
      part(
        "codes",
        "Unmapped codes in common",
        ["Code", "Display", "System", "Table", "Facilities", "Count"],
        unmapped,
        (one) => [one.code, one.display ?? "", one.system ?? "", one.table, one.facilities, one.count]
      )
    ],
    notes: [
      ...(olderReports === 0 ? [] : [`${plural(olderReports, "older report")} of these facilities not used.`]),
      ...(withValues === 0
        ? []
        : [`${plural(withValues, "report")} with values of the source: their codes are not compared.`])
    ].join(" ")
  }
}
