import { textSearchOf } from "../../evaluate/searchList.ts"
import { type TypeTest, typeTest } from "../../evaluate/types.ts"
import { standardFunctions } from "../../syntax/functionForms.ts"
import type { SyntaxNode } from "../../syntax/SyntaxTree.ts"
import { argumentsOf, unquoted } from "../../syntax/treeParts.ts"
import { notGenerated } from "./Code.ts"
import {
  codeOfElement,
  codeOfPlain,
  codeOfText,
  type Item,
  type ListCode,
  type Out,
  sampleOf,
  sampleOfStep,
  type Scene,
  type Source,
  sourceOfItem
} from "./items.ts"
import { childItem } from "./writeMember.ts"
import { writeOwnCall } from "./writeOwnCall.ts"
import type { Writer } from "./Writer.ts"
import { negated, writeCondition, writeHolds, writeTruth } from "./writeTruth.ts"

/** Standard functions that evaluate their argument on each element. */
const overElements: ReadonlySet<string> = new Set(["where", "exists", "select", "all"])

/** Standard functions that read only the values of their input and arguments, and return none of them. */
const ofTexts: ReadonlySet<string> = new Set(
  "toString join substring matches matchesFull replaceMatches startsWith endsWith contains indexOf length upper lower trim"
    .split(" ")
)

/** Standard functions that return at most one element. */
const returnsOne: ReadonlySet<string> = new Set([
  ...ofTexts,
  ...("last single sum isDistinct subsetOf supersetOf min max allTrue anyTrue allFalse anyFalse hasValue getValue "
    + "unescape escape abs ceiling floor round sqrt truncate toBoolean toInteger toDecimal toDate toDateTime toTime toQuantity "
    + "convertsToBoolean convertsToInteger convertsToDecimal convertsToString convertsToDate convertsToDateTime "
    + "convertsToTime convertsToQuantity").split(" ")
])

/** Standard functions that return some elements of their input. */
export const listFunctions: ReadonlySet<string> = new Set(["distinct", "tail", "skip", "take", "intersect", "exclude"])

