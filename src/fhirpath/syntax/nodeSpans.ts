import type { SyntaxNode } from "./SyntaxTree.ts"
import { offsetIn } from "./SyntaxTree.ts"

/** A range in an expression's text, in characters. */
export interface TextSpan {
  readonly offset: number
  readonly length: number
}

/** Returns the offset at which a node begins in its expression. */
export const offsetOf = (text: string, { start }: SyntaxNode): number =>
  start === undefined ? 0 : offsetIn(text, start.line, start.column)

/** Returns the whole text range of a node. */
export const spanOf = (text: string, node: SyntaxNode): TextSpan => {
  const spans = leavesOf(node).map((leaf) => [offsetOf(text, leaf), offsetOf(text, leaf) + (leaf.length ?? 1)] as const)
  const offset = Math.min(...spans.map(([from]) => from))
  let end = Math.max(...spans.map(([, to]) => to))
  // Brackets have no positions of their own: neither those of a call without arguments, nor the closing bracket of a call.
  end += /^\(\s*\)/u.exec(text.slice(end))?.[0].length ?? 0
  const count = (bracket: string): number => text.slice(offset, end).split(bracket).length
  while (text[end] === ")" && count("(") > count(")")) end++
  return { offset, length: end - offset }
}

/** Returns the first node within a node that has a position in the text. */
export const deepest = (
  node: SyntaxNode
): SyntaxNode => (node.start !== undefined || node.children?.[0] === undefined ? node : deepest(node.children[0]))

/** Returns the nodes of a tree that have a position in the text. */
const leavesOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => [
  ...(node.start === undefined ? [] : [node]),
  ...(node.children ?? []).flatMap(leavesOf)
]
