import { literalsOf } from "../syntax/literals.ts"
import { spanOf } from "../syntax/nodeSpans.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import type { InferredType } from "./InferredType.ts"
import type { Model, TypePath } from "./Model.ts"
import type { NeverEqual, SeveralCompared, TypeMisuse, UnknownCode } from "./PlaceFaults.ts"

/** One operand of an operator, and its inferred type. */
export interface Side {
  readonly operand: SyntaxNode
  readonly found: InferredType
}

/** Returns the texts that are compared with an element that never holds them. */
export const findUnknownCodes = (text: string, sides: ReadonlyArray<Side>): ReadonlyArray<UnknownCode> =>
  sides.flatMap(({ found: { codes } }, at) => {
    const other = sides[1 - at]
    if (codes === undefined || other === undefined) return []
    return literalsOf(other.operand).flatMap(({ node, text: code }) =>
      codes.has(code) ? [] : [{ ...spanOf(text, node), code, codes: [...codes] }]
    )
  })

/** Returns a comparison of a text with an operand that never equals a text. */
export const findNeverEqual = (
  text: string,
  operator: string,
  sides: ReadonlyArray<Side>,
  model: Model
): NeverEqual | undefined => {
  const other = sides.find(({ found }) => found.timed === true || isNeverText(found, model))
  const textual = sides.find(({ found }) => isText(found, model))
  if (other === undefined || textual === undefined) return undefined
  const places = [...other.found.places ?? []]
  return { ...spanOf(text, other.operand), operator, places, other: spanOf(text, textual.operand) }
}

/** Returns the operands that can be several values. */
export const findSeveral = (
  text: string,
  operator: string,
  sides: ReadonlyArray<Side>
): ReadonlyArray<SeveralCompared> =>
  sides.flatMap(({ found, operand }) => found.several ? [{ ...spanOf(text, operand), operator }] : [])

/** Returns a sum of a number and a text, which can only be joined as texts. */
export const findMixedSum = (
  text: string,
  operator: string | undefined,
  sides: ReadonlyArray<Side>,
  model: Model
): TypeMisuse | undefined => {
  const number = sides.find(({ found: { places } }) =>
    places !== null && places.size > 0 && [...places].every((place) => isNumber(place, model))
  )
  if (number === undefined || !sides.some(({ found }) => isText(found, model))) return undefined
  const kind = operator === "&" ? "text" : "sum"
  return { ...spanOf(text, number.operand), kind, places: [...number.found.places!] }
}

export const isText = ({ places }: InferredType, { isKindOf }: Model): boolean =>
  places !== null && places.size > 0 &&
  [...places].every((place) => isKindOf(place, "string") || isKindOf(place, "uri"))

/** Returns true for types with child elements, numbers and booleans: they never equal a text. */
const isNeverText = ({ places }: InferredType, model: Model): boolean =>
  places !== null && places.size > 0 &&
  [...places].every((place) =>
    place === "boolean" || isNumber(place, model) ||
    (!model.isPrimitive(place) && place !== "Element" && place !== "Resource" && place !== "DomainResource")
  )

export const isNumber = (place: TypePath, { isKindOf }: Model): boolean =>
  isKindOf(place, "decimal") || isKindOf(place, "integer")
