import { getOrMake } from "../../../maps.ts"
import { contentOf } from "../../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import { isEnteredInError } from "../../grouping/enteredInError.ts"
import type { VisitGroup } from "../../grouping/VisitGroup.ts"

/** Returns the records of a type that belong to a patient. */
export type OfPatient = (patient: SourceRecord, type: string) => ReadonlyArray<SourceRecord>

/** What is known of the lists of records that the visits of a run share. */
export interface KnownLists {
  /** Whether some of the records in a list are the same. */
  readonly hasCopies: Map<ReadonlyArray<SourceRecord>, boolean>
  /** The lists of records without those entered in error. */
  readonly valid: Map<ReadonlyArray<SourceRecord>, ReadonlyArray<SourceRecord>>
}

const none: ReadonlyArray<SourceRecord> = []

/** The records of a visit and of its patient, by type. */
export class VisitRecords {
  readonly #group: VisitGroup
  readonly #ofPatient: OfPatient
  readonly #known: KnownLists

  constructor(group: VisitGroup, ofPatient: OfPatient, known: KnownLists) {
    this.#group = group
    this.#ofPatient = ofPatient
    this.#known = known
  }

  inVisit(type: string): ReadonlyArray<SourceRecord> {
    return this.#group.records.get(type) ?? none
  }

  ofPatient(type: string): ReadonlyArray<SourceRecord> {
    const { patient } = this.#group
    if (patient === undefined) return none
    const records = this.#ofPatient(patient, type)
    return getOrMake(this.#known.hasCopies, records, hasCopies)
      ? withoutCopies(records, new Set(this.inVisit(type)))
      : records
  }

  /** Functions find no record that was entered in error. Conditions of lines exclude it, so that the coverage can explain why. */
  withoutErrors(records: ReadonlyArray<SourceRecord>): ReadonlyArray<SourceRecord> {
    return records.length === 0 ? records : getOrMake(this.#known.valid, records, valid)
  }
}

const valid = (records: ReadonlyArray<SourceRecord>): ReadonlyArray<SourceRecord> =>
  records.some(isEnteredInError) ? records.filter((record) => !isEnteredInError(record)) : records

/** Returns true if some of the records of a patient are the same, each in the visit of its document. They follow each other. */
const hasCopies = (records: ReadonlyArray<SourceRecord>): boolean =>
  records.some((record, index) => {
    const before = records[index - 1]
    return before !== undefined && before.bundle?.key !== record.bundle?.key &&
      before.origin.reference === record.origin.reference && sameAs(before) === sameAs(record)
  })

/** Leaves one of several records that are the same: the one that is in the visit, or else the first. */
const withoutCopies = (
  records: ReadonlyArray<SourceRecord>,
  inVisit: ReadonlySet<SourceRecord>
): ReadonlyArray<SourceRecord> => {
  const used = new Map(
    Array.from(
      Map.groupBy(records, sameAs),
      ([key, same]) => [key, (same.find((record) => inVisit.has(record)) ?? same[0])?.bundle?.key] as const
    )
  )
  // Records without a name in one Bundle can be distinct, although they are equal.
  return records.filter((record) => used.get(sameAs(record)) === record.bundle?.key)
}

const sameAs = ({ origin, resource }: SourceRecord): string => `${origin.reference} ${contentOf(resource)}`
