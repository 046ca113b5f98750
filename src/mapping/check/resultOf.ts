import type { FoundCall, InferredType, TypePaths } from "../../fhirpath/infer/InferredType.ts"
import { anything, oneOf } from "../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../fhirpath/infer/Model.ts"

/** Infers the result type of a call of a function of the language. */
export const resultOf = ({ input, literal, name }: FoundCall, model: Model): InferredType => {
  const { linkTarget } = model
  const { places, several, targets } = input
  if (truths.has(name)) return oneOf("boolean")
  if (name === "schedule" || name === "rangesFor" || name === "current" || name === "leadingNowhere") {
    return { places, several }
  }
  if (name === "only") return { places, several: false }
  if (name === "withAll") return { places: withAll(places, literal, model), several: true }
  if (name === "record") {
    const isPart = places !== null && [...places].every((place) => /^[A-Z]\w*\./u.test(place))
    return { places: isPart ? new Set([...places].map((place) => place.split(".")[0]!)) : null, several }
  }
  if (name === "inVisit" || name === "ofPatient" || name === "reverseResolve") {
    return { places: literal === undefined ? null : new Set([literal.split(".")[0]!]), several: true }
  }
  if (name === "resolve") {
    if (places?.size === 1 && places.has("Reference") && targets !== undefined) return { places: targets, several }
    const rows = places === null ? [undefined] : [...places].map(linkTarget)
    return { places: rows.every((row) => row !== undefined) ? new Set(rows) : null, several }
  }
  return textFunctions.has(name) ? { places: texts, several: several && !givesOne.has(name) } : anything
}

const texts: TypePaths = new Set(["string"])
const textFunctions: ReadonlySet<string> = new Set(
  ("base64Text htmlText boundedFor dosageNote dosageWords howOften unsaid keyOf encounterCode getResourceKey getReferenceKey conceptText conceptWords conceptCode conceptDisplay identifierIn translated who whoTitle " +
    "whoPhone humanName localTime toString substring upper lower join trim replace replaceMatches").split(" ")
)

/** Functions that return one value for any number of inputs. */
const givesOne: ReadonlySet<string> = new Set(
  ["boundedFor", "dosageNote", "dosageWords", "encounterCode", "howOften", "join", "unsaid"]
)

const truths: ReadonlySet<string> = new Set(["hasCode", "mapped", "inSection", "isRow", "isInVisit"])

/** Returns the types of an input, and of the records reached through some elements at any depth. */
export const withAll = (places: TypePaths, names: string | undefined, { targetsOfElement }: Model): TypePaths => {
  if (places === null || names === undefined) return null
  const found = new Set(places)
  for (const place of found) {
    for (const name of names.split(/\s+/u)) for (const target of targetsOfElement(place, name) ?? []) found.add(target)
  }
  return found
}
