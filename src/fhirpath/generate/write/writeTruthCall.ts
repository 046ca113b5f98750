import type { SyntaxNode } from "../../syntax/SyntaxTree.ts"
import { argumentsOf, wrappers } from "../../syntax/treeParts.ts"
import type { Scene, Source, TruthCode } from "./items.ts"
import { writeOperatorTruth } from "./writeOperator.ts"
import type { Writer } from "./Writer.ts"
import { negated, writeTruth } from "./writeTruth.ts"

/** Returns how to write a part as one boolean; `undefined` if the boolean has to be found among the elements that the part finds. */
export const writeTruthCall = (
  writer: Writer,
  node: SyntaxNode,
  scene: Scene,
  input: Source
): (() => TruthCode) | undefined => {
  const { children: [first, second] = [], type } = node
  if (type === "FunctionInvocation") {
    return node.text === "not" && !writer.units.functions.has("not") && argumentsOf(node).length === 0
      ? () => negated(writer, writeTruth(writer, input))
      : undefined
  }
  if (first === undefined) return undefined
  if (second === undefined) return wrappers.has(type) ? writeTruthCall(writer, first, scene, input) : undefined
  if (type === "InvocationExpression") {
    return second.type === "FunctionInvocation"
      ? writeTruthCall(writer, second, scene, writer.source(first, scene, input))
      : undefined
  }
  return writeOperatorTruth(writer, node, first, second, scene)
}
