import { compareTexts } from "../../compareTexts.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { isProblemCode, problemOf } from "../../diagnostic/Problem.ts"
import { collatedJson } from "../../diagnostic/render/renderJson.ts"
import { byName } from "../../maps.ts"
import { withoutAbsent } from "../../objects.ts"
import type { GroupJson, ReportJson, VisitJson } from "../../studio/viewer/ReportJson.ts"
import { attentionTo } from "../../studio/viewer/verdict.ts"
import { planReasons } from "../../submission/plan/explainPlan.ts"
import type { Decision } from "../../submission/plan/plan.ts"
import { attentions } from "../../submission/status/sendingOutcomes.ts"
import type { DayCounts, ListedVisit, Report } from "./Report.ts"

/** Maximum of days in a report. */
const maxDays = 3_660

/** The report as data. Values of the source are in it only with `showValues`. */
export const reportJson = (report: Report, showValues = false): ReportJson => {
  const { command, ended, ending, facility, mapping, name, part, plan, problems, purpose, started, version, zone } =
    report
  const { rejectedRecords = [], stillOpen } = report
  const wards = new Set(
    [...report.places ?? []].flatMap(([name, { common }]) => name !== "" && (common || showValues) ? [name] : [])
  )
  const visits = visitsOf(report, wards)
  const codes = [
    ...problems.map(({ first }): string => first.code),
    ...(report.runs ?? []).flatMap(({ summary }) => (summary?.blockers ?? []).map(([code]) => code))
  ]
  return {
    format: 2,
    counts: report.counts,
    problems: problems.map((problem) => collatedJson(problem, showValues)),
    unmapped: report.unmapped.map(({ blocked, code, count, display, system, table, visits }) => ({
      table,
      system,
      code,
      display,
      count,
      visits,
      blocked
    })),
    ...(report.assumptions === undefined ? {} : {
      assumptions: report.assumptions.map(({ accepted, ask, mapping, means, name, visits }) => ({
        name,
        visits,
        accepted,
        mapping,
        means,
        ask
      }))
    }),
    unused: objectOf(report.unused),
    ...(report.copies === undefined || report.copies.size === 0 ? {} : { copies: objectOf(report.copies) }),
    ...(report.used === undefined ? {} : { used: objectOf(report.used) }),
    unresolved: objectOf(report.unresolved),
    placedByTime: objectOf(report.placedByTime),
    ...(report.tables === undefined || report.tables.length === 0 ? {} : { tables: report.tables }),
    started,
    ended,
    version,
    mapping,
    command,
    ...withoutAbsent({ purpose, ending }),
    facility,
    ...withoutAbsent({ name, zone, values: showValues ? true : undefined, part }),
    ...(plan === undefined ? {} : {
      plan: Array.from(plan, ({ code, decision, source }) => ({
        visit: code,
        action: planReasons[decision.why].verb,
        why: decision.why,
        source,
        ...(decision.why === "still-open" ? { ready: decision._tag === "Hold" ? decision.readyAt ?? null : null } : {})
      }))
    }),
    ...(stillOpen === undefined || stillOpen.visits === 0 ? {} : {
      stillOpen: stillOpen.first.map(({ readyAt, ...visit }) => ({ ...visit, ready: readyAt }))
    }),
    ...(visits.length === 0 ? {} : { visits }),
    ...(rejectedRecords.length === 0 ? {} : {
      rejectedRecords: rejectedRecords.map(({ kinds, name, origin }) => ({
        record: name,
        origin,
        problems: indexesIn(report)(kinds)
      }))
    }),
    ...groupsOf(report, wards, visits),
    ...(report.runs === undefined ? {} : { runs: report.runs }),
    codes: Object.fromEntries(
      [...new Set(codes)].toSorted().flatMap((code) => {
        if (!isProblemCode(code)) return []
        const { meaning, next, owner } = problemOf(code)
        return [[code, { owner, meaning, next }]]
      })
    )
  }
}

/** Finds kinds of problems in a report. */
const indexesIn = ({ problems }: Report): (kinds: ReadonlyArray<Diagnostic>) => ReadonlyArray<number> => {
  const indexes = new Map(problems.map(({ first }, index) => [first, index]))
  return (kinds) =>
    [...new Set(kinds.flatMap((first) => indexes.get(first) ?? []))].toSorted((one, other) => one - other)
}

