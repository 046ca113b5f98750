import { none } from "../../evaluate/values.ts"
import type { Elements, PathFunction } from "../../FhirPath.ts"
import { isDerivedFrom } from "../../model/typeElements.ts"
import { type SyntaxNode, syntaxTree } from "../../syntax/SyntaxTree.ts"
import { isSmall } from "../size.ts"
import { notGenerated } from "./Code.ts"
import {
  type BodyShape,
  codeOfElement,
  codeOfValue,
  type Item,
  type ListCode,
  type Out,
  type Root,
  sampleOf,
  type Scene,
  type Source,
  sourceOfItem
} from "./items.ts"
import type { Writer } from "./Writer.ts"

/** Maximum depth of functions that are written into their callers. */
const maxDepth = 12

/** Writes a call of a function of the mapping language. */
export const writeOwnCall = (
  writer: Writer,
  name: string,
  own: PathFunction,
  args: ReadonlyArray<SyntaxNode>,
  scene: Scene,
  input: Source,
  out: Out
): void => {
  const code = writer.code
  const sources = argumentSources(writer, own, args, scene)
  if (own.body !== undefined) return body(writer, own, own.body, sources, scene, input, out)
  const of = (item: Item): string => own.readsValues === true ? codeOfValue(item) : codeOfElement(item)
  const { forEach, forSome } = own
  if (forSome !== undefined) {
    const given = writeArguments(writer, sources)
    const result = code.set("false")
    input.each((item) =>
      code.line(`if (!${result}) ${result} = ${code.constant(["function", name, "forSome"])}(${of(item)}, ${given}, s)`)
    )
    if (own.effect !== "none") code.isRisky = true
    return out({ form: "truth", value: result })
  }
  if (forEach !== undefined) {
    const given = writeArguments(writer, sources)
    return input.each((item) => {
      const value = code.set(`${code.constant(["function", name, "forEach"])}(${of(item)}, ${given}, s)`)
      if (own.effect !== "none") code.isRisky = true
      const type = recordTypeOf(own, sources, item)
      code.block(
        `if (${value} !== undefined)`,
        () => out(type === undefined ? { form: "element", value } : writer.record(value, type))
      )
    })
  }
  const result = writeListCall(writer, name, own, sources, input)
  if (own.isTest === true) return out({ form: "truth", value: `${result.value}[0]` })
  writer.listed(result).each(out)
}

/** Returns the type of the records that a function returns, if it can only be this one. */
const recordTypeOf = ({ returns }: PathFunction, [first]: ReadonlyArray<Source>, item?: Item): string | undefined => {
  const name = first?.constant?.length === 1 ? first.constant[0] : undefined
  const types = returns === "named" && typeof name === "string"
    ? [name.replace(/\..*$/u, "")]
    : returns === "targets" && item?.form === "json"
    ? item.targets ?? []
    : []
  const [type = ""] = types
  return types.length === 1 && isDerivedFrom(type, "DomainResource") && type !== "DomainResource" ? type : undefined
}

/** Returns the sources of the arguments of a call. */
export const argumentSources = (
  writer: Writer,
  own: PathFunction,
  args: ReadonlyArray<SyntaxNode>,
  scene: Scene
): ReadonlyArray<Source> => {
  const max = own.parameters.length
  if (args.length > max || args.length < (own.least ?? max)) throw notGenerated
  return args.map((argument) => evaluatedOnce(writer, writer.source(argument, scene, scene.self)))
}

/** Returns code for the arguments of a function. */
const writeArguments = (writer: Writer, sources: ReadonlyArray<Source>): string =>
  sources.every(({ constant }) => constant !== undefined)
    ? writer.constant(["arguments", sources.map(({ constant }) => constant ?? none)])
    : `[${sources.map((source) => writer.elements(source).value).join(", ")}]`

