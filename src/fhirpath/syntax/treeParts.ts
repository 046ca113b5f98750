import type { SyntaxNode } from "./SyntaxTree.ts"

/** The variables that the library defines itself. */
export const ownVariables: ReadonlySet<string> = new Set([
  "context",
  "ucum",
  "factory"
])

/** Nodes around one part. */
export const wrappers: ReadonlySet<string> = new Set([
  "EntireExpression",
  "TermExpression",
  "InvocationTerm",
  "ParenthesizedTerm"
])

/** Returns the nodes of a call's arguments. */
export const argumentsOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
  node.children?.[0]?.children?.find((child) => child.type === "ParamList")?.children ?? []

/** Returns the expressions of `sort(birthDate desc, id)`, with their directions. */
export const sortKeysOf = (
  node: SyntaxNode
): ReadonlyArray<{ readonly expression: SyntaxNode; readonly direction: "asc" | "desc" }> =>
  (node.children?.[0]?.children ?? []).flatMap(({ children, direction = "asc" }) =>
    (children ?? []).map((expression) => ({ expression, direction }))
  )

/** Returns the two sides of alternatives: one path of plain names, and the texts it is compared with. */
export const alternativesOf = (
  node: SyntaxNode
): { readonly path: SyntaxNode; readonly key: string; readonly texts: ReadonlyArray<string> } | undefined => {
  const [first, second] = node.children ?? []
  if (first === undefined || second === undefined) return undefined
  if (node.type === "OrExpression" && node.text === "or") {
    const one = alternativesOf(first)
    const other = one === undefined ? undefined : alternativesOf(second)
    return one === undefined || other === undefined || one.key !== other.key
      ? undefined
      : { ...one, texts: [...one.texts, ...other.texts] }
  }
  if (node.type !== "EqualityExpression" || node.text !== "=") return undefined
  const key = plainPathOf(first)
  const text = literalTextOf(second)
  return key === undefined || text === undefined ? undefined : { path: first, key, texts: [text] }
}

/** Returns the text that an expression is; `undefined` for any other expression. */
export const literalTextOf = (node: SyntaxNode): string | undefined => {
  const literal = node.type === "TermExpression" ? node.children?.[0]?.children?.[0] : undefined
  return literal?.type === "StringLiteral" ? unquoted(literal.text ?? "") : undefined
}

/** Returns whether an expression is only a literal. */
export const isLiteral = (node: SyntaxNode): boolean => {
  const { children = [], type } = node
  return type.endsWith("Literal") || (children.length === 1 && children.every(isLiteral))
}

/** Returns the elements and calls of a path, in their order; `undefined` for any other expression. */
export const stepNodesOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> | undefined => {
  const { children = [], type } = node
  if (type === "MemberInvocation" || type === "FunctionInvocation") return [node]
  if (!pathTypes.has(type)) return undefined
  const steps = children.map(stepNodesOf)
  return steps.includes(undefined) ? undefined : steps.flatMap((some) => some ?? [])
}

const pathTypes: ReadonlySet<string> = new Set([
  "EntireExpression",
  "TermExpression",
  "InvocationTerm",
  "InvocationExpression"
])

/** Returns the elements of a path that consists only of names; `undefined` for any other expression. */
export const nameNodesOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> | undefined => {
  const steps = stepNodesOf(node)
  return steps?.every(({ type }) => type === "MemberInvocation") === true ? steps : undefined
}

/** Returns a path of plain names as one text; `undefined` for any other path. */
export const plainPathOf = (node: SyntaxNode): string | undefined =>
  nameNodesOf(node)?.map(({ text }) => text).join(".")

/** Returns a quoted text or name without quotes, with its escapes resolved. */
export const unquoted = (text: string): string => {
  const quote = text[0]
  if ((quote !== "'" && quote !== "`") || text.at(-1) !== quote) return text
  return text.slice(1, -1).replace(/\\(u[0-9a-fA-F]{4}|.)/gu, (_, escaped: string) => {
    const control = controls[escaped]
    if (control !== undefined) return control
    return escaped.length === 5 ? String.fromCharCode(Number.parseInt(escaped.slice(1), 16)) : escaped
  })
}

const controls: Readonly<Record<string, string>> = { r: "\r", n: "\n", t: "\t", f: "\f" }
