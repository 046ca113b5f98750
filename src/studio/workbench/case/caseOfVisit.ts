import { fromText } from "../../../json/Decimal.ts"
import { isExactNumber } from "../../../json/exactNumber.ts"
import { isJsonObject, type JsonObject } from "../../../json/JsonObject.ts"
import type { VisitGroup } from "../../../mapping/grouping/VisitGroup.ts"
import type { Syntax } from "../../../mapping/language/MappingSyntax.ts"
import { getOrMake, increment } from "../../../maps.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import type { BoundTable } from "../../../source/tables/bindTable.ts"
import type { ColumnLayout } from "../../../source/tables/TableLayout.ts"
import { layOut } from "../../cases/compareVisit.ts"
import { isKnownCode, isOfPerson, isPlainAddress, isWordOfFhir, mayBeName } from "../../profile/mayBeShown.ts"
import { readRecordsOf } from "../describeVisit.ts"
import type { Applied } from "../disk/Applied.ts"
import { blockOfRows, type FileRows } from "./caseRows.ts"

/** Minimum number of patients whose records have a text of the hospital that is kept. */
const minPatients = 5

/** The visit of every case begins in this week, on its day of the week. */
const weekOfCase = Date.UTC(2024, 0, 1)
const day = 86_400_000
const week = 7 * day

/** Returns the records of a visit's case, without the patient's other visits, which a visit also reads. In the case they would be visits. */
export const recordsOfCase = (applied: Applied, group: VisitGroup): ReadonlyArray<SourceRecord> => {
  const others = new Set([...applied.groups.values()].flatMap((one) => (one === group ? [] : one.encounters)))
  return readRecordsOf(applied, group).filter((record) => !others.has(record))
}

/**
 * Returns a page with one case: the records that a visit was made of, with identities replaced, and empty expectations. Ids, names and
 * other texts are replaced by others, the same text by the same one; times are moved by whole weeks. Numbers, public codes, words that FHIR
 * or the mapping writes and codes that several patients share are kept. `files` are the rows of those records that are rows of tables.
 */
export const caseOfVisit = (
  applied: Applied,
  group: VisitGroup,
  { files, name, records }: {
    readonly name: string
    readonly records: ReadonlyArray<SourceRecord>
    readonly files: ReadonlyArray<FileRows>
  }
): string => {
  const { code, system, timezone } = applied.mapping.facility
  const words = wordsOf(applied.mapping.syntax)
  const replaced = new Replacement(records, {
    words,
    facility: code,
    shared: sharedTexts(applied, records),
    shift: shiftOf(group.root)
  })
  const resources = records.filter(({ row }) => row === undefined)
  const settings = { facility: code, system, timezone }
  return [
    "# Visits kept from the workbench\n",
    `## ${name}\n`,
    ...(resources.length === 0 ? [] : [
      "```json source",
      layOut(resources.map((record) => replaced.record(record))),
      "```\n"
    ]),
    ...files.map((file) =>
      blockOfRows(
        file,
        shiftOf(group.root) / day,
        (text, column, table) => replaced.cell(text, column, table)
      )
    ),
    "```yaml facility",
    ...Object.entries(settings).flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}`])),
    "```\n",
    "```json visit",
    "```\n",
    "```text problems",
    "```\n"
  ].join("\n")
}

/** The texts of a mapping: keys, values, and the texts inside its expressions. */
const wordsOf = (syntax: Syntax, found = new Set<string>()): Set<string> => {
  if (syntax.kind === "list") { for (const item of syntax.items) wordsOf(item, found) }
  else if (syntax.kind === "scalar") {
    const text = String(syntax.value)
    found.add(text)
    for (const [, inner = ""] of text.matchAll(/'([^']+)'/gu)) found.add(inner)
  } else {
    for (const [key, { value }] of syntax.entries) {
      found.add(key)
      wordsOf(value, found)
    }
  }
  return found
}

/** Returns by how many milliseconds the times of a case are moved, so that its main record is in the week of all cases. */
const shiftOf = ({ resource }: SourceRecord): number => {
  const text = JSON.stringify(resource).match(/"(\d{4}-\d{2}-\d{2})[T"]/u)?.[1]
  return text === undefined ? 0 : Math.floor((weekOfCase - Date.parse(text)) / week + 1) * week
}

/** Calls `visit` with each text below a value, its path without numbers, and the object that holds it. */
const forEachText = (
  value: unknown,
  path: string,
  visit: (text: string, path: string) => void
): void => {
  if (typeof value === "string") visit(value, path)
  else if (Array.isArray(value)) { for (const item of value) forEachText(item, path, visit) }
  else if (isJsonObject(value) && !isExactNumber(value)) {
    for (const [key, inner] of Object.entries(value)) forEachText(inner, `${path}.${key}`, visit)
  }
}

const textKey = (path: string, text: string): string => `${path} ${text}`

/** Finds the texts of these records that the same elements of several patients have. */
const sharedTexts = (applied: Applied, records: ReadonlyArray<SourceRecord>): ReadonlySet<string> => {
  const patients = new Map<string, Set<VisitGroup["patient"]>>()
  for (const { resource } of records) {
    forEachText(resource, resource.resourceType, (text, path) => patients.set(textKey(path, text), new Set()))
  }
  for (const { patient, records: own, root } of applied.groups.values()) {
    for (const { resource } of [...own.values()].flat()) {
      forEachText(
        resource,
        resource.resourceType,
        (text, path) => patients.get(textKey(path, text))?.add(patient ?? root)
      )
    }
  }
  return new Set([...patients].flatMap(([place, found]) => (found.size < minPatients ? [] : [place])))
}

