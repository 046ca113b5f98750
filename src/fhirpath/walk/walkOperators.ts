import type { TimeRange } from "../evaluate/moments.ts"
import { compareSpans, timeRangeOf } from "../evaluate/moments.ts"
import { isNode } from "../evaluate/Node.ts"
import type { PathOperator } from "../evaluate/operators.ts"
import { textOperand } from "../evaluate/operators.ts"
import { equalWhenPlain, isTimed, spanOfNode } from "../evaluate/values.ts"
import type { Elements } from "../FhirPath.ts"
import { valueOf } from "../FhirPath.ts"
import type { ChoiceElement, Ground, ModelKind, NodeKind, Walk, WalkResult } from "./Walk.ts"
import { elements, fallback, foundIn, loose, nothing, oneOf, walkListOf } from "./Walk.ts"

/** A part of an expression, with all earlier steps on its path. */
export interface PathSegment {
  readonly walk: Walk
  readonly kind: NodeKind
  /** The result is the same for every `$this`. */
  readonly steady?: boolean
  /** The result, if it is constant. */
  readonly constant?: Elements
  /** For a choice: the access to its elements. */
  readonly choice?: { readonly parents: Walk; readonly of: ChoiceElement }
  /** For `$this is Type`: the result, if the input is not empty. */
  readonly isOfType?: boolean
  /** For `path = text`: both sides, so that `where` evaluates the text only once. */
  readonly equality?: { readonly path: Walk; readonly wanted: Walk }
}

/** Returns elements as JSON. Elements without a value are dropped; a number that is not a decimal would be treated as one. */
export const asValues = (walk: Walk): Walk => (self, ground) => {
  const found = walk(self, ground)
  if (found === undefined) return undefined
  const values = Array.isArray(found) ? found.map(valueOf) : valueOf(found)
  if (Array.isArray(values) ? values.some(isNoJson) : isNoJson(values)) throw fallback
  return values
}

/** Returns elements as JSON of one kind of primitive. */
export const asKind = ({ path }: ModelKind, walk: Walk): Walk => (self, ground) => {
  const [found, ...others] = walkListOf(walk(self, ground), elements)
  if (found === undefined) return undefined
  if (others.length > 0 || !isNode(found) || found.path !== path || found._data !== null) throw fallback
  return found.data
}

const isNoJson = (value: unknown): boolean => value === undefined || value === null || typeof value === "number"

/** Returns whether a kind is, or can be, compared as a time. */
export const isTimedKind = (kind: NodeKind): boolean => kind.is !== "model" || isTimed(kind.path)

/** Returns whether `=` compares the JSON of a kind unchanged, if it is a text or a boolean. */
export const isPlain = (kind: NodeKind): boolean => !isTimedKind(kind)

/** Returns whether a kind is a text, number or boolean of the model. */
export const isPrimitive = (kind: NodeKind): boolean =>
  kind.is === "model" && kind.type !== null && /^(?:[a-z]|System\.)/u.test(kind.type)

/** Returns the common kind of two alternative results. */
export const together = (one: PathSegment, other: PathSegment): NodeKind => {
  if (one.constant?.length === 0) return other.kind
  if (other.constant?.length === 0) return one.kind
  const [a, b] = [one.kind, other.kind]
  if (a.is === "elements" && b.is === "elements") return elements
  return a.is === "model" && b.is === "model" && a.path === b.path && a.type === b.type ? a : loose
}

/** Returns whether the result is the single value true. */
export const holdsIn = (
  found: WalkResult
): boolean => (Array.isArray(found) ? found.length === 1 && found[0] === true : found === true)

/** Returns an operator between the results of two parts, as in the closures. */
export const betweenElements = (
  { apply, refuses }: PathOperator,
  one: PathSegment,
  other: PathSegment
): PathSegment => ({
  walk: (self, ground) => {
    const left = walkListOf(one.walk(self, ground), elements)
    return foundIn(apply(left, refuses?.(left) === true ? nothing : walkListOf(other.walk(self, ground), elements)))
  },
  kind: elements,
  steady: one.steady === true && other.steady === true
})

/** Compiles `=` and `!=` if texts decide. */
export const equality = (one: PathSegment, other: PathSegment, same: boolean): PathSegment | undefined => {
  const [path, expected] = other.kind.is === "elements" ? [one, other] : [other, one]
  if (expected.kind.is !== "elements" || !isPlain(path.kind)) return undefined
  return {
    walk: (self, ground) => {
      const found = oneOf(path.walk(self, ground))
      const text = oneOf(expected.walk(self, ground))
      if (found === undefined || text === undefined) return undefined
      if (typeof found === "string" && typeof text === "string") return (found === text) === same
      const [value] = walkListOf(found, path.kind)
      const equal = typeof text === "object" && "data" in text! ? undefined : equalWhenPlain(value, text)
      if (equal === undefined) throw fallback
      return equal === same
    },
    kind: elements,
    ...(same && expected.steady === true ? { equality: { path: path.walk, wanted: expected.walk } } : {})
  }
}

