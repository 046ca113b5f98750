import { AtLeastThree } from "../../diagnostic/AtLeastThree.ts"
import { collate, type Collated, severityRankOf } from "../../diagnostic/collate.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { byName, getOrMake, increment, mostFrequentFirst } from "../../maps.ts"
import { UnmappedCodes, withoutWords } from "../../run/accounts/UnmappedCodes.ts"
import { compareIds, compareRecords, emptyRecordAt } from "../../source/records/compareRecords.ts"
import type { ReportJson } from "../../studio/viewer/ReportJson.ts"
import type { OpenSummary } from "../../submission/status/RunSummary.ts"
import { maxListedOpen } from "../../submission/status/RunSummary.ts"
import { noVisits } from "../conversion/noVisits.ts"
import type { CountedAssumption } from "../screen/countedAssumptions.ts"
import { inVisitOrder } from "../screen/countedAssumptions.ts"
import { MostlyUnused } from "./MostlyUnused.ts"
import type { PartAccounts } from "./partReport.ts"
import { accountsIn, positions } from "./partReport.ts"
import type { DayCounts, ListedRecord, ListedVisit, PlaceCounts, Report } from "./Report.ts"
import { inOrderOfDays, inOrderOfPlaces, maxListed, maxListedRecords, sumCounts } from "./Report.ts"

