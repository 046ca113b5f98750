import { isJsonObject, type JsonObject, jsonObjectsIn } from "../../json/JsonObject.ts"
import { conceptText } from "./concepts.ts"

const sexes: Readonly<Record<string, "male" | "female">> = {
  "248153007": "male",
  "248152002": "female",
  m: "male",
  f: "female",
  male: "male",
  males: "male",
  man: "male",
  men: "male",
  female: "female",
  females: "female",
  woman: "female",
  women: "female"
}

/** Returns the sex that a range is for; `undefined` if it is for both or for another group. */
const sexOf = (range: JsonObject): "male" | "female" | undefined => {
  for (const concept of jsonObjectsIn(range.appliesTo)) {
    const codes = jsonObjectsIn(concept.coding).flatMap(({ code }) => typeof code === "string" ? [code] : [])
    for (const word of [...codes, conceptText(concept) ?? ""]) {
      const sex = sexes[word.trim().toLowerCase()]
      if (sex !== undefined) return sex
    }
  }
  return undefined
}

const isNormal = ({ type }: JsonObject): boolean =>
  !isJsonObject(type) || !Array.isArray(type.coding) ||
  type.coding.some((coding) => isJsonObject(coding) && coding.code === "normal")

/**
 * Returns the reference ranges for a sex: those that state it; if none do, those without a sex; never those of the other. If there
 * are normal ranges, only these are returned: others are for a treatment, or recommended.
 */
export const rangesFor = <A>(
  elements: ReadonlyArray<A>,
  gender: unknown,
  valueOf: (element: A) => unknown
): ReadonlyArray<A> => {
  const ranges = elements.flatMap((element) => {
    const value = valueOf(element)
    return isJsonObject(value) ? [{ element, sex: sexOf(value), normal: isNormal(value) }] : []
  })
  const isKnown = gender === "male" || gender === "female"
  const own = ranges.filter(({ sex }) => isKnown && sex === gender)
  const fitting = own.length > 0 ? own : isKnown ? ranges.filter(({ sex }) => sex === undefined) : ranges
  const normal = fitting.filter((range) => range.normal)
  return (normal.length > 0 ? normal : fitting).map(({ element }) => element)
}
