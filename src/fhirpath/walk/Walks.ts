import type { Node } from "../evaluate/Node.ts"
import { isNode } from "../evaluate/Node.ts"
import type { Elements, PathFunction, Variables } from "../FhirPath.ts"
import { syntaxTree } from "../syntax/SyntaxTree.ts"
import { compileWalk } from "./compileWalk.ts"
import type { Ground, WalkResult } from "./Walk.ts"

type WalkOfKind = (data: WalkResult, ground: Ground) => Elements

/** The walk for one kind of element, and its number of fallbacks. */
interface Way {
  readonly path: string
  readonly alone: boolean
  walk: WalkOfKind | undefined
  walked: number
  fallback: number
}

/**
 * The walks of one expression: one for each kind of element that it is evaluated on, compiled on first use. Single and several elements
 * have separate walks, because many functions need more than values for several elements.
 */
export class Walks {
  readonly #text: string
  readonly #functions: ReadonlyMap<string, PathFunction>
  readonly #ways: Array<Way> = []
  #last: Way | undefined

  constructor(text: string, functions: ReadonlyMap<string, PathFunction>) {
    this.#text = text
    this.#functions = functions
  }

  /** Returns the values of the expression's result; `undefined` if node evaluation must decide. */
  values(focus: Elements, variables: Variables): Elements | undefined {
    const [node] = focus
    if (!isNode(node) || typeof node.path !== "string" || node._data !== null) return undefined
    const alone = focus.length === 1
    const last = this.#last
    const way = last !== undefined && last.path === node.path && last.alone === alone
      ? last
      : this.#wayOf(node.path, alone, node)
    if (way.walk === undefined) return undefined
    const data = alone ? node.data : dataOfAll(focus, node.path)
    if (typeof data !== "object" || data === null) return undefined
    way.walked++
    try {
      return way.walk(data, { node, alone, variables, argument: undefined })
    } catch {
      // Fall back to node evaluation, which reports the error. Disable a walk that keeps failing.
      way.fallback++
      if (way.fallback > 10 && way.fallback * 4 > way.walked) way.walk = undefined
      return undefined
    }
  }

  #wayOf(path: string, alone: boolean, { fhirNodeDataType }: Node): Way {
    let way = this.#ways.find((one) => one.path === path && one.alone === alone)
    if (way === undefined) {
      const kind = { is: "model", path, type: fhirNodeDataType } as const
      const walk = compileWalk(syntaxTree(this.#text), kind, this.#functions)
      this.#ways.push(way = { path, alone, walk, walked: 0, fallback: 0 })
    }
    this.#last = way
    return way
  }
}

/** Returns the data of several elements of one kind. */
const dataOfAll = (focus: Elements, path: string): ReadonlyArray<unknown> | undefined => {
  const all: Array<unknown> = []
  for (const node of focus) {
    const isLike = isNode(node) && node.path === path && node._data === null
    if (!isLike || typeof node.data !== "object" || node.data === null) return undefined
    all.push(node.data)
  }
  return all
}
