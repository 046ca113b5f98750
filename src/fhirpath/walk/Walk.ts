import { stepsOf } from "../evaluate/children.ts"
import type { Argument } from "../evaluate/Frame.ts"
import type { Node, TypeInfo } from "../evaluate/Node.ts"
import { dataOf, isModelType } from "../evaluate/Node.ts"
import { truth } from "../evaluate/values.ts"
import type { Elements, Variables } from "../FhirPath.ts"

/**
 * The result of a walk: `undefined` for nothing, an array for one or several, any other value for itself. Arrays of the JSON are used
 * directly, so most steps allocate nothing. Results are never modified.
 */
export type WalkResult = unknown

/** The context of a walk: the first element of the focus, and the variables. */
export interface Ground {
  readonly node: Node
  /** True if `node` is the only element of the focus. */
  readonly alone: boolean
  readonly variables: Variables
  readonly argument: Argument | undefined
}

/** A walk from `$this` to its result. */
export type Walk = (self: WalkResult, ground: Ground) => WalkResult

/**
 * The static knowledge about a walk's result. `model`: JSON with this path and type in the model. `choice`: JSON of one of the types of
 * `value[x]`. `elements`: elements as closures return them. `loose`: JSON of which only the values can be used.
 */
export type NodeKind = ModelKind | { readonly is: "choice" | "elements" | "loose" }

export interface ModelKind {
  readonly is: "model"
  readonly path: string
  readonly type: string | null
}

export const elements: NodeKind = { is: "elements" }
export const loose: NodeKind = { is: "loose" }

/** Thrown if the JSON does not follow the model, or if an operator needs more than plain values: node evaluation then decides. */
export const fallback: unique symbol = Symbol("fallback")

export const nothing: Elements = []

/** Returns a result in the form that functions expect. Numbers of the JSON become exact decimals. */
export const walkListOf = (found: WalkResult, kind: NodeKind): Elements => {
  if (found === undefined) return nothing
  if (typeof found === "boolean") return truth(found)
  if (kind.is === "elements") return Array.isArray(found) ? found : [found]
  if (!Array.isArray(found)) return [dataOf(found)]
  for (const one of found) if (typeof one === "number") return found.map(dataOf)
  return found
}

/** Returns the result of a function in the form that a walk continues from. */
export const foundIn = (elements: Elements): WalkResult => (elements.length === 0 ? undefined : elements)

/** Returns the single result; `undefined` for nothing. */
export const oneOf = (found: WalkResult): unknown => {
  if (!Array.isArray(found)) return found
  if (found.length !== 1) throw fallback
  return found[0]
}

/** Returns the results for each of several values, in order. */
export const gather = (input: WalkResult, of: (one: unknown) => WalkResult): WalkResult => {
  if (!Array.isArray(input)) return input === undefined ? undefined : of(input)
  if (input.length === 1) return of(input[0])
  let all: Array<unknown> | undefined
  for (const one of input) {
    const found = of(one)
    if (found === undefined) continue
    if (Array.isArray(found)) {
      if (all === undefined) all = found.slice()
      else for (const each of found) all.push(each)
    } else if (all === undefined) all = [found]
    else all.push(found)
  }
  return all
}

/** Returns the values that match. */
export const keep = (input: WalkResult, expected: (one: unknown) => boolean): WalkResult => {
  if (!Array.isArray(input)) return input !== undefined && expected(input) ? input : undefined
  let kept: Array<unknown> | undefined
  for (const one of input) {
    if (!expected(one)) continue
    if (kept === undefined) kept = [one]
    else kept.push(one)
  }
  return kept
}

type Json = Readonly<Record<string, unknown>>

/** The JSON keys of a name: its own, and that of its companion. */
interface Keys {
  readonly key: string
  readonly companion: string
}

/** Returns the value under a key. Node evaluation decides if a primitive has a companion, or if `null` is among the values. */
const under = (parent: unknown, { companion, key }: Keys): WalkResult => {
  if (typeof parent !== "object") return underValue(parent, key)
  const found = (parent as Json)[key]
  if ((parent as Json)[companion] !== undefined) throw fallback
  if (found === undefined || found === null) return undefined
  if (!Array.isArray(found)) return found
  for (const one of found) if (one === null || Array.isArray(one)) throw fallback
  return found.length === 0 ? undefined : found
}

/** Returns nothing, because a text or boolean has no elements. Falls back to nodes for a key that JavaScript defines on it. */
const underValue = (parent: unknown, key: string): undefined => {
  if (typeof parent === "number" || key in Object(parent)) throw fallback
  return undefined
}

/** The access to a name from elements of one kind. */
export interface Step {
  readonly walk: (input: WalkResult) => WalkResult
  readonly kind: NodeKind
  /** For a choice: its possible types, in order of precedence; the first present one counts. */
  readonly choice?: ChoiceElement
}

/** The access to the elements of a choice in their parents. */
export interface ChoiceElement {
  readonly kinds: ReadonlyArray<ModelKind>
  /** Returns the rank of an element's kind; `undefined` if there is none. */
  readonly rankIn: (parent: unknown) => number | undefined
  readonly at: (parent: unknown, rank: number) => WalkResult
  /** Finds only the elements of some kinds. */
  readonly only: (ranks: ReadonlyArray<number>) => (parent: unknown) => WalkResult
}

/** Returns the access to a name by the model; `undefined` if the model does not define enough. */
export const stepFrom = (kind: ModelKind, name: string): Step | undefined => {
  const { choices, ranked, straight } = stepsOf(kind.path, name)
  if (straight.path === null || straight.type === "Resource" || straight.type === "integer64") return undefined
  if (choices === undefined) {
    const one = (parent: unknown): WalkResult => under(parent, straight)
    return { walk: (input) => gather(input, one), kind: { is: "model", path: straight.path, type: straight.type } }
  }
  const isThere = (parent: unknown, { companion, key }: Keys): boolean =>
    (parent as Json)[key] !== undefined || (parent as Json)[companion] !== undefined
  const rankIn = (parent: unknown): number | undefined => {
    if (typeof parent !== "object") throw fallback
    if (ranked.length > 12) {
      let best = ranked.length
      for (const key in parent) best = Math.min(best, choices.get(key) ?? best)
      return best === ranked.length ? undefined : best
    }
    for (let rank = 0; rank < ranked.length; rank++) if (isThere(parent, ranked[rank]!)) return rank
    return undefined
  }
  const at = (parent: unknown, rank: number): WalkResult => under(parent, ranked[rank]!)
  const one = (parent: unknown): WalkResult => {
    const rank = rankIn(parent)
    return rank === undefined ? undefined : at(parent, rank)
  }
  return {
    walk: (input) => gather(input, one),
    kind: { is: "choice" },
    choice: {
      kinds: ranked.map(({ path, type }) => ({ is: "model", path: path!, type })),
      rankIn,
      at,
      only: (ranks) => (parent) => {
        if (typeof parent !== "object") throw fallback
        const rank = ranks.find((one) => isThere(parent, ranked[one]!))
        if (rank === undefined) return undefined
        for (let other = 0; other < rank; other++) if (isThere(parent, ranked[other]!)) return undefined
        return at(parent, rank)
      }
    }
  }
}

/** Returns whether values of a kind are of a type; `undefined` if unknown. */
export const isOfType = (
  kind: NodeKind,
  type: TypeInfo,
  fits: "is" | "isConvertibleTo"
): boolean | undefined => (kind.is !== "model" || kind.type === null ? undefined : isModelType(kind.type, type, fits))
