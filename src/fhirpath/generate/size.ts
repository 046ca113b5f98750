import type { SyntaxNode } from "../syntax/SyntaxTree.ts"

/** The size of an expression up to which it is written where it is used. */
const maxSize = 6

const sizes: Readonly<Record<string, number>> = { MemberInvocation: 1, FunctionInvocation: 2 }

/** Whether an expression is so short that it is written where it is used. */
export const isSmall = (node: SyntaxNode): boolean => sizeOf(node) <= maxSize

/** Returns the number of names and calls in an expression. */
const sizeOf = ({ children, type }: SyntaxNode): number =>
  (children ?? []).reduce((size, child) => size + sizeOf(child), sizes[type] ?? 0)

/** Whether an expression only follows names, so that its code is short and has no effects. */
export const isShort = (node: SyntaxNode): boolean => {
  switch (node.type) {
    case "MemberInvocation":
    case "ThisInvocation":
      return true
    case "EntireExpression":
    case "TermExpression":
    case "InvocationTerm":
    case "ParenthesizedTerm":
    case "InvocationExpression":
      return (node.children ?? []).every(isShort)
    default:
      return false
  }
}
