import { getOrMake } from "../../maps.ts"
import { effectOf } from "../effectOf.ts"
import type { Element, Elements, PathFunction, ZoneScope } from "../FhirPath.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import { syntaxTree } from "../syntax/SyntaxTree.ts"
import { argumentsOf, stepNodesOf, unquoted } from "../syntax/treeParts.ts"
import { none, plainText } from "./values.ts"

/** A condition that compares the result of a function of the mapping with a variable: `nameAndTime() = %text`. */
export interface TextSearch {
  readonly name: string
  readonly of: PathFunction
  /** The variable in the tree of the condition. */
  readonly wanted: SyntaxNode
}

/**
 * Returns the search that a condition of `where` is; `undefined` for any other condition. A list is often searched for each of its own
 * elements. Then the function is evaluated once for each element, and not once for each pair of elements.
 */
export const textSearchOf = (
  condition: SyntaxNode,
  functions: ReadonlyMap<string, PathFunction>
): TextSearch | undefined => {
  if (condition.type !== "EqualityExpression" || condition.text !== "=") return undefined
  const [first, second] = condition.children ?? []
  const wanted = second === undefined ? undefined : constantIn(second)
  const [call, more] = (first === undefined ? undefined : stepNodesOf(first)) ?? []
  if (wanted === undefined || call?.type !== "FunctionInvocation" || more !== undefined) return undefined
  const name = unquoted(call.text ?? "")
  const of = functions.get(name)
  return of?.body !== undefined && argumentsOf(call).length === 0 && isOfInput(of, functions) &&
      effectOf(of.body.text, functions) === "none"
    ? { name, of, wanted }
    : undefined
}

const constantIn = (node: SyntaxNode): SyntaxNode | undefined => {
  const [only, more] = node.children ?? []
  if (node.type === "ExternalConstantTerm") return node
  return node.type === "TermExpression" && only !== undefined && more === undefined ? constantIn(only) : undefined
}

/** Whether a function reads only its input: no variables, and nothing of the visit. */
const isOfInput = (
  { body, parameters }: PathFunction,
  functions: ReadonlyMap<string, PathFunction>
): boolean => {
  if (body === undefined) return true
  if (parameters.length > 0 || body.over === "visit") return false
  const isPartOfInput = ({ children = [], text = "", type }: SyntaxNode): boolean => {
    if (type === "ExternalConstantTerm") return false
    const own = type === "FunctionInvocation" ? functions.get(unquoted(text)) : undefined
    return (own === undefined || isOfInput(own, functions)) && children.every(isPartOfInput)
  }
  return isPartOfInput(syntaxTree(body.text))
}

/** A shorter list has no index. */
const least = 16

type Index = ReadonlyMap<string, Elements>

/** The indexes of lists that were searched; `undefined` for a list in which the function finds something else than one text or nothing. */
const indexes = new WeakMap<PathFunction, WeakMap<Elements, { readonly index: Index | undefined }>>()

/** Returns the elements of a list for which a function returns a text, in their order; `undefined` if the two cannot be compared as texts. */
export const searchList = (
  list: Elements,
  of: PathFunction,
  wanted: Elements,
  scope: ZoneScope
): Elements | undefined => {
  if (list.length === 0 || wanted.length === 0) return none
  const text = wanted.length === 1 ? plainText(wanted[0]) : undefined
  if (text === undefined) return undefined
  const index = list.length < least ? indexOf(list, of, scope) : keptIndex(list, of, scope)
  return index === undefined ? undefined : index.get(text) ?? none
}

const keptIndex = (list: Elements, of: PathFunction, scope: ZoneScope): Index | undefined =>
  getOrMake(
    getOrMake(indexes, of, () => new WeakMap<Elements, { readonly index: Index | undefined }>()),
    list,
    () => ({ index: indexOf(list, of, scope) })
  ).index

const indexOf = (list: Elements, of: PathFunction, scope: ZoneScope): Index | undefined => {
  const found = new Map<string, Array<Element>>()
  for (const element of list) {
    const texts = of.call([element], [], scope)
    if (texts.length === 0) continue
    const text = texts.length === 1 ? plainText(texts[0]) : undefined
    if (text === undefined) return undefined
    getOrMake(found, text, () => []).push(element)
  }
  return found
}
