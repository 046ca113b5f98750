/** A unit of the administrative division of a country. */
export interface AdministrativeUnit {
  readonly name: string
  /** The code of the unit it lies in; `null` for the highest. */
  readonly parent: string | null
}

/** The units of a country by their codes: what the codes of addresses are looked up in (§2.5). */
export type Gazetteer = ReadonlyMap<string, AdministrativeUnit>

/** No division has more levels; a table whose units lie in one another in a circle ends here, too. */
const maxLevels = 12

/** The units a unit lies in, from the nearest to the highest. */
export const placesAround = (gazetteer: Gazetteer, code: string): ReadonlyArray<string> => {
  const around: Array<string> = []
  let outer = gazetteer.get(code)?.parent ?? null
  while (outer !== null && around.length < maxLevels) {
    around.push(outer)
    outer = gazetteer.get(outer)?.parent ?? null
  }
  return around
}
