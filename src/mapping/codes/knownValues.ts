import type { ConceptMap } from "./ConceptMap.ts"

/** More values would be a list of their own, such as ICD-10. */
const maxValues = 20

/** The values of each concept map that has few, and no list of the service. */
export const knownValues = (
  maps: ReadonlyMap<string, ConceptMap>
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const decisions = [...new Set(maps.get("yes_or_no")?.rows.values())]
  return new Map([...maps.values()].flatMap(({ list, name, rows }) => {
    const values = [...new Set(rows.values())]
    // A table of decisions can have only one of the two so far.
    const all = values.every((value) => decisions.includes(value)) ? decisions : values
    return list !== undefined || values.length === 0 || all.length > maxValues ? [] : [[name, all]]
  }))
}
