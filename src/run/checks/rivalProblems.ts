import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { originText } from "../../diagnostic/Origin.ts"
import type { VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import { haveDistinctIdentities } from "../../source/records/haveDistinctIdentities.ts"
import type { RecordIndex } from "../../source/records/RecordIndex.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"

/**
 * Reports copies of one record that differ without version information. A visit that depends on one of them is rejected, and each source
 * location is reported. `ofPatient`: the records of the patient, such as allergies, of which the visit has values.
 */
export const rivalProblems = (
  { encounters, patient, records, root }: Pick<VisitGroup, "encounters" | "patient" | "records" | "root">,
  ofPatient: Iterable<SourceRecord>,
  rivals: RecordIndex["rivals"]
): ReadonlyArray<Diagnostic> => {
  let found: Array<Diagnostic> | undefined
  const look = (record: SourceRecord, what: string): void => {
    const others = rivals(record)
    if (others.length > 0) (found ??= []).push(...duplicatesIn([record, ...others], what))
  }
  look(root, "encounter")
  for (const encounter of encounters) if (encounter !== root) look(encounter, "encounter")
  // If a patient is in several Bundles, each visit uses the one in its own Bundle.
  const isOwn = patient?.bundle !== undefined && !isElsewhere(patient, root) &&
    rivals(patient).every((other) => isElsewhere(patient, other))
  if (patient !== undefined && !isOwn) look(patient, "patient")
  let reported: Set<SourceRecord> | undefined
  const lookAt = (record: SourceRecord): void => {
    const others = rivals(record)
    if (others.length === 0 || record === root || encounters.includes(record) || reported?.has(record) === true) return
    // Either copy may belong to the visit; both are reported once.
    reported ??= new Set()
    for (const one of [record, ...others]) reported.add(one)
    const { resource: { resourceType }, row } = record
    look(record, row === undefined ? resourceType : `row of \`${resourceType}\``)
  }
  for (const list of records.values()) for (const record of list) lookAt(record)
  // Each Bundle has its own state of the patient.
  for (const record of ofPatient) if (!rivals(record).every((other) => isElsewhere(record, other))) lookAt(record)
  return found ?? none
}

const none: ReadonlyArray<Diagnostic> = []

const isElsewhere = (one: SourceRecord, other: SourceRecord): boolean => one.bundle?.key !== other.bundle?.key

const duplicatesIn = (records: ReadonlyArray<SourceRecord>, what: string): Array<Diagnostic> =>
  records.map((record, index) => ({
    code: "duplicate-record",
    severity: "error",
    title: records.some((other) => haveDistinctIdentities(record, other))
      ? `the visit's ${what} was read twice with different identifiers`
      : `the visit's ${what} was read twice with different contents and no version`,
    source: record.origin.reference,
    origin: record.origin,
    facts: records.flatMap((other, at) => (at === index ? [] : [["other", originText(other.origin)] as const])),
    help: records.some((other) => haveDistinctIdentities(record, other))
      ? [
        "remove one of them from the input; convert the exports of different servers separately, because their ids can be the same"
      ]
      : record.row === undefined
      ? [
        "remove one of them from the input, or export them with `meta.lastUpdated`",
        "if the last one in the file is valid, as in a log of changes, set  grouping: {copies: last}"
      ]
      : ["correct the wrong row, or add the distinguishing column to  key:"]
  }))