/** Writes a call of a function on all elements of its input, and returns its result. */
export const writeListCall = (
  writer: Writer,
  name: string,
  own: PathFunction,
  sources: ReadonlyArray<Source>,
  input: Source
): ListCode => {
  const code = writer.code
  const list = own.readsValues === true
    ? { value: writer.list(input, (item) => codeOfValue(item)) }
    : writer.elements(input)
  const given = writeArguments(writer, sources)
  if (own.effect !== "none") code.isRisky = true
  const value = code.set(`${code.constant(["function", name, "whole"])}.call(${list.value}, ${given}, s)`)
  const type = recordTypeOf(own, sources)
  return type === undefined
    ? { value, sample: own.chooses === true ? list.sample : undefined }
    : writer.records(value, type)
}

/** Writes an argument, so that it is evaluated once. */
const evaluatedOnce = (writer: Writer, source: Source): Source =>
  source.constant !== undefined || source.isShort === true ? source : writer.gathered(source)

/** Writes a function of the mapping whose body is an expression. */
const body = (
  writer: Writer,
  { parameters }: PathFunction,
  { over, text }: NonNullable<PathFunction["body"]>,
  sources: ReadonlyArray<Source>,
  scene: Scene,
  input: Source,
  out: Out
): void => {
  const depth = scene.depth + 1
  if (depth > maxDepth) throw notGenerated
  if (over === "visit") return bodyCall(writer, text, "visit", new Map(), out)
  const args = new Map(scene.args)
  for (const [at, name] of parameters.entries()) {
    args.set(
      name,
      sources[at] ?? { each: () => undefined, constant: none }
    )
  }
  const tree = syntaxTree(text)
  const constants = new Map<string, Elements>()
  for (const [name, { constant }] of args) if (constant !== undefined) constants.set(name, constant)
  const isInline = constants.size < args.size || isSmall(tree)
  const on = (source: Source): void =>
    isInline
      ? writer.each(tree, { self: source, root: source, args, depth }, source, out)
      : bodyCall(writer, text, source, constants, out)
  if (over === "item") return input.each((item) => on(sourceOfItem(item)))
  on(input.item !== undefined || (isInline && input.isShort === true) ? input : writer.gathered(input))
}

/** Writes a call of a body that is a function of its own. */
const bodyCall = (
  writer: Writer,
  text: string,
  source: Source | "visit",
  args: ReadonlyMap<string, Elements>,
  out: Out
): void => {
  const { form, sample, value } = bodyResult(writer, text, source, args)
  switch (form) {
    case "truth":
      return writer.perhaps(value, out)
    case "one":
      return writer.code.block(`if (${value} !== undefined)`, () => out(writer.elementItem(value, sample)))
    case "list":
      return writer.listed({ value, sample }).each(out)
  }
}

/** Writes a call of a body that is evaluated once for a visit. Returns the same list in each call. */
export const writeVisitList = (writer: Writer, text: string): ListCode => {
  const { form, sample, value } = bodyResult(writer, text, "visit", new Map())
  return { value: form === "list" ? value : writer.code.set(`${value} === undefined ? none : [${value}]`), sample }
}

const bodyResult = (
  writer: Writer,
  text: string,
  source: Source | "visit",
  args: ReadonlyMap<string, Elements>
): BodyShape & { readonly value: string } => {
  const [root, given] = source === "visit" ? ofNothing : rootOf(writer, source)
  const unit = writer.units.make(`body ${text}`, root, writer.variables, args, (writer) => writer.bodyUnit(text))
  if (unit === undefined) throw notGenerated
  const value = writer.called(unit, given)
  const { reachesOthers, shape } = unit
  const { form, sample } = shape
  if (sample !== undefined && reachesOthers) {
    if (form === "list") writer.checkEach(value, sample)
    if (form === "one") {
      writer.code.block(`if (${value} !== undefined)`, () => writer.checkEach(`[${value}]`, sample))
    }
  }
  return { ...shape, value }
}

/** What a body is called with that reads only the visit. */
const ofNothing: readonly [Root, null] = [{ form: "nothing" }, null]

/** Returns what a body is called with, and code for it. */
const rootOf = (writer: Writer, source: Source): readonly [Root, string] => {
  const { item } = source
  if (item === undefined) {
    const { sample, value } = writer.elements(source)
    return [sample === undefined ? { form: "elements" } : { form: "nodes", sample }, value]
  }
  return item.form === "json"
    ? [{ form: "node", sample: sampleOf(item) }, item.node]
    : [{ form: "element" }, codeOfElement(item)]
}
