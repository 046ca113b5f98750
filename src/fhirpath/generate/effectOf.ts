import type { PathFunction } from "../FhirPath.ts"
import { type SyntaxNode, syntaxTree } from "../syntax/SyntaxTree.ts"
import { unquoted } from "../syntax/treeParts.ts"

/** What evaluating an expression does besides returning a result: see `PathFunction.effect`. */
export type Effect = "none" | "reads" | "reports"

const rank: Readonly<Record<Effect, number>> = { none: 0, reads: 1, reports: 2 }

/** Returns the strongest effect of the functions that an expression calls. */
export const effectOf = (text: string, functions: ReadonlyMap<string, PathFunction>): Effect =>
  effectOfTree(syntaxTree(text), functions)

/** Like {@link effectOf}, of a part of an expression. `open` holds the bodies that it is part of. */
export const effectOfTree = (
  tree: SyntaxNode,
  functions: ReadonlyMap<string, PathFunction>,
  open: ReadonlySet<string> = new Set()
): Effect => {
  let effect: Effect = "none"
  const add = (one: Effect): void => {
    if (rank[one] > rank[effect]) effect = one
  }
  const visit = ({ children, text: name, type }: SyntaxNode): void => {
    const own = type === "FunctionInvocation" ? functions.get(unquoted(name ?? "")) : undefined
    if (own?.body === undefined) add(own === undefined ? "none" : own.effect ?? "reports")
    else if (!open.has(own.body.text)) {
      add(effectOfTree(syntaxTree(own.body.text), functions, new Set([...open, own.body.text])))
    }
    children?.forEach(visit)
  }
  visit(tree)
  return effect
}
