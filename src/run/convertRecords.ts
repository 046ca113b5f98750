import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Origin } from "../diagnostic/Origin.ts"
import { setProcessZone } from "../fhirpath/evaluate/processZone.ts"
import type { UnmappedCode } from "../mapping/draft/VisitDraft.ts"
import type { Grouping } from "../mapping/grouping/VisitGroup.ts"
import type { RecordRank } from "../source/records/compareRecords.ts"
import type { SourceRecord } from "../source/records/SourceRecord.ts"
import type { VisitProblem } from "../visit/VisitProblem.ts"
import type { Coverage } from "./accounts/coverage.ts"
import { RecordAccounts } from "./accounts/RecordAccounts.ts"
import { RunVisits } from "./RunVisits.ts"
import type { PartitionOptions } from "./workers/convertPartition.ts"
import { convertPartition } from "./workers/convertPartition.ts"

/** A visit as it came out of the mapping and the validation. */
export interface ConvertedVisit {
  /** `null` when none could be found. */
  readonly code: string | null
  /** The visit's JSON, byte for byte as it would stand in the request's `visits`. */
  readonly json: string
  /** It may be sent: none of its problems is an error. */
  readonly ready: boolean
  /** When the patient was admitted, as the visit says it. */
  readonly admittedAt?: string
  readonly patientCode?: string
  /** Where it was: the service that saw the patient, else a place that the source names. */
  readonly place?: string
  /** The patient is still there: it is neither ready nor rejected, and has no problems. */
  readonly notOver?: true
  /** When the newest of its records changed, as the records say it: milliseconds since 1970. */
  readonly newestAt?: number
  readonly problems: ReadonlyArray<Diagnostic>
  /** The assumptions that it is made under, by name. */
  readonly assumed?: ReadonlyArray<string>
  /** The record it grew from: `Encounter/5b1e44`. */
  readonly source: string
  readonly origin: Origin
  /** Of a partition: where it stands in the order of the run, as far as partitions differ in it. */
  readonly position?: number
}

/** A record that belongs to no visit, and why. */
export interface RejectedRecord {
  readonly source: string
  readonly origin: Origin
  readonly problems: ReadonlyArray<Diagnostic>
  /** Of a partition: its place among the rejected records of the run. */
  readonly rank?: RecordRank
  /** Of a partition: its number among the records that others hold too. */
  readonly common?: number
}

/** A code without a row in its concept map, and how often it was met. */
export interface CountedCode extends Omit<UnmappedCode, "blocking"> {
  readonly count: number
  /** Visits it was met in. */
  readonly visits: number
  /** Of these, visits that are rejected where it leaves a field empty that must not be. */
  readonly blocked: number
  /** Fewer than three people have it. */
  readonly isPersonal?: true
  /** Fewer than three people have it with this display. */
  readonly hasPersonalDisplay?: true
}

/** The records of a run, whatever holds them. */
export interface RunRecords {
  readonly types: ReadonlyArray<string>
  readonly all: (type: string) => ReadonlyArray<SourceRecord>
  readonly resolve: (reference: unknown, from: SourceRecord, quietly?: boolean) => SourceRecord | undefined
  readonly reverse: (target: SourceRecord, element: string) => ReadonlyArray<SourceRecord>
  /** Records of the same name that say something else, where nothing tells which is newer. */
  readonly rivals: (record: SourceRecord) => ReadonlyArray<SourceRecord>
  /** Records that were read and do not count, by type: copies, older versions, deleted ones. */
  readonly leftOut: { readonly byType: ReadonlyMap<string, number> }
  /** The different targets that references name and that are not there, by type. */
  readonly unresolvedNames: () => ReadonlyMap<string, ReadonlySet<string>>
}

/** What is known when the last visit has been taken. */
export interface RecordTotals {
  /** Records of which a value, or a code made for them, is in some visit. */
  readonly usedRecords: number
  readonly rejectedRecords: ReadonlyArray<RejectedRecord>
  /** Of these, by type. */
  readonly used: ReadonlyMap<string, number>
  /** Records that no visit holds a value of, and that are not rejected, by type. */
  readonly unused: ReadonlyMap<string, number>
  readonly unmapped: ReadonlyArray<CountedCode>
  /** Records that name no encounter and were placed by their patient and time, by type. */
  readonly placedByTime: ReadonlyMap<string, number>
  /** How many different targets references name that are not in the input, by type. */
  readonly unresolved: ReadonlyMap<string, number>
  /** What no mapping line read, where it was asked for. */
  readonly coverage?: Coverage
}

/** Finds problems of a visit: by itself, or against the visits it was given before. */
export type CheckVisit = (visit: Readonly<Record<string, unknown>>, origin?: Origin) => ReadonlyArray<VisitProblem>

/** A visit as the mapping made it. */
export interface MappedVisit {
  readonly visit: Readonly<Record<string, unknown>>
  /** Validates it, as it came or filled in, with further problems that were found on the way. */
  readonly finish: (
    visit: Readonly<Record<string, unknown>>,
    problems: ReadonlyArray<VisitProblem>
  ) => ConvertedVisit
}

interface Options extends Omit<PartitionOptions, "wanted"> {
  /** Asked only about visits that may be sent otherwise: a visit that stays here blocks no other. */
  readonly compareVisit: CheckVisit
}

/** The line of the mapping that filled a field, and the record it read. */
export type FieldOrigin = Pick<Diagnostic, "mapping" | "path" | "source" | "origin">

/**
 * From the records of a run to its visits: groups them, applies the mapping to each group and validates what it makes. Visits
 * come one at a time and in an order that depends on the records alone; the totals are complete once all have been taken.
 */
export const convertRecords = (
  options: Options
): {
  readonly groups: number
  readonly grouping: Grouping
  readonly visits: Iterable<ConvertedVisit>
  /** The same visits before they are validated: what is known of them elsewhere may still be filled in. To be finished in this order. */
  readonly drafts: Iterable<MappedVisit>
  readonly totals: () => RecordTotals
  /** Leads a field of a visit home that somebody else found fault with: the visit is mapped once more. */
  readonly fieldOriginOf: (source: string, field: string) => FieldOrigin | undefined
} => {
  setProcessZone(options.zone)
  const part = convertPartition(options)
  const run = new RunVisits(options.compareVisit, options)
  function* drafts(): Generator<MappedVisit> {
    for (const { finish, visit } of part.drafts()) {
      yield { visit, finish: (filled, more) => run.complete(finish(filled, more)) }
    }
  }
  function* visits(): Generator<ConvertedVisit> {
    for (const { finish, visit } of drafts()) yield finish(visit, [])
  }
  return {
    groups: part.groups,
    grouping: part.grouping,
    visits: { [Symbol.iterator]: visits },
    drafts: { [Symbol.iterator]: drafts },
    totals: () => {
      const accounts = new RecordAccounts()
      for (const [type, count] of options.records.leftOut.byType) accounts.addUnused(type, count)
      for (const account of part.accounts()) accounts.add(account)
      accounts.addUnresolved(options.records.unresolvedNames())
      const coverage = part.coverage()
      return {
        ...accounts.all(),
        unmapped: run.unmapped(),
        ...(coverage === undefined ? {} : { coverage })
      }
    },
    fieldOriginOf: part.homeOf
  }
}
