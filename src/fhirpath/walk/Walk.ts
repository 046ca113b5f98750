import { stepsOf } from "../evaluate/children.ts"
import type { Argument } from "../evaluate/Frame.ts"
import type { Node, TypeInfo } from "../evaluate/Node.ts"
import { dataOf, isModelType } from "../evaluate/Node.ts"
import { truth } from "../evaluate/values.ts"
import type { Elements, Variables } from "../FhirPath.ts"

/**
 * What a walk has found: `undefined` for nothing, an array for one or several, anything else for itself. Arrays of the JSON stand
 * for themselves, so most steps make nothing new. What is found is never written to.
 */
export type WalkResult = unknown

/** What an expression is walked on: the first of the elements it stands on, and its variables. */
export interface Ground {
  readonly node: Node
  /** Whether it stands on `node` alone. */
  readonly alone: boolean
  readonly variables: Variables
  readonly argument: Argument | undefined
}

/** From `$this` to what is found. */
export type Walk = (self: WalkResult, ground: Ground) => WalkResult

/**
 * What is known of what a walk finds before it is walked. `model`: JSON of this path and type in the model; `choice`: JSON of one
 * of the types that `value[x]` may have; `elements`: elements as closures find them; `loose`: JSON of which only the values may be
 * asked.
 */
export type NodeKind = ModelKind | { readonly is: "choice" | "elements" | "loose" }

export interface ModelKind {
  readonly is: "model"
  readonly path: string
  readonly type: string | null
}

export const elements: NodeKind = { is: "elements" }
export const loose: NodeKind = { is: "loose" }

/** Thrown where the JSON is not as the model has it, or where an operator needs more than plain values: then nodes decide. */
export const fallback: unique symbol = Symbol("fallback")

export const nothing: Elements = []

/** What was found as functions take it. Numbers of the JSON are exact decimals. */
export const walkListOf = (found: WalkResult, kind: NodeKind): Elements => {
  if (found === undefined) return nothing
  if (typeof found === "boolean") return truth(found)
  if (kind.is === "elements") return Array.isArray(found) ? found : [found]
  if (!Array.isArray(found)) return [dataOf(found)]
  for (const one of found) if (typeof one === "number") return found.map(dataOf)
  return found
}

/** What functions give, to walk on from. */
export const foundIn = (elements: Elements): WalkResult => (elements.length === 0 ? undefined : elements)

/** The one thing that was found; `undefined` for nothing. */
export const oneOf = (found: WalkResult): unknown => {
  if (!Array.isArray(found)) return found
  if (found.length !== 1) throw fallback
  return found[0]
}

/** What is found for each of several, in order. */
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

/** Those of several that are wanted. */
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

/** Where a name leads in the JSON: the key, and that of its companion. */
interface Keys {
  readonly key: string
  readonly companion: string
}

/** What stands under a key. Where a primitive has a companion, and where `null` stands among values, nodes decide. */
const under = (parent: unknown, { companion, key }: Keys): WalkResult => {
  if (typeof parent !== "object") return underValue(parent, key)
  const found = (parent as Json)[key]
  if ((parent as Json)[companion] !== undefined) throw fallback
  if (found === undefined || found === null) return undefined
  if (!Array.isArray(found)) return found
  for (const one of found) if (one === null || Array.isArray(one)) throw fallback
  return found.length === 0 ? undefined : found
}

/** A text or truth value has no elements; but JavaScript knows some of its own. */
const underValue = (parent: unknown, key: string): undefined => {
  if (typeof parent === "number" || key in Object(parent)) throw fallback
  return undefined
}

/** A name followed from elements of one kind. */
export interface Step {
  readonly walk: (input: WalkResult) => WalkResult
  readonly kind: NodeKind
  /** Of a choice: the types it may have, in the order in which the first that is there counts. */
  readonly choice?: ChoiceElement
}

/** How the elements of a choice are found in their parents. */
export interface ChoiceElement {
  readonly kinds: ReadonlyArray<ModelKind>
  /** Which of the kinds an element has; `undefined` when there is none. */
  readonly rankIn: (parent: unknown) => number | undefined
  readonly at: (parent: unknown, rank: number) => WalkResult
  /** Finds the elements of some kinds only. */
  readonly only: (ranks: ReadonlyArray<number>) => (parent: unknown) => WalkResult
}

/** Follows a name by what the model says of it; `undefined` where it says too little. */
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

/** Whether things of a kind are of a type; `undefined` when that is not known. */
export const isOfType = (
  kind: NodeKind,
  type: TypeInfo,
  fits: "is" | "isConvertibleTo"
): boolean | undefined => (kind.is !== "model" || kind.type === null ? undefined : isModelType(kind.type, type, fits))
