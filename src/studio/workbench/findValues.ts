import { isJsonObject } from "../../json/JsonObject.ts"
import { recordsOfGroup } from "../../mapping/grouping/VisitGroup.ts"
import { getOrMake } from "../../maps.ts"
import type { ValueHit } from "../viewer/bench/Wire.ts"
import type { Applied } from "./disk/Applied.ts"
import type { Pass } from "./outcomes.ts"

/** Maximum number of values listed. */
const maxHits = 40

/**
 * Finds the values of records and visits that contain a text, whatever its letters' case, with the visits that have each. Values of most
 * visits come first. It yields after each visit, so that other requests can be answered between them.
 */
export function* findValues(
  applied: Applied,
  pass: Pass | undefined,
  text: string
): Generator<void, ReadonlyArray<ValueHit>> {
  const pattern = new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`), "iu")
  const hits = new Map<string, { readonly value: string; readonly where: string; readonly visits: Set<number> }>()
  let visit = -1
  const look = (value: unknown, where: string): void => {
    if (Array.isArray(value)) { for (const item of value) look(item, where) }
    else if (isJsonObject(value)) {
      for (const [key, inner] of Object.entries(value)) look(inner, where === "" ? key : `${where}.${key}`)
    } else if (typeof value === "string" || typeof value === "number") {
      const shown = String(value)
      if (!pattern.test(shown)) return
      getOrMake(hits, `${where}\n${shown}`, () => ({ value: shown, where, visits: new Set() })).visits.add(visit)
    }
  }
  for (const [key, group] of applied.groups) {
    visit++
    for (const { resource } of recordsOfGroup(group)) look(resource, resource.resourceType)
    const json = pass?.outcomes.get(key)?.json
    if (json !== undefined && pattern.test(json)) look(JSON.parse(json), "")
    yield
  }
  return [...hits.values()].toSorted((one, other) => other.visits.size - one.visits.size).slice(0, maxHits)
    .map((hit) => ({ ...hit, visits: [...hit.visits] }))
}
