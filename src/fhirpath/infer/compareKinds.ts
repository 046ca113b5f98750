import { literalsOf } from "../syntax/literals.ts"
import { spanOf } from "../syntax/nodeSpans.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import type { NeverEqual, SeveralCompared, TypeMisuse, UnknownCode } from "./InferenceFaults.ts"
import type { InferredType } from "./InferredType.ts"
import type { Model, TypePath } from "./Model.ts"

/** One operand of an operator, and its inferred type. */
export interface Side {
  readonly operand: SyntaxNode
  readonly found: InferredType
}

/** Returns the texts that are compared with an element or a result that never is one of them. */
export const findUnknownCodes = (text: string, sides: ReadonlyArray<Side>): ReadonlyArray<UnknownCode> =>
  sides.flatMap(({ found: { codes, isOwn = false } }, at) => {
    const other = sides[1 - at]
    if (codes === undefined || codes.size === 0 || other === undefined) return []
    return literalsOf(other.operand).flatMap(({ node, text: code }) =>
      codes.has(code) ? [] : [{ ...spanOf(text, node), code, codes: [...codes], isOwn }]
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
  const typePaths = [...other.found.typePaths ?? []]
  return { ...spanOf(text, other.operand), operator, typePaths, other: spanOf(text, textual.operand) }
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
  const number = sides.find(({ found: { typePaths } }) =>
    typePaths !== null && typePaths.size > 0 && [...typePaths].every((typePath) => isNumber(typePath, model))
  )
  if (number === undefined || !sides.some(({ found }) => isText(found, model))) return undefined
  const kind = operator === "&" ? "text" : "sum"
  return { ...spanOf(text, number.operand), kind, typePaths: [...number.found.typePaths ?? []] }
}

/** Returns a text to which a duration is added, or from which it is subtracted: only a date or time can be moved by one. */
export const findMovedText = (
  text: string,
  operator: string | undefined,
  sides: ReadonlyArray<Side>,
  model: Model
): TypeMisuse | undefined => {
  const moved = operator === "&" ? undefined : sides.find(({ found }) => isText(found, model))
  if (moved === undefined || !sides.some(({ operand }) => isQuantity(operand))) return undefined
  return { ...spanOf(text, moved.operand), kind: "moved", typePaths: [...moved.found.typePaths ?? []] }
}

const isQuantity = ({ children: [only, second] = [], type }: SyntaxNode): boolean =>
  type === "QuantityLiteral" || (only !== undefined && second === undefined && isQuantity(only))

export const isText = ({ typePaths }: InferredType, { isKindOf }: Model): boolean =>
  typePaths !== null && typePaths.size > 0 &&
  [...typePaths].every((typePath) => isKindOf(typePath, "string") || isKindOf(typePath, "uri"))

/** Returns true for types with child elements, numbers and booleans: they never equal a text. */
const isNeverText = ({ typePaths }: InferredType, model: Model): boolean =>
  typePaths !== null && typePaths.size > 0 &&
  [...typePaths].every((typePath) =>
    typePath === "boolean" || isNumber(typePath, model) ||
    (!model.isPrimitive(typePath) && typePath !== "Element" && typePath !== "Resource" && typePath !== "DomainResource")
  )

export const isNumber = (typePath: TypePath, { isKindOf }: Model): boolean =>
  isKindOf(typePath, "decimal") || isKindOf(typePath, "integer")
