import type { PathFunction } from "./FhirPath.ts"
import type { SyntaxNode } from "./syntax/SyntaxTree.ts"
import { syntaxTree, variableName } from "./syntax/SyntaxTree.ts"
import { argumentsOf, isLiteral, ownVariables, unquoted } from "./syntax/treeParts.ts"

/** Functions that return part of their input or of its content; empty for empty input. */
const choosing: ReadonlySet<string> = new Set(
  "where first last tail skip take single distinct ofType as extension".split(" ")
)

/** Maximum depth of nested calls of the mapping's functions. */
const maxCalls = 12

/**
 * Returns whether each value of an expression is, or is made of, a value of the record that it is evaluated on. These are element paths,
 * selections of their elements, and functions of both. `false` if the text of the expression does not prove it.
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
    return calls < maxCalls && own.body.over !== "visit" &&
      staysInRecord(syntaxTree(own.body.text), functions, calls + 1)
  }
  // A text of the mapping among the arguments is not a value of another record.
  return (own.chooses === true || own.ofInput === true) && args.every(isLiteral)
}

/** Returns whether the result on several elements is the list of the results on each. `false` if the text does not prove it. */
export const isOfEach = (node: SyntaxNode): boolean => {
  const [first] = node.children ?? []
  switch (node.type) {
    case "EntireExpression":
    case "TermExpression":
    case "InvocationTerm":
      return first !== undefined && isOfEach(first)
    case "FunctionInvocation":
      return node.text === "select" && !readsFocus(node)
    default:
      return false
  }
}

const readsFocus = (node: SyntaxNode): boolean =>
  node.type === "IndexInvocation" || node.type === "TotalInvocation" ||
  (node.type === "ExternalConstantTerm" && ownVariables.has(variableName(node))) ||
  (node.children ?? []).some(readsFocus)
