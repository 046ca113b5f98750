import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { type Elements, isPathFault, type PathFault } from "../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { unmappedCode } from "../codes/unmappedCode.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import { pathFailed } from "../pathFailed.ts"
import type { GroupingOptions } from "./GroupingContext.ts"
import type { GroupingPath, GroupingRemark } from "./GroupingPlan.ts"

/**
 * What the paths of the grouping report about records. If a path failed, the visit of its record is unknown: the record is rejected, or
 * each visit that holds it. What is assumed, and codes without a table row, are reported by the visit that holds the record. Records that no
 * line reads do not count.
 */
export class GroupingReports {
  readonly #read: ReadonlySet<string> | undefined
  readonly #conceptMaps: GroupingOptions["conceptMaps"]
  readonly #faults = new Map<SourceRecord, Map<GroupingPath, Diagnostic>>()
  readonly #warnings = new Map<SourceRecord, Set<Diagnostic>>()
  readonly #assumed = new Map<SourceRecord, Array<GroupingRemark>>()
  readonly #unmapped = new Map<SourceRecord, Array<UnmappedCode>>()
  /** The paths that found an unmapped code that rejects the visit, also a code that another path found before. */
  readonly #undecided = new Map<SourceRecord, Set<GroupingPath>>()
  /** What functions reported in the present evaluation. */
  #heard: { warnings: Array<Diagnostic>; assumed: Array<GroupingRemark>; unmapped: Array<UnmappedCode> } | undefined

  constructor({ conceptMaps, read }: Pick<GroupingOptions, "conceptMaps" | "read">) {
    this.#read = read
    this.#conceptMaps = conceptMaps
  }

  /** Returns the scope of a run with the parts that receive these reports. */
  scopeOf(scope: EvaluationScope): EvaluationScope {
    const heard = () => (this.#heard ??= { warnings: [], assumed: [], unmapped: [] })
    return {
      ...scope,
      keyWarning: (warning) => void heard().warnings.push(warning),
      assumed: (remark) => void heard().assumed.push(remark),
      unmapped: (code) => void heard().unmapped.push(code)
    }
  }

  /** Returns what a path found on a record, after noting what it reported. A path that failed found nothing. */
  note(record: SourceRecord, path: GroupingPath, result: Elements | PathFault): Elements {
    const heard = this.#heard
    this.#heard = undefined
    const found = isPathFault(result) ? [] : result
    const { origin, resource: { resourceType } } = record
    if (this.#read?.has(resourceType) === false) return found
    if (isPathFault(result)) {
      getOrMake(this.#faults, record, () => new Map())
        .set(path, pathFailed(path, result, { source: origin.reference, origin }))
    }
    if (heard === undefined) return found
    for (const warning of heard.warnings) getOrMake(this.#warnings, record, () => new Set()).add(warning)
    // An unmapped code counts once for its record, whatever the number of paths that look it up.
    for (const code of heard.unmapped) {
      if (code.blocking) getOrMake(this.#undecided, record, () => new Set()).add(path)
      const known = getOrMake(this.#unmapped, record, () => [])
      if (known.some((one) => isSame(one, code))) continue
      known.push(code)
      if (!code.blocking) continue
      getOrMake(this.#warnings, record, () => new Set()).add({
        ...unmappedCode(this.#conceptMaps?.get(code.table) ?? { name: code.table }, "reject", code),
        path: path.text,
        mapping: path.span,
        source: origin.reference,
        origin
      })
    }
    if (found.length > 0) getOrMake(this.#assumed, record, () => []).push(...heard.assumed)
    return found
  }

  /** Nothing was reported about any record. */
  get isEmpty(): boolean {
    return this.#faults.size === 0 && this.#warnings.size === 0 && this.#assumed.size === 0 && this.#unmapped.size === 0
  }

  /** Returns true if a path failed on the record (default: any path). */
  has(record: SourceRecord, path?: GroupingPath): boolean {
    const faults = this.#faults.get(record)
    return faults !== undefined && (path === undefined || faults.has(path))
  }

  /** Whether a path found an unmapped code that rejects the visit: what the path found decides nothing. */
  isUndecided(record: SourceRecord, path: GroupingPath): boolean {
    return this.#undecided.get(record)?.has(path) === true
  }

  /** The first failure on a record that is in no visit. */
  firstOf(record: SourceRecord): Diagnostic | undefined {
    const [first] = this.#faults.get(record)?.values() ?? []
    return first
  }

  /** The problems of the records of a visit. Several paths may report the same key. */
  problemsOf(records: Iterable<SourceRecord>): ReadonlySet<Diagnostic> {
    const problems = new Set<Diagnostic>()
    if (this.#faults.size === 0 && this.#warnings.size === 0) return problems
    for (const record of records) {
      for (const problem of this.#faults.get(record)?.values() ?? []) problems.add(problem)
      for (const problem of this.#warnings.get(record) ?? []) problems.add(problem)
    }
    return problems
  }

  /** What the paths assumed about a record. */
  assumedOf(record: SourceRecord): ReadonlyArray<GroupingRemark> {
    return this.#assumed.get(record) ?? []
  }

  /** The codes of the records of a visit that had no table row. */
  unmappedOf(records: Iterable<SourceRecord>): ReadonlyArray<UnmappedCode> {
    return this.#unmapped.size === 0 ? [] : [...records].flatMap((record) => this.#unmapped.get(record) ?? [])
  }
}

/** Returns whether two unmapped codes are the same code of the same table. */
export const isSame = (one: UnmappedCode, other: UnmappedCode): boolean =>
  one.table === other.table && one.system === other.system && one.code === other.code