/** Reports cannot be merged: they are not the parts of one run, or a part is missing. */
export class NotOneRun {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** The partition that the reports must belong to. */
interface Partition {
  readonly of: string
  readonly key: Uint8Array
  readonly count: number
}

/**
 * Merges the reports of all parts of a run into the report that one process would have written. Counts are added, and records that several
 * parts hold are counted once. For each kind of problem, the first occurrence in the order of the run is reported.
 */
export const mergeReports = (
  reports: ReadonlyArray<ReportJson>,
  partition: Partition,
  showValues: boolean
): Report | NotOneRun => {
  const sealed = partsOfOneRun(reports, partition)
  if (sealed instanceof NotOneRun) return sealed
  const parts: Array<PartAccounts> = []
  for (const part of sealed) {
    const accounts = accountsIn(part, partition.key)
    if (accounts === undefined) return new NotOneRun(`the report of part ${part.index}/${part.count} was changed`)
    parts.push(accounts)
  }
  const currencies = new Set(parts.flatMap(({ currency }) => currency ?? []))
  if (currencies.size > 1) {
    const all = [...currencies].join(", ")
    return new NotOneRun(
      `their invoices are in several currencies, ${all}; declare the expected ones in facility.yaml, and convert the parts again:  validation: {currencies: [${all}]}`
    )
  }
  const elsewhere = new Set(parts.flatMap(({ used }) => used))
  const { counts, unused, used } = mergedCounts(parts, elsewhere)
  const { firsts, problems } = mergedProblems(parts, elsewhere, (problems) => {
    const mostly = MostlyUnused.of(parts.map(({ mostlyUnused }) => mostlyUnused)).problems(used, given(parts[0]).levels)
    const isEmpty = counts.groups === 0 && ![...problems, ...mostly].some(({ severity }) => severity === "error")
    return [...mostly, ...(isEmpty ? [noVisits(counts.records)] : [])]
  })
  const all = parts.map(({ report }) => report)
  const [{ runs } = {}] = reports
  const codes = new UnmappedCodes()
  for (const part of parts) codes.addData(part.codes)
  const kindsOf = (kinds: ReadonlyArray<Diagnostic>): ReadonlyArray<Diagnostic> =>
    kinds.flatMap((kind) => firsts.get(kind) ?? [])
  const visits = (name: "readyVisits" | "rejectedVisits"): ReadonlyArray<ListedVisit> =>
    all.flatMap((report) => report[name] ?? [])
      .toSorted((one, other) => given(one.position) - given(other.position))
      .slice(0, maxListed)
      .map((visit) => ({ ...visit, kinds: kindsOf(visit.kinds) }))
  return {
    ...given(all[0]),
    ...(runs === undefined ? {} : { runs }),
    counts,
    problems,
    unmapped: showValues ? codes.all() : withoutWords(codes.all()),
    assumptions: inVisitOrder(mergedAssumptions(all)),
    unused,
    used,
    unresolved: mergedNames(parts),
    copies: added(all.map(({ copies = new Map<string, number>() }) => copies)),
    placedByTime: added(all.map(({ placedByTime }) => placedByTime)),
    days: inOrderOfDays(addedDays(all.map(({ days }) => days))),
    places: inOrderOfPlaces(mergedPlaces(parts)),
    readyVisits: visits("readyVisits"),
    rejectedVisits: visits("rejectedVisits"),
    rejectedRecords: mergedRecords(parts, elsewhere)
      .map((record) => ({ ...record, kinds: kindsOf(record.kinds) })),
    blockers: mostFrequentFirst(added(all.map(({ blockers = [] }) => new Map(blockers)))),
    stillOpen: mergedOpen(parts),
    started: given(all.map(({ started }) => started).toSorted()[0]),
    ended: given(all.map(({ ended }) => ended).toSorted().at(-1))
  }
}

/** A fact that every part has. The seal proves that this program wrote the part, so a missing fact is an internal error: it is never 0. */
const given = <A>(fact: A | undefined): A => {
  if (fact === undefined) throw new Error("the accounts of a part are incomplete")
  return fact
}

/** The sealed accounts of every part of one run, in their order; or why the reports are not those. */
const partsOfOneRun = (
  reports: ReadonlyArray<ReportJson>,
  { count, of }: Partition
): ReadonlyArray<NonNullable<ReportJson["part"]>> | NotOneRun => {
  const [first] = reports
  if (first === undefined) return new NotOneRun("there are no reports")
  const parts = reports.flatMap(({ part }) => part ?? []).toSorted((one, other) => one.index - other.index)
  if (parts.length < reports.length) return new NotOneRun("a report is not that of a part")
  for (const name of ["facility", "mapping", "command", "version"] as const) {
    if (reports.some((one) => one[name] !== first[name])) {
      return new NotOneRun(`the reports do not have the same \`${name}\``)
    }
  }
  const foreign = parts.find((part) => part.of !== of || part.count !== count)
  if (foreign !== undefined) {
    return new NotOneRun(
      `part ${foreign.index}/${foreign.count} is of another input, or of another partition of it`
    )
  }
  const indexes = parts.map(({ index }) => index)
  const twice = indexes.find((index, at) => indexes.indexOf(index) !== at)
  if (twice !== undefined) return new NotOneRun(`part ${twice}/${count} is given twice`)
  const missing = Array.from({ length: count }, (_, at) => at + 1).filter((index) => !indexes.includes(index))
  if (missing.length === 0) return parts
  const names = missing.map((index) => `${index}/${count}`).join(", ")
  return new NotOneRun(
    `${missing.length === 1 ? "part" : "parts"} ${names} ${missing.length === 1 ? "is" : "are"} missing`
  )
}

/** Counts of all parts. A record that is unused in one part and used in another is used. */
const mergedCounts = (
  parts: ReadonlyArray<PartAccounts>,
  elsewhere: ReadonlySet<number>
): Required<Pick<Report, "counts" | "unused" | "used">> => {
  const counts = sumCounts(parts.map(({ report }) => report.counts))
  const unused = added(parts.map(({ report }) => report.unused))
  const used = added(parts.map(({ report: { used } }) => used))
  for (const { idle, rejected } of parts) {
    const rejections = new Map(rejected)
    for (const [record, type] of idle) {
      if (!elsewhere.has(record)) continue
      counts.usedRecords++
      increment(used, type)
      if (rejections.has(record)) counts.rejectedRecords--
      else {
        counts.unusedRecords--
        unused.set(type, given(unused.get(type)) - 1)
      }
    }
  }
  return { counts, unused: new Map([...unused].filter(([, count]) => count > 0)), used: byName(used) }
}

/** A kind of problem, and the position of its first occurrence. */
type Positioned = PartAccounts["positions"][number] & Collated

/** Merges the problem kinds of all parts, each with its first occurrence in the run. `more` returns problems that only the run has. */
const mergedProblems = (
  parts: ReadonlyArray<PartAccounts>,
  elsewhere: ReadonlySet<number>,
  more: (problems: ReadonlyArray<Diagnostic>) => ReadonlyArray<Diagnostic>
) => {
  const kinds = new Map<string, Positioned>()
  const keys = new Map<Diagnostic, string>()
  for (const { positions, rejected, report } of parts) {
    const less = new Map<Diagnostic, number>()
    for (const [record, problems] of rejected) {
      for (const one of elsewhere.has(record) ? problems : []) increment(less, one)
    }
    for (const [at, problem] of report.problems.entries()) {
      const position = given(positions[at])
      const { key } = position
      const one = { ...position, ...problem, count: problem.count - (less.get(problem.first) ?? 0) }
      if (one.count <= 0) continue
      keys.set(problem.first, key)
      const other = kinds.get(key)
      const kept = other === undefined || comparePositions(one, other) < 0 ? one : other
      kinds.set(key, {
        ...kept,
        count: one.count + (other?.count ?? 0),
        visits: one.visits + (other?.visits ?? 0)
      })
    }
  }
  const all: ReadonlyArray<Collated> = [...kinds.values()].toSorted(comparePositions)
  return {
    firsts: new Map([...keys].map(([first, key]) => [first, given(kinds.get(key)).first])),
    problems: [...all, ...collate(more(all.map(({ first }) => first)))]
      .toSorted((one, other) => severityRankOf(one.first) - severityRankOf(other.first) || other.count - one.count)
      .map(({ count, first, visits }): Collated => ({ first, count, visits }))
  }
}

/** Sorts by the position of the first occurrence; problems of records without a visit by the names of the records. */
const comparePositions = (one: Positioned, other: Positioned): number => {
  const byName = one.rank !== undefined && other.rank !== undefined
    ? compareRecords(emptyRecordAt(one.rank), emptyRecordAt(other.rank))
    : one.position === positions.copies
    ? compareIds(one.first.source ?? "", other.first.source ?? "")
    : 0
  return one.position - other.position || byName || one.order - other.order
}

/** The first records without a visit: lines that are not records, then by name. */
const mergedRecords = (
  parts: ReadonlyArray<PartAccounts>,
  elsewhere: ReadonlySet<number>
): ReadonlyArray<ListedRecord> => {
  const all = parts.flatMap(({ report }) => report.rejectedRecords ?? [])
    .filter(({ common }) => common === undefined || !elsewhere.has(common))
  const unreadable = all.filter(({ rank }) => rank === undefined)
  const byRecordName = all.flatMap((record) =>
    record.rank === undefined ? [] : [{ record, at: emptyRecordAt(record.rank) }]
  )
    .toSorted((one, other) => compareRecords(one.at, other.at))
    .map(({ record }) => record)
  return [...unreadable, ...byRecordName].slice(0, maxListedRecords)
}

const mergedAssumptions = (reports: ReadonlyArray<Report>): ReadonlyArray<CountedAssumption> => {
  const found = new Map<string, CountedAssumption>()
  for (const one of reports.flatMap(({ assumptions }) => assumptions ?? [])) {
    found.set(one.name, { ...one, visits: one.visits + (found.get(one.name)?.visits ?? 0) })
  }
  return [...found.values()]
}

const mergedNames = (parts: ReadonlyArray<PartAccounts>): ReadonlyMap<string, number> => {
  const names = new Map<string, Set<string>>()
  for (const [type, some] of parts.flatMap(({ unresolved }) => unresolved)) {
    const known = getOrMake(names, type, () => new Set())
    for (const name of some) known.add(name)
  }
  return byName(new Map([...names].map(([type, some]) => [type, some.size])))
}

const mergedOpen = (parts: ReadonlyArray<PartAccounts>): OpenSummary => {
  const all = parts.map(({ report }) => given(report.stillOpen))
  const times = all.flatMap(({ nextReady }) => nextReady ?? [])
  return {
    visits: all.reduce((sum, { visits }) => sum + visits, 0),
    notOver: all.reduce((sum, { notOver }) => sum + notOver, 0),
    nextReady: times.toSorted()[0] ?? null,
    first: parts.flatMap(({ open, report }) =>
      given(report.stillOpen).first.map((visit, at) => ({ visit, at: given(open[at]) }))
    )
      .toSorted((one, other) => one.at - other.at)
      .slice(0, maxListedOpen)
      .map(({ visit }) => visit)
  }
}

const addedDays = (all: ReadonlyArray<ReadonlyMap<string, DayCounts> | undefined>): Map<string, DayCounts> => {
  const sums = new Map<string, DayCounts>()
  for (const [name, { ready, rejected }] of all.flatMap((one) => [...one ?? []])) {
    const known = sums.get(name) ?? { ready: 0, rejected: 0 }
    sums.set(name, { ready: known.ready + ready, rejected: known.rejected + rejected })
  }
  return sums
}

const mergedPlaces = (parts: ReadonlyArray<PartAccounts>): Map<string, PlaceCounts> => {
  const people = new Map<string, AtLeastThree>()
  for (const [name, some] of parts.flatMap(({ places }) => places)) {
    getOrMake(people, name, () => new AtLeastThree()).addAll(some)
  }
  return new Map(
    [...addedDays(parts.map(({ report }) => report.places))].map(([name, counts]) => [
      name,
      { ...counts, common: given(people.get(name)).areEnough }
    ])
  )
}

const added = (all: ReadonlyArray<ReadonlyMap<string, number> | undefined>): Map<string, number> => {
  const sums = new Map<string, number>()
  for (const [name, count] of all.flatMap((one) => [...one ?? []])) increment(sums, name, count)
  return byName(sums)
}
