import { known } from "../evaluate/compile.ts"
import type { Elements } from "../FhirPath.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import { ownVariables } from "../syntax/treeParts.ts"
import type { Ground, Walk, WalkResult } from "./Walk.ts"
import { elements, fallback, foundIn, gather, keep, walkListOf } from "./Walk.ts"
import type { PathSegment } from "./walkOperators.ts"
import { isPrimitive } from "./walkOperators.ts"

/** Returns the walk of a constant result. */
export const constant = (found: Elements): PathSegment => {
  const one = foundIn(found)
  return { walk: () => one, kind: elements, steady: true, constant: found }
}

/** The walk to `$this`. */
export const here: Walk = (self) => self

/** Falls back to node evaluation: the expression is not supported by walks. */
export const lost: Walk = () => {
  throw fallback
}

/** A branch without a walk; the other branch can still be walked. */
export const nowhere: PathSegment = { walk: lost, kind: elements, constant: [] }

/** Returns the values of arguments, computed once if they are constant. */
export const valuesOf = (
  operands: ReadonlyArray<PathSegment>
): (self: WalkResult, ground: Ground) => ReadonlyArray<Elements> => {
  const constants = operands.flatMap(({ constant }) => (constant === undefined ? [] : [constant]))
  if (constants.length === operands.length) return () => constants
  return (self, ground) => operands.map(({ walk }) => walkListOf(walk(self, ground), elements))
}

/** `%name`: an argument of a function of the mapping, or a variable. */
export const walkVariable = (node: SyntaxNode): PathSegment | undefined => {
  const name = node.text
  if (name === undefined || ownVariables.has(name)) return undefined
  return {
    walk: (_, { argument, variables }) => {
      for (let one = argument; one !== undefined; one = one.next) {
        if (one.name === name) return foundIn(known(one.value))
      }
      const value = variables[name]
      if (value !== undefined && value !== null) return typeof value === "string" ? value : foundIn(known(value))
      if (name in variables) return undefined
      throw fallback
    },
    kind: elements,
    steady: true
  }
}

/** Returns the operands of `a | b | c`. */
export const unionOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const [first, second] = node.children ?? []
  if (node.type === "UnionExpression" && node.text === "|") return [...unionOf(first!), ...unionOf(second!)]
  const isWrapped = node.type === "TermExpression" || node.type === "ParenthesizedTerm"
  return isWrapped && first !== undefined && node.children?.length === 1 && unionOf(first).length > 1
    ? unionOf(first)
    : [node]
}

/** `extension('url')`: a fast path if the URL is a text of the expression. */
export const walkExtensions = (
  url: PathSegment | undefined,
  { choice, kind, walk }: PathSegment
): PathSegment | undefined => {
  const [expected] = url?.constant ?? []
  if (
    kind.is !== "model" || isPrimitive(kind) || choice !== undefined || typeof expected !== "string" || expected === ""
  ) {
    return undefined
  }
  const isWanted = (extension: unknown): boolean => {
    if (typeof extension !== "object" || extension === null) throw fallback
    return (extension as { readonly url?: unknown }).url === expected
  }
  return {
    walk: (self, ground) =>
      gather(walk(self, ground), (parent) => {
        if (typeof parent !== "object") throw fallback
        const { extension } = parent as { readonly extension?: unknown }
        if (extension === undefined || extension === null) return undefined
        if (!Array.isArray(extension)) throw fallback
        return keep(extension, isWanted)
      }),
    kind: { is: "model", path: "Extension", type: "Extension" }
  }
}
