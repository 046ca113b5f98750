import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { stepsOf } from "../../src/pattern/costOf.ts"
import { runs } from "../runs.ts"

/** Patterns as mappings have them, and the length of texts that are matched without limited time. */
const quick: ReadonlyArray<readonly [pattern: string, length: number]> = [
  ["^[A-Z]\\d{2}(\\.\\d{1,2})?$", 100_000],
  ["^(AMB|IMP|EMER)$", 100_000],
  ["^[0-9]+(-[0-9]+){2,3}$", 100_000],
  ["^https?://[^/]+/.*$", 100_000],
  ["^(?:\\.\\d{1,3})*$", 100_000],
  ["icd-?10-?pcs|procedure-icd-?10", 10_000],
  ["\\s+", 1000],
  ["^\\s+|\\s+$", 1000],
  ["[0-9]+/[0-9]+ *mg", 1000],
  ["<[^>]*>", 1000],
  ["^(.+) - (.+)$", 1000],
  ["^([A-Z][a-z]+ )*[A-Z][a-z]+$", 250],
  ["^(\\w+\\s)*\\w+$", 250],
  ["[ກ-ໝ]+", 1000]
]

const slow = [
  "^(a+)+$",
  "(a|aa)+$",
  "(?:a|a){30}$",
  "(?:a?){30}a{30}$",
  "(a+){20}$",
  "(?:(a+)\\1)+",
  "(?:a(?=(a+)+b))*",
  "(?:\\p{L}|a)+$",
  "(?<x>a|a)+\\k<x>$"
]

const enough = 10_000_000

describe("The bound of a match's steps", () => {
  it.each(quick)("is small for an ordinary pattern: %s on %d characters", (pattern, length) => {
    assert.isAtMost(stepsOf(pattern, "su", enough)(length), enough)
  })

  it.each(slow)("is large for a pattern that backtracks: %s", (pattern) => {
    assert.isAbove(stepsOf(pattern, "su", enough)(40), enough)
  })

  it("does not trust the signs of a class if case does not count", () => {
    assert.isAtMost(stepsOf("^(?:[a-z]|[A-Z])+$", "su", enough)(40), enough)
    assert.isAbove(stepsOf("^(?:[a-z]|[A-Z])+$", "isu", enough)(40), enough)
  })

  it("is never below what a backtracking search does", () => {
    fc.assert(
      fc.property(tree, fc.stringMatching(/^[ab]{0,9}$/u), (node, text) => {
        const count = comparisons(node, text)
        for (const improved of [enough, 0]) assert.isAtLeast(stepsOf(written(node), "su", improved)(text.length), count)
      }),
      { numRuns: runs(2000) }
    )
  })
})

/** A pattern as a tree. */
type Tree =
  | { readonly sign: string }
  | { readonly parts: ReadonlyArray<Tree> }
  | { readonly one: Tree; readonly other: Tree }
  | { readonly repeated: Tree; readonly least: number; readonly most: number }

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ sign: fc.constantFrom("a", "b", ".", "[ab]") }),
    fc.record({ parts: fc.array(tie("tree"), { maxLength: 3 }) }),
    fc.record({ one: tie("tree"), other: tie("tree") }),
    fc.record({
      repeated: tie("tree"),
      least: fc.constantFrom(0, 1, 2),
      most: fc.constantFrom(2, 3, Infinity)
    })
  )
}))

const written = (node: Tree): string => {
  if ("sign" in node) return node.sign
  if ("parts" in node) return node.parts.map((part) => `(?:${written(part)})`).join("")
  if ("one" in node) return `(?:${written(node.one)}|${written(node.other)})`
  return `(?:${written(node.repeated)}){${node.least},${node.most === Infinity ? "" : node.most}}`
}

/** Counts the comparisons of characters in a search that fails after every match, and so tries all ways. */
const comparisons = (node: Tree, text: string): number => {
  let count = 0
  const match = (node: Tree, at: number, then: (at: number) => void): void => {
    if ("sign" in node) {
      if (++count > 100_000) return
      const sign = text[at]
      if (sign !== undefined && (node.sign.length > 1 || node.sign === "." || node.sign === sign)) then(at + 1)
    } else if ("parts" in node) {
      const from = (index: number) => (at: number): void => {
        const part = node.parts[index]
        if (part === undefined) then(at)
        else match(part, at, from(index + 1))
      }
      from(0)(at)
    } else if ("one" in node) {
      match(node.one, at, then)
      match(node.other, at, then)
    } else {
      const round = (done: number) => (at: number): void => {
        if (done < node.most) {
          match(node.repeated, at, (next) => {
            // A round that is not required and matches nothing ends the loop.
            if (next > at || done < node.least) round(done + 1)(next)
          })
        }
        if (done >= node.least) then(at)
      }
      round(0)(at)
    }
  }
  for (let start = 0; start <= text.length; start++) match(node, start, () => undefined)
  return count
}
