import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { compareRecords, compareTexts } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { RecordTotals, RejectedRecord } from "../convertRecords.ts"
import type { AccountedRecord } from "../workers/convertPartition.ts"

/** The account of each record of a run: used, rejected or not used. */
export class RecordAccounts {
  readonly #used = new Map<string, number>()
  readonly #rejected: Array<{ readonly record: SourceRecord; readonly rejected: RejectedRecord }> = []
  readonly #unused = new Map<string, number>()
  readonly #copies = new Map<string, number>()
  readonly #placedByTime = new Map<string, number>()
  readonly #unresolved = new Map<string, Set<string>>()

  /** Adds a record; call it once for each record. */
  add({ placedByTime, problem, record, used }: AccountedRecord): void {
    const type = record.resource.resourceType
    if (placedByTime) this.addPlacedByTime(type)
    if (used) this.addUsed(type)
    else if (problem === undefined) this.addUnused(type, 1)
    else this.reject(record, problem)
  }

  addUsed(type: string): void {
    this.#used.set(type, (this.#used.get(type) ?? 0) + 1)
  }

  reject(record: SourceRecord, problem: Diagnostic, more: Pick<RejectedRecord, "common" | "rank"> = {}): void {
    this.#rejected.push({
      record,
      rejected: {
        source: record.origin.reference,
        origin: record.origin,
        problems: [problem],
        ...more
      }
    })
  }

  addPlacedByTime(type: string): void {
    this.#placedByTime.set(type, (this.#placedByTime.get(type) ?? 0) + 1)
  }

  /** Records that do not count, by type. */
  addUnused(type: string, count: number): void {
    this.#unused.set(type, (this.#unused.get(type) ?? 0) + count)
  }

  /** Of the records that do not count, those of which another copy or version counts, or that were deleted. */
  addCopies(type: string, count: number): void {
    this.#copies.set(type, (this.#copies.get(type) ?? 0) + count)
  }

  /** Adds targets of dangling references; repeated calls with the same target are allowed. */
  addUnresolved(names: ReadonlyMap<string, Iterable<string>>): void {
    for (const [type, texts] of names) {
      const known = this.#unresolved.get(type)
      if (known === undefined) this.#unresolved.set(type, new Set(texts))
      else for (const text of texts) known.add(text)
    }
  }

  /** The targets of dangling references, by type. */
  unresolvedNames(): ReadonlyArray<readonly [type: string, names: ReadonlyArray<string>]> {
    return [...this.#unresolved].map(([type, names]) => [type, [...names]])
  }

  all(): Omit<RecordTotals, "coverage" | "unmapped"> {
    return {
      usedRecords: this.#used.values().reduce((sum, count) => sum + count, 0),
      used: byName(this.#used),
      rejectedRecords: this.#rejected
        .toSorted((one, other) => compareRecords(one.record, other.record))
        .map(({ rejected }) => rejected),
      unused: byName(this.#unused),
      copies: byName(this.#copies),
      placedByTime: byName(this.#placedByTime),
      unresolved: byName(new Map([...this.#unresolved].map(([type, names]) => [type, names.size])))
    }
  }
}

const byName = (counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
  new Map([...counts].toSorted(([one], [other]) => compareTexts(one, other)))
