import { digest } from "../../diagnostic/AtLeastThree.ts"
import { Collator } from "../../diagnostic/collate.ts"
import { isJsonObject, jsonListOf, jsonObjectOf, jsonTextOf, oneOrMore } from "../../json/JsonObject.ts"
import { getOrMake, increment } from "../../maps.ts"
import type { ReadItem } from "../../source/read/ReadItem.ts"
import { resourceTypes } from "../../source/records/resourceTypes.ts"
import type { Resource, SourceRecord } from "../../source/records/SourceRecord.ts"
import { BoundedCounts } from "./bounded.ts"
import { Facts, isNoVisit } from "./Facts.ts"
import { Codes, Identifiers } from "./fhir/Codes.ts"
import { Dates } from "./fhir/dates.ts"
import { ElementCounts, type ElementNode } from "./fhir/elements.ts"
import { canReachEncounter, leadsToEncounter, Links } from "./fhir/Links.ts"
import { referencedNamesOf, References } from "./fhir/References.ts"
import { hasUnseenSigns, scriptsOf } from "./fhir/scripts.ts"

/** Types that are counted by name; all others are counted together, because their names can be anything. */
const otherTypes = "(no type of FHIR R4)"

/** Maximum number of records whose names are held to find duplicates. */
const identityLimit = 1_000_000

/** What is known of the newest version of a record. */
interface Newest {
  content: number
  /** Its `meta.lastUpdated` in milliseconds since 1970, and its `meta.versionId`; `NaN` if missing. */
  updated: number
  version: number
  bundle: string | undefined
  isCounted: boolean
}

/** The kinds of texts in a record; `displays` are the texts of codes. */
type TextKind = "names" | "addresses" | "displays" | "texts"

/**
 * Reads the items of an input and keeps only statistics. Constants bound the memory it uses, whatever the size of the input.
 * Values of records are distinguished by digests and never kept, except codes and systems.
 */
export class Profiler {
  readonly problems = new Collator()
  readonly elements = new ElementCounts()
  readonly codes = new Map<ElementNode, Codes>()
  readonly identifiers = new Map<ElementNode, Identifiers>()
  readonly dates = new Map<ElementNode, Dates>()
  readonly references = new References()
  readonly links = new Links()
  readonly facts = new Facts()
  readonly scripts = new Map<TextKind, BoundedCounts>()
  readonly bundles = new BoundedCounts()
  readonly contained = new BoundedCounts()
  readonly files = new Set<number>()
  records = 0
  deletions = 0
  unreadable = 0
  /**
   * Records that occurred before. `same`: with the same content. `older`: with other content that is not used, because another version is
   * newer. `changed`: with other content that is counted, too.
   */
  readonly again = { same: 0, older: 0, changed: 0 }
  /** The number of changed records by type: a conversion uses one version of each record. */
  readonly versions = new Map<string, number>()
  unseenSigns = 0
  /** The newest version of each record, by name. */
  readonly #newest: Map<number, Newest>
  /** An older version was counted before the newest was read: only another reading can count the newest and no other. */
  hasCountedOlder = false
  #bundle = ""
  /** State of the current record: links to an encounter, and to records that may have one. */
  #found: Array<{ readonly path: string; readonly target: number | undefined }> = []
  #onward: Array<{ readonly path: string; readonly target: number }> = []
  #who = 0
  #owner = 0
  /** The dates in the current record. */
  #times: Array<string> = []
  #holder: Resource = { resourceType: "" }

