import { compileWalk } from "./compileWalk.ts"
import type { Elements, PathFunction, Variables } from "./FhirPath.ts"
import type { Node } from "./Node.ts"
import { isNode } from "./Node.ts"
import { syntaxTree } from "./SyntaxTree.ts"
import type { Found, Ground } from "./Walk.ts"

type WalkOfKind = (data: Found, ground: Ground) => Elements

/** The walk for one kind of element, and how often it leads astray. */
interface Way {
  readonly walk: WalkOfKind | undefined
  walked: number
  astray: number
}

/** The walks of one expression: one for each kind of element that it is evaluated on, compiled when the first is met. */
export class Walks {
  readonly #text: string
  readonly #functions: ReadonlyMap<string, PathFunction>
  readonly #ways = new Map<string, Way>()
  #lastPath: string | undefined
  #last: Way | undefined

  constructor(text: string, functions: ReadonlyMap<string, PathFunction>) {
    this.#text = text
    this.#functions = functions
  }

  /** The values of what the expression finds; `undefined` where nodes must decide. */
  values(focus: Elements, variables: Variables): Elements | undefined {
    const [node] = focus
    if (!isNode(node) || typeof node.path !== "string" || node._data !== null) return undefined
    const way = node.path === this.#lastPath ? this.#last! : this.#wayOf(node.path, node)
    if (way.walk === undefined) return undefined
    const alone = focus.length === 1
    const data = alone ? node.data : dataOfAll(focus, node.path)
    if (typeof data !== "object" || data === null) return undefined
    way.walked++
    try {
      return way.walk(data, { node, alone, variables, argument: undefined })
    } catch {
      // Whatever it was, nodes tell it as it is to be told.
      if (alone && ++way.astray > 10 && way.astray * 4 > way.walked) this.#close(node.path)
      return undefined
    }
  }

  #wayOf(path: string, { fhirNodeDataType }: Node): Way {
    let way = this.#ways.get(path)
    if (way === undefined) {
      const kind = { is: "model", path, type: fhirNodeDataType } as const
      way = { walk: compileWalk(syntaxTree(this.#text), kind, this.#functions), walked: 0, astray: 0 }
      this.#ways.set(path, way)
    }
    this.#lastPath = path
    this.#last = way
    return way
  }

  /** A walk that leads astray more often than not is walked no more. */
  #close(path: string): void {
    this.#ways.set(path, { walk: undefined, walked: 0, astray: 0 })
    this.#lastPath = undefined
  }
}

/** The data of several elements of one kind. */
const dataOfAll = (focus: Elements, path: string): ReadonlyArray<unknown> | undefined => {
  const all: Array<unknown> = []
  for (const node of focus) {
    if (
      !isNode(node) || node.path !== path || node._data !== null || typeof node.data !== "object" || node.data === null
    ) return undefined
    all.push(node.data)
  }
  return all
}
