import { digest } from "../../../diagnostic/AtLeastThree.ts"
import { jsonObjectsIn } from "../../../json/JsonObject.ts"
import { getOrMake } from "../../../maps.ts"
import { idOf } from "../../../source/records/compareRecords.ts"
import { parseReference, type Reference, targetType } from "../../../source/records/Reference.ts"
import { baseOf } from "../../../source/records/Servers.ts"
import type { Resource, SourceRecord } from "../../../source/records/SourceRecord.ts"
import { BoundedCounts, BoundedMap, Digests } from "../bounded.ts"

/** How a reference is written. */
export type ReferenceStyle = Reference["_tag"]

/** The results of resolving the references of one element. */
interface ReferenceCounts {
  readonly styles: BoundedCounts<ReferenceStyle>
  /** Types of targets that references name. */
  readonly targets: BoundedCounts
  resolved: number
  /** Targets that the input lacks. */
  unresolved: number
  /** Identifiers, queries and texts, whose targets are not looked up. */
  notFollowed: number
}

/** Maximum number of base addresses, and of the targets that are looked up for each. */
const serverLimit = 20
const targetLimit = 1000

/** A base address without credentials, parameters or other texts. */
const address = /^https?:\/\/[\w.:-]{1,100}(?:\/[\w.~-]{1,40}){0,6}$/u

/** Maximum number of names, and of references by element and target, held for the final lookup. */
const nameLimit = 2_000_000
const referenceLimit = 2_000_000

/** The names of records and the references to them. References are resolved after all records have been read. */
export class References {
  readonly #names = new Set<number>()
  /** By element: digests of targets, and how often each is named. */
  readonly #pending = new Map<string, Map<number, number>>()
  readonly #counts = new Map<string, ReferenceCounts>()
  /** The base addresses of records, and of absolute references. */
  readonly #bases = new Set<string>()
  readonly #servers = new BoundedMap<{ count: number; readonly targets: Digests }>(
    serverLimit,
    () => ({ count: 0, targets: new Digests(targetLimit) })
  )
  #held = 0
  /** There were more than could be held, so the number of unresolved references is unknown. */
  overflown = false

  /** Takes the names by which references can name a record. */
  name(record: SourceRecord): void {
    for (const name of referencedNamesOf(record)) this.#name(digest(name))
    const base = record.fullUrl === undefined ? undefined : baseOf(record.fullUrl)
    if (base !== undefined && this.#bases.size < serverLimit) this.#bases.add(base)
  }

  isNamed(name: number): boolean {
    return this.#names.has(name)
  }

  #name(name: number): void {
    if (this.#names.size < nameLimit) this.#names.add(name)
    else if (!this.#names.has(name)) this.overflown = true
  }

  /** Takes a Reference element. Returns it parsed, with the digest of its target's name if it can be looked up. */
  add(element: string, value: unknown, holder: Resource): { readonly reference: Reference; readonly target?: number } {
    const reference = parseReference(value)
    const counts = this.#of(element)
    counts.styles.add(reference._tag)
    const type = targetType(reference)
    if (type !== undefined && /^[A-Z][A-Za-z]{1,60}$/u.test(type)) counts.targets.add(type)
    if (reference._tag === "Contained") {
      if (reference.id === "" || isContained(holder, reference.id)) counts.resolved++
      else counts.unresolved++
      return { reference }
    }
    const name = referencedNameOf(reference)
    if (name === undefined) {
      counts.notFollowed++
      return { reference }
    }
    const target = digest(name)
    const server = reference._tag === "Absolute" && address.test(reference.base)
      ? this.#servers.at(reference.base)
      : undefined
    if (server !== undefined) {
      server.count++
      server.targets.add(target)
    }
    const pending = getOrMake(this.#pending, element, () => new Map())
    const known = pending.get(target)
    if (known !== undefined || this.#held < referenceLimit) {
      pending.set(target, (known ?? 0) + 1)
      if (known === undefined) this.#held++
    } else this.overflown = true
    return { reference, target }
  }

  /** The digests of the names that an element refers to, with their counts. */
  targetsOf(element: string): ReadonlyMap<number, number> {
    return this.#pending.get(element) ?? new Map()
  }

  /**
   * Returns the base addresses that no record has, although the input has records with the type and id of the references. With the
   * number of references.
   */
  servers(): ReadonlyArray<readonly [base: string, references: number]> {
    return [...this.#servers.entries()].flatMap(([base, { count, targets }]) =>
      !this.#bases.has(base) && targets.some((target) => this.#names.has(target)) ? [[base, count] as const] : []
    ).toSorted(([, a], [, b]) => b - a)
  }

  /** Resolves all references and returns the results by element. Call it after every record has been read. */
  resolve(): ReadonlyMap<string, ReferenceCounts> {
    for (const [element, pending] of this.#pending) {
      const counts = this.#of(element)
      for (const [target, times] of pending) {
        if (this.#names.has(target)) counts.resolved += times
        else counts.unresolved += times
      }
    }
    this.#pending.clear()
    return this.#counts
  }

  #of(element: string): ReferenceCounts {
    return getOrMake(this.#counts, element, () => ({
      styles: new BoundedCounts(),
      targets: new BoundedCounts(),
      resolved: 0,
      unresolved: 0,
      notFollowed: 0
    }))
  }
}

/** The names of a record as references write them: `Type/id`, its `fullUrl`, and the end of that. */
export const referencedNamesOf = ({ fullUrl, resource }: SourceRecord): ReadonlyArray<string> => {
  const id = idOf(resource)
  const names = id === undefined ? [] : [`${resource.resourceType}/${id}`]
  if (fullUrl === undefined) return names
  const reference = parseReference(fullUrl)
  const name = referencedNameOf(reference)
  if (name !== undefined && !names.includes(name)) names.push(name)
  if (id === undefined && "id" in reference && reference.id !== undefined) {
    names.push(`${resource.resourceType}/${reference.id}`)
  }
  return names
}

/** Returns the name in a reference, in one spelling; `undefined` if it cannot be looked up. */
const referencedNameOf = (reference: Reference): string | undefined => {
  switch (reference._tag) {
    case "Relative":
    case "Absolute":
      return `${reference.type}/${reference.id}`
    case "Urn":
      return reference.urn
    case "Bare":
      return reference.type === undefined ? undefined : `${reference.type}/${reference.id}`
    default:
      return undefined
  }
}

const isContained = ({ contained }: Resource, id: string): boolean =>
  jsonObjectsIn(contained).some((one) => one.id === id || one.id === `#${id}`)
