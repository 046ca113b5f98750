import { AtLeastThree } from "../../diagnostic/AtLeastThree.ts"
import { isJsonObject, jsonObjectOf, jsonTextOf, oneOrMore } from "../../json/JsonObject.ts"
import type { Resource } from "../../source/records/SourceRecord.ts"
import { BoundedCounts, BoundedMap, Digests } from "./bounded.ts"

const listOf = (value: unknown): ReadonlyArray<unknown> => value === undefined ? [] : oneOrMore(value)

/** Whether an encounter's status means that it is not a visit. */
export const isNoVisit = (status: unknown): boolean =>
  status === "planned" || status === "cancelled" || status === "entered-in-error"

/** The parts of a coding that are used. */
interface SeenCoding {
  readonly system: string
  readonly code: string
  readonly display: string | undefined
}

const codingsOf = (concept: unknown): ReadonlyArray<SeenCoding> =>
  listOf(isJsonObject(concept) ? concept.coding : undefined).flatMap((coding) => {
    if (!isJsonObject(coding)) return []
    const code = jsonTextOf(coding.code)
    return code === undefined
      ? []
      : [{ system: jsonTextOf(coding.system) ?? "", code, display: jsonTextOf(coding.display) }]
  })

/** Measurements under one code: what is measured, how often, in what units. */
export interface Measured {
  codings: ReadonlyArray<SeenCoding>
  /** The concept's own words. */
  words: string | undefined
  readonly units: BoundedCounts
  readonly met: AtLeastThree
  count: number
}

/** An organization that provided visits, and the path below `serviceProvider` that names it. */
interface Provider {
  readonly met: AtLeastThree
  count: number
  display: string | undefined
  path: string
}

/** Maximum number of distinct units held per measurement. */
const unitLimit = 40

/** The facts about several elements of a record at once that suggestions need. */
export class Facts {
  readonly encounters = {
    records: 0,
    notVisits: 0,
    noStart: 0,
    finishedWithoutEnd: 0,
    unknownWithoutEnd: 0,
    finished: 0,
    noClass: 0,
    members: 0
  }
  /** Visits by who provided them, as the encounter names it. */
  readonly providers = new BoundedMap<Provider>(2000, () => ({
    count: 0,
    met: new AtLeastThree(),
    display: undefined,
    path: "reference"
  }))
  /** The parent of each encounter, as digests: for the depth of `partOf`. */
  readonly parents = new Map<number, number>()
  readonly starts = new Digests(500_000)
  sameStart = 0
  /** Conditions by the systems of their codes, `(words only)`, `(nothing)`. */
  readonly conditionSystems = new BoundedMap<{ records: number }>(200, () => ({ records: 0 }))
  /** Conditions by their categories: a line of system and code for each. */
  readonly conditionCategories = new BoundedMap<{ records: number }>(200, () => ({ records: 0 }))
  readonly patients = { records: 0, withAddress: 0, withIdentifier: 0 }
  readonly measured = new BoundedMap<Measured>(5000, () => ({
    codings: [],
    words: undefined,
    units: new BoundedCounts(),
    met: new AtLeastThree(),
    count: 0
  }))

  take(resource: Resource, who: number): void {
    if (resource.resourceType === "Encounter") this.#encounter(resource, who)
    else if (resource.resourceType === "Condition") this.#condition(resource)
    else if (resource.resourceType === "Observation") this.#observation(resource, who)
    else if (resource.resourceType === "Patient") {
      this.patients.records++
      if (listOf(resource.address).length > 0) this.patients.withAddress++
      if (listOf(resource.identifier).length > 0) this.patients.withIdentifier++
    }
  }

  /** Some diagnoses are coded in SNOMED CT. */
  get hasSnomed(): boolean {
    return [...this.conditionSystems.entries()].some(([systems]) => systems.includes("http://snomed.info/sct"))
  }

  #encounter(encounter: Resource, who: number): void {
    const { encounters } = this
    encounters.records++
    const status = jsonTextOf(encounter.status)
    if (isNoVisit(status)) {
      encounters.notVisits++
      return
    }
    const period = jsonObjectOf(encounter.period)
    if (jsonTextOf(period.start) === undefined) encounters.noStart++
    const isWithoutEnd = jsonTextOf(period.end) === undefined && jsonTextOf(period.start) !== undefined
    if (status === "finished") {
      encounters.finished++
      if (isWithoutEnd) encounters.finishedWithoutEnd++
    } else if (status === "unknown" && isWithoutEnd) encounters.unknownWithoutEnd++
    if (!isJsonObject(encounter.class) || jsonTextOf(encounter.class.code) === undefined) encounters.noClass++
    if (encounter.partOf !== undefined) encounters.members++
    this.#provider(encounter.serviceProvider, who)
  }

  #provider(provider: unknown, who: number): void {
    if (!isJsonObject(provider)) return
    const display = jsonTextOf(provider.display)
    const identifier = isJsonObject(provider.identifier) ? jsonTextOf(provider.identifier.value) : undefined
    const [path, name] = ([
      ["reference", jsonTextOf(provider.reference)],
      ["identifier.value", identifier],
      ["display", display]
    ] as const).find(([, name]) => name !== undefined) ?? []
    const known = name === undefined ? undefined : this.providers.at(name)
    if (known === undefined || path === undefined) return
    known.path = path
    known.count++
    known.met.add(who)
    known.display ??= display
  }

  #condition(condition: Resource): void {
    // The problem list is sent as history, by its words.
    const codings = listOf(condition.category).flatMap(codingsOf)
    const ofCategories = this.conditionCategories.at(
      codings.map(({ code, system }) => `${system}|${code}`).toSorted().join("\n")
    )
    if (ofCategories !== undefined) ofCategories.records++
    const categories = codings.map(({ code }) => code)
    if (categories.length > 0 && categories.every((code) => code === "problem-list-item" || code === "55607006")) return
    const systems = [...new Set(codingsOf(condition.code).map(({ system }) => system))].toSorted()
    const words = isJsonObject(condition.code) && jsonTextOf(condition.code.text) !== undefined
    const entry = this.conditionSystems.at(
      systems.length > 0 ? systems.join("\n") : words ? "(words only)" : "(nothing)"
    )
    if (entry !== undefined) entry.records++
  }

  #observation(observation: Resource, who: number): void {
    for (const part of [observation, ...listOf(observation.component)]) {
      if (!isJsonObject(part) || !isJsonObject(part.valueQuantity)) continue
      const codings = codingsOf(part.code)
      const words = isJsonObject(part.code) ? jsonTextOf(part.code.text) : undefined
      const key = codings.length === 0 ? words : codings.map(({ code, system }) => `${system}|${code}`).join("\n")
      if (key === undefined || key.length > 1000) continue
      const known = this.measured.at(key)
      if (known === undefined) continue
      if (known.count === 0) {
        known.codings = codings.slice(0, 6)
        known.words = words
      }
      known.count++
      known.met.add(who)
      const { code, system, unit: written } = part.valueQuantity
      const unit = system === "http://unitsofmeasure.org"
        ? jsonTextOf(code) ?? jsonTextOf(written)
        : jsonTextOf(written) ?? jsonTextOf(code)
      if (unit !== undefined && (known.units.get(unit) > 0 || known.units.sorted().length < unitLimit)) {
        known.units.add(unit)
      }
    }
  }
}