  /** `before` has read the same input, so the newest version of each record is known. */
  constructor(before?: Profiler) {
    this.#newest = before === undefined ? new Map<number, Newest>() : before.#newest
    for (const newest of this.#newest.values()) newest.isCounted = false
  }

  add(item: ReadItem): void {
    if (item._tag === "Problem") {
      if (item.diagnostic.severity === "error") this.unreadable++
      this.problems.add(item.diagnostic)
    } else if (item._tag === "Deletion") this.deletions++
    else if (item._tag === "Record") this.#record(item.record)
  }

  #record(record: SourceRecord): void {
    const { bundle, resource } = record
    this.records++
    if (bundle !== undefined && bundle.key !== this.#bundle) {
      this.#bundle = bundle.key
      this.bundles.add(/^[a-z-]{1,30}$/u.test(bundle.type) ? bundle.type : "without a type")
    }
    this.references.name(record)
    const names = referencedNamesOf(record).map(digest)
    if (names[0] !== undefined && this.#isCopy(names[0], record)) return
    const type = resourceTypes.has(resource.resourceType) ? resource.resourceType : otherTypes
    this.#found = []
    this.#onward = []
    this.#times = []
    this.#holder = resource
    const subject = patientOf(resource)
    this.#who = type === "Patient" ? (names[0] ?? this.records) : subject ?? names[0] ?? this.records
    this.#owner = names[0] ?? this.records
    const node = this.elements.type(type)
    node.records++
    this.#members(node, resource)
    this.facts.take(resource, this.#who)
    if (type === "Encounter") {
      this.#encounter(resource, names[0])
      if (bundle !== undefined && resource.partOf === undefined && !isNoVisit(resource.status)) this.links.top(bundle)
    }
    this.links.record(type, this.#found, {
      names,
      onward: this.#onward,
      document: bundle?.type === "document" ? bundle.key : undefined,
      bundle: bundle?.key,
      when: subject === undefined || this.#times.length === 0 ? undefined : { who: subject, times: this.#times }
    })
  }

  /**
   * Returns true for a record that is counted already, or that is not used because another version is newer. Without times of versions, the
   * first of one place counts; in different Bundles, each counts.
   */
  #isCopy(name: number, { bundle, resource }: SourceRecord): boolean {
    const { lastUpdated, versionId } = jsonObjectOf(resource.meta)
    const own: Newest = {
      content: digest(JSON.stringify(resource)),
      updated: typeof lastUpdated === "string" ? Date.parse(lastUpdated) : Number.NaN,
      version: typeof versionId === "string" ? Number(versionId) : Number.NaN,
      bundle: bundle?.key,
      isCounted: true
    }
    const newest = this.#newest.get(name)
    if (newest === undefined) {
      if (this.#newest.size < identityLimit) this.#newest.set(name, own)
      return false
    }
    if (newest.content === own.content) {
      if (newest.isCounted) this.again.same++
      return newest.isCounted || !(newest.isCounted = true)
    }
    const isHere = own.bundle === newest.bundle
    // The records of a document or a message belong only to it.
    const isApart = !isHere && (bundle?.type === "document" || bundle?.type === "message")
    const age = isApart ? 0 : (own.updated - newest.updated || own.version - newest.version || 0)
    if (age < 0 || (age === 0 && isHere)) {
      this.again.older++
      return true
    }
    if (age > 0) {
      Object.assign(newest, own)
      this.hasCountedOlder = true
    }
    this.again.changed++
    if (resourceTypes.has(resource.resourceType)) increment(this.versions, resource.resourceType)
    return false
  }

  #encounter(encounter: Resource, name: number | undefined): void {
    const { facts } = this
    const start = jsonObjectOf(encounter.period).start
    if (typeof start === "string" && encounter.partOf === undefined && !isNoVisit(encounter.status)) {
      const before = facts.starts.size
      facts.starts.add(digest(`${this.#who} ${start}`))
      if (facts.starts.size === before && !facts.starts.isFull) facts.sameStart++
    }
    if (typeof start === "string" && !isNoVisit(encounter.status)) {
      const end = jsonObjectOf(encounter.period).end
      this.links.stay(this.#who, {
        encounter: name ?? this.records,
        start,
        end: typeof end === "string" ? end : undefined
      })
    }
    const parent = jsonObjectOf(encounter.partOf).reference
    if (
      typeof parent === "string" && name !== undefined && !facts.parents.has(name) && facts.parents.size < identityLimit
    ) {
      facts.parents.set(name, digest(parent))
    }
  }

  #members(node: ElementNode, value: object): void {
    for (const [key, member] of Object.entries(value)) {
      if (key === "resourceType" || member === null || member === undefined) continue
      if (key === "extension" || key === "modifierExtension") this.#extensions(node, member)
      else if (key === "contained") this.#contained(member)
      else if (!(node.place === "Extension" && key === "url")) this.#element(node, key, member)
    }
  }

  #element(parent: ElementNode, key: string, value: unknown): void {
    const node = this.elements.child(parent, key)
    if (node === undefined) return
    this.#count(node)
    if (Array.isArray(value)) { for (const one of value) this.#value(node, one, parent) }
    else this.#value(node, value, parent)
  }

  #count(node: ElementNode): void {
    if (node.last === this.records) return
    node.last = this.records
    node.records++
    node.met.add(this.#who)
  }

  #value(node: ElementNode, value: unknown, parent: ElementNode): void {
    if (typeof value === "string") return this.#text(node, value, parent)
    if (typeof value !== "object" || value === null) return
    if (node.kind === "skipped") return
    if (node.kind === "concept") this.#concept(node, value)
    else if (node.kind === "coding" && parent.kind !== "concept") this.#coding(node, value)
    else if (node.kind === "identifier") this.#identifier(node, value)
    else if (node.kind === "reference") this.#reference(node, value)
    this.#members(node, value)
  }

  #text(node: ElementNode, text: string, parent: ElementNode): void {
    if (text === "") return
    if (node.kind === "date") {
      if (!node.path.includes(".meta.") && this.#times.length < 6) this.#times.push(text)
      return getOrMake(this.dates, node, () => new Dates()).add(text)
    }
    if (node.kind === "code") {
      if (parent.kind !== "coding") {
        getOrMake(this.codes, node, () => new Codes(node.path)).add({ code: text }, this.#who)
      }
      return
    }
    if (node.kind !== "text") return
    const kind: TextKind = parent.place === "HumanName"
      ? "names"
      : parent.place === "Address"
      ? "addresses"
      : node.name === "display" || parent.kind === "concept"
      ? "displays"
      : "texts"
    const counts = getOrMake(this.scripts, kind, () => new BoundedCounts())
    for (const script of scriptsOf(text)) counts.add(script)
    if (hasUnseenSigns(text)) this.unseenSigns++
  }

  #concept(node: ElementNode, concept: object): void {
    const codes = getOrMake(this.codes, node, () => new Codes(node.path))
    const codings = jsonObjectOf(concept).coding
    if (!Array.isArray(codings) || codings.length === 0) codes.words++
    else for (const coding of codings) this.#coding(node, coding)
  }

  #coding(node: ElementNode, coding: unknown): void {
    const code = jsonObjectOf(coding).code
    if (typeof code !== "string" || code === "") return
    const system = jsonObjectOf(coding).system
    const display = jsonObjectOf(coding).display
    getOrMake(this.codes, node, () => new Codes(node.path)).add(
      { system: typeof system === "string" ? system : "", code, display: jsonTextOf(display) },
      this.#who
    )
  }

  #identifier(node: ElementNode, identifier: object): void {
    const value = jsonObjectOf(identifier).value
    if (typeof value !== "string" || value === "") return
    const system = jsonObjectOf(identifier).system
    const codings = jsonObjectOf(jsonObjectOf(identifier).type).coding
    const kind: unknown = jsonObjectOf(jsonListOf(codings)[0]).code
    getOrMake(this.identifiers, node, () => new Identifiers()).add(
      typeof system === "string" ? system : "",
      digest(value),
      typeof kind === "string" ? kind : undefined,
      { record: this.records, owner: this.#owner, who: this.#who }
    )
  }

  #reference(node: ElementNode, value: object): void {
    const { reference, target } = this.references.add(node.path, value, this.#holder)
    if (leadsToEncounter(node.path, reference)) this.#found.push({ path: node.path, target })
    else if (target !== undefined && canReachEncounter(node.name.replace(/Reference$/u, ""))) {
      this.#onward.push({ path: node.path, target })
    }
  }

  #extensions(node: ElementNode, extensions: unknown): void {
    for (const extension of oneOrMore(extensions)) {
      const url = jsonObjectOf(extension).url
      if (!isJsonObject(extension) || typeof url !== "string" || url === "" || url.length > 300) continue
      const child = this.elements.extension(node, url)
      if (child === undefined) continue
      this.#count(child)
      this.#members(child, extension)
    }
  }

  #contained(contained: unknown): void {
    for (const one of oneOrMore(contained)) {
      const type = jsonObjectOf(one).resourceType
      this.contained.add(typeof type === "string" && resourceTypes.has(type) ? type : otherTypes)
    }
  }
}

/** Returns whom a record is about, as a digest: the target of its `subject`, `patient`, `beneficiary` or `individual`. */
const patientOf = (resource: Resource): number | undefined => {
  for (const element of ["subject", "patient", "beneficiary"]) {
    const reference = jsonObjectOf(resource[element]).reference
    if (typeof reference === "string" && reference !== "") return digest(reference)
  }
  return undefined
}
