import { at } from "../../at.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { byName, getOrMake, increment } from "../../maps.ts"
import { compareIds, compareRecords, emptyRecordAt } from "../../source/records/compareRecords.ts"
import type { PartCounts, RecordTotals } from "../Conversion.ts"
import { RecordRole, type RunPartition } from "../links/planPartitions.ts"
import { Bits } from "../records/Bits.ts"
import type { RunDirectory } from "../RunDirectory.ts"
import type { Coverage } from "./coverage.ts"
import type { PartitionAccounts } from "./partitionAccounts.ts"

/** The account of each record of a run: used, rejected or not used. A record in several partitions is used if one of them uses it. */
export class RecordAccounts {
  readonly #run: RunDirectory
  readonly #used: Bits
  readonly #accounted: Bits
  readonly #rejected = new Map<number, PartitionAccounts["rejected"][number]>()
  readonly #duplicates: Array<PartitionAccounts["duplicates"][number]> = []
  readonly #placedByTime: Array<number> = []
  readonly #copies: Array<number> = []
  readonly #namelessCopies = new Map<string, number>()
  readonly #unresolved = new Map<string, Set<string>>()
  readonly #excluded = new Set<string>()
  #coverage: Coverage | undefined

  constructor(run: RunDirectory) {
    this.#run = run
    this.#used = new Bits(run.size)
    this.#accounted = new Bits(run.size)
  }

  /** Adds the accounts of a partition; call it once for each. */
  add({ records, roles }: RunPartition, accounts: PartitionAccounts): void {
    const { copies, coverage, duplicates, excluded, namelessCopies, placedByTime, rejected, unresolved, used } =
      accounts
    if (used.length !== records.length) throw new Error("a partition was not converted as a whole")
    for (const [index, record] of records.entries()) {
      if (used[index] === 1) this.#used.add(record)
      if ((at(roles, index) & RecordRole.accounted) !== 0) this.#accounted.add(record)
    }
    for (const one of rejected) this.#rejected.set(at(records, one.record), one)
    for (const index of placedByTime) this.#placedByTime.push(at(records, index))
    for (const index of copies) this.#copies.push(at(records, index))
    for (const index of namelessCopies) increment(this.#namelessCopies, this.#run.typeOf(at(records, index)))
    for (const one of duplicates) this.#duplicates.push(one)
    for (const [type, names] of unresolved) {
      const known = getOrMake(this.#unresolved, type, () => new Set())
      for (const name of names) known.add(name)
    }
    for (const reference of excluded) this.#excluded.add(reference)
    this.#coverage = coverage
  }

  /** The totals, once all partitions have been added. */
  totals(): Omit<RecordTotals, "unmapped"> {
    const { common, copies, size, typeOf, unused } = this.#run
    const [used, idle] = [new Map<string, number>(), new Map(unused)]
    const rejected: Array<PartitionAccounts["rejected"][number] & { readonly number: number }> = []
    for (let number = 0; number < size; number++) {
      if (!this.#accounted.has(number)) continue
      const rejection = this.#rejected.get(number)
      if (this.#used.has(number)) increment(used, typeOf(number))
      else if (rejection === undefined) increment(idle, typeOf(number))
      else rejected.push({ ...rejection, number })
    }
    const [left, placedByTime] = [new Map(copies), new Map<string, number>()]
    for (const number of this.#copies) if (!this.#rejected.has(number)) increment(left, typeOf(number))
    for (const number of this.#placedByTime) increment(placedByTime, typeOf(number))
    return {
      usedRecords: used.values().reduce((sum, count) => sum + count, 0),
      used: byName(used),
      rejectedRecords: rejected
        .map((one) => ({ ...one, at: emptyRecordAt(one.rank) }))
        .toSorted((one, other) => compareRecords(one.at, other.at))
        .map(({ number, problem, rank }) => {
          const { origin } = rank
          const inOtherParts = common?.get(number)
          return {
            source: origin.reference,
            origin,
            problems: [problem],
            // Only the reports of the parts of a run are merged by rank.
            ...(common === undefined ? {} : { rank }),
            ...(inOtherParts === undefined ? {} : { common: inOtherParts })
          }
        }),
      unused: byName(idle),
      copies: byName(left),
      namelessCopies: byName(this.#namelessCopies),
      placedByTime: byName(placedByTime),
      excluded: this.#excluded,
      unresolved: byName(new Map([...this.#unresolved].map(([type, names]) => [type, names.size]))),
      ...(this.#coverage === undefined ? {} : { coverage: this.#coverage })
    }
  }

  /** `duplicate-record`, in the order of the records. */
  problems(): ReadonlyArray<Diagnostic> {
    return this.#duplicates.toSorted((one, other) => compareIds(one.name, other.name)).map(({ problem }) => problem)
  }

  /** In one of several parts of a run: counts that are complete only when all parts are added. */
  partCounts(): Pick<PartCounts, "idle" | "unresolved" | "used"> {
    const [used, idle]: [Array<number>, Array<readonly [number, string]>] = [[], []]
    for (const [record, number] of this.#run.common ?? []) {
      if (this.#used.has(record) && !this.#accounted.has(record)) used.push(number)
      if (!this.#used.has(record) && this.#accounted.has(record)) idle.push([number, this.#run.typeOf(record)])
    }
    return { used, idle, unresolved: [...this.#unresolved].map(([type, names]) => [type, [...names]]) }
  }
}
