import { compareTexts } from "../../compareTexts.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { isJsonObject, oneOrMore } from "../../json/JsonObject.ts"
import { escapeOfAscii } from "../../json/unparsed.ts"
import { getOrMake } from "../../maps.ts"
import type { Deletion, ReadItem } from "../read/ReadItem.ts"
import { compareOfType, contentOf, idOfRecord } from "./compareRecords.ts"
import type { VisitsOfCopies } from "./dedupeRecords.ts"
import { isLazy, mentioning, recordTypeOf } from "./LazyRecord.ts"
import { nameRecords, ReferenceCandidates } from "./nameRecords.ts"
import type { DuplicateProblem, ObsoleteCounts } from "./nameRecords.ts"
import type { Identifier, Reference } from "./Reference.ts"
import { parseIdentifier, parseReference, targetType } from "./Reference.ts"
import type { JoinRules } from "./Servers.ts"
import { Servers, strictJoins } from "./Servers.ts"
import type { Resource, SourceRecord } from "./SourceRecord.ts"

const noRecords: ReadonlyArray<SourceRecord> = []

/** No single record: an identifier or id that matches several. */
const ambiguous = Symbol("ambiguous")

/** All records of a run, each once, and the links between them. Nothing in it depends on the order of the input. */
export class RecordIndex {
  /** Resource types that occur, by name. */
  readonly types: ReadonlyArray<string>
  readonly size: number
  /** Records that were read and are not in the index: copies, older versions, deleted records. */
  readonly obsolete: ObsoleteCounts
  readonly obsoleteRecords: ReadonlyArray<SourceRecord>
  /** `duplicate-record` problems, in the order of the records. */
  readonly problems: ReadonlyArray<Diagnostic>
  /** The same problems, each with its record. */
  readonly duplicates: ReadonlyArray<DuplicateProblem>

  readonly #records: ReadonlyArray<SourceRecord>
  readonly #deletions: ReadonlyArray<Deletion>
  readonly #joins: JoinRules
  readonly #replaced: ReadonlyMap<SourceRecord, SourceRecord | undefined>
  readonly #byType: ReadonlyMap<string, ReadonlyArray<SourceRecord>>
  readonly #sorted = new Map<string, ReadonlyArray<SourceRecord>>()
  /** `Type/id` and `fullUrl`, as references are written. */
  readonly #byReference: ReadonlyMap<string, SourceRecord | ReferenceCandidates>
  readonly #contained = new WeakMap<Resource, SourceRecord>()
  readonly #reverse = new Map<string, ReadonlyMap<SourceRecord, ReadonlyArray<SourceRecord>>>()
  readonly #unresolved = new Map<string, Set<string>>()
  readonly #rivals = new Map<SourceRecord, Set<SourceRecord>>()
  #byId: Map<string, SourceRecord | typeof ambiguous> | undefined
  #byIdentifier: Map<string, SourceRecord | typeof ambiguous> | undefined
  readonly #servers: Servers
  readonly #identifiersIn = new Map<string, Map<string, SourceRecord | typeof ambiguous>>()
  #ofBundle: ReadonlyMap<string, ReadonlyArray<SourceRecord>> | undefined