export const writeCall = (writer: Writer, node: SyntaxNode, scene: Scene, given: Source, out: Out): void => {
  const { code } = writer
  const input = writer.before(given, node)
  const written = node.text ?? ""
  const name = unquoted(written)
  const args = argumentsOf(node)
  const own = writer.units.functions.get(name)
  if (own !== undefined) return writeOwnCall(writer, name, own, args, scene, input, out)
  const [first, second, third] = args
  const on = (item: Item): Scene => ({ ...scene, self: sourceOfItem(item) })
  if (overElements.has(name) && first !== undefined) {
    if (second !== undefined) throw notGenerated
    switch (name) {
      case "where":
        if (isSearched(writer, first, scene, input, out)) return
        return input.each((item) => {
          const test = writeCondition(writer, first, on(item))
          code.block(`if (${test})`, () => out(item))
        })
      case "select":
        return input.each((item) => {
          const inner = on(item)
          writer.each(first, inner, inner.self, out)
        })
      case "exists":
        return exists(writer, {
          each: (each) =>
            input.each((item) => {
              const test = writeCondition(writer, first, on(item))
              code.block(`if (${test})`, () => each(item))
            })
        }, out)
      default: {
        const all = code.set("true")
        input.each((item) => {
          const inner = on(item)
          code.block(`if (${all})`, () => {
            const test = writeHolds(writer, first, inner, inner.self)
            code.line(`if (${test} !== true) ${all} = false`)
          })
        })
        return out({ form: "truth", value: all })
      }
    }
  }
  switch (name) {
    case "exists":
      return exists(writer, input, out)
    case "empty":
      if (first !== undefined) throw notGenerated
      return exists(
        writer,
        input,
        ({ value }: Item & { readonly value: string }) => out({ form: "truth", value: opposite(value) })
      )
    case "count": {
      if (first !== undefined) throw notGenerated
      if (input.list !== undefined) return out({ form: "number", value: code.set(`${input.list().value}.length`) })
      const start = code.hole()
      const { isCertain, sites } = code.find((each) => input.each(each))
      if (isCertain) return out({ form: "number", value: "1" })
      const count = code.name()
      start.text = `${count} = 0`
      for (const { hole, item } of sites) {
        if (item.form === "choice") item.test()
        hole.text = `${count}++`
      }
      return out({ form: "number", value: count })
    }
    case "not": {
      if (first !== undefined) throw notGenerated
      return writer.truth(negated(writer, writeTruth(writer, input)), out)
    }
    case "first":
      if (first !== undefined) throw notGenerated
      return writeFirst(writer, input, out)
    case "combine": {
      if (first === undefined || second !== undefined) throw notGenerated
      return writer.listed(combination(writer, input, first, scene)).each(out)
    }
    case "aggregate":
      if (first === undefined || third !== undefined) throw notGenerated
      return writer.listed(aggregation(writer, input, first, second, scene)).each(out)
    case "iif":
      if (first === undefined || second === undefined || args.length > 3) throw notGenerated
      return iif(writer, first, second, third, scene, input, out)
    case "ofType":
    case "is":
    case "as":
      if (first === undefined || second !== undefined) throw notGenerated
      return writeType(writer, name, first.text ?? "", input, out)
    case "extension": {
      const url = first === undefined || second !== undefined ? undefined : writer.constantOf(first, scene)
      if (url?.length !== 1 || typeof url[0] !== "string" || url[0] === "") throw notGenerated
      return extension(writer, url[0], input, out)
    }
    case "all":
    case "where":
    case "select":
    case "coalesce":
    case "repeat":
    case "sort":
    case "defineVariable":
    case "now":
    case "today":
    case "timeOfDay":
      throw notGenerated
    default: {
      // `sum` leaves its result as `$total`.
      if (name === "sum" && scene.total !== undefined) throw notGenerated
      const list = standardList(writer, written, name, args, scene, input)
      return returnsOne.has(name) ? writer.single(list, out) : writer.listed(list).each(out)
    }
  }
}

/** Writes `where(nameAndTime() = %text)` on a list; returns whether the condition is one. */
const isSearched = (writer: Writer, condition: SyntaxNode, scene: Scene, input: Source, out: Out): boolean => {
  if (input.constant !== undefined || input.item !== undefined) return false
  const search = textSearchOf(condition, writer.units.functions)
  if (search === undefined) return false
  const { code } = writer
  const { sample, value } = writer.elements(input)
  const text = writer.elements(writer.source(search.wanted, scene, scene.self))
  const of = writer.constant(["function", search.name, "whole"])
  const found = code.set(`searchList(${value}, ${of}, ${text.value}, s) ?? fail()`)
  code.isRisky = true
  writer.listed({ value: found, sample }).each(out)
  return true
}

/** Returns code for the opposite of a test. */
const opposite = (value: string): string => value === "true" ? "false" : value === "false" ? "true" : `!${value}`

export const combination = (writer: Writer, input: Source, argument: SyntaxNode, scene: Scene): ListCode => {
  const other = writer.source(argument, scene, scene.self)
  return writer.elements({
    each: (each) => {
      input.each(each)
      other.each(each)
    }
  })
}

/** Writes `aggregate`, if all intermediate results are elements of the type of its input. */
export const aggregation = (
  writer: Writer,
  input: Source,
  step: SyntaxNode,
  start: SyntaxNode | undefined,
  scene: Scene
): ListCode => {
  const { code } = writer
  // An inner `aggregate` changes `$total` for what follows it.
  if (scene.total !== undefined) throw notGenerated
  const { sample, value: list } = writer.elements(input)
  const first = start === undefined ? undefined : writer.source(start, scene, scene.self)
  if (sample === undefined || (first !== undefined && first.constant?.length !== 0)) throw notGenerated
  const total = { value: code.set("none"), sample }
  code.loop(list, (one) => {
    const self = sourceOfItem(writer.elementItem(one, sample))
    const next = writer.elements(writer.source(step, { ...scene, self, total: writer.listed(total) }, self))
    if (next.sample?.path !== sample.path || next.sample.fhirNodeDataType !== sample.fhirNodeDataType) {
      throw notGenerated
    }
    code.line(`${total.value} = ${next.value}`)
  })
  return total
}