/** Every listed visit: first the visits that need an action, each group by the day of admission. */
const visitsOf = (report: Report, wards: ReadonlySet<string>): ReadonlyArray<VisitJson> => {
  const { outcomeKinds, outcomes, readyVisits = [], rejectedVisits = [], stillOpen } = report
  const indexes = indexesIn(report)
  const listed = new Set(readyVisits.map(({ name }) => name))
  const decisions = new Map<string, Decision>()
  for (const { code, decision } of report.plan ?? []) {
    if (listed.has(code) && !decisions.has(code)) decisions.set(code, decision)
  }
  const shown = new Set<string>()
  const isRepeated = (name: string): boolean => shown.size === shown.add(name).size
  const opens = new Map((stillOpen?.first ?? []).map(({ readyAt, visit }) => [visit, readyAt]))
  const stateIn = (name: string): VisitJson["state"] => {
    const outcome = outcomes?.get(name)
    if (outcome !== undefined) return outcome
    const decision = decisions.get(name)
    if (opens.has(name) || decision?.why === "still-open") return "open"
    const planned = decision === undefined ? "left" : planReasons[decision.why].outcome
    return planned === "left" ? "ready" : planned
  }
  const visit = ({ day, kinds, name, origin, place }: ListedVisit, state: VisitJson["state"]): VisitJson => ({
    visit: name,
    day: day === "" ? null : day,
    ward: wards.has(place) ? place : null,
    state,
    origin,
    problems: indexes([...outcomeKinds?.get(name) ?? [], ...kinds]),
    ...(state === "open" ? { ready: opens.get(name) ?? null } : {})
  })
  return [
    ...rejectedVisits.map((one) => visit(one, "rejected")),
    ...readyVisits.map((one) => visit(one, isRepeated(one.name) ? "skipped" : stateIn(one.name))),
    ...(stillOpen?.first ?? []).filter((one) => !listed.has(one.visit)).map((one): VisitJson => ({
      visit: one.visit,
      day: null,
      ward: null,
      state: "open",
      origin: one.source ?? "",
      problems: [],
      ready: one.readyAt
    }))
  ].toSorted((one, other) => rankOf(other) - rankOf(one) || compareTexts(one.day ?? "~", other.day ?? "~"))
}

const rankOf = ({ state }: VisitJson): number => attentions.indexOf(attentionTo(state))

/** Visits by ward and by day. If the service did not accept a ready visit, its ward is known only if the visit is listed. */
const groupsOf = (
  { days, places }: Report,
  shown: ReadonlySet<string>,
  visits: ReadonlyArray<VisitJson>
): Pick<ReportJson, "wards" | "days"> => {
  const refused = visits.filter(({ state }) => state !== "rejected" && attentionTo(state) === "correction")
  const counted = {
    ward: Map.groupBy(refused, ({ ward }) => ward),
    day: Map.groupBy(refused, ({ day }) => day)
  }
  const group = (key: "ward" | "day", name: string | null, { ready, rejected }: DayCounts): GroupJson => ({
    name,
    visits: ready + rejected,
    correction: rejected + (name === null ? 0 : counted[key].get(name)?.length ?? 0)
  })
  const sample = [...places ?? []].filter(([name]) => name !== "" && !shown.has(name)).map(([, counts]) => counts)
  const sum = (name: keyof DayCounts): number => sample.reduce((all, counts) => all + counts[name], 0)
  return {
    ...(places === undefined ? {} : {
      wards: [
        ...[...places].flatMap(([name, counts]) =>
          name === "" || shown.has(name) ? [group("ward", name === "" ? null : name, counts)] : []
        ),
        ...(sample.length === 0
          ? []
          : [{ ...group("ward", null, { ready: sum("ready"), rejected: sum("rejected") }), few: true as const }])
      ]
    }),
    ...(days === undefined ? {} : {
      days: [...days].slice(-maxDays).map(([day, counts]) => group("day", day === "" ? null : day, counts))
    })
  }
}

const objectOf = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries(byName(counts))

/** A report as the text of a file: indented, with a line for each visit. */
export const reportText = ({ visits, ...report }: ReportJson): string => {
  const text = JSON.stringify(report, null, 2)
  return visits === undefined
    ? `${text}\n`
    : `${text.slice(0, -2)},\n  "visits": [\n${
      visits.map((visit) => `    ${JSON.stringify(visit)}`).join(",\n")
    }\n  ]\n}\n`
}
