import { hash } from "node:crypto"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { problemOf } from "../../diagnostic/Problem.ts"
import type { ProblemCode } from "../../diagnostic/Problem.ts"
import type { ConvertedVisit } from "../../run/convertRecords.ts"
import type { VisitList } from "../viewer/bench/Wire.ts"

/** One visit under one mapping. */
export interface Outcome extends Pick<ConvertedVisit, "code" | "ready" | "json"> {
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
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly ready: number
  readonly rejected: number
}

export const outcomeOf = ({ admittedAt, code, json, place, problems, ready }: ConvertedVisit): Outcome => {
  // Errors first: they are what keeps the visit from being sent.
  const worstFirst = problems.toSorted((one, other) => one.severity.localeCompare(other.severity))
  return {
    code,
    ready,
    json,
    day: /^\d{4}-\d{2}-\d{2}/u.exec(admittedAt ?? "")?.[0] ?? null,
    ward: place ?? null,
    count: problems.length,
    problems: new Set(worstFirst.map((problem) => `${problem.severity} ${problem.code}`)),
    print: printOf(json, problems)
  }
}

const printOf = (json: string, problems: ReadonlyArray<Diagnostic>): string =>
  hash(
    "sha256",
    json + problems.map(({ code, field, severity }) => `${severity} ${code} ${field}`).join("\n"),
    "base64"
  )

export const problemCodeOf = (problem: string) => {
  const [severity, code] = problem.split(" ") as [string, ProblemCode]
  return { code, severity }
}

/** The list of all visits, those marked that differ from an earlier pass. */
export const listOf = (
  listed: number,
  pass: Pass,
  before: Pass | undefined,
  outside: VisitList["outside"]
): VisitList => {
  const counts = new Map<string, number>()
  for (const { problems } of pass.outcomes.values()) {
    for (const problem of problems) counts.set(problem, (counts.get(problem) ?? 0) + 1)
  }
  const problems = [...counts].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  const indexes = new Map(problems.map(([name], index) => [name, index]))
  return {
    listed,
    visits: [...pass.outcomes].map(([key, { code, count, day, print, problems, ready, ward }]) => ({
      key,
      code,
      day,
      ward,
      ready,
      changed: before !== undefined && before.outcomes.get(key)?.print !== print,
      count,
      problems: [...problems].map((problem) => indexes.get(problem)!)
    })),
    problems: problems.map(([name, visits]) => {
      const problem = problemCodeOf(name)
      return { ...problem, visits, meaning: problemOf(problem.code).meaning }
    }),
    outside
  }
}
