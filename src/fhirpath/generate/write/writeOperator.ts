import { isExactNumber } from "../../../json/exactNumber.ts"
import { isNode, isTimed } from "../../evaluate/Node.ts"
import { operatorOf } from "../../evaluate/operators.ts"
import type { TimeKind } from "../../evaluate/times.ts"
import { kindOfPath, none } from "../../evaluate/values.ts"
import type { Elements } from "../../FhirPath.ts"
import type { SyntaxNode } from "../../syntax/SyntaxTree.ts"
import { alternativesOf, wrappers } from "../../syntax/treeParts.ts"
import { notGenerated } from "./Code.ts"
import {
  codeOfElement,
  codeOfPlain,
  codeOfText,
  commonSample,
  isPlain,
  isTextItem,
  type Item,
  keepIn,
  type ListCode,
  listOf,
  type Out,
  type Scene,
  type Source,
  type TruthCode
} from "./items.ts"
import type { Writer } from "./Writer.ts"
import { negated, writeTruth } from "./writeTruth.ts"

/** Operators that return one boolean, or nothing. */
const isComparison = (symbol: string): boolean => /^(?:[<>]=?|!?~|in|contains)$/u.test(symbol)

/** Writes an operator with two operands. */
export const writeOperation = (
  writer: Writer,
  node: SyntaxNode,
  symbol: string,
  first: SyntaxNode,
  second: SyntaxNode,
  scene: Scene,
  out: Out
): void => {
  const truth = writeOperatorTruth(writer, node, first, second, scene)?.()
  if (truth !== undefined) return writer.truth(truth, out)
  const left = writer.source(first, scene, scene.self)
  const right = writer.source(second, scene, scene.self)
  switch (symbol) {
    case "&":
      return out({ form: "text", value: concatenation(writer, left, right) })
    case "|":
      return writer.listed(union(writer, left, right)).each(out)
    default:
      return writer.single({ value: applied(writer, symbol, left, right) }, out)
  }
}

/** Returns how to write an operator that finds one boolean, or nothing; `undefined` for other operators. */
export const writeOperatorTruth = (
  writer: Writer,
  node: SyntaxNode,
  first: SyntaxNode,
  second: SyntaxNode,
  scene: Scene
): (() => TruthCode) | undefined => {
  const { text: symbol = "" } = node
  const left = (): Source => writer.source(first, scene, scene.self)
  const right = (): Source => writer.source(second, scene, scene.self)
  switch (symbol) {
    case "=":
    case "!=":
      return () => equality(writer, symbol, left(), right())
    case "or":
      return () => alternatives(writer, node, scene) ?? logic(writer, symbol, left(), right())
    case "and":
    case "xor":
    case "implies":
      return () => logic(writer, symbol, left(), right())
    default:
      return isComparison(symbol)
        ? () =>
          (isCount(writer, first) ? orderOfCount(writer, symbol, left(), right()) : undefined) ??
            (/^[<>]=?$/u.test(symbol) ? orderOfTimes(writer, symbol, left(), right()) : undefined) ?? {
            value: writer.code.set(`truthIn(${applied(writer, symbol, left(), right())})`),
            isSure: false
          }
        : undefined
  }
}

/** Writes an operator on lists; returns code for its result. */
const applied = (writer: Writer, symbol: string, left: Source, right: Source): string => {
  const code = writer.code
  const operator = operatorOf(symbol)
  if (operator.isDecidedBy !== undefined) throw notGenerated
  const apply = code.constant(["operator", symbol])
  const one = writer.elements(left).value
  const other = writer.elements(right).value
  code.isRisky = true
  return `${apply}(${one}, ${other}, s)`
}

/** Whether an expression is a call of `count`. */
const isCount = (writer: Writer, { children: [first, second] = [], text, type }: SyntaxNode): boolean =>
  type === "FunctionInvocation"
    ? text === "count" && !writer.units.functions.has(text)
    : type === "InvocationExpression"
    ? second !== undefined && isCount(writer, second)
    : wrappers.has(type) && first !== undefined && isCount(writer, first)

/** Writes the order of a count and a short integer; `undefined` for another operand. */
const orderOfCount = (writer: Writer, symbol: string, left: Source, right: Source): TruthCode | undefined => {
  const digits = /^[<>]/u.test(symbol) ? integerCode(right.constant ?? none) : undefined
  const number = digits === undefined ? undefined : findOperand(writer, left)?.write(false).number
  return number === undefined ? undefined : { value: writer.code.set(`${number} ${symbol} ${digits}`), isSure: true }
}

/** Writes the order of two times of records, of which each may be missing; `undefined` for other operands. */
const orderOfTimes = (writer: Writer, symbol: string, left: Source, right: Source): TruthCode | undefined =>
  writer.code.attempt(() => {
    const [one, other] = [timeOperand(writer, left), timeOperand(writer, right)]
    const { code } = writer
    code.isRisky = true
    const value = code.set(
      `${one.value} === undefined || ${other.value} === undefined ? undefined : ${
        code.constant(["order", symbol, one.kind, other.kind])
      }(${one.value}, ${other.value}, s)`
    )
    // The library decides what is not written as a time.
    code.line(`if (${value} === null) fail()`)
    return { value, isSure: false }
  })