/** Writes whether a source finds an element. */
const exists = (writer: Writer, input: Source, out: (item: Item & { readonly value: string }) => void): void => {
  const code = writer.code
  if (input.list !== undefined) return out({ form: "truth", value: code.set(`${input.list().value}.length > 0`) })
  const start = code.hole()
  const { isCertain, isRisky, leave, most, sites } = code.find((each) => input.each(each))
  if (isCertain) return out({ form: "truth", value: "true" })
  const result = code.name()
  start.text = `${result} = false`
  for (const { hole, item } of sites) {
    // Whether a record has a choice is only known after it was looked for.
    if (item.form === "choice") item.test()
    hole.text = isRisky || most <= 1 ? `${result} = true` : `${result} = true\n${leave()}`
  }
  out({ form: "truth", value: result })
}

/** Writes `first()`. The variables of the element keep their values after the piece of code was left. */
const writeFirst = (writer: Writer, input: Source, out: Out): void => {
  const code = writer.code
  if (input.list !== undefined) return writer.single(input.list(), out)
  const found = code.find((each) => input.each(each))
  const [only, ...others] = found.sites
  if (only === undefined) return
  const value = code.name()
  if (others.length === 0 && (found.most <= 1 || !found.isRisky)) {
    const isThere = `${value}f`
    writer.guard(`let ${isThere} = false`)
    if (only.item.form === "choice") only.item.use()
    only.hole.text = found.most <= 1 ? `${isThere} = true` : `${isThere} = true\n${found.leave()}`
    code.block(`if (${isThere})`, () => {
      code.line(`${isThere} = false`)
      out(only.item)
    })
    return
  }
  writer.guard(`let ${value}e`)
  for (const { hole, item } of found.sites) {
    hole.text = `if (${value}e === undefined) ${value}e = ${codeOfElement(item)}`
  }
  code.block(`if (${value}e !== undefined)`, () => {
    code.line(`${value} = ${value}e`)
    code.line(`${value}e = undefined`)
    out({ form: "element", value })
  })
}

const iif = (
  writer: Writer,
  condition: SyntaxNode,
  then: SyntaxNode,
  otherwise: SyntaxNode | undefined,
  scene: Scene,
  input: Source,
  out: Out
): void => {
  let source = input
  if (input !== scene.self && input.item === undefined && input.isShort !== true) source = writer.gathered(input)
  const inner = { ...scene, self: source }
  const test = writeHolds(writer, condition, inner, source)
  if (test === "true") return writer.each(then, inner, source, out)
  writer.code.either(
    test,
    () => writer.each(then, inner, source, out),
    () => {
      if (otherwise !== undefined) writer.each(otherwise, inner, source, out)
    }
  )
}

/** Writes `is`, `as` or `ofType` for a type. */
export const writeType = (writer: Writer, operator: string, text: string, input: Source, out: Out): void => {
  const code = writer.code
  const names = text.split(".").map(unquoted)
  const fits = typeTest(operator === "ofType" ? "ofType" : "is", names)
  if (fits === undefined) throw notGenerated
  const test = code.constant(["type", operator === "ofType" ? "ofType" : "is", text])
  if (operator === "ofType") return input.each((item) => ofType(writer, item, fits, test, out))
  const isIs = operator === "is"
  const result = isIs ? code.set("undefined") : ""
  const { most, sites } = code.find((each) => input.each(each))
  if (most > 1 || (!isIs && sites.length > 1)) throw notGenerated
  for (const { hole, item } of sites) {
    if (isIs) hole.text = `${result} = ${fitCode(item, fits, test)}`
  }
  if (isIs) return writer.perhaps(result, out)
  const [only] = sites
  if (only === undefined) return
  const value = code.name()
  writer.guard(`let ${value}e`)
  only.hole.text = `${value}e = ${codeOfElement(only.item)}`
  code.block(`if (${value}e !== undefined)`, () => {
    code.line(`${value} = ${value}e`)
    code.line(`${value}e = undefined`)
    code.block(`if (${test}(${value}))`, () => out({ form: "element", value }))
  })
}

