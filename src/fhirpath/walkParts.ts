import { known } from "./compile.ts"
import type { Elements } from "./FhirPath.ts"
import type { SyntaxNode } from "./SyntaxTree.ts"
import { ownVariables } from "./treeParts.ts"
import type { Found, Ground, Walk } from "./Walk.ts"
import { astray, elements, foundIn, gather, keep, listOf } from "./Walk.ts"
import type { Piece } from "./walkOperators.ts"
import { isPrimitive } from "./walkOperators.ts"

/** What is always the same. */
export const constant = (found: Elements): Piece => {
  const one = foundIn(found)
  return { walk: () => one, kind: elements, steady: true, constant: found }
}

/** What `$this` is. */
export const here: Walk = (self) => self

/** An expression leads where no walk does. */
export const lost: Walk = () => {
  throw astray
}

/** A branch that no walk takes; the other one may be walked. */
export const nowhere: Piece = { walk: lost, kind: elements, constant: [] }

/** The values of arguments; made once where they are always the same. */
export const valuesOf = (operands: ReadonlyArray<Piece>): (self: Found, ground: Ground) => ReadonlyArray<Elements> => {
  const constants = operands.flatMap(({ constant }) => (constant === undefined ? [] : [constant]))
  if (constants.length === operands.length) return () => constants
  return (self, ground) => operands.map(({ walk }) => listOf(walk(self, ground), elements))
}

/** `%name`: an argument of a function of the mapping, or a variable. */
export const variable = (node: SyntaxNode): Piece | undefined => {
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
      throw astray
    },
    kind: elements,
    steady: true
  }
}

/** The operands of `a | b | c`. */
export const unionOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const [first, second] = node.children ?? []
  if (node.type === "UnionExpression" && node.text === "|") return [...unionOf(first!), ...unionOf(second!)]
  const isWrapped = node.type === "TermExpression" || node.type === "ParenthesizedTerm"
  return isWrapped && first !== undefined && node.children?.length === 1 && unionOf(first).length > 1
    ? unionOf(first)
    : [node]
}

/** `extension('url')`: a short way, where the url is a text of the expression. */
export const extensions = (url: Piece | undefined, { choice, kind, walk }: Piece): Piece | undefined => {
  const [wanted] = url?.constant ?? []
  if (kind.is !== "model" || isPrimitive(kind) || choice !== undefined || typeof wanted !== "string" || wanted === "") {
    return undefined
  }
  const isWanted = (extension: unknown): boolean => {
    if (typeof extension !== "object" || extension === null) throw astray
    return (extension as { readonly url?: unknown }).url === wanted
  }
  return {
    walk: (self, ground) =>
      gather(walk(self, ground), (parent) => {
        if (typeof parent !== "object") throw astray
        const { extension } = parent as { readonly extension?: unknown }
        if (extension === undefined || extension === null) return undefined
        if (!Array.isArray(extension)) throw astray
        return keep(extension, isWanted)
      }),
    kind: { is: "model", path: "Extension", type: "Extension" }
  }
}