/** Writes the text of a time that an operand is, if there is one. */
const timeOperand = (writer: Writer, source: Source): { readonly value: string; readonly kind: TimeKind } => {
  const { code } = writer
  if (source.constant !== undefined) throw notGenerated
  const value = code.set("undefined")
  const { most, sites } = code.find((out) => source.each(out))
  let kind: TimeKind | undefined
  for (const { hole, item } of sites) {
    if (item.form !== "json" || !isTimed(item.path)) throw notGenerated
    const own = kindOfPath[item.path]
    if ((kind ?? own) !== own) throw notGenerated
    kind = own
    hole.text = `${value} = ${item.value}`
  }
  if (most > 1 || kind === undefined) throw notGenerated
  return { value, kind }
}

/** Writes the distinct elements of two sources. */
export const union = (writer: Writer, left: Source, right: Source): ListCode => {
  const code = writer.code
  const list = code.set("none")
  const { most, sites } = code.find((each) => {
    left.each(each)
    right.each(each)
  })
  for (const { hole, item } of sites) {
    const value = codeOfElement(item)
    hole.text = most <= 1
      ? `${list} = [${value}]`
      : `if (${list}.length === 0) ${list} = [${value}]\nelse ${list}.push(${value})`
  }
  if (most > 1) {
    code.isRisky = true
    code.line(`if (${list}.length > 1) ${list} = ${code.constant(["operator", "|"])}(${list}, none, s)`)
  }
  return { value: list, sample: commonSample(sites.map(({ item }) => item)) }
}

const concatenation = (writer: Writer, left: Source, right: Source): string => {
  const texts = [left, right].map((source) => {
    const code = writer.code
    const result = code.set("''")
    const { most, sites } = code.find((out) => source.each(out))
    if (most <= 1 && sites.every(({ item }) => isTextItem(item))) {
      for (const { hole, item } of sites) hole.text = `${result} = ${plainOrText(item)}`
      return result
    }
    code.isRisky = true
    const list = `${result}s`
    writer.guard(`let ${list}`)
    for (const { hole, item } of sites) hole.text = `;(${list} ??= []).push(${codeOfElement(item)})`
    code.line(`if (${list} !== undefined) { ${result} = textOfAll(${list}); ${list} = undefined }`)
    return result
  })
  return writer.code.set(texts.join(" + "))
}

/** Returns code for the text of an item that is certainly one. */
const plainOrText = (item: Item): string => item.form === "json" ? item.value : codeOfElement(item)

const equality = (writer: Writer, symbol: "=" | "!=", left: Source, right: Source): TruthCode => {
  const code = writer.code
  const [found, otherFound] = [findOperand(writer, left), findOperand(writer, right)]
  if (found === undefined || otherFound === undefined) return { value: "undefined", isSure: false }
  // Two elements of records with equal values are not equal if one of them has an extension.
  const areNodes = found.mayBeNode && otherFound.mayBeNode
  const [one, other] = [found.write(areNodes), otherFound.write(areNodes)]
  if (one.number !== undefined && other.number !== undefined) {
    return one.number === other.number
      ? { value: String(symbol === "="), isSure: true }
      : { value: code.set(`${one.number} ${symbol === "=" ? "===" : "!=="} ${other.number}`), isSure: true }
  }
  if (one.isList || other.isList) {
    code.isRisky = true
    const [a, b] = [one, other].map(({ isList, isThere, value }) =>
      isList || isThere ? (isList ? value : `[${value}]`) : `(${value} === undefined ? none : [${value}])`
    )
    const result = {
      value: code.set(`truthIn(${code.constant(["operator", "="])}(${a}, ${b}, s))`),
      isSure: false
    }
    return symbol === "=" ? result : negated(writer, result)
  }
  const missing = [one, other].flatMap(({ isThere, value }) => (isThere ? [] : [`${value} === undefined`])).join(" || ")
  const isPlain = one.isPlain && other.isPlain
  if (!isPlain) code.isRisky = true
  const same = isPlain
    ? `${one.value} ${symbol === "=" ? "===" : "!=="} ${other.value}`
    : `equal(${one.value}, ${other.value}, s)`
  const result = {
    value: code.set(missing === "" ? same : `${missing} ? undefined : ${same}`),
    isSure: isPlain && missing === ""
  }
  return symbol === "=" || isPlain ? result : negated(writer, result)
}

/** The code for an operand of an equality. */
interface Operand {
  readonly value: string
  /** It is a text or boolean that `=` compares unchanged. */
  readonly isPlain: boolean
  /** Code for it as a number of JavaScript, if it is one. */
  readonly number?: string | undefined
  readonly isList: boolean
  /** It cannot be empty. */
  readonly isThere: boolean
}

/** An operand whose elements are found. */
interface FoundOperand {
  /** It may be an element of a record, and not only a value. */
  readonly mayBeNode: boolean
  /** Writes what is compared: the element itself, or its plain value if it has one. */
  readonly write: (asNode: boolean) => Operand
}

