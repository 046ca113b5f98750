import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { PathFault } from "../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { pathFailed } from "../pathFailed.ts"
import type { GroupingPath } from "./GroupingPlan.ts"

/**
 * The paths of the grouping that failed on a record. The visit of such a record is unknown, so the record is rejected, or each
 * visit that holds it. Records that no line reads do not count.
 */
export class GroupingFaults {
  readonly #read: ReadonlySet<string> | undefined
  readonly #found = new Map<SourceRecord, Map<GroupingPath, Diagnostic>>()

  constructor(read: ReadonlySet<string> | undefined) {
    this.#read = read
  }

  note(record: SourceRecord, path: GroupingPath, fault: PathFault): void {
    const { origin, resource: { resourceType } } = record
    if (this.#read?.has(resourceType) === false) return
    let faults = this.#found.get(record)
    if (faults === undefined) this.#found.set(record, faults = new Map())
    faults.set(path, pathFailed(path, fault, { source: origin.reference, origin }))
  }

  /** Returns true if a path failed on the record (default: any path). */
  has(record: SourceRecord, path?: GroupingPath): boolean {
    const faults = this.#found.get(record)
    return faults !== undefined && (path === undefined || faults.has(path))
  }

  /** The first problem of a record that is in no visit. */
  firstOf(record: SourceRecord): Diagnostic | undefined {
    const [first] = this.#found.get(record)?.values() ?? []
    return first
  }

  /** The problems of the records of a visit. Several paths may report the same key. */
  of(records: Iterable<SourceRecord>): ReadonlySet<Diagnostic> {
    const problems = new Set<Diagnostic>()
    if (this.#found.size === 0) return problems
    for (const record of records) for (const problem of this.#found.get(record)?.values() ?? []) problems.add(problem)
    return problems
  }
}