  constructor(
    records: ReadonlyArray<SourceRecord>,
    deletions: ReadonlyArray<Deletion>,
    joins: JoinRules,
    visits: VisitsOfCopies = new Map()
  ) {
    this.#records = records
    this.#deletions = deletions
    this.#joins = joins
    this.#servers = new Servers(joins.sameServer)
    const { byReference, obsolete, problems, replaced } = nameRecords(records, deletions, joins, this.#servers, visits)
    this.#replaced = replaced
    this.#byReference = byReference
    this.obsolete = obsolete
    this.obsoleteRecords = [...replaced.keys()]
    this.duplicates = problems
    this.problems = problems.map(({ problem }) => problem)
    for (const { record, undecided } of problems) {
      if (undecided === undefined) continue
      this.#addRival(undecided, record)
      this.#addRival(record, undecided)
    }
    const used = records.filter((record) => !replaced.has(record))
    this.#byType = Map.groupBy(used, recordTypeOf)
    this.size = used.length
    this.types = [...this.#byType.keys()].toSorted(compareTexts)
  }

  /** Returns each record of which other Bundles, of some types, contain the same one, with all of these copies. */
  copiesInBundles(types: ReadonlyMap<string, unknown>): ReadonlyArray<ReadonlyArray<SourceRecord>> {
    const copies = new Map<SourceRecord, Array<SourceRecord>>()
    for (const [copy, record] of types.size === 0 ? [] : this.#replaced) {
      if (record === undefined || copy.bundle?.key === record.bundle?.key) continue
      const isInBundle = [copy, record].some(({ bundle }) => bundle !== undefined && types.has(bundle.type))
      if (!isInBundle || contentOf(copy.resource) !== contentOf(record.resource)) continue
      getOrMake(copies, record, () => [record]).push(copy)
    }
    return [...copies.values()]
  }

  /** Returns the same records, in which those that are the same in several visits are one record in each of these. */
  withVisitsOfCopies(visits: VisitsOfCopies): RecordIndex {
    return visits.size === 0 ? this : new RecordIndex(this.#records, this.#deletions, this.#joins, visits)
  }

  /** Returns the records of a type, always in the same order: by id, with numbers inside ids compared as numbers. */
  readonly all = (type: string): ReadonlyArray<SourceRecord> =>
    getOrMake(this.#sorted, type, () => this.unsorted(type).toSorted(compareOfType))

  /** Returns the records of a type in the order of the input, for a reader that needs few of them. */
  readonly unsorted = (type: string): ReadonlyArray<SourceRecord> => this.#byType.get(type) ?? noRecords

  /**
   * Resolves a Reference element, or its text, as used in `from`: contained in it, in its Bundle, or anywhere in the run. A contained
   * resource is returned as a record with the source location of its container, the same object each time. The result is `undefined` if
   * the target is not in the input, or an identifier matches several records. The reference then counts as unresolved, unless it is
   * looked up `quietly`.
   */
  readonly resolve = (reference: unknown, from: SourceRecord, quietly?: "quietly"): SourceRecord | undefined => {
    const text = typeof reference === "string" ? reference : textOf(reference)
    // Most references are written as the target's own name.
    if (text !== undefined && text.charCodeAt(0) !== 0x23) {
      const found = this.#ofName(text, from)
      if (found !== undefined) return found
    }
    const parsed = parseReference(reference)
    const found = this.#follow(parsed, from) ?? this.#identified(reference, parsed, from)
    if (found === undefined && quietly === undefined) this.#note(parsed, text, from)
    return found
  }

  /** Returns the records whose element `Type.element` (`Encounter.partOf`, `Encounter.diagnosis.condition`) refers to `target`. */
  readonly reverse = (target: SourceRecord, element: string): ReadonlyArray<SourceRecord> =>
    getOrMake(this.#reverse, element, () => this.#reverseOf(element)).get(this.#replaced.get(target) ?? target) ?? []

  /** Returns records with this record's name and other content, without version information to decide between them. */
  readonly rivals = (record: SourceRecord): ReadonlyArray<SourceRecord> => {
    const found = this.#rivals.get(record)
    return found === undefined ? noRecords : [...found]
  }

  /** Returns the distinct targets that were looked up and are not in the input, as written, by type; `""` if the reference has no type. */
  readonly unresolvedNames = (): ReadonlyMap<string, ReadonlySet<string>> => this.#unresolved

  #addRival(record: SourceRecord, rival: SourceRecord): void {
    getOrMake(this.#rivals, record, () => new Set()).add(rival)
  }

  #ofName(text: string, from: SourceRecord): SourceRecord | undefined {
    const found = this.#byReference.get(text)
    if (found === undefined) return undefined
    if (text.includes(":")) return found instanceof ReferenceCandidates ? found.for(from) : found
    // Next to `http://a/Observation/2`, `Patient/1` is `http://a/Patient/1`, never the patient of another server.
    if (!(found instanceof ReferenceCandidates)) {
      const other = this.#servers.of(found)
      return other === undefined || other === (this.#serverOf(from) ?? other) ? found : undefined
    }
    const server = this.#serverOf(from)
    if (server === undefined) return found.nearest(from)
    return found.on(server, this.#servers)?.for(from) ?? found.on(undefined, this.#servers)?.nearest(from)
  }

  /** Returns the record of a type and id on a given server. */
  #onServer(base: string, type: string, id: string, from: SourceRecord): SourceRecord | undefined {
    const server = this.#servers.nameOf(base)
    const found = this.#byReference.get(`${type}/${id}`)
    if (found instanceof ReferenceCandidates) {
      return found.on(server, this.#servers)?.for(from)
    }
    return found !== undefined && this.#servers.of(found) === server ? found : undefined
  }

  /** A contained resource is on the server of its container. */
  #serverOf(record: SourceRecord): string | undefined {
    return this.#servers.of(record.container ?? record)
  }

  #follow(reference: Reference, from: SourceRecord): SourceRecord | undefined {
    switch (reference._tag) {
      case "Contained":
        return this.#containedIn(from, reference.id)
      case "Relative":
        return this.#ofName(`${reference.type}/${reference.id}`, from)
      case "Absolute":
        return this.#ofName(reference.url, from) ??
          this.#onServer(reference.base, reference.type, reference.id, from)
      case "Urn":
        return this.#ofName(reference.urn, from) ??
          (isUnique(reference.id) ? this.#identifiedBy(reference.id, reference.type, from) : undefined)
      case "Bare":
        return this.#containedIn(from, reference.id) ?? this.#nearby(reference.id, reference.type, from)
      case "Conditional":
        return reference.id !== undefined
          ? reference.base === undefined
            ? this.#ofName(`${reference.type}/${reference.id}`, from)
            : this.#onServer(reference.base, reference.type, reference.id, from)
          : reference.identifier === undefined
          ? undefined
          : this.#withIdentifier(reference.identifier, reference.type, from, reference.base)
      case "Logical":
        return this.#withIdentifier(reference.identifier, reference.type, from)
      case "Url":
      case "Display":
      case "Nothing":
        return undefined
    }
  }

  /** A reference without a target in the input may still have an identifier that resolves. */
  #identified(element: unknown, parsed: Reference, from: SourceRecord): SourceRecord | undefined {
    if (parsed._tag === "Logical" || !isJsonObject(element)) return undefined
    const identifier = parseIdentifier(element.identifier)
    return identifier === undefined ? undefined : this.#withIdentifier(identifier, targetType(parsed), from)
  }

  /** Returns a resource contained in `from`, or in its container if `from` is itself contained; the empty id is the container. */
  #containedIn(from: SourceRecord, id: string): SourceRecord | undefined {
    const container = from.container ?? from
    if (id === "") return container
    const { contained } = container.resource
    if (!Array.isArray(contained)) return undefined
    const resource = contained.find((one: unknown): one is Resource =>
      isJsonObject(one) && "resourceType" in one && (one.id === id || one.id === `#${id}`)
    )
    if (resource === undefined) return undefined
    return getOrMake(this.#contained, resource, () =>
      container.bundle === undefined
        ? { origin: container.origin, resource, container }
        : { origin: container.origin, resource, container, bundle: container.bundle })
  }

  /** Resolves an id without a server; ids of other servers do not match. */
  #nearby(id: string, type: string | undefined, from: SourceRecord): SourceRecord | undefined {
    const found = this.#identifiedBy(id, type, from)
    const [server, other] = [this.#serverOf(from), found === undefined ? undefined : this.#servers.of(found)]
    return server === undefined || other === undefined || server === other ? found : undefined
  }

  /** Resolves an id, of any type unless one is given, if it is the only one. */
  #identifiedBy(id: string, type: string | undefined, from: SourceRecord): SourceRecord | undefined {
    if (type !== undefined) return this.#ofName(`${type}/${id}`, from)
    if (this.#byId === undefined) {
      this.#byId = new Map()
      for (const of of this.types) {
        for (const record of this.all(of)) addUnique(this.#byId, idOfRecord(record), record)
      }
    }
    return this.#single(this.#byId.get(id), from)
  }

  /** Resolves a business identifier, in the Bundle first, if only one record has it. */
  #withIdentifier(
    identifier: Identifier,
    type: string | undefined,
    from: SourceRecord,
    base?: string
  ): SourceRecord | undefined {
    const found = this.#identifiedAnywhere(identifier, type, from)
    // A number without a system has a meaning only on its own server.
    if (found === undefined || (identifier.system ?? "") !== "") return found
    const server = base === undefined ? this.#serverOf(from) : this.#servers.nameOf(base)
    const other = this.#servers.of(found)
    return server === other || (base === undefined && (server === undefined || other === undefined)) ? found : undefined
  }

  #identifiedAnywhere(
    identifier: Identifier,
    type: string | undefined,
    from: SourceRecord
  ): SourceRecord | undefined {
    const key = identifierKey(type ?? "", identifier)
    if (from.bundle !== undefined) {
      const bundle = from.bundle.key
      const near = getOrMake(this.#identifiersIn, bundle, () => {
        this.#ofBundle ??= Map.groupBy(
          this.types.flatMap((of) => this.all(of)).filter((record) => record.bundle !== undefined),
          (record) => record.bundle?.key ?? ""
        )
        return identifiersOf(this.#ofBundle.get(bundle) ?? [])
      })
      const found = this.#single(near.get(key), from)
      if (found !== undefined) return found
    }
    this.#byIdentifier ??= identifiersOf(this.types.flatMap((of) => this.all(of)))
    return this.#single(this.#byIdentifier.get(key), from)
  }

