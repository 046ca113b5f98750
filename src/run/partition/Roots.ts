import { areOnTwoServers } from "../../source/records/Servers.ts"
import { Bits } from "./Bits.ts"
import type { EncounterSortKey } from "./EncounterSortKey.ts"
import { compareEncounters } from "./EncounterSortKey.ts"
import { hashName } from "./hashName.ts"

/** Encounters that may be a visit, in the order of a run. */
export class Roots {
  readonly #numbers: Uint32Array
  /** Hashes of what they call their patients. */
  readonly #patients: Float64Array
  readonly #samePatient: Bits
  readonly #alike: Bits

  constructor(roots: ReadonlyArray<EncounterSortKey>) {
    this.#numbers = new Uint32Array(roots.length)
    this.#patients = new Float64Array(roots.length)
    this.#samePatient = new Bits(roots.length)
    this.#alike = new Bits(roots.length)
    roots.forEach((root, index) => {
      this.#numbers[index] = root.number
      this.#patients[index] = hashName(root.patient)
      const before = roots[index - 1]
      if (before === undefined) return
      if (before.patient === root.patient) this.#samePatient.add(index)
      if (compareEncounters(before, root) === 0) this.#alike.add(index)
    })
  }

  get length(): number {
    return this.#numbers.length
  }

  /** The number of its record. */
  numberOf(index: number): number {
    return this.#numbers[index]!
  }

  /** A hash of what it calls its patient. */
  patientOf(index: number): number {
    return this.#patients[index]!
  }

  /** It has the patient of the one before. */
  isOfSamePatient(index: number): boolean {
    return this.#samePatient.has(index)
  }

  /** The order does not tell it from the one before. */
  isAlike(index: number): boolean {
    return this.#alike.has(index)
  }
}

/** Those of some encounters that may be a visit: not those that are part of another for certain. */
export const rootsOf = ({ deleted, encounters, isAlone, rootType }: {
  readonly encounters: ReadonlyArray<EncounterSortKey>
  readonly rootType: string
  /** References to records that may be none any more. */
  readonly deleted: ReadonlySet<string>
  /** No other record has a name of this one. */
  readonly isAlone: (number: number) => boolean
}): Roots => {
  const referenceOf = ({ id }: EncounterSortKey): string => `${rootType}/${id}`
  // What is not looked at is never sent: here names are compared, not their hashes.
  const named = new Map<string, Array<EncounterSortKey>>()
  const parts = encounters.filter(({ parent }) => parent !== null && parent !== "")
  const parents = new Set(parts.map(({ parent }) => parent!))
  for (const encounter of parts.length === 0 ? [] : encounters) {
    for (const name of new Set([encounter.fullUrl, referenceOf(encounter)])) {
      if (name === undefined || !parents.has(name)) continue
      const known = named.get(name)
      if (known === undefined) named.set(name, [encounter])
      else known.push(encounter)
    }
  }
  const parentOf = ({ fullUrl, number, parent }: EncounterSortKey): EncounterSortKey | undefined => {
    const [only, ...others] = parent === null ? [] : named.get(parent) ?? []
    return only === undefined || others.length > 0 || only.number === number ||
        (fullUrl !== undefined && areOnTwoServers({ fullUrl }, { fullUrl: only.fullUrl ?? "" })) ||
        deleted.has(referenceOf(only))
      ? undefined
      : only
  }
  const isPart = (encounter: EncounterSortKey): boolean => {
    const seen = new Set<EncounterSortKey>()
    let top = encounter
    for (let one = parentOf(top); one !== undefined; one = parentOf(top)) {
      // Of versions of one encounter another may be meant.
      if (!isAlone(top.number) || !isAlone(one.number)) return false
      // One of those that are part of each other in a circle is the visit.
      if (seen.has(one)) return false
      seen.add(one)
      top = one
    }
    // What the last of them says may lead back in a circle; only one that says nothing is the end for certain.
    return top !== encounter && top.parent === null
  }
  return new Roots(encounters.filter((encounter) => !isPart(encounter)).toSorted(compareEncounters))
}
