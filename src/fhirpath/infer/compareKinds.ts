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
  const moved = operator === "&" ? undefined : sides.find(({ found }) => holdsText(found, model))
  if (moved === undefined || !sides.some(({ operand }) => isQuantity(text, operand))) return undefined
  return { ...spanOf(text, moved.operand), kind: "moved", typePaths: typesOfText(moved) }
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
  if (!isNumeric(by.found, model) || !isMoment(moved)) return undefined
  return { ...spanOf(text, moved.operand), kind: "unitless", typePaths: [...moved.found.typePaths ?? []] }
}

/** Returns what cannot be subtracted: a date or time from a date or time, or a text. */
export const findDifference = (
  text: string,
  operator: string | undefined,
  sides: ReadonlyArray<Side>,
  model: Model
): TypeMisuse | undefined => {
  if (operator !== "-") return undefined
  const [, by] = sides
  const textual = sides.find(({ found }) => isText(found, model))
  const wrong = textual ?? (sides.every(isMoment) ? by : undefined)
  if (wrong === undefined) return undefined
  return {
    ...spanOf(text, wrong.operand),
    kind: textual === undefined ? "difference" : "number",
    typePaths: [...wrong.found.typePaths ?? []]
  }
}

/** Returns a text that is compared with a date or time: the two are never equal, and which is later cannot be found. */
export const findTextAndDate = (
  text: string,
  sides: ReadonlyArray<Side>,
  model: Model
): TypeMisuse | undefined => {
  const textual = sides.find(({ found }) => holdsText(found, model))
  const other = sides.find((side) => side !== textual)
  if (textual === undefined || other === undefined || (!isDate(other.operand) && !isDateOfColumn(textual, other))) {
    return undefined
  }
  return { ...spanOf(text, textual.operand), kind: "dated", typePaths: typesOfText(textual) }
}

/** Whether a date column is compared with a date or time of FHIR, or with one that was made of a text. */
const isDateOfColumn = (textual: Side, other: Side): boolean =>
  textual.found.isDateColumn === true && other.found.timed === true

const isMoment = ({ found, operand }: Side): boolean =>
  found.timed === true || found.isDateColumn === true || isDate(operand)

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

/** Returns the types of a text; none for a date column, whose type is not that of its values. */
const typesOfText = ({ found }: Side): ReadonlyArray<TypePath> =>
  found.isDateColumn === true ? [] : [...found.typePaths ?? []]

/** Whether the values are texts, as those of a date column are. */
const holdsText = (found: InferredType, model: Model): boolean => found.isDateColumn === true || isText(found, model)

/** Returns true for types with child elements, numbers and booleans: they never equal a text. */
const isNeverText = ({ typePaths }: InferredType, model: Model): boolean =>
  typePaths !== null && typePaths.size > 0 &&
  [...typePaths].every((typePath) =>
    typePath === "boolean" || isNumber(typePath, model) ||
    (!model.isPrimitive(typePath) && typePath !== "Element" && typePath !== "Resource" && typePath !== "DomainResource")
  )

export const isNumber = (typePath: TypePath, { isKindOf }: Model): boolean =>
  isKindOf(typePath, "decimal") || isKindOf(typePath, "integer")
