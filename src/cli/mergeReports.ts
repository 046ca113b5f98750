import { rankOf } from "../diagnostic/collate.ts"
import { compareTexts } from "../source/compareRecords.ts"
import type { Counts, GroupJson, ReportJson } from "../viewer/ReportJson.ts"
import { inOrder } from "./countedAssumptions.ts"

/** Why reports cannot be one: they are not the shards of one run, or one of these is missing. */
export class NotOneRun {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/**
 * The reports of all shards of a run as the report of the run. Counts are sums; one fault is told once, as the first shard tells it that met
 * it. `unresolved` is at most what it says: two shards may miss the same record.
 */
export const mergeReports = (reports: ReadonlyArray<ReportJson>): ReportJson | NotOneRun => {
  const shards = reports.toSorted((one, other) => (one.shard?.index ?? 0) - (other.shard?.index ?? 0))
  const [first] = shards
  if (first === undefined) return new NotOneRun("there are no reports")
  const wrong = whyNotOneRun(shards, first)
  if (wrong !== undefined) return new NotOneRun(wrong)
  const { input: _, shard: __, ...run } = first
  const problems = [
    ...merged(
      shards.flatMap(({ problems }) => problems),
      keyOfProblem,
      (one, other) => ({ ...one, count: one.count + other.count, visits: one.visits + other.visits })
    )
  ].toSorted((one, other) => rankOf(one) - rankOf(other) || other.count - one.count)
  return {
    ...run,
    counts: shards.map(({ counts }) => counts).reduce(sumOf),
    problems,
    unmapped: [
      ...merged(
        shards.flatMap(({ unmapped }) => unmapped),
        ({ code, system, table }) => [table, system, code],
        (one, other) => ({ ...one, count: one.count + other.count })
      )
    ].toSorted((one, other) =>
      compareTexts(one.table, other.table) || other.count - one.count || compareTexts(one.code, other.code)
    ),
    ...(shards.some(({ assumptions }) => assumptions !== undefined)
      ? {
        assumptions: inOrder([
          ...merged(
            shards.flatMap(({ assumptions }) => assumptions ?? []),
            ({ name }) => [name],
            (one, other) => ({ ...one, visits: one.visits + other.visits })
          )
        ])
      }
      : {}),
    unused: added(shards.map(({ unused }) => unused)),
    unresolved: added(shards.map(({ unresolved }) => unresolved)),
    placedByTime: added(shards.map(({ placedByTime }) => placedByTime)),
    ...(shards.some(({ plan }) => plan !== undefined) ? { plan: shards.flatMap(({ plan }) => plan ?? []) } : {}),
    ...(shards.some(({ stillOpen }) => stillOpen !== undefined)
      ? { stillOpen: shards.flatMap(({ stillOpen }) => stillOpen ?? []) }
      : {}),
    ...(shards.some(({ format }) => format === undefined)
      ? { visits: [], rejectedRecords: [], wards: [], days: [] }
      : mergedLists(shards, problems)),
    started: shards.map(({ started }) => started).toSorted()[0]!,
    ended: shards.map(({ ended }) => ended).toSorted().at(-1)!
  }
}

type ProblemJson = ReportJson["problems"][number]

const keyOfProblem = ({ code, field, first: { message }, mapping, severity }: ProblemJson): ReadonlyArray<unknown> => [
  severity,
  code,
  mapping,
  field,
  message
]

/** The lists of all shards, with problems as the run's report numbers them; wards and days are added up. */
const mergedLists = (
  shards: ReadonlyArray<ReportJson>,
  problems: ReadonlyArray<ProblemJson>
): Pick<ReportJson, "visits" | "wards" | "days" | "rejectedRecords"> => {
  const indexes = new Map(problems.map((problem, index) => [JSON.stringify(keyOfProblem(problem)), index]))
  const renumbered = <A extends { readonly problems: ReadonlyArray<number> }>(
    shard: ReportJson,
    all: ReadonlyArray<A> = []
  ): ReadonlyArray<A> => {
    const own = shard.problems.map((problem) => indexes.get(JSON.stringify(keyOfProblem(problem)))!)
    return all.map((one) => ({ ...one, problems: one.problems.map((index) => own[index]!) }))
  }
  const groups = <G extends GroupJson>(name: "wards" | "days"): ReadonlyArray<G> => [
    ...merged(
      shards.flatMap((shard) => (shard[name] ?? []) as ReadonlyArray<G & { readonly few?: true }>),
      (one) => [one.name, one.few],
      (one, other) => ({
        ...one,
        visits: one.visits + other.visits,
        correction: one.correction + other.correction
      })
    )
  ]
  return {
    visits: shards.flatMap((shard) => renumbered(shard, shard.visits)),
    rejectedRecords: shards.flatMap((shard) => renumbered(shard, shard.rejectedRecords)),
    wards: groups("wards"),
    days: groups("days")
  }
}

const whyNotOneRun = (shards: ReadonlyArray<ReportJson>, first: ReportJson): string | undefined => {
  if (shards.some(({ shard }) => shard === undefined)) return "a report is not that of a shard"
  for (const name of ["facility", "mapping", "command", "version"] as const) {
    if (shards.some((one) => one[name] !== first[name])) return `the reports do not have the same \`${name}\``
  }
  const inputs = new Set(shards.flatMap(({ input }) => input ?? []))
  if (inputs.size > 1) return "the reports are of runs with other inputs"
  const { count } = first.shard!
  if (shards.some(({ shard }) => shard!.count !== count)) return "the reports are of runs that were cut differently"
  const indexes = shards.map(({ shard }) => shard!.index)
  const twice = indexes.find((index, at) => indexes.indexOf(index) !== at)
  if (twice !== undefined) return `shard ${twice}/${count} is there twice`
  const missing = Array.from({ length: count }, (_, at) => at + 1).filter((index) => !indexes.includes(index))
  return missing.length === 0 ? undefined : `shard ${missing.map((index) => `${index}/${count}`).join(", ")} is missing`
}

const sumOf = (one: Counts, other: Counts): Counts =>
  Object.fromEntries(
    Object.entries(one).map(([name, count]) => [name, count + (other[name as keyof Counts] ?? 0)])
  ) as unknown as Counts

const added = (all: ReadonlyArray<Readonly<Record<string, number>>>): Readonly<Record<string, number>> => {
  const sums = new Map<string, number>()
  for (const one of all) for (const [name, count] of Object.entries(one)) sums.set(name, (sums.get(name) ?? 0) + count)
  return Object.fromEntries([...sums].toSorted(([one], [other]) => compareTexts(one, other)))
}

const merged = <A>(
  all: ReadonlyArray<A>,
  keyOf: (one: A) => ReadonlyArray<unknown>,
  both: (one: A, other: A) => A
): Iterable<A> => {
  const found = new Map<string, A>()
  for (const one of all) {
    const key = JSON.stringify(keyOf(one))
    const known = found.get(key)
    found.set(key, known === undefined ? one : both(known, one))
  }
  return found.values()
}
