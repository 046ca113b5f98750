import { compareTexts } from "../../compareTexts.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { getOrMake, increment } from "../../maps.ts"
import type { Deletion } from "../read/ReadItem.ts"
import { compareIds, compareRecords, contentOf, idOfRecord } from "./compareRecords.ts"
import { dedupeRecords, scopesOf, type VisitsOfCopies } from "./dedupeRecords.ts"
import { isLazy, recordTypeOf } from "./LazyRecord.ts"
import { parseReferenceText } from "./Reference.ts"
import type { JoinRules, Servers } from "./Servers.ts"
import type { SourceRecord } from "./SourceRecord.ts"

/** Numbers of obsolete records, by reason: they were read, and visits use others in their place or none. */
export interface ObsoleteCounts {
  /** Another record has the same content. */
  readonly identical: number
  /** Another version of the same record is used. */
  readonly superseded: number
  readonly deleted: number
  /** All of these, by resource type. */
  readonly byType: ReadonlyMap<string, number>
}

/** An obsolete record, and the problem to report. */
export interface DuplicateProblem {
  readonly record: SourceRecord
  /** The name that the record shares with the one that is used. */
  readonly name: string
  readonly problem: Diagnostic
  /** The record that is used, if nothing shows that it is newer than this one. */
  readonly undecided?: SourceRecord
}

/** A record that a name can mean, from a Bundle that has the name, and the scope of the name. */
interface Candidate {
  readonly record: SourceRecord
  readonly bundle: string | undefined
  readonly scope: string
}

/** Several records that one text can mean; the referring record decides. */
export class ReferenceCandidates {
  readonly first: SourceRecord
  readonly #candidates: ReadonlyArray<Candidate>
  readonly #isOneScope: boolean
  readonly #inBundle: ReadonlyMap<string, SourceRecord>
  #byServer: ReadonlyMap<string | undefined, ReferenceCandidates> | undefined

  /** The candidates in order. */
  constructor(first: Candidate, others: ReadonlyArray<Candidate>) {
    const candidates = [first, ...others]
    this.first = first.record
    this.#candidates = candidates
    this.#isOneScope = others.every(({ record, scope }) =>
      scope === first.scope || contentOf(record.resource) === contentOf(first.record.resource)
    )
    this.#inBundle = new Map(
      candidates.toReversed().flatMap(({ bundle, record }) => (bundle === undefined ? [] : [[bundle, record] as const]))
    )
  }

  #inBundleOf(from: SourceRecord): SourceRecord | undefined {
    return from.bundle === undefined ? undefined : this.#inBundle.get(from.bundle.key)
  }

  for(from: SourceRecord): SourceRecord {
    return this.#inBundleOf(from) ?? this.first
  }

  /** Returns the nearest candidate; `undefined` if different ones are on several servers or in several documents and nothing decides. */
  nearest(from: SourceRecord): SourceRecord | undefined {
    const near = this.#inBundleOf(from)
    if (near !== undefined) return near
    return this.#isOneScope ? this.first : undefined
  }

  /** Returns the candidates on a server. They are sorted by server once: a name can have thousands, and each may refer to it. */
  on(server: string | undefined, servers: Servers): ReferenceCandidates | undefined {
    this.#byServer ??= new Map(
      [...Map.groupBy(this.#candidates, ({ record }) => servers.of(record))].flatMap(([of, [first, ...others]]) =>
        first === undefined ? [] : [[of, new ReferenceCandidates(first, others)] as const]
      )
    )
    return this.#byServer.get(server)
  }
}

/** The records of a run by their names. */
interface Named {
  /** `Type/id` and `fullUrl`, as references are written. */
  readonly byReference: ReadonlyMap<string, SourceRecord | ReferenceCandidates>
  /** Obsolete records, each with the record that replaces it; `undefined` if it was deleted. */
  readonly replaced: ReadonlyMap<SourceRecord, SourceRecord | undefined>
  readonly obsolete: ObsoleteCounts
  readonly problems: ReadonlyArray<DuplicateProblem>
}

/** Registers a record under a name. `shared`: the names of several records. */
const addName = (
  names: Map<string, SourceRecord | Array<SourceRecord>>,
  shared: Set<string>,
  name: string,
  record: SourceRecord
): void => {
  const known = names.get(name)
  if (known === undefined) names.set(name, record)
  else {
    shared.add(name)
    if (Array.isArray(known)) known.push(record)
    else names.set(name, [known, record])
  }
}

