import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Level } from "../diagnostic/levels.ts"
import type { Origin } from "../diagnostic/Origin.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import { areTwoThings } from "../source/areTwoThings.ts"
import type { RecordIndex } from "../source/RecordIndex.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"

/**
 * Nobody chooses between two records of one encounter or patient that say different things: a visit that stands on one of them is not sent
 * while nothing tells which is newer. Each place is told.
 */
export const rivalProblems = (
  { encounters, patient, root }: Pick<VisitGroup, "encounters" | "patient" | "root">,
  rivals: RecordIndex["rivals"],
  level: Level = "error"
): ReadonlyArray<Diagnostic> => {
  if (level === "off") return none
  let found: Array<Diagnostic> | undefined
  const look = (record: SourceRecord, what: string): void => {
    const others = rivals(record)
    if (others.length > 0) (found ??= []).push(...told([record, ...others], what, level))
  }
  look(root, "encounter")
  for (const encounter of encounters) if (encounter !== root) look(encounter, "encounter")
  // Of a patient in several Bundles each visit uses that of its own.
  if (patient !== undefined && !rivals(patient).every((other) => isElsewhere(patient, other))) look(patient, "patient")
  return found ?? none
}

const none: ReadonlyArray<Diagnostic> = []

const isElsewhere = (one: SourceRecord, other: SourceRecord): boolean => one.bundle?.key !== other.bundle?.key

const told = (records: ReadonlyArray<SourceRecord>, what: string, severity: "error" | "warning"): Array<Diagnostic> =>
  records.map((record, index) => ({
    code: "duplicate-record",
    severity,
    title: records.some((other) => areTwoThings(record, other))
      ? `the visit's ${what} was read twice, and the identifiers say that these are two`
      : `the visit's ${what} was read twice with different contents, and nothing says which is newer`,
    source: record.origin.reference,
    origin: record.origin,
    facts: records.flatMap((other, at) => (at === index ? [] : [["other", placeOf(other.origin)] as const])),
    help: records.some((other) => areTwoThings(record, other))
      ? ["leave one of them out; exports of several servers are converted one by one, for their ids may be the same"]
      : ["leave one of them out, or export them with `meta.lastUpdated`"]
  }))

const placeOf = ({ file, line }: Origin): string => `${file}:${line}`
