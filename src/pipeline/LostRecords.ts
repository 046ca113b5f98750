import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { Level } from "../diagnostic/levels.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import type { PlacedLostRecord } from "../source/LostRecord.ts"
import { namesOf, namesOfRecord } from "../source/LostRecord.ts"
import type { ReadProblem } from "../source/Reading.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import { tablesOfFile } from "../source/tables/matchFiles.ts"
import type { TableLayout } from "../source/tables/TableLayout.ts"
import { typesInName } from "../source/typesInName.ts"
import type { RunRecords } from "./convertRecords.ts"

/** What is known of the mapping where something cannot be read. */
export interface LostPlan {
  /** The types that are read at all. */
  readonly types: ReadonlySet<string> | undefined
  readonly tables: ReadonlyArray<TableLayout>
  /** What the encounters are that visits grow from. */
  readonly rootType: string
}

/** The records that are lost with what could not be read, of types that are read at all. */
export const lostOf = (problem: ReadProblem, plan: LostPlan): ReadonlyArray<PlacedLostRecord> => {
  const { breaksOff, diagnostic: { origin, severity }, lost = [], misread } = problem
  if (origin === undefined) return []
  if (misread === true) return [{ names: [], references: [], origin, rest: "misread" }]
  if (severity !== "error") return []
  const isRead = (type: string): boolean => plan.types?.has(type) !== false
  const found: Array<PlacedLostRecord> = lost.filter(({ type }) => type === undefined || isRead(type)).map((
    record
  ) => ({
    ...record,
    origin
  }))
  if (breaksOff !== true) return found
  for (const type of typesOfFile(origin.file, plan.tables)) {
    // Encounters that are lost are visits that are not made, and a visit without its patient is not sent.
    if (type === plan.rootType || type === "Patient" || !isRead(type)) continue
    found.push({ type, names: [], references: [], origin, rest: "unread" })
  }
  return found
}

/** The records of tables whose files are not there, as the facility's own mapping says they are; of tables that are read at all. */
export const lostWithTables = (
  missing: ReadonlyArray<TableLayout>,
  { rootType, types }: LostPlan
): ReadonlyArray<PlacedLostRecord> =>
  missing.filter(({ expected, name }) => expected === "needed" && name !== rootType && types?.has(name) !== false)
    .map(({ files, name, span }) => ({
      type: name,
      names: [],
      references: [],
      origin: { file: files.join(" or "), line: 0, reference: name },
      rest: "missing",
      mapping: span
    }))

/** What a file holds by its name. */
const typesOfFile = (file: string, tables: ReadonlyArray<TableLayout>): ReadonlyArray<string> => [
  ...typesInName(file),
  ...tablesOfFile(file, tables).map(({ name }) => name)
]

/**
 * The records of a run that could not be read. A visit that was sent cannot be completed later: while a record that belongs to it could not be
 * read, it is not sent. Such a record refers to a record of the visit, or to its patient and no encounter, or is one that a record of
 * the visit refers to. Where a file of one type of records breaks off, any visit may lack one.
 */
export class LostRecords {
  readonly #byReference = new Map<string, Array<PlacedLostRecord>>()
  readonly #byPatient = new Map<string, Array<PlacedLostRecord>>()
  readonly #byName = new Map<string, Array<PlacedLostRecord>>()
  readonly #rests: ReadonlyArray<PlacedLostRecord>
  readonly #level: Level