/** Registers every record under its names, and decides which records of one name count. */
export const nameRecords = (
  records: ReadonlyArray<SourceRecord>,
  deletions: ReadonlyArray<Deletion>,
  joins: JoinRules,
  servers: Servers,
  visits: VisitsOfCopies
): Named => {
  const names = new Map<string, SourceRecord | Array<SourceRecord>>()
  const shared = new Set<string>()
  const nameless: Array<SourceRecord> = []
  for (const record of records) {
    const identity = identityOf(record)
    if (identity === undefined) nameless.push(record)
    else {
      addName(names, shared, identity, record)
      for (const alias of aliasesOf(record, identity)) addName(names, shared, alias, record)
    }
  }
  const listOf = (name: string): ReadonlyArray<SourceRecord> => {
    const known = names.get(name)
    return known === undefined ? [] : Array.isArray(known) ? known : [known]
  }
  const deleted = Map.groupBy(deletions, ({ reference }) => reference)
  for (const name of deleted.keys()) if (names.has(name)) shared.add(name)

  const replaced = new Map<SourceRecord, SourceRecord | undefined>()
  const rank = new Map<SourceRecord, number>()
  const problems: Array<DuplicateProblem> = []
  const counts = { identical: 0, superseded: 0, deleted: 0 }
  for (const name of [...shared].toSorted(compareIds)) {
    const same = listOf(name).filter((record) => identityOf(record) === name)
    if (same.length < 2 && !deleted.has(name)) continue
    const deduped = dedupeRecords(same, deleted.get(name) ?? [], joins, servers, visits)
    for (const [record, by] of deduped.replaced) replaced.set(record, by)
    deduped.kept.forEach((record, index) => rank.set(record, index))
    problems.push(...deduped.problems.map((one) => ({ ...one, name })))
    counts.identical += deduped.identical
    counts.superseded += deduped.superseded
    counts.deleted += deduped.deleted
  }
  /** By each nameless record, the one that represents it in a visit. */
  const used = new Map<SourceRecord, Map<SourceRecord | undefined, SourceRecord>>()
  for (const [copy, record] of copiesAmong(nameless)) {
    const visit = visits.get(copy)
    const inVisits = getOrMake(used, record, () => new Map([[visits.get(record), record]]))
    const same = visit === undefined ? record : inVisits.get(visit)
    if (same === undefined) {
      inVisits.set(visit, copy)
      continue
    }
    replaced.set(copy, same)
    counts.identical++
  }

  // The same map, because a run has millions of names: the loop below replaces every list.
  const byReference = names as Map<string, SourceRecord | ReferenceCandidates>
  const put = (name: string, found: SourceRecord | ReferenceCandidates | undefined): void => {
    if (found === undefined) byReference.delete(name)
    else byReference.set(name, found)
  }
  for (const name of shared) put(name, choose(name, listOf(name), { replaced, rank, servers }))
  for (const [record, by] of replaced) {
    for (const alias of aliasesOf(record, "")) if (names.get(alias) === record) put(alias, by)
  }
  const byType = new Map<string, number>()
  for (const record of replaced.keys()) {
    const type = recordTypeOf(record)
    increment(byType, type)
  }
  return { byReference, replaced, problems, obsolete: { ...counts, byType } }
}

/** Returns the identity of a record: its type and id, otherwise its `fullUrl`. */
const identityOf = (record: SourceRecord): string | undefined => {
  if (isLazy(record)) return record.origin.reference
  const id = idOfRecord(record)
  return id === undefined ? record.fullUrl : `${recordTypeOf(record)}/${id}`
}

/** Returns the other names of a record: its `fullUrl`, and without an id the one in its `fullUrl`. */
const aliasesOf = (record: SourceRecord, identity: string): ReadonlyArray<string> => {
  const { fullUrl } = record
  if (fullUrl === undefined) return []
  const aliases = fullUrl === identity ? [] : [fullUrl]
  if (idOfRecord(record) === undefined) {
    const reference = parseReferenceText(fullUrl)
    if ("id" in reference && reference.id !== undefined && reference._tag !== "Contained") {
      const name = `${record.resource.resourceType}/${reference.id}`
      if (name !== identity && name !== fullUrl) aliases.push(name)
    }
  }
  return aliases
}

/** Returns what a shared name means: one record, or one for each Bundle and one for all other records. */
const choose = (
  name: string,
  records: ReadonlyArray<SourceRecord>,
  { rank, replaced, servers }: {
    readonly replaced: ReadonlyMap<SourceRecord, SourceRecord | undefined>
    readonly rank: ReadonlyMap<SourceRecord, number>
    readonly servers: Servers
  }
): SourceRecord | ReferenceCandidates | undefined => {
  const weight = (record: SourceRecord): number => (record.fullUrl === name ? 0 : identityOf(record) === name ? 1 : 2)
  /** Each record of the name, or the one that replaces it, with the Bundle that has the name. */
  const used = records.flatMap((named) => {
    const record = replaced.has(named) ? replaced.get(named) : named
    return record === undefined ? [] : [{ record, bundle: named.bundle?.key }]
  })
  const scope = scopesOf(used.map(({ record }) => record), servers)
  const [first, ...others] = used.toSorted((one, other) =>
    weight(one.record) - weight(other.record) || (rank.get(one.record) ?? 0) - (rank.get(other.record) ?? 0) ||
    compareRecords(one.record, other.record)
  ).map((one): Candidate => ({ ...one, scope: scope(one.record) }))
  if (first === undefined) return undefined
  return others.every(({ record }) => record === first.record) ? first.record : new ReferenceCandidates(first, others)
}

/**
 * Returns records without id and `fullUrl` that recur in a copy of their file or Bundle, each with the record that it repeats. Equal
 * records inside one file or Bundle can be distinct, so the largest number in any of them is kept.
 */
const copiesAmong = (nameless: ReadonlyArray<SourceRecord>): ReadonlyMap<SourceRecord, SourceRecord> => {
  const copies = new Map<SourceRecord, SourceRecord>()
  if (nameless.length < 2) return copies
  const byContent = Map.groupBy(nameless, ({ resource }) => `${resource.resourceType} ${contentOf(resource)}`)
  for (const equal of byContent.values()) {
    if (equal.length === 1) continue
    const [kept, ...others] = [...Map.groupBy(equal, ({ bundle, origin }) => `${bundle?.key ?? ""} ${origin.file}`)]
      .toSorted(([one, ofOne], [other, ofOther]) => ofOther.length - ofOne.length || compareTexts(one, other))
      .map(([, records]) => records)
    for (const records of others) {
      for (const [index, record] of records.entries()) {
        const original = kept?.[index]
        if (original !== undefined) copies.set(record, original)
      }
    }
  }
  return copies
}
