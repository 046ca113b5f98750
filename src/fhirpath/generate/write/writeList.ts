import type { SyntaxNode } from "../../syntax/SyntaxTree.ts"
import { argumentsOf, unquoted, wrappers } from "../../syntax/treeParts.ts"
import { commonSample, type ListCode, type Scene, type Source } from "./items.ts"
import { aggregation, combination, listFunctions, standardList } from "./writeCall.ts"
import { union } from "./writeOperator.ts"
import { argumentSources, writeListCall, writeVisitList } from "./writeOwnCall.ts"
import type { Writer } from "./Writer.ts"
import { writeHolds } from "./writeTruth.ts"

/** Returns how to write a part as a list at once; `undefined` if its elements are found one by one. */
export const writeList = (
  writer: Writer,
  node: SyntaxNode,
  scene: Scene,
  input: Source
): (() => ListCode) | undefined => {
  const { children: [first, second] = [], text, type } = node
  if (type === "FunctionInvocation") return listOfCall(writer, node, scene, input)
  if (first === undefined) return undefined
  if (second === undefined) return wrappers.has(type) ? writeList(writer, first, scene, input) : undefined
  if (type === "InvocationExpression") {
    return second.type === "FunctionInvocation"
      ? listOfCall(writer, second, scene, writer.source(first, scene, input))
      : undefined
  }
  return type === "UnionExpression" && text === "|"
    ? () => union(writer, writer.source(first, scene, scene.self), writer.source(second, scene, scene.self))
    : undefined
}

const listOfCall = (
  writer: Writer,
  node: SyntaxNode,
  scene: Scene,
  input: Source
): (() => ListCode) | undefined => {
  const name = unquoted(node.text ?? "")
  const args = argumentsOf(node)
  const [first, second, third] = args
  const own = writer.units.functions.get(name)
  if (own !== undefined) {
    const { body } = own
    if (body?.over === "visit") return () => writeVisitList(writer, body.text)
    return body === undefined && own.forEach === undefined && own.isTest !== true
      ? () => writeListCall(writer, name, own, argumentSources(writer, own, args, scene), writer.before(input, node))
      : undefined
  }
  if (name === "iif") return choice(writer, args, scene, input)
  if (name === "combine" && first !== undefined && second === undefined) {
    return () => combination(writer, writer.before(input, node), first, scene)
  }
  if (name === "aggregate" && first !== undefined && third === undefined) {
    return () => aggregation(writer, writer.before(input, node), first, second, scene)
  }
  return listFunctions.has(name)
    ? () => standardList(writer, node.text ?? "", name, args, scene, writer.before(input, node))
    : undefined
}

/** Returns how to write `iif` as a list at once, if one of its results is. */
const choice = (
  writer: Writer,
  [condition, then, otherwise, ...others]: ReadonlyArray<SyntaxNode>,
  scene: Scene,
  input: Source
): (() => ListCode) | undefined => {
  if (condition === undefined || then === undefined || others.length > 0) return undefined
  if (input !== scene.self && input.item === undefined && input.isShort !== true) return undefined
  const inner = { ...scene, self: input }
  const sources = [then, ...(otherwise === undefined ? [] : [otherwise])].map((one) => writer.source(one, inner, input))
  if (sources.every(({ list }) => list === undefined)) return undefined
  return () => {
    const { code } = writer
    const test = writeHolds(writer, condition, inner, input)
    if (test === "true") return writer.elements(sources[0] ?? input)
    const value = code.set("none")
    const results: Array<ListCode> = []
    const set = (source: Source | undefined): void => {
      if (source === undefined || source.constant?.length === 0) return
      const result = writer.elements(source)
      results.push(result)
      code.line(`${value} = ${result.value}`)
    }
    code.either(test, () => set(sources[0]), () => set(sources[1]))
    return { value, sample: commonSample(results.map((one) => writer.elementItem("", one.sample))) }
  }
}
