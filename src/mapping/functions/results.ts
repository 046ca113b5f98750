import type { FoundCall, InferredType, TypePaths } from "../../fhirpath/infer/InferredType.ts"
import { inferredTruth, oneOf } from "../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../fhirpath/infer/Model.ts"

/** What calls of functions find, for their declarations: see `gives`. */

export const yesOrNo = (): InferredType => inferredTruth

/** A text for each element of the input. */
export const textOfEach = ({ input }: FoundCall): InferredType => ({ ...oneText(), several: input.several })

/** One text for the whole input. */
export const oneText = (): InferredType => oneOf("string")

/** Some elements of the input. */
export const someOfInput = ({ input: { several, typePaths } }: FoundCall): InferredType => ({ typePaths, several })

/** One element of the input. */
export const oneOfInput = ({ input: { typePaths } }: FoundCall): InferredType => ({ typePaths, several: false })

/** Records of the type that the argument names, or that its element is of: `Observation.partOf`. */
export const recordsOfType = ({ literal }: FoundCall): InferredType => ({
  typePaths: literal === undefined ? null : new Set([typeOf(literal)]),
  several: true
})

/** The record of the input. */
export const recordOfInput = ({ input: { several, typePaths } }: FoundCall): InferredType => {
  const isPart = typePaths !== null && [...typePaths].every((typePath) => /^[A-Z]\w*\./u.test(typePath))
  return { typePaths: isPart ? new Set([...typePaths].map((typePath) => typeOf(typePath))) : null, several }
}

/** The records that the input refers to. */
export const targetsOfInput = (
  { input: { several, targets, typePaths } }: FoundCall,
  { linkTarget }: Model
): InferredType => {
  if (typePaths?.size === 1 && typePaths.has("Reference") && targets !== undefined) {
    return { typePaths: targets, several }
  }
  const rows = typePaths === null ? [undefined] : [...typePaths].map(linkTarget)
  return { typePaths: rows.every((row) => row !== undefined) ? new Set(rows) : null, several }
}

/** The input, and the records that are reached through the elements that the argument names. */
export const inputWithTargets = ({ input, literal }: FoundCall, model: Model): InferredType => ({
  typePaths: withTargets(input.typePaths, literal, model),
  several: true
})

/** Returns the types of an input, and of the records reached through some elements at any depth. */
export const withTargets = (
  typePaths: TypePaths,
  names: string | undefined,
  { targetsOfElement }: Model
): TypePaths => {
  if (typePaths === null || names === undefined) return null
  const found = new Set(typePaths)
  for (const typePath of found) {
    for (const name of names.split(/\s+/u)) {
      for (const target of targetsOfElement(typePath, name) ?? []) found.add(target)
    }
  }
  return found
}

/** Returns the type at the start of a path: `Observation` of `Observation.component`. */
const typeOf = (path: string): string => path.replace(/\..*$/u, "")
