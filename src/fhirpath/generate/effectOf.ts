import { getOrMake } from "../../maps.ts"
import type { PathFunction } from "../FhirPath.ts"
import { type SyntaxNode, syntaxTree } from "../syntax/SyntaxTree.ts"
import { unquoted } from "../syntax/treeParts.ts"

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
  /** The functions that are being looked at. */
  const open = new Set<PathFunction>()
  /** Whether a function calls itself, directly or not. Then what is found about the functions between is incomplete. */
  let isCircle = false
  const ofFunction = (own: PathFunction): Effect => {
    if (own.body === undefined) return own.effect ?? "reports"
    if (open.has(own)) {
      isCircle = true
      return "none"
    }
    const before = ofFunctions.get(own)
    if (before !== undefined) return before
    open.add(own)
    const effect = ofPart(syntaxTree(own.body.text))
    open.delete(own)
    if (!isCircle || open.size === 0) ofFunctions.set(own, effect)
    return effect
  }
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