/** Elements of any type that hold an identity, or a text that a person wrote. */
const isOfIdentity = (path: string): boolean =>
  /\.(?:name|telecom|address|contact|photo|identifier|text|note|div|comment|display|data)(?:\.|$)/u.test(path)

interface Kept {
  readonly facility: string | null
  readonly words: ReadonlySet<string>
  /** Texts of several patients, with their elements. */
  readonly shared: ReadonlySet<string>
  /** By how much times are moved, in milliseconds. */
  readonly shift: number
}

class Replacement {
  readonly #kept: Kept
  readonly #ids = new Map<string, string>()
  readonly #texts = new Map<string, string>()

  constructor(records: ReadonlyArray<SourceRecord>, kept: Kept) {
    this.#kept = kept
    const counts = new Map<string, number>()
    for (const { fullUrl, resource: { id, resourceType } } of records) {
      const name = `${resourceType}-${increment(counts, resourceType)}`
      if (id !== undefined) this.#ids.set(`${resourceType}/${id}`, `${resourceType}/${name}`)
      if (fullUrl !== undefined) this.#ids.set(fullUrl, `${resourceType}/${name}`)
    }
  }

  record({ resource }: SourceRecord): unknown {
    const { id, resourceType, ...rest } = resource
    const name = this.#ids.get(`${resourceType}/${id}`)
    return {
      resourceType,
      ...(name === undefined ? {} : { id: name.slice(resourceType.length + 1) }),
      ...this.#members(rest, resourceType)
    }
  }

  /** Replaces a cell of a table that is not a date. The same key is replaced by the same text in every table. */
  cell(cell: string, { name, nulls, type }: ColumnLayout, { facts, layout }: BoundTable): string {
    const text = cell.trim()
    const { facility, shared, words } = this.#kept
    if (text === facility || nulls.has(text) || words.has(text)) return cell
    const isKey = facts.naming.has(name) && name !== layout.order
    // A number of at most three digits identifies no one and can be a result. A diagnosis code of ICD-10 is public.
    const isNumber = (type !== "text" && type !== "date" && type !== "timestamp") || /^\d{1,3}(?:[.,]\d+)?$/u.test(text)
    if (!isKey && (isNumber || /^[A-Z]\d\d(?:\.[0-9A-Z]{1,4})?$/u.test(text))) return cell
    return !isKey && !mayBeName(text) && shared.has(textKey(`${layout.name}.${name}`, text))
      ? cell
      : this.#replaced(text)
  }

  #value(value: unknown, path: string, key: string, holder: Readonly<Record<string, unknown>> = {}): unknown {
    if (isExactNumber(value)) return fromText(String(value)) ?? null
    if (typeof value === "string") return this.#text(value, path, key, holder)
    if (Array.isArray(value)) return value.map((item) => this.#value(item, path, key, holder))
    return isJsonObject(value) ? this.#members(value, path) : value
  }

  #members(value: JsonObject, path: string): JsonObject {
    return Object.fromEntries(
      // Narratives and versions are the only elements that no mapping reads.
      Object.entries(value).filter(([name, inner]) => name !== "versionId" && !(isJsonObject(inner) && "div" in inner))
        .map(([name, inner]) => [name, this.#value(inner, `${path}.${name}`, name, value)])
    )
  }

  #text(text: string, path: string, key: string, holder: Readonly<Record<string, unknown>>): string {
    if (key === "reference" || this.#ids.has(text)) return this.#reference(text)
    // The id of a contained resource, which is not among those of the records.
    if (key === "id") return this.#replaced(text)
    if (/^\d{4}-\d{2}-\d{2}(?:T|$)/u.test(text)) return this.#moved(text)
    const { shared, words } = this.#kept
    const isAddress = /^(?:system|url|profile)$/u.test(key)
    const isCode = isAddress || /^(?:code|use|type|unit|currency)$/u.test(key)
    if (text === this.#kept.facility || (isAddress && (isPlainAddress(text) || /^urn:(?:iso|ietf):/u.test(text)))) {
      return text
    }
    if (key === "code" && typeof holder["system"] === "string" && isKnownCode(holder["system"], text)) return text
    if ((isWordOfFhir(text) || words.has(text)) && (isCode || !isOfIdentity(path))) return text
    const isShared = !isOfPerson(path) && !isOfIdentity(path) && shared.has(textKey(path, text))
    if (isShared && (isCode || !mayBeName(text))) return text
    // The codes of a place begin with those of the places around it.
    return /\.address\./u.test(path) && /^\d+$/u.test(text) ? "0".repeat(text.length) : this.#replaced(text)
  }

  /** Moves a date. The time of day, the offset and the day of the week are kept. */
  #moved(text: string): string {
    const date = Date.parse(text.slice(0, 10))
    return Number.isNaN(date) ?
      this.#replaced(text) :
      `${new Date(date + this.#kept.shift).toISOString().slice(0, 10)}${text.slice(10)}`
  }

  #reference(text: string): string {
    const [, type = "Resource", id = text] = /([A-Z][A-Za-z]+)\/([^/?#]+)(?:\/_history\/.*)?$/u.exec(text) ?? []
    const known = this.#ids.get(text) ?? this.#ids.get(`${type}/${id}`)
    if (known !== undefined) return known
    if (text.startsWith("#")) return `#${this.#replaced(text.slice(1))}`
    const name = `${type}/other-${this.#ids.size + 1}`
    this.#ids.set(text, name)
    return name
  }

  /** A number keeps its length, because some codes must have one. */
  #replaced(text: string): string {
    return getOrMake(this.#texts, text, () => {
      const number = String(this.#texts.size + 1)
      return /^\d+$/u.test(text) ? number.padStart(text.length, "0") : `text-${number}`
    })
  }
}