  /** Returns the only record found; from several records of one name, the one meant here. */
  #single(found: SourceRecord | typeof ambiguous | undefined, from: SourceRecord): SourceRecord | undefined {
    if (found === undefined || found === ambiguous) return undefined
    const id = idOfRecord(found)
    const name = id === undefined ? found.fullUrl : `${recordTypeOf(found)}/${id}`
    return name !== undefined && this.#byReference.get(name) instanceof ReferenceCandidates
      ? this.#ofName(name, from)
      : found
  }

  #reverseOf(element: string): ReadonlyMap<SourceRecord, ReadonlyArray<SourceRecord>> {
    const [type = "", ...path] = element.split(".")
    const index = new Map<SourceRecord, Array<SourceRecord>>()
    for (const record of this.#naming(type, path)) {
      for (const reference of elementsAt(record.resource, path)) {
        const target = this.resolve(reference, record, "quietly")
        if (target === undefined) continue
        const list = getOrMake(index, target, () => [])
        if (list.at(-1) !== record) list.push(record)
      }
    }
    return index
  }

  /** Returns the records of a type without those that are not parsed and do not name an element. */
  #naming(type: string, [element]: ReadonlyArray<string>): ReadonlyArray<SourceRecord> {
    const records = this.all(type)
    if (element === undefined) return records
    const candidates = mentioning(records.filter(isLazy), [Buffer.from(element), escapeOfAscii])
    const found: Array<SourceRecord> = []
    for (const record of records) if (!isLazy(record) || candidates.has(record)) found.push(record)
    return found
  }

  #note(reference: Reference, text: string | undefined, from: SourceRecord): void {
    if (reference._tag === "Display" || reference._tag === "Nothing") return
    const type = targetType(reference) ?? ""
    const name = reference._tag === "Contained"
      ? `${from.origin.reference} ${text}`
      : (text ??
        (reference._tag === "Logical" ? identifierKey("", reference.identifier) : ""))
    getOrMake(this.#unresolved, type, () => new Set()).add(name)
  }
}