const ofType = (writer: Writer, item: Item, fits: TypeTest, test: string, out: Out): void => {
  const code = writer.code
  if (item.form === "choice") {
    const { name, of, types } = item
    for (const step of types) {
      if (!fits(sampleOfStep(step))) continue
      const value = code.set(`${of.value}.${step.key}`)
      // A regular choice has at most one type.
      code.block(`if (${value} !== undefined)`, () => out(childItem(of, step, name, value, "null")))
    }
    return
  }
  const is = fitCode(item, fits, test)
  if (is === "true") return out(item)
  if (is !== "false") code.block(`if (${is})`, () => out(item))
}

const fitCode = (item: Item, fits: TypeTest, test: string): string => {
  switch (item.form) {
    case "json":
      return String(fits(sampleOf(item)))
    case "text":
      return String(fits(""))
    case "truth":
      return String(fits(true))
    case "choice": {
      const { of, types } = item
      const fitting = types.filter((step) => fits(sampleOfStep(step)))
      item.test()
      return fitting.length === types.length
        ? "true"
        : fitting.length === 0
        ? "false"
        : fitting.map(({ key }) => `${of.value}.${key} !== undefined`).join(" || ")
    }
    default:
      return `${test}(${codeOfElement(item)})`
  }
}

const extensionStep = { companion: "_extension", path: "Extension", type: "Extension" }

const extension = (writer: Writer, url: string, input: Source, out: Out): void => {
  const code = writer.code
  input.each((item) => {
    if (item.form === "choice" || item.form === "element" || (item.form === "json" && item.json !== "object")) {
      const list = code.set(`extensionsWith(${codeOfElement(item)}, ${codeOfText(url)})`)
      code.isRisky = true
      // Those of an element of any record can be written in any way. Those of a primitive are in its companion.
      return code.loop(list, (value) => out({ form: "element", value }))
    }
    // A text has none.
    if (item.form !== "json") return
    writer.reads(`${item.path}.extension`)
    const list = code.set(`${item.value}.extension`)
    code.block(
      `if (${list} !== undefined)`,
      () =>
        code.loop(
          list,
          (one, index) =>
            code.block(`if (${one}.url === ${codeOfText(url)})`, () =>
              out(childItem(item, extensionStep, "extension", one, index)))
        )
    )
  })
}

/** Writes a standard function that reads only its input and the values of its arguments. It returns the list that the function returns. */
export const standardList = (
  writer: Writer,
  written: string,
  name: string,
  args: ReadonlyArray<SyntaxNode>,
  scene: Scene,
  input: Source
): ListCode => {
  const code = writer.code
  const form = standardFunctions.get(name)
  if (form === undefined || args.length < form.least || args.length > form.most) throw notGenerated
  const isOfTexts = ofTexts.has(name)
  const of = (item: Item): string => isOfTexts ? codeOfPlain(item) : codeOfElement(item)
  const list = input.list === undefined && isOfTexts ? { value: writer.list(input, of) } : writer.elements(input)
  const given = args.map((argument) => writer.list(writer.source(argument, scene, scene.self), of))
  code.isRisky = true
  const parts = `${list.value}, ${given.length === 0 ? "none" : `[${given.join(", ")}]`}`
  const result = code.set(`${code.constant(["standard", written, args.length, "plainly"])}(${parts}, s)`)
  code.block(`if (${result} === undefined)`, () => {
    // The library names the types of elements in its errors, so it gets no plain texts.
    if (isOfTexts) return code.line("fail()")
    code.line(`${result} = ${code.constant(["standard", written, args.length, "slowly"])}(${parts})`)
  })
  return { value: result, sample: listFunctions.has(name) ? list.sample : undefined }
}
