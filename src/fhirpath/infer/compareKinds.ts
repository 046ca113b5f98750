import { literalsOf } from "../syntax/literals.ts"
import { spanOf, type TextSpan } from "../syntax/nodeSpans.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import type { NeverEqual, SeveralCompared, TypeMisuse } from "./InferenceFaults.ts"
import type { InferredType } from "./InferredType.ts"
import type { Model, TypePath } from "./Model.ts"

/** One operand of an operator, and its inferred type. */
export interface Side {
  readonly operand: SyntaxNode
  readonly found: InferredType
}

/** A text in an expression, and the type of what it is compared with. */
export interface ComparedText extends TextSpan {
  readonly code: string
  readonly with: InferredType
}

/** Returns the texts of a comparison. */
export const findTexts = (text: string, sides: ReadonlyArray<Side>): ReadonlyArray<ComparedText> =>
  sides.flatMap(({ found }, at) => {
    const other = sides[1 - at]
    return other === undefined
      ? []
      : literalsOf(other.operand).map(({ node, text: code }) => ({ ...spanOf(text, node), code, with: found }))
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
  const number = sides.find(({ found }) => isNumeric(found, model))
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
  if (moved === undefined || !sides.some(({ operand }) => isQuantity(text, operand))) return undefined
  return { ...spanOf(text, moved.operand), kind: "moved", typePaths: [...moved.found.typePaths ?? []] }
}

/** Returns a date or time to which a number without a unit is added, or from which it is subtracted, as in `@1990-1-31`. */
export const findMovedDate = (
  text: string,
  operator: string | undefined,
  sides: ReadonlyArray<Side>,
  model: Model
): TypeMisuse | undefined => {
  const [moved, by] = sides
  if (operator === "&" || moved === undefined || by === undefined || isQuantity(text, by.operand)) return undefined
  if (!isNumeric(by.found, model) || (moved.found.timed !== true && !isDate(moved.operand))) return undefined
  return { ...spanOf(text, moved.operand), kind: "unitless", typePaths: [...moved.found.typePaths ?? []] }
}

const isDate = ({ children: [only, second] = [], type }: SyntaxNode): boolean =>
  type === "DateLiteral" || type === "DateTimeLiteral" || (only !== undefined && second === undefined && isDate(only))

const isNumeric = ({ typePaths }: InferredType, model: Model): boolean =>
  typePaths !== null && typePaths.size > 0 && [...typePaths].every((typePath) => isNumber(typePath, model))

/** Whether an operand is a quantity: `1 day`, `'1 day'.toQuantity()`. */
const isQuantity = (text: string, operand: SyntaxNode): boolean => {
  const { length, offset } = spanOf(text, operand)
  return isQuantityLiteral(operand) || /\.toQuantity\(\)[\s)]*$/u.test(text.slice(offset, offset + length))
}

const isQuantityLiteral = ({ children: [only, second] = [], type }: SyntaxNode): boolean =>
  type === "QuantityLiteral" || (only !== undefined && second === undefined && isQuantityLiteral(only))

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
