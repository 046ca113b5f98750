import type { SyntaxNode } from "./SyntaxTree.ts"

/** Returns whether a date literal is valid: `@2026-02-30` is invalid, as is `@2026-13`. */
export const isMoment = (literal: string): boolean => {
  const [, year, month = "01", day = "01"] = /^@(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T|$)/u.exec(literal) ?? []
  if (year === undefined) return false
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`)
}

/** Returns the possible texts of an operand, with their nodes: `'final'`, `('final' | 'amended')`. */
export const literalsOf = (
  node: SyntaxNode,
  within: SyntaxNode = node
): ReadonlyArray<{ readonly text: string; readonly node: SyntaxNode }> => {
  const place = node.start === undefined ? within : node
  switch (node.type) {
    case "StringLiteral":
      return [{ text: node.text?.slice(1, -1) ?? "", node: place }]
    case "TermExpression":
    case "LiteralTerm":
    case "ParenthesizedTerm":
    case "UnionExpression":
      return (node.children ?? []).flatMap((child) => literalsOf(child, place))
    default:
      return []
  }
}
