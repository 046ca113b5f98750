/** A unit of a country's administrative division. */
export interface AdministrativeUnit {
  readonly name: string
  /** The code of its parent unit; `null` for the highest. */
  readonly parent: string | null
}

/** The administrative units of a country by code, for looking up address codes (§2.5). */
export type Gazetteer = ReadonlyMap<string, AdministrativeUnit>

/** Maximum number of levels. It also ends a cycle of units that lie in one another. */
const maxLevels = 12

/** Returns the units that contain a unit, from the nearest to the highest. */
export const unitsAround = (gazetteer: Gazetteer, code: string): ReadonlyArray<string> => {
  const around: Array<string> = []
  let outer = gazetteer.get(code)?.parent ?? null
  while (outer !== null && around.length < maxLevels) {
    around.push(outer)
    outer = gazetteer.get(outer)?.parent ?? null
  }
  return around
}
