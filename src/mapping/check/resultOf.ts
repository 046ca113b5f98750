import type { FoundCall, InferredType, TypePaths } from "../../fhirpath/infer/InferredType.ts"
import { anything, oneOf } from "../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../fhirpath/infer/Model.ts"

/** Infers the result type of a call of a function of the language. */
export const resultOf = ({ input, literal, name }: FoundCall, model: Model): InferredType => {
  const { linkTarget } = model
  const { typePaths, several, targets } = input
  if (truths.has(name)) return oneOf("boolean")
  if (name === "schedule" || name === "rangesFor" || name === "current" || name === "leadingNowhere") {
    return { typePaths, several }
  }
  if (name === "only") return { typePaths, several: false }
  if (name === "withAll") return { typePaths: withAll(typePaths, literal, model), several: true }
  if (name === "record") {
    const isPart = typePaths !== null && [...typePaths].every((typePath) => /^[A-Z]\w*\./u.test(typePath))
    return { typePaths: isPart ? new Set([...typePaths].map((typePath) => typeOf(typePath))) : null, several }
  }
  if (name === "inVisit" || name === "ofPatient" || name === "reverseResolve") {
    return { typePaths: literal === undefined ? null : new Set([typeOf(literal)]), several: true }
  }
  if (name === "resolve") {
    if (typePaths?.size === 1 && typePaths.has("Reference") && targets !== undefined) {
      return { typePaths: targets, several }
    }
    const rows = typePaths === null ? [undefined] : [...typePaths].map(linkTarget)
    return { typePaths: rows.every((row) => row !== undefined) ? new Set(rows) : null, several }
  }
  return textFunctions.has(name) ? { typePaths: texts, several: several && !givesOne.has(name) } : anything
}

/** Returns the type at the start of a path: `Observation` of `Observation.component`. */
const typeOf = (path: string): string => path.replace(/\..*$/u, "")

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
export const withAll = (typePaths: TypePaths, names: string | undefined, { targetsOfElement }: Model): TypePaths => {
  if (typePaths === null || names === undefined) return null
  const found = new Set(typePaths)
  for (const typePath of found) {
    for (const name of names.split(/\s+/u)) {
      for (const target of targetsOfElement(typePath, name) ?? []) found.add(target)
    }
  }
  return found
}