/** Compiles `<`, `>`, `<=` and `>=` between times whose order is certain. */
export const inequality = (
  symbol: "<" | ">" | "<=" | ">=",
  one: PathSegment,
  other: PathSegment
): PathSegment | undefined => {
  const left = spanIn(one)
  const right = spanIn(other)
  if (left === undefined || right === undefined) return undefined
  return {
    walk: (self, ground) => {
      const a = left(self, ground)
      const b = right(self, ground)
      if (a === undefined || b === undefined) return undefined
      const order = compareSpans(a, b)
      if (order === undefined) throw fallback
      return symbol === "<" ? order < 0 : symbol === ">" ? order > 0 : symbol === "<=" ? order <= 0 : order >= 0
    },
    kind: elements
  }
}

/** Returns the possible time range of the dateTime that a part returns. */
const spanIn = (
  { kind, walk }: PathSegment
): ((self: WalkResult, ground: Ground) => TimeRange | undefined) | undefined => {
  const spanOfOne = kind.is === "elements"
    ? spanOfNode
    : kind.is === "model" && kind.path === "dateTime"
    ? (found: unknown) => (typeof found === "string" ? timeRangeOf(found) : undefined)
    : undefined
  return spanOfOne && ((self, ground) => {
    const found = oneOf(walk(self, ground))
    if (found === undefined) return undefined
    const span = spanOfOne(found)
    if (span === undefined) throw fallback
    return span
  })
}

/** `and`, `or`, `xor` and `implies`. */
export const logic = ({ apply }: PathOperator, one: PathSegment, other: PathSegment): PathSegment => {
  const truthOf = ({ kind, walk }: PathSegment) => (self: WalkResult, ground: Ground): Elements => {
    const found = walk(self, ground)
    return found === undefined
      ? nothing
      : kind.is === "elements"
      ? walkListOf(found, kind)
      : walkListOf(oneOf(found), kind)
  }
  const left = truthOf(one)
  const right = truthOf(other)
  return {
    walk: (self, ground) => {
      const a = left(self, ground)
      const b = right(self, ground)
      if (a.length > 1 || b.length > 1) throw fallback
      return foundIn(apply(a, b))
    },
    kind: elements
  }
}

/** `&`: an empty operand is the empty text. */
export const concatenation = (one: PathSegment, other: PathSegment): PathSegment => {
  const textOf = ({ kind, walk }: PathSegment) => (self: WalkResult, ground: Ground): string => {
    const text = textOperand(walkListOf(walk(self, ground), kind))
    if (text === undefined) throw fallback
    return text
  }
  const left = textOf(one)
  const right = textOf(other)
  return { walk: (self, ground) => left(self, ground) + right(self, ground), kind: elements }
}

/** `combine()`: all elements of both operands. */
export const combination = (one: PathSegment, other: PathSegment | undefined): PathSegment | undefined => {
  const kind = other === undefined ? undefined : together(one, other)
  if (other === undefined || kind === undefined || (kind.is !== "model" && kind.is !== "elements")) return undefined
  return {
    walk: (self, ground) => {
      const a = one.walk(self, ground)
      const b = other.walk(self, ground)
      return a === undefined ? b : b === undefined ? a : [a, b].flat()
    },
    kind
  }
}

/** `|`: the distinct elements of both operands. */
export const union = (one: PathSegment, other: PathSegment): PathSegment => {
  const isText = ({ kind }: PathSegment): boolean => kind.is === "elements" || (isPlain(kind) && isPrimitive(kind))
  if (isText(one) && isText(other)) {
    return {
      walk: (self, ground) => {
        const texts = [
          ...walkListOf(one.walk(self, ground), one.kind),
          ...walkListOf(other.walk(self, ground), other.kind)
        ]
        if (!texts.every((text) => typeof text === "string")) throw fallback
        return foundIn(texts.length < 2 ? texts : [...new Set(texts)])
      },
      kind: elements
    }
  }
  // Usually one operand has one value. Node evaluation decides whether several are distinct.
  const [first, second] = [one, other].map(({ kind, walk }) => (kind.is === "elements" ? asValues(walk) : walk))
  return {
    walk: (self, ground) => {
      const a = first!(self, ground)
      const b = second!(self, ground)
      if (a !== undefined && b !== undefined) throw fallback
      return oneOf(a ?? b)
    },
    kind: loose
  }
}
