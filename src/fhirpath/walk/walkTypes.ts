import { typeSpecifier } from "../syntax/treeParts.ts"
import type { Walk } from "./Walk.ts"
import { elements, gather, isOfType, loose, oneOf } from "./Walk.ts"
import type { PathSegment } from "./walkOperators.ts"
import { here } from "./walkParts.ts"

/** Compiles `is`, `as` and `ofType`: for values of one kind the answer is known at compile time, for a choice by its JSON key. */
export const typeTest = (
  operator: string,
  operand: PathSegment | undefined,
  text: string | undefined
): PathSegment | undefined => {
  const type = text === undefined ? undefined : typeSpecifier(text)
  if (operand === undefined || type === undefined) return undefined
  const fits = operator === "ofType" ? "isConvertibleTo" : "is"
  const { choice, kind, walk } = operand
  if (choice !== undefined) {
    const { of, parents } = choice
    const ranks = of.kinds.flatMap((one, rank) => (isOfType(one, type, fits) ? [rank] : []))
    const [first] = ranks
    const found = of.only(ranks)
    if (operator === "is") {
      return {
        walk: (here, ground) => {
          const rank = oneOf(gather(parents(here, ground), (parent) => {
            const rank = of.rankIn(parent)
            return rank === undefined || oneOf(of.at(parent, rank)) === undefined ? undefined : rank
          }))
          return rank === undefined ? undefined : ranks.includes(rank as number)
        },
        kind: elements
      }
    }
    if (operator === "as") return undefined
    return {
      walk: ranks.length === 0 ? leadingNowhere(parents) : (here, ground) => gather(parents(here, ground), found),
      kind: ranks.length === 1 ? of.kinds[first!]! : loose
    }
  }
  const isFitting = isOfType(kind, type, fits)
  if (isFitting === undefined) return undefined
  if (operator === "ofType") return isFitting ? operand : { walk: leadingNowhere(walk), kind }
  return {
    walk: (here, ground) => {
      const found = oneOf(walk(here, ground))
      return found === undefined ? undefined : operator === "is" ? isFitting : isFitting ? found : undefined
    },
    kind: operator === "is" ? elements : kind,
    ...(operator === "is" && walk === here ? { isOfType: isFitting } : {})
  }
}

/** The earlier steps can still fail. */
const leadingNowhere = (before: Walk): Walk => (here, ground) => {
  before(here, ground)
  return undefined
}
