import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { type Origin, originText } from "../../diagnostic/Origin.ts"
import { jsonObjectOf } from "../../json/JsonObject.ts"
import { clinicalTypes } from "../../mapping/clinicalTypes.ts"
import { recordsOfGroup, type VisitGroup } from "../../mapping/grouping/VisitGroup.ts"
import { getOrMake, increment } from "../../maps.ts"
import type { PlacedEvidence } from "../../source/evidence/Evidence.ts"
import { judgeExports, type Judgement } from "../../source/evidence/judgeExports.ts"
import { missingPages } from "../../source/read/missingPages.ts"
import type { ReadItem, ReadProblem, SearchPage } from "../../source/read/ReadItem.ts"
import { idOfRecord } from "../../source/records/compareRecords.ts"
import { recordTypeOf } from "../../source/records/LazyRecord.ts"
import { typesInName } from "../../source/records/resourceTypes.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { LocatedUnreadableRecord, UnreadableRecord } from "../../source/records/UnreadableRecord.ts"
import { namesOf, namesOfRecord } from "../../source/records/UnreadableRecord.ts"
import { tablesOfFile } from "../../source/tables/matchFiles.ts"
import type { TableLayout } from "../../source/tables/TableLayout.ts"
import type { RunRecords } from "../convertPartition.ts"
import { isFollowed } from "../links/followedElements.ts"
import { ownHash } from "../read/referencedNames.ts"

/** Facts of the mapping that decide the effect of unreadable input. */
interface UnreadablePlan {
  /** The types that the mapping reads. */
  readonly types: ReadonlySet<string> | undefined
  readonly tables: ReadonlyArray<TableLayout>
  /** The type of the root records of visits. */
  readonly rootType: string
}

/** Whether nothing shows whose record it is, and no other record has to refer to it. */
const isUnowned = ({ names, references, type }: UnreadableRecord): boolean =>
  references.length === 0 && (names.length === 0 || type === undefined || clinicalTypes.includes(type))

/** Receives everything that a run reads. Reports the records that are lost with unreadable input, for types that the mapping reads. */
export class UnreadableCollector {
  readonly #plan: UnreadablePlan
  readonly #lost: Array<LocatedUnreadableRecord> = []
  /** Truncated files, and the offset where each one breaks off. */
  readonly #cut: Array<Origin> = []
  /** Number of records of each type in each file. */
  readonly #met = new Map<string, Map<string, number>>()
  readonly #unreadable = new Map<string, number>()
  readonly #deletions = new Map<string, number>()
  readonly #evidence: Array<PlacedEvidence> = []
  /** Hashes of the names of patients. */
  readonly #patients: Array<number> = []
  /** Addresses of encounters that may be the root of a visit. */
  readonly #roots = new Set<string>()
  readonly #pages: Array<SearchPage> = []
  #file = ""
  #types = new Map<string, number>()

  constructor(plan: UnreadablePlan) {
    this.#plan = plan
  }

