import { jsonObjectsIn } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "./SourceRecord.ts"

/**
 * Whether two records of one name are two patients or two encounters: they have identifiers of one system, and none in common. A newer
 * version may correct a birth date, but another person's record has another number.
 */
export const haveDistinctIdentities = (one: SourceRecord, other: SourceRecord): boolean => {
  if (!identified.has(one.resource.resourceType)) return false
  const [ones, others] = [identifiersOf(one), identifiersOf(other)]
  return [...ones.keys()].some((system) => others.has(system)) &&
    [...ones].every(([system, values]) => values.isDisjointFrom(others.get(system) ?? new Set()))
}

const identified: ReadonlySet<string> = new Set(["Patient", "Encounter"])

/** Returns the values of a record's identifiers, by system. */
const identifiersOf = ({ resource }: SourceRecord): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const { system, value } of jsonObjectsIn(resource.identifier)) {
    if (typeof value !== "string") continue
    const key = typeof system === "string" ? system : ""
    getOrMake(found, key, () => new Set()).add(value)
  }
  return found
}
