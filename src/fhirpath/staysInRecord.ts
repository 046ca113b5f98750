import type { PathFunction } from "./FhirPath.ts"
import type { SyntaxNode } from "./syntax/SyntaxTree.ts"
import { syntaxTree } from "./syntax/SyntaxTree.ts"
import { argumentsOf, unquoted } from "./syntax/treeParts.ts"

/** Functions that give some of their input, or what stands in it; none for none. */
const choosing: ReadonlySet<string> = new Set(
  "where first last tail skip take single distinct ofType as extension".split(" ")
)

/** How deep functions of a mapping may call each other. */
const maxCalls = 12

/**
 * Whether each value of an expression is, or is made of, a value of the record that it is evaluated on: element paths, choices of their
 * elements, and functions of these. `false` where the text alone does not show it.
 */
export const staysInRecord = (
  node: SyntaxNode,
  functions: ReadonlyMap<string, PathFunction>,
  calls = 0
): boolean => {
  const stays = (one: SyntaxNode | undefined): boolean => one !== undefined && staysInRecord(one, functions, calls)
  const children = node.children ?? []
  switch (node.type) {
    case "EntireExpression":
    case "TermExpression":
    case "InvocationTerm":
    case "ParenthesizedTerm":
    case "IndexerExpression":
      return stays(children[0])
    case "ThisInvocation":
    case "MemberInvocation":
      return true
    case "TypeExpression":
      return node.text === "as" && stays(children[0])
    case "InvocationExpression":
    case "UnionExpression":
      return children.every(stays)
    case "FunctionInvocation":
      return callStays(node, functions, calls)
    default:
      return false
  }
}

const callStays = (
  node: SyntaxNode,
  functions: ReadonlyMap<string, PathFunction>,
  calls: number
): boolean => {
  const name = unquoted(node.text ?? "")
  const args = argumentsOf(node)
  const own = functions.get(name)
  if (own === undefined) {
    if (name === "select") return args.every((one) => staysInRecord(one, functions, calls))
    return name === "iif"
      ? args.slice(1).every((one) => staysInRecord(one, functions, calls))
      : choosing.has(name)
  }
  if (own.body !== undefined) {
    return calls < maxCalls && staysInRecord(syntaxTree(own.body.text), functions, calls + 1)
  }
  // A text of the mapping among the arguments is no value of another record.
  return (own.chooses === true || own.ofInput === true) && args.every(isLiteral)
}

const isLiteral = (node: SyntaxNode): boolean => {
  const { children, type } = node
  return type.endsWith("Literal") || (children?.length === 1 && isLiteral(children[0]!))
}
