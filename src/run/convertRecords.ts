import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Origin } from "../diagnostic/Origin.ts"
import type { UnmappedCode } from "../mapping/draft/VisitDraft.ts"
import type { Grouping } from "../mapping/grouping/VisitGroup.ts"
import type { RecordRank } from "../source/records/compareRecords.ts"
import type { DuplicateProblem } from "../source/records/nameRecords.ts"
import type { SourceRecord } from "../source/records/SourceRecord.ts"
import type { PatientCode, VisitCode } from "../visit/values/Code.ts"
import type { VisitProblem } from "../visit/VisitProblem.ts"
import type { Coverage } from "./accounts/coverage.ts"
import { partitionAccounts } from "./accounts/partitionAccounts.ts"
import { RecordAccounts } from "./accounts/RecordAccounts.ts"
import { wholeRun } from "./RunDirectory.ts"
import { RunVisits } from "./RunVisits.ts"
import type { PartitionOptions } from "./workers/convertPartition.ts"
import { convertPartition } from "./workers/convertPartition.ts"

/** A visit after mapping and validation. */
export interface ConvertedVisit {
  /** `null` if no code was found. */
  readonly code: VisitCode | null
  /** The visit's JSON, byte for byte as in the request's `visits`. */
  readonly json: string
  /** It may be sent: none of its problems is an error. */
  readonly ready: boolean
  /** The admission time, as given in the visit. */
  readonly admittedAt?: string
  readonly patientCode?: PatientCode
  /** The service that saw the patient, otherwise a location from the source. */
  readonly place?: string
  /** The visit is still open: it is neither ready nor rejected, and has no problems. */
  readonly notOver?: true
  /** When the newest of its records changed, according to the records: milliseconds since 1970. */
  readonly newestAt?: number
  readonly problems: ReadonlyArray<Diagnostic>
  /** The assumptions it depends on, by name. */
  readonly assumed?: ReadonlyArray<string>
  /** Its root record: `Encounter/5b1e44`. */
  readonly source: string
  readonly origin: Origin
  /** In a partition: its position in the order of the run, where partitions differ in it. */
  readonly position?: number
}

/** A record that belongs to no visit, and why. */
export interface RejectedRecord {
  readonly source: string
  readonly origin: Origin
  readonly problems: ReadonlyArray<Diagnostic>
  /** In a partition: its position among the rejected records of the run. */
  readonly rank?: RecordRank
  /** In a partition: its number among the records that others hold too. */
  readonly common?: number
}

/** An unmapped code, and how often it occurs. */
export interface CountedCode extends Omit<UnmappedCode, "blocking"> {
  readonly count: number
  /** Visits that contain it. */
  readonly visits: number
  /** Visits that are rejected because the unmapped code leaves a mandatory field empty. */
  readonly blocked: number
  /** Fewer than three people have the code. */
  readonly isPersonal?: true
  /** Fewer than three people have the code with this display. */
  readonly hasPersonalDisplay?: true
}

/** The records of a run, in memory or on disk. */
export interface RunRecords {
  readonly types: ReadonlyArray<string>
  readonly all: (type: string) => ReadonlyArray<SourceRecord>
  readonly resolve: (reference: unknown, from: SourceRecord, quietly?: boolean) => SourceRecord | undefined
  readonly reverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
  /** Records of the same name with different content and no version information to choose the newer one. */
  readonly rivals: (record: SourceRecord) => ReadonlyArray<SourceRecord>
  /** Records that were read and do not count, by type: copies, older versions, deleted records. */
  readonly leftOut: { readonly byType: ReadonlyMap<string, number> }
  readonly leftOutRecords: ReadonlyArray<SourceRecord>
  /** The problems of records with several source locations. */
  readonly duplicates: ReadonlyArray<DuplicateProblem>
  /** The distinct targets of dangling references, by type. */
  readonly unresolvedNames: () => ReadonlyMap<string, ReadonlySet<string>>
}

/** Totals that are known after the last visit has been taken. */
export interface RecordTotals {
  /** Records with a value, or a code made for them, in some visit. */
  readonly usedRecords: number
  readonly rejectedRecords: ReadonlyArray<RejectedRecord>
  /** The same, by type. */
  readonly used: ReadonlyMap<string, number>
  /** Records without a value in any visit that are not rejected, by type. */
  readonly unused: ReadonlyMap<string, number>
  /** Of those, older versions, equal copies and deleted records, by type. Types that no line follows are not looked at. */
  readonly copies: ReadonlyMap<string, number>
  readonly unmapped: ReadonlyArray<CountedCode>
  /** Records that name no encounter and were assigned by their patient and time, by type. */
  readonly placedByTime: ReadonlyMap<string, number>
  /** Number of distinct targets of dangling references, by type. */
  readonly unresolved: ReadonlyMap<string, number>
  /** What no mapping line read, if requested. */
  readonly coverage?: Coverage
}

/** Finds problems of a visit: on its own, or against earlier visits. */
export type CheckVisit = (visit: Readonly<Record<string, unknown>>, origin?: Origin) => ReadonlyArray<VisitProblem>

/** The mapping line that filled a field, and the record it read. */
export type FieldOrigin = Pick<Diagnostic, "mapping" | "path" | "source" | "origin">

interface Options extends Omit<PartitionOptions, "wanted"> {
  /** Called only for visits that could otherwise be sent: a visit that is not sent blocks no other. */
  readonly compareVisit: CheckVisit
}

/**
 * Converts indexed records to visits as a run with one partition does. Visits are returned one at a time, in an order that depends only on
 * the records. The totals are complete once all have been taken.
 */
export const convertRecords = (
  options: Options
): {
  readonly grouping: Grouping
  readonly visits: Iterable<ConvertedVisit>
  readonly totals: () => RecordTotals
} => {
  const { checked, records } = options
  const partition = convertPartition(options)
  const run = new RunVisits(options.compareVisit, options)
  function* visits(): Generator<ConvertedVisit> {
    for (const { finish, visit } of partition.drafts()) yield run.complete(finish(visit, []))
  }
  return {
    grouping: partition.grouping,
    visits: { [Symbol.iterator]: visits },
    totals: () => {
      const all = [...records.types.flatMap((type) => records.all(type)), ...records.leftOutRecords]
      const numbers = new Map(all.map((record, number) => [record, number]))
      const directory = wholeRun(all)
      const accounts = new RecordAccounts(directory)
      accounts.add(
        directory.partitionAt(0),
        partitionAccounts(partition, {
          index: records,
          count: all.length,
          numberOf: (record) => numbers.get(record)!,
          isAccounted: () => true,
          types: checked.plan.followed.types
        })
      )
      return { ...accounts.totals(), unmapped: run.unmapped() }
    }
  }
}
