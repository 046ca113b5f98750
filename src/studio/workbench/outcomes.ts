import { hash } from "node:crypto"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { type ProblemCode, problemOf } from "../../diagnostic/Problem.ts"
import { jsonObjectOf } from "../../json/JsonObject.ts"
import type { VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import { increment, mostFrequentFirst } from "../../maps.ts"
import { locationOf } from "../../run/checks/careUnitOf.ts"
import type { ConvertedVisit } from "../../run/Conversion.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { type ConvertedState, convertedState } from "../../submission/status/sendingOutcomes.ts"
import { dayOf } from "../../visit/values/CalendarDate.ts"
import type { VisitList } from "../viewer/bench/Wire.ts"
import type { Applied } from "./disk/Applied.ts"

/** One visit under one mapping. */
export interface VisitOutcome extends Pick<ConvertedVisit, "code" | "json"> {
  readonly state: ConvertedState
  readonly day: string | null
  readonly ward: string | null
  readonly count: number
  /** `error no-value` */
  readonly problems: ReadonlySet<string>
  /** Distinguishes this outcome from others. */
  readonly print: string
}

/** All visits under one mapping. */
export interface Pass {
  /** The files of the mapping. */
  readonly texts: ReadonlyMap<string, string>
  readonly outcomes: ReadonlyMap<string, VisitOutcome>
  readonly counts: Readonly<Record<ConvertedState, number>>
}

export const outcomeOf = (visit: ConvertedVisit): VisitOutcome => {
  const { admittedAt, code, json, place, problems } = visit
  // Errors come first, because they reject the visit.
  const worstFirst = problems.toSorted((one, other) => one.severity.localeCompare(other.severity))
  return {
    code,
    state: convertedState(visit),
    json,
    day: dayOf(admittedAt) ?? null,
    ward: place ?? null,
    count: problems.length,
    problems: new Set(worstFirst.map((problem) => `${problem.severity} ${problem.code}`)),
    print: printOf(json, convertedState(visit), problems)
  }
}

/** The day on which an encounter began, as its record has it. */
const startDayOf = ({ resource }: SourceRecord): string | null => dayOf(jsonObjectOf(resource.period).start) ?? null

const printOf = (json: string, state: ConvertedState, problems: ReadonlyArray<Diagnostic>): string =>
  hash(
    "sha256",
    json + state + problems.map(({ code, field, severity }) => `${severity} ${code} ${field}`).join("\n"),
    "base64"
  )

export const problemCodeOf = (problem: string) => {
  // `outcomeOf` wrote it from these two words.
  const [severity, code] = problem.split(" ") as [string, ProblemCode]
  return { code, severity }
}

export const countProblems = (outcomes: Pass["outcomes"]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { problems } of outcomes.values()) {
    for (const problem of problems) increment(counts, problem)
  }
  return counts
}

/** The list of all visits: those converted so far with their outcomes, marked if they differ from an earlier pass. */
export const visitListOf = (
  { groups, records }: Pick<Applied, "records"> & { readonly groups: ReadonlyMap<string, Pick<VisitGroup, "root">> },
  { before, listed, outcomes, outside }: Pick<VisitList, "listed" | "outside"> & {
    readonly outcomes: Pass["outcomes"]
    readonly before: Pass | undefined
  }
): VisitList => {
  const problems = mostFrequentFirst(countProblems(outcomes))
  const indexes = new Map(problems.map(([name], index) => [name, index]))
  return {
    listed,
    visits: [...groups].map(([key, { root }]) => {
      const outcome = outcomes.get(key)
      if (outcome === undefined) {
        const ward = locationOf(root, records) ?? null
        return { key, code: null, day: startDayOf(root), ward, state: null, changed: false, count: 0, problems: [] }
      }
      const { code, count, day, print, problems, state, ward } = outcome
      return {
        key,
        code,
        day,
        ward,
        state,
        changed: before !== undefined && before.outcomes.get(key)?.print !== print,
        count,
        problems: [...problems].flatMap((problem) => indexes.get(problem) ?? [])
      }
    }),
    problems: problems.map(([name, visits]) => {
      const problem = problemCodeOf(name)
      return { ...problem, visits, meaning: problemOf(problem.code).meaning }
    }),
    outside
  }
}