  /** `rootType`: what the encounters are that visits grow from. */
  constructor(lost: ReadonlyArray<PlacedLostRecord>, rootType: string, level: Level = "error") {
    this.#level = level
    this.#rests = lost.filter(({ rest }) => rest !== undefined)
    if (level === "off") return
    for (const record of lost) {
      for (const name of record.names) put(this.#byName, name, record)
      // An encounter is a visit of its own, or part of one that it names.
      const isPlaced = record.type === rootType || record.references.some((name) => name.startsWith(`${rootType}/`))
      for (const name of record.references) {
        put(this.#byReference, name, record)
        if (!isPlaced) put(this.#byPatient, name, record)
      }
    }
  }

  /** What a visit lacks, each place once. */
  problemsOf(group: VisitGroup, resolve: RunRecords["resolve"]): ReadonlyArray<Diagnostic> {
    const level = this.#level
    if (level === "off") return []
    const nothingNamed = this.#byReference.size === 0 && this.#byName.size === 0
    if (nothingNamed && this.#rests.length === 0) return []
    const found = new Map<string, Diagnostic>()
    const tell = (title: string, lost: ReadonlyArray<PlacedLostRecord> = []): void => {
      for (const { mapping, names, origin, rest, type } of lost) {
        const place = `${origin.file}:${origin.line}`
        if (found.has(place)) continue
        // With a whole file many are lost together.
        const source = names.length === 1 ? names[0] : type
        found.set(place, {
          code: "incomplete-visit",
          severity: level,
          title,
          ...(source === undefined ? {} : { source }),
          ...(mapping === undefined ? { origin } : { mapping, facts: [["file", origin.file]] }),
          help: [
            rest === "missing"
              ? "add the file to the input; where there may be none, say so under the table:  fileOptional: true"
              : rest === "misread"
              ? "correct the format that the table says, and convert again"
              : rest === "unread"
              ? "export the file again, or leave it out if it holds nothing of these visits: what is sent cannot be completed later"
              : "correct the record and convert again: a visit that was sent without it cannot be completed later"
          ]
        })
      }
    }
    for (const records of nothingNamed ? [] : group.records.values()) {
      for (const record of records) {
        for (const name of namesOfRecord(record)) tell(belongs, this.#byReference.get(name))
      }
    }
    for (const name of group.patient === undefined ? [] : namesOfRecord(group.patient)) {
      tell(mayBelong, this.#byPatient.get(name))
    }
    for (const name of this.#byName.size === 0 ? [] : missingIn(group, resolve)) tell(isNeeded, this.#byName.get(name))
    // Of these one word for each file is enough, whatever is named in it.
    for (const one of this.#rests) tell(mayBe[one.rest!], [one])
    return [...found.values()]
  }
}

const belongs = "a record of the visit could not be read"
const mayBelong =
  "a record that could not be read names the visit's patient and no encounter: it may belong to the visit"
const mayBe = {
  unread: "a file could not be read, or not to its end: records of the visit may have been in it",
  misread: "cells of a table are written otherwise than its format says: the visit may lack them, or have other days",
  missing: "no input is a file of a table that the mapping names: rows of the visit may be in it"
} as const
const isNeeded = "a record that the visit refers to could not be read"

const put = <A>(lists: Map<string, Array<A>>, key: string, value: A): void => {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [value])
  else known.push(value)
}

/** The names that records of the visit refer to and nothing has, directly or by others that are no encounters and patients themselves. */
function* missingIn(
  { encounters, patient, records, root }: VisitGroup,
  resolve: RunRecords["resolve"]
): Generator<string> {
  const ends = new Set([root, ...encounters, patient].map((record) => record?.resource.resourceType))
  const met = new Set<SourceRecord>([...records.values()].flat())
  if (patient !== undefined) met.add(patient)
  // What is gone over grows while it is gone over.
  for (const record of met) {
    for (const holder of referencesIn(record.resource)) {
      const target = resolve(holder, record, true)
      if (target === undefined) yield* namesOf(holder.reference)
      else if (!ends.has(target.resource.resourceType)) met.add(target)
    }
  }
}

function* referencesIn(value: object): Generator<{ readonly reference: string }> {
  for (const [key, member] of Object.entries(value) as ReadonlyArray<[string, unknown]>) {
    if (typeof member === "object" && member !== null) yield* referencesIn(member)
    else if (key === "reference" && typeof member === "string") yield value as { readonly reference: string }
  }
}