/** Returns the duplicate problems of records of the types that are read (default: all types). */
export const duplicatesOf = (
  { duplicates }: Pick<RecordIndex, "duplicates">,
  types: ReadonlySet<string> | undefined
): ReadonlyArray<DuplicateProblem> =>
  types === undefined ? duplicates : duplicates.filter(({ record }) => types.has(record.resource.resourceType))

/** Collects the read items one by one; `index` returns the records when all are collected. */
export class RecordCollector {
  readonly #records: Array<SourceRecord> = []
  readonly #deletions: Array<Deletion> = []
  readonly #joins: JoinRules

  constructor(joins: JoinRules = strictJoins) {
    this.#joins = joins
  }

  /** Takes records and deletions; the caller handles problems. */
  add(item: ReadItem): void {
    if (item._tag === "Record") this.#records.push(item.record)
    else if (item._tag === "Deletion") this.#deletions.push(item.deletion)
  }

  index(): RecordIndex {
    return new RecordIndex(this.#records, this.#deletions, this.#joins)
  }
}

const textOf = (reference: unknown): string | undefined =>
  isJsonObject(reference) && typeof reference.reference === "string" ? reference.reference : undefined

/** Returns the values at a path, with arrays flattened. For a choice element (`medication`) it is the Reference (`medicationReference`). */
const elementsAt = (resource: Resource, path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  let found: ReadonlyArray<unknown> = [resource]
  for (const name of path) {
    const next: Array<unknown> = []
    for (const holder of found) {
      if (!isJsonObject(holder)) continue
      const element = Object.hasOwn(holder, name) ? holder[name] : holder[`${name}Reference`]
      if (Array.isArray(element)) next.push(...element)
      else if (element !== undefined) next.push(element)
    }
    found = next
  }
  return found
}

/** The key of an identifier; without a system, it is the key of its value in any system. */
const identifierKey = (type: string, { system, value }: Identifier): string => `${type}\n${system ?? "*"}\n${value}`

/** A UUID or OID is globally unique, with any prefix. */
const isUnique = (id: string): boolean =>
  /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/iu.test(id) || /^[\d.]{9,}$/u.test(id)

/** Collects every identifier of every record, with and without its type, and with and without its system. */
const identifiersOf = (records: ReadonlyArray<SourceRecord>): Map<string, SourceRecord | typeof ambiguous> => {
  const index = new Map<string, SourceRecord | typeof ambiguous>()
  for (const record of records) {
    const { identifier, resourceType } = record.resource
    for (const element of oneOrMore(identifier)) {
      const parsed = parseIdentifier(element)
      if (parsed === undefined) continue
      const inAnySystem = { value: parsed.value }
      for (const type of [resourceType, ""]) {
        addUnique(index, identifierKey(type, inAnySystem), record)
        if (parsed.system !== undefined) addUnique(index, identifierKey(type, parsed), record)
      }
    }
  }
  return index
}

const addUnique = (
  index: Map<string, SourceRecord | typeof ambiguous>,
  key: string | undefined,
  record: SourceRecord
): void => {
  if (key === undefined) return
  const known = index.get(key)
  if (known === undefined) index.set(key, record)
  else if (known !== ambiguous && known !== record && !isSameName(known, record)) index.set(key, ambiguous)
}

/** Records that share a name, each for its own Bundle, are not ambiguous. */
const isSameName = (one: SourceRecord, other: SourceRecord): boolean =>
  recordTypeOf(one) === recordTypeOf(other) && (idOfRecord(one) === undefined
    ? one.fullUrl !== undefined && one.fullUrl === other.fullUrl &&
      contentOf(one.resource) === contentOf(other.resource)
    : idOfRecord(one) === idOfRecord(other))