const mayBeNode = (item: Item): boolean =>
  item.form === "json" || item.form === "choice" ||
  (item.form === "element" && (item.constant === undefined || isNode(item.constant)))

/** Returns code for the only element of a list as a number of JavaScript, if it is a short integer. */
const integerCode = ([only, ...others]: Elements): string | undefined => {
  const digits = others.length === 0 && isExactNumber(only) ? only.toString() : ""
  return /^(?:0|[1-9]\d{0,8})$/u.test(digits) ? digits : undefined
}

/** Finds the elements of an operand of an equality; `undefined` if it is always empty. */
const findOperand = (writer: Writer, source: Source): FoundOperand | undefined => {
  const { code } = writer
  const { constant } = source
  if (constant !== undefined) {
    if (constant.length === 0) return undefined
    if (constant.length > 1) {
      const value = code.constant(["elements", listOf(constant)])
      return { mayBeNode: constant.some(isNode), write: () => ({ value, isPlain: false, isList: true, isThere: true }) }
    }
    const item = writer.literal(constant[0])
    const operand: Operand = {
      value: codeOfElement(item),
      isPlain: item.form !== "element",
      number: integerCode(constant),
      isList: false,
      isThere: true
    }
    return { mayBeNode: mayBeNode(item), write: () => operand }
  }
  const start = code.hole()
  const found = code.find((out) => source.each(out))
  const { isCertain, most, sites } = found
  const [only] = sites
  if (only === undefined) return undefined
  const isOfRecord = sites.some(({ item }) => mayBeNode(item))
  const codeOf = (item: Item, asNode: boolean): string => asNode ? codeOfElement(item) : codeOfPlain(item)
  if (isCertain) {
    const { item } = only
    return {
      mayBeNode: isOfRecord,
      write: (asNode) => {
        const value = codeOf(item, asNode)
        const number = item.form === "number" ? value : undefined
        return { value, isPlain: !(asNode && isOfRecord) && isPlain(item), number, isList: false, isThere: true }
      }
    }
  }
  const value = code.name()
  start.text = `${value} = undefined`
  if (most > 1) {
    keepIn(value, found, codeOfElement)
    code.line(`${value} ??= none`)
    return { mayBeNode: isOfRecord, write: () => ({ value, isPlain: false, isList: true, isThere: true }) }
  }
  return {
    mayBeNode: isOfRecord,
    write: (asNode) => {
      for (const { hole, item } of sites) hole.text = `${value} = ${codeOf(item, asNode)}`
      const isPlainValue = !(asNode && isOfRecord) && sites.every(({ item }) => isPlain(item))
      return { value, isPlain: isPlainValue, isList: false, isThere: false }
    }
  }
}

/** Writes `status = 'final' or status = 'amended'`: the path is followed once. */
const alternatives = (writer: Writer, node: SyntaxNode, scene: Scene): TruthCode | undefined => {
  const found = alternativesOf(node)
  if (found === undefined || scene.self.item?.form !== "json") return undefined
  const code = writer.code
  const value = code.set("undefined")
  const { most, sites } = code.find((out) => writer.each(found.path, scene, scene.self, out))
  if (most > 1 || !sites.every(({ item }) => item.form === "json" && item.json === "text")) return undefined
  for (const { hole, item } of sites) hole.text = `${value} = ${codeOfPlain(item)}`
  const test = found.texts.map((text) => `${value} === ${codeOfText(text)}`).join(" || ")
  return { value: code.set(`${value} === undefined ? undefined : ${test}`), isSure: false }
}

/** The first operand that decides the result of an operator. */
const decisiveFor: Readonly<Record<string, string>> = { or: "true", and: "false", implies: "false" }

/** Writes a logical operator. The second operand is evaluated only if the first does not decide. */
const logic = (writer: Writer, symbol: string, left: Source, right: Source): TruthCode => {
  const code = writer.code
  const first = writeTruth(writer, left)
  const decisive = decisiveFor[symbol]
  code.line(decisive === undefined ? "{" : `if (${first.value} !== ${decisive}) {`)
  const second = writeTruth(writer, right)
  code.line("}")
  const [one, other] = [first.value, second.value]
  const isSure = first.isSure && second.isSure
  const missing = `${one} === undefined || ${other} === undefined`
  switch (symbol) {
    case "or":
      return {
        value: code.set(
          isSure ? `${one} || ${other}` : `${one} === true || ${other} === true ? true : ${missing} ? undefined : false`
        ),
        isSure
      }
    case "and":
      return {
        value: code.set(
          isSure
            ? `${one} && ${other}`
            : `${one} === false || ${other} === false ? false : ${missing} ? undefined : true`
        ),
        isSure
      }
    case "implies":
      return {
        value: code.set(`${one} === false || ${other} === true ? true : ${missing} ? undefined : false`),
        isSure
      }
    default:
      return { value: code.set(`${missing} ? undefined : ${one} !== ${other}`), isSure }
  }
}
