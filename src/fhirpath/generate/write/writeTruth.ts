import type { SyntaxNode } from "../../syntax/SyntaxTree.ts"
import type { Found } from "./Code.ts"
import { codeOfElement, type Item, type Scene, type Source, type TruthCode } from "./items.ts"
import type { Writer } from "./Writer.ts"

/** Returns code for the boolean that a source finds. */
export const writeTruth = (writer: Writer, source: Source): TruthCode => {
  if (source.truth !== undefined) return source.truth()
  const { code } = writer
  const start = code.hole()
  const found = code.find((out) => source.each(out))
  const certain = certainTruth(writer, found)
  if (certain !== undefined) return { value: certain, isSure: true }
  const { most, sites } = found
  const result = code.name()
  start.text = `${result} = undefined`
  if (most <= 1) {
    for (const { hole, item } of sites) hole.text = `${result} = ${truthOf(item)}`
    return { value: result, isSure: false }
  }
  const list = `${result}s`
  writer.guard(`let ${list}`)
  code.isRisky = true
  for (const { hole, item } of sites) hole.text = `;(${list} ??= []).push(${codeOfElement(item)})`
  code.line(`if (${list} !== undefined) { ${result} = truthOfAll(${list}); ${list} = undefined }`)
  return { value: result, isSure: false }
}

/** Returns code for the opposite of a boolean. */
export const negated = ({ code }: Writer, { isSure, value }: TruthCode): TruthCode => ({
  value: code.set(isSure ? `!${value}` : `${value} === undefined ? undefined : !${value}`),
  isSure
})

/** Returns code for the boolean that a piece of code always finds; `undefined` if it finds another element, or none. */
const certainTruth = (writer: Writer, { isCertain, sites: [only] }: Found<Item>): string | undefined => {
  if (!isCertain || only === undefined) return undefined
  const { item } = only
  if (item.form !== "truth" && (item.form !== "json" || item.json !== "truth")) return undefined
  return /^!?\w+$/u.test(item.value) ? item.value : writer.code.set(item.value)
}

const truthOf = (item: Item): string => {
  switch (item.form) {
    case "truth":
      return item.value
    case "json":
      return item.json === "truth" ? item.value : "true"
    case "text":
    case "number":
      return "true"
    default:
      return `truthOf(${codeOfElement(item)})`
  }
}

/** Returns code for whether a boolean is true. */
const holding = ({ isSure, value }: TruthCode): string => isSure ? value : `${value} === true`

/** Returns code for whether the first element that a condition finds is kept by `where`. */
export const writeCondition = (writer: Writer, node: SyntaxNode, scene: Scene): string => {
  const { code } = writer
  const truth = writer.source(node, scene, scene.self).truth
  if (truth !== undefined) return holding(truth())
  const start = code.hole()
  const found = code.find((out) => writer.each(node, scene, scene.self, out))
  const [only] = found.sites
  const certain = only?.item.form === "truth" ? certainTruth(writer, found) : undefined
  if (certain !== undefined) return certain
  const result = code.name()
  start.text = `${result} = false`
  for (const { hole, item } of found.sites) {
    const value = isKept(item)
    hole.text = found.most <= 1
      ? `${result} = ${value}`
      : found.isRisky
      ? `if (${result} === false) ${result} = ${value} || undefined`
      : `${result} = ${value}\n${found.leave()}`
  }
  return result
}

const isKept = (item: Item): string => {
  switch (item.form) {
    case "truth":
      return item.value
    case "json":
      return "true"
    case "text":
    case "number":
      return `Boolean(${item.value})`
    default:
      return `Boolean(${codeOfElement(item)})`
  }
}

/** Returns code for whether a condition of `iif` or `all` holds: what it finds is exactly one `true`. */
export const writeHolds = (writer: Writer, node: SyntaxNode, scene: Scene, input: Source): string => {
  const { code } = writer
  const truth = writer.source(node, scene, input).truth
  if (truth !== undefined) return holding(truth())
  const start = code.hole()
  const found = code.find((out) => writer.each(node, scene, input, out))
  const certain = certainTruth(writer, found)
  if (certain !== undefined) return certain
  const result = code.name()
  start.text = `${result} = false`
  for (const { hole, item } of found.sites) hole.text = `${result} = ${isTrue(item)}`
  if (found.most > 1) {
    const count = code.name()
    start.text += `\n${count} = 0`
    for (const { hole } of found.sites) hole.text += `\n${count}++`
    code.line(`if (${count} !== 1) ${result} = false`)
  }
  return result
}

const isTrue = (item: Item): string =>
  item.form === "truth" || (item.form === "json" && item.json === "truth")
    ? item.value
    : item.form === "json" || item.form === "text" || item.form === "number"
    ? "false"
    : `valueOf(${codeOfElement(item)}) === true`
