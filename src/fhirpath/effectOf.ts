import { getOrMake } from "../maps.ts"
import type { PathFunction } from "./FhirPath.ts"
import { type SyntaxNode, syntaxTree } from "./syntax/SyntaxTree.ts"
import { unquoted } from "./syntax/treeParts.ts"

/** What evaluating an expression does besides returning a result: see `PathFunction.effect`. */
export type Effect = "none" | "reads" | "reports"

const rank: Readonly<Record<Effect, number>> = { none: 0, reads: 1, reports: 2 }

/** Returns the strongest effect of the functions that an expression calls. */
export const effectOf = (text: string, functions: ReadonlyMap<string, PathFunction>): Effect =>
  effectOfTree(syntaxTree(text), functions)

type Functions = ReadonlyMap<string, PathFunction>

const known = new WeakMap<Functions, Map<PathFunction, Effect>>()

/** Like {@link effectOf}, of a part of an expression. */
export const effectOfTree = (tree: SyntaxNode, functions: Functions): Effect => {
  const ofFunctions = getOrMake(known, functions, () => new Map())
  const ofFunction = (own: PathFunction): Effect =>
    own.body === undefined
      ? own.effect ?? "reports"
      : getOrMake(ofFunctions, own, ({ body }) => ofPart(syntaxTree(body?.text ?? "")))
  const ofPart = (part: SyntaxNode): Effect => {
    let effect: Effect = "none"
    const visit = ({ children, text: name, type }: SyntaxNode): void => {
      const own = type === "FunctionInvocation" ? functions.get(unquoted(name ?? "")) : undefined
      const one = own === undefined ? "none" : ofFunction(own)
      if (rank[one] > rank[effect]) effect = one
      children?.forEach(visit)
    }
    visit(part)
    return effect
  }
  return ofPart(tree)
}
