import { Data, type Stream } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Origin } from "../diagnostic/Origin.ts"
import type { UnmappedCode } from "../mapping/draft/VisitDraft.ts"
import type { Assumption } from "../mapping/MappingPlan.ts"
import type { OperatorError } from "../service/OperatorError.ts"
import type { RecordRank } from "../source/records/compareRecords.ts"
import type { SourceError } from "../source/SourceError.ts"
import type { TableFile } from "../source/tables/TableLayout.ts"
import type { ReferenceListType } from "../visit/Field.ts"
import type { PatientCode, VisitCode } from "../visit/values/Code.ts"
import type { Coverage } from "./accounts/coverage.ts"
import type { CodesData } from "./accounts/UnmappedCodes.ts"

/** The mapping is invalid: no record was read. */
export class InvalidMapping extends Data.TaggedError("InvalidMapping")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** The inputs cannot be converted: no visit was made. */
export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {}

/** A run cannot be cut into parts, or the input is not the requested part. */
export class InvalidPart extends Data.TaggedError("InvalidPart")<{
  readonly title: string
  readonly help: ReadonlyArray<string>
}> {
  override get message() {
    return this.title
  }
}

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
  /** In a part of a run: its position in the order of the whole run. `merge-reports` sorts by it. */
  readonly position?: number
}

/** The mapping line that filled a field, and the record it read. */
export type FieldOrigin = Pick<Diagnostic, "mapping" | "path" | "source" | "origin">

/** A record that belongs to no visit, and why. */
export interface RejectedRecord {
  readonly source: string
  readonly origin: Origin
  readonly problems: ReadonlyArray<Diagnostic>
  /** In a part: its position among the rejected records of the run. */
  readonly rank?: RecordRank
  /** In a part: its number among the records that others hold too. */
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

/** Totals that are known after the last visit has been taken. */
export interface RecordTotals {
  /** Records with a value, or a code made for them, in some visit. */
  readonly usedRecords: number
  readonly rejectedRecords: ReadonlyArray<RejectedRecord>
  /** Used records, by type. */
  readonly used: ReadonlyMap<string, number>
  /** Records without a value in any visit that are not rejected, by type. */
  readonly unused: ReadonlyMap<string, number>
  /** Of those, older versions, equal copies and deleted records, by type. Types that no mapping line reads are not counted. */
  readonly copies: ReadonlyMap<string, number>
  /** Of those, equal copies of records without a name, such as rows without a key. */
  readonly namelessCopies: ReadonlyMap<string, number>
  readonly unmapped: ReadonlyArray<CountedCode>
  /** Records that refer to no encounter and were assigned by their patient and time, by type. */
  readonly placedByTime: ReadonlyMap<string, number>
  /** References to the records that the grouping excludes from being a visit, such as cancelled encounters, and to deleted ones. */
  readonly excluded: ReadonlySet<string>
  /** Number of distinct targets of dangling references, by type. */
  readonly unresolved: ReadonlyMap<string, number>
  /** What no mapping line read, if requested. */
  readonly coverage?: Coverage
}

/** Totals that are known after the last visit has been taken. */
export interface ConversionTotals extends Omit<RecordTotals, "namelessCopies"> {
  /** Records in the input: in a visit, rejected (unreadable ones included), or not used. */
  readonly records: number
  /** Visits that were made. */
  readonly groups: number
  /** Problems that belong to no visit: of the inputs as a whole, and of records with several source locations. */
  readonly problems: ReadonlyArray<Diagnostic>
}

/** Counts of one part of a run. They are complete only after those of all parts are added. */
export interface PartCounts {
  /** Records that other parts hold too, by number: those used here and accounted for elsewhere. */
  readonly used: ReadonlyArray<number>
  /** Records that are accounted for here and not used here, with their types. */
  readonly idle: ReadonlyArray<readonly [number: number, type: string]>
  /** Targets of dangling references. */
  readonly unresolved: ReadonlyArray<readonly [type: string, names: ReadonlyArray<string>]>
  readonly codes: CodesData
  /** The currency that invoices were compared with; `null` if there was none, or a setting names it. */
  readonly currency: string | null
}

/** The part of a run that was converted. */
export interface ConvertedPart {
  /** From 1 to `count`. */
  readonly index: number
  readonly count: number
  /** Identifies the parts of one run. */
  readonly of: string
  /** `parts.json` as the user named it. */
  readonly file: string
  /** The key that encrypts data about single patients. Only readers of `parts.json` can derive it. */
  readonly key: Uint8Array
  readonly counts: () => PartCounts
}

/** The input that was read, and the visits made of it. */
export interface Conversion {
  /** Records that were read, including those that could not be parsed. */
  readonly records: number
  /** Lines, entries and files that could not be read; each is one of the rejected records. */
  readonly unreadable: number
  /** Number of visits; an estimate if the run is converted in partitions. */
  readonly groups: number
  /** The CSV files that were read. */
  readonly tables: ReadonlyArray<TableFile>
  /** In an order that does not depend on the order of the inputs. */
  readonly visits: Stream.Stream<ConvertedVisit, SourceError | OperatorError>
  /** Complete once `visits` has ended. */
  readonly totals: () => ConversionTotals
  /** Where a field of a visit comes from, by the visit's source. Used to explain the service's response to it. */
  readonly fieldOrigin: (source: string, field: string) => FieldOrigin | undefined
  readonly mappingHash: string
  /** The assumptions that the mapping declares, by name. */
  readonly assumptions: ReadonlyMap<string, Assumption>
  /** In a part: its index, and what only all parts together can count. Complete once `visits` has ended. */
  readonly part?: ConvertedPart
  /** The standard-data list of the values of each concept map, by the concept map's name. */
  readonly conceptMapLists: ReadonlyMap<string, ReferenceListType>
  /** The values of each concept map that has few, and no such list. */
  readonly conceptMapValues: ReadonlyMap<string, ReadonlyArray<string>>
}