  problem({ breaksOff, cut, diagnostic: { origin, severity }, ends, lost = [], misread }: ReadProblem): void {
    if (origin === undefined) return
    if (misread === true) return void this.#lost.push({ names: [], references: [], origin, rest: "misread" })
    if (severity !== "error") return
    increment(this.#unreadable, origin.file)
    for (const record of lost) {
      if (record.type === undefined || this.#isRead(record.type)) this.#lost.push({ ...record, origin })
    }
    // A record that ends before it names its visit may be one of any visit.
    if (cut === true || (ends === true && lost.every(isUnowned))) {
      this.#cut.push(origin)
      this.types(origin.file, lost.flatMap(({ type }) => type ?? []))
    }
    if (breaksOff === true) this.#tellRest(origin, typesOfFile(origin.file, this.#plan.tables))
  }

  record(record: SourceRecord): void {
    const { fullUrl, origin: { file } } = record
    if (file !== this.#file) this.types(file, [])
    const type = recordTypeOf(record)
    increment(this.#types, type)
    const id = type === "Patient" ? idOfRecord(record) : undefined
    if (id !== undefined) this.#patients.push(ownHash(`Patient/${id}`))
    if (fullUrl !== undefined && type === this.#plan.rootType) this.#roots.add(fullUrl)
  }

  /** Adds a search page, and whether more follow. */
  page(page: SearchPage): void {
    this.#pages.push(page)
  }

  /** Pages that are linked and missing. */
  missingPages(): ReadonlyArray<ReadProblem> {
    return missingPages(this.#pages.splice(0))
  }

  /** Takes a deleted record, or an exporter's statement about its export. */
  note(item: ReadItem): void {
    if (item._tag === "Deletion") increment(this.#deletions, item.deletion.origin.file)
    else if (item._tag === "Evidence") this.#evidence.push(item)
  }

  /** Types of records that a file may hold. */
  types(file: string, types: ReadonlyArray<string>): void {
    const known = getOrMake(this.#met, file, () => new Map<string, number>())
    this.#file = file
    this.#types = known
    for (const type of types) increment(known, type, 0)
  }

  /** Returns how many records of a type were read from a file. */
  readonly readOf = (file: string, type: string): number => this.#met.get(file)?.get(type) ?? 0

  /** Adds the number of records of a file, by type, and the hashes of the names of its patients. */
  counts(file: string, counts: ReadonlyMap<string, number>, patients: Iterable<number>): void {
    this.types(file, [])
    for (const [type, count] of counts) increment(this.#types, type, count)
    for (const hash of patients) this.#patients.push(hash)
  }

  /** Checks the exporters' statements about their exports; what an export lacks counts as lost. Call it after everything has been read. */
  judge(files: ReadonlyArray<string>, sameServer: ReadonlyArray<string>): Omit<Judgement, "lost"> {
    if (this.#evidence.length === 0) return { problems: [], missingBases: [], severalServers: [] }
    let patients: Set<number> | undefined
    const { lost, ...judgement } = judgeExports(this.#evidence, {
      files,
      sameServer,
      records: (file) => this.#met.get(file) ?? new Map(),
      unreadable: (file) => this.#unreadable.get(file) ?? 0,
      deletions: (file) => this.#deletions.get(file) ?? 0,
      hasPatient: (id) => (patients ??= new Set(this.#patients)).has(ownHash(`Patient/${id}`))
    })
    for (const record of lost) {
      // Without a Patient, no visit that could miss it is sent.
      if (record.type === undefined || (record.type !== "Patient" && this.#isRead(record.type))) {
        this.#lost.push(record)
      }
    }
    return judgement
  }

  /** Returns the tables without an input file that the facility's own mapping declares. */
  missingTables(tables: ReadonlyArray<TableLayout>): void {
    for (const { expected, files, name, span } of tables) {
      if (expected !== "needed" || name === this.#plan.rootType || !this.#isRead(name)) continue
      const origin = { file: files.join(" or "), line: 0, reference: name }
      this.#lost.push({ type: name, names: [], references: [], origin, rest: "missing", mapping: span })
    }
  }

  /** Call it after everything has been read. */
  all(): ReadonlyArray<LocatedUnreadableRecord> {
    for (const origin of this.#cut.splice(0)) {
      this.#tellRest(origin, [
        ...typesOfFile(origin.file, this.#plan.tables),
        ...this.#met.get(origin.file)?.keys() ?? []
      ])
    }
    const { rootType } = this.#plan
    const names = (name: string): boolean => name.startsWith(`${rootType}/`) || this.#roots.has(name)
    return this.#lost.map((record) =>
      record.type === rootType || record.references.some(names) ? { ...record, isPlaced: true } : record
    )
  }

  #tellRest(origin: Origin, types: ReadonlyArray<string>): void {
    for (const type of new Set(types)) {
      // Lost encounters are visits that are not made, and a visit without its patient is not sent.
      if (type === this.#plan.rootType || type === "Patient" || !this.#isRead(type)) continue
      this.#lost.push({ type, names: [], references: [], origin, rest: "unread" })
    }
  }

  #isRead(type: string): boolean {
    return this.#plan.types?.has(type) !== false
  }
}

/** The record types of a file, judged by its name. */
const typesOfFile = (file: string, tables: ReadonlyArray<TableLayout>): ReadonlyArray<string> => [
  ...typesInName(file),
  ...tablesOfFile(file, tables).map(({ name }) => name)
]

/**
 * The records of a run that could not be read. A visit that was sent cannot be completed later, so it is not sent while one of its records
 * is unreadable. Such a record refers to a record of the visit, or to its patient and no encounter. A record that the visit's records refer
 * to also counts. If a file of one record type is truncated, any visit may lack a record.
 */
export class UnreadableRecords {
  readonly #byReference = new Map<string, Array<LocatedUnreadableRecord>>()
  readonly #byPatient = new Map<string, Array<LocatedUnreadableRecord>>()
  readonly #byName = new Map<string, Array<LocatedUnreadableRecord>>()
  readonly #rests: ReadonlyArray<readonly [rest: keyof typeof mayBe, record: LocatedUnreadableRecord]>

  constructor(lost: ReadonlyArray<LocatedUnreadableRecord>) {
    this.#rests = lost.flatMap((record) => record.rest === undefined ? [] : [[record.rest, record] as const])
    for (const record of lost) {
      for (const name of record.names) getOrMake(this.#byName, name, () => []).push(record)
      for (const name of record.references) {
        getOrMake(this.#byReference, name, () => []).push(record)
        if (record.isPlaced !== true) getOrMake(this.#byPatient, name, () => []).push(record)
      }
    }
  }

  /** Returns what a visit lacks, each source location once. `followed` are the elements whose targets are known. */
  problemsOf(
    group: VisitGroup,
    resolve: RunRecords["resolve"],
    followed: ReadonlySet<string> | undefined
  ): ReadonlyArray<Diagnostic> {
    const nothingNamed = this.#byReference.size === 0 && this.#byName.size === 0
    if (nothingNamed && this.#rests.length === 0) return []
    const found = new Map<string, Diagnostic>()
    const own = new Map<string, SourceRecord>()
    for (const record of nothingNamed ? [] : recordsOfGroup(group)) own.set(record.origin.reference, record)
    // Returns true if the same record was read elsewhere, in a version that is as new.
    const isThere = ({ names, updated }: LocatedUnreadableRecord): boolean =>
      updated !== undefined && names.some((name) => isAsNew(own.get(name), updated))
    const report = (title: string, lost: ReadonlyArray<LocatedUnreadableRecord> | undefined): void => {
      for (const one of lost ?? []) {
        const { isNotExported, mapping, names, origin, rest, type } = one
        const place = originText(origin)
        if (found.has(place) || isThere(one)) continue
        const source = sourceOf(names) ?? type
        found.set(place, {
          code: "incomplete-visit",
          severity: "error",
          title,
          ...(source === undefined ? {} : { source }),
          ...(mapping === undefined ? { origin } : { mapping, facts: [["file", origin.file]] }),
          help: [
            rest === "missing"
              ? "add the file to the input; if the file is optional, set under its table:  fileOptional: true"
              : rest === "misread"
              ? "correct the format or the encoding that the table declares, and convert again"
              : rest === "export" || isNotExported === true
              ? "export again, or add what is missing, and convert again: a visit that was sent cannot be completed later"
              : rest === "unread"
              ? "export the file again, or remove it from the input if it contains nothing of these visits: a visit that was sent cannot be completed later"
              : "correct the record and convert again: a visit that was sent without it cannot be completed later"
          ]
        })
      }
    }
    for (const records of nothingNamed ? [] : group.records.values()) {
      for (const record of records) {
        for (const name of namesOfRecord(record)) report(belongs, this.#byReference.get(name))
      }
    }
    for (const name of group.patient === undefined ? [] : namesOfRecord(group.patient)) {
      for (const one of this.#byPatient.get(name) ?? []) {
        report(one.isNotExported === true ? notExported : mayBelong, [one])
      }
    }
    for (const name of own.keys()) if (/^[A-Z]/u.test(name)) report(isOther, this.#byName.get(name))
    for (const name of this.#byName.size === 0 ? [] : missingIn(group, resolve, followed)) {
      report(isNeeded, this.#byName.get(name))
    }
    // One report for each file is enough here, however many records it lost.
    for (const [rest, one] of this.#rests) report(mayBe[rest], [one])
    return [...found.values()]
  }
}

const belongs = "a record of the visit could not be read"
const mayBelong =
  "a record that could not be read refers to the visit's patient and to no encounter: it may belong to the visit"
const notExported = "the server could not export records of the visit's patient"
const isOther = "another version of a record of the visit could not be read: it may be the newer one"
const mayBe = {
  unread: "a file could not be read, or not to its end: records of the visit may have been in it",
  misread: "cells of a table do not match its format or encoding: values of the visit may be missing or wrong",
  missing: "no input is a file of a table that the mapping declares: rows of the visit may be in it",
  export: "the export is incomplete: records of the visit may be missing"
} as const
const isNeeded = "a record that the visit refers to could not be read"

const isAsNew = (record: SourceRecord | undefined, than: string): boolean => {
  const { lastUpdated } = jsonObjectOf(record?.resource.meta)
  return typeof lastUpdated === "string" && Date.parse(lastUpdated) >= Date.parse(than)
}

/** A name for a lost record without identifiers. A whole file loses many at once. */
const sourceOf = (names: ReadonlyArray<string>): string | undefined => {
  const [name, ...others] = names.filter((one) => /^[A-Za-z_]\w*\/[^/]+$/u.test(one))
  return others.length === 0 ? name : undefined
}

/**
 * Iterates over the dangling references of the visit's records, direct or through others that are not encounters or patients. A target under
 * an element that nothing follows is not in every partition, so its name counts whether it was read or not.
 */
function* missingIn(
  { encounters, patient, records, root }: VisitGroup,
  resolve: RunRecords["resolve"],
  followed: ReadonlySet<string> | undefined
): Generator<string> {
  const ends = new Set([root, ...encounters, patient].map((record) => record?.resource.resourceType))
  const seen = new Set<SourceRecord>([...records.values()].flat())
  if (patient !== undefined) seen.add(patient)
  // The list grows during the iteration.
  for (const record of seen) {
    for (const [element, holder] of referencesIn(record.resource)) {
      // A row of a table has columns, and not elements.
      const isKnown = record.row !== undefined || isFollowed(element, followed)
      const target = isKnown ? resolve(holder, record, "quietly") : undefined
      if (target === undefined) yield* namesOf(holder)
      else if (!ends.has(target.resource.resourceType)) seen.add(target)
    }
  }
}

/** Iterates over the References of an object, with the names of their elements. `element` is its own name. */
function* referencesIn(value: object, element = ""): Generator<readonly [string, object]> {
  const members: ReadonlyArray<[string, unknown]> = Object.entries(value)
  for (const [key, member] of members) {
    if (key === "reference" && typeof member === "string") yield [element, value]
    else if (typeof member !== "object" || member === null) continue
    else {
      // A Reference may have only an identifier.
      if (key === "identifier" && !Array.isArray(member) && !("reference" in value)) yield [element, value]
      yield* referencesIn(member, Array.isArray(value) ? element : key)
    }
  }
}
