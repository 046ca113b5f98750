import type { Ground, Walk } from "./Walk.ts"
import { elements, fallback, gather, keep, loose, oneOf, walkListOf } from "./Walk.ts"
import type { PathSegment } from "./walkOperators.ts"
import { holdsIn } from "./walkOperators.ts"

/** Walks a function whose argument, `body`, is evaluated on each element of its input. */
export const walkEach = (
  name: "where" | "exists" | "select" | "all",
  body: PathSegment,
  { kind, walk }: PathSegment
): PathSegment => {
  const inner = body.walk
  if (name === "select") {
    return {
      walk: (here, ground) => gather(walk(here, ground), (one) => inner(one, ground)),
      kind: body.kind
    }
  }
  const isKept = keepsWhen(body)
  const { equality } = body
  const kept: Walk = equality === undefined
    ? (here, ground) => keep(walk(here, ground), (one) => isKept(one, ground))
    : (here, ground) => {
      const input = walk(here, ground)
      if (input === undefined) return undefined
      const expected = oneOf(equality.wanted(undefined, ground))
      if (typeof expected !== "string") return keep(input, (one) => isKept(one, ground))
      return keep(input, (one) => {
        const text = equality.path(one, ground)
        if (text !== undefined && typeof text !== "string") throw fallback
        return text === expected
      })
    }
  switch (name) {
    case "where":
      return { walk: kept, kind }
    case "exists":
      return { walk: (here, ground) => kept(here, ground) !== undefined, kind: elements }
    case "all":
      return {
        walk: (here, ground) => {
          const all = walkListOf(walk(here, ground), loose)
          return all.every((one) => holdsIn(inner(one, ground)))
        },
        kind: elements
      }
  }
}

/** Returns whether `where` keeps an element, as in the library. */
const keepsWhen = ({ kind, walk }: PathSegment): (one: unknown, ground: Ground) => boolean =>
  kind.is === "elements"
    ? (one, ground) => {
      const found = walk(one, ground)
      return Boolean(Array.isArray(found) ? found[0] : found)
    }
    : (one, ground) => walk(one, ground) !== undefined
