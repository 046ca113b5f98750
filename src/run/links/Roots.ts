import { at, numberAt } from "../../at.ts"
import type { NameSortKey } from "../../source/records/compareRecords.ts"
import { compareIds, compareNameRanks } from "../../source/records/compareRecords.ts"
import { areOnTwoServers } from "../../source/records/Servers.ts"
import { Bits } from "../records/Bits.ts"
import { hashName } from "./hashName.ts"

/** The fields of an encounter that decide its position in the run. */
export interface EncounterSortKey extends NameSortKey {
  /** The number of the record. */
  readonly number: number
  /** Its `partOf` reference as written; `null` if absent, `""` if it is given in another form. */
  readonly parent: string | null
  readonly patient: string
}

/** The order of visits in a run; `0` if the names do not decide it. */
const compareEncounters = (one: EncounterSortKey, other: EncounterSortKey): number =>
  compareIds(one.patient, other.patient) || compareNameRanks(one, other)

/** Root encounters, which may be a visit, in the order of a run. */
export class Roots {
  readonly #numbers: Uint32Array
  /** Hashes of their patients' names. */
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

  numberOf(index: number): number {
    return numberAt(this.#numbers, index)
  }

  /** A hash of the name of its patient. */
  patientOf(index: number): number {
    return at(this.#patients, index)
  }

  /** Returns true if it has the same patient as the one before. */
  isOfSamePatient(index: number): boolean {
    return this.#samePatient.has(index)
  }

  /** Returns true if the order does not distinguish it from the one before. */
  isAlike(index: number): boolean {
    return this.#alike.has(index)
  }
}

/** Returns the encounters that may be a visit, without those that are certainly part of another. */
export const rootsOf = ({ deleted, encounters, isAlone, rootType }: {
  readonly encounters: ReadonlyArray<EncounterSortKey>
  readonly rootType: string
  /** References to records that may be deleted. */
  readonly deleted: ReadonlySet<string>
  /** Returns true if no other record has one of its names. */
  readonly isAlone: (number: number) => boolean
}): Roots => {
  const referenceOf = ({ id }: EncounterSortKey): string => `${rootType}/${id}`
  // An encounter dropped here is never sent, so names are compared, not their hashes.
  const byName = new Map<string, Array<EncounterSortKey>>()
  const parents = new Set(encounters.flatMap(({ parent }) => (parent === null || parent === "" ? [] : [parent])))
  for (const encounter of parents.size === 0 ? [] : encounters) {
    for (const name of new Set([encounter.fullUrl, referenceOf(encounter)])) {
      if (name === undefined || !parents.has(name)) continue
      const known = byName.get(name)
      if (known === undefined) byName.set(name, [encounter])
      else known.push(encounter)
    }
  }
  const parentOf = ({ fullUrl, number, parent }: EncounterSortKey): EncounterSortKey | undefined => {
    const [only, ...others] = parent === null ? [] : byName.get(parent) ?? []
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
      // A newborn's encounter below the mother's is a visit.
      if (one.patient !== top.patient) return false
      // The reference may mean another version of the encounter.
      if (!isAlone(top.number) || !isAlone(one.number)) return false
      // In a circle of `partOf` references, one of the members is the visit.
      if (seen.has(one)) return false
      seen.add(one)
      top = one
    }
    // The last reference may close a circle, so only an encounter without `partOf` is certainly the top.
    return top !== encounter && top.parent === null
  }
  return new Roots(inOrder(encounters.filter((encounter) => !isPart(encounter))))
}

/** Sorts in the order of a run: patients first, which are much fewer, and then the encounters of each. */
const inOrder = (encounters: ReadonlyArray<EncounterSortKey>): ReadonlyArray<EncounterSortKey> =>
  [...Map.groupBy(encounters, ({ patient }) => patient)]
    .toSorted(([one], [other]) => compareIds(one, other))
    .flatMap(([, ofPatient]) => ofPatient.toSorted(compareNameRanks))
