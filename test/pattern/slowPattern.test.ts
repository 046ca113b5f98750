import { assert, describe, it } from "@effect/vitest"
import { slowPart } from "../../src/pattern/slowPattern.ts"

/** Slow patterns, each with its slow part (default: the whole pattern). */
const slow: ReadonlyArray<readonly [pattern: string, part?: string]> = [
  ["(a+)+"],
  ["(a*)*"],
  ["(?:a+){2,}"],
  ["(?:\\s+)*x", "(?:\\s+)*"],
  ["(a|a)*"],
  ["(a|aa)+"],
  ["(a|b|ab)*c", "(a|b|ab)*"],
  ["(a|b+)+"],
  ["((a+)b?)+"],
  ["(([a-z])+.)+"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "(([a-z])+.)+"],
  ["(x+x+)+y", "(x+x+)+"],
  ["^(\\w+\\s?)*$", "(\\w+\\s?)*"],
  ["(\\s*\\w+\\s*)+$", "(\\s*\\w+\\s*)+"],
  ["((ab)*)+$", "((ab)*)+"],
  ["([\\w-]+\\.?)+@", "([\\w-]+\\.?)+"],
  ["(a?a?)+b", "(a?a?)+"],
  ["(.*)*x", "(.*)*"],
  ["([^,]*,?)*$", "([^,]*,?)*"],
  ["(\\w+|\\d+)+$", "(\\w+|\\d+)+"],
  ["(-?\\d+)*z", "(-?\\d+)*"],
  ["(?:\\s|\\s+x)+y", "(?:\\s|\\s+x)+"],
  ["^([ກ-ໝ]+\\s?)+$", "([ກ-ໝ]+\\s?)+"],
  ["x(?=(a+)+b)", "(a+)+"],
  ["(a{1,3})+b", "(a{1,3})+"]
]

const quick = [
  "<[^>]*>",
  "[ \\t\\r\\n]+",
  "[ \\t]+|x*",
  "^\\s+|\\s+$",
  "^0+",
  "[^0-9]",
  "^\\d{4}-\\d{2}-\\d{2}$",
  "^[A-Z]\\d{2}(\\.\\d{1,2})?$",
  "^(\\d+)(?:\\.(\\d+))?$",
  "(\\d{3})(?=\\d)",
  "^https?://[^/]+/.*$",
  ".*/",
  "^.*\\^",
  "^(AMB|IMP|EMER)$",
  "(mg|g|kg|ml)/(d|h)",
  "(?:0[1-9]|1[0-2])+",
  "(ab|ac)+",
  "(foo|bar|baz)*",
  "(\\d+,)*",
  "(,\\d+)*",
  "[^,]+(,[^,]+)*",
  "([a-z]+-)+[a-z]+",
  "(\\w+\\s)+\\w+$",
  "(?:\\d+\\.)+\\d+",
  "^(?:[A-Z]{2}\\d{4},)*[A-Z]{2}\\d{4}$",
  "^\\+?[0-9 ()-]{6,20}$",
  "^(.+) - (.+)$",
  "^([^|]*)\\|([^|]*)$",
  "[\\u0e80-\\u0eff]+",
  "(a+){2}",
  "[(a+)+]",
  "\\(a+\\)+",
  "(\\w+)\\1+",
  "(?<!\\d)\\d{13}(?!\\d)"
]

describe("A pattern", () => {
  for (const [pattern, part = pattern] of slow) {
    it(`finds many ways to match one text: ${pattern}`, () => {
      const found = slowPart(pattern)
      assert.strictEqual(found && pattern.slice(found.from, found.to), part)
    })
  }

  it.each(quick)("accepts %s", (pattern) => assert.isUndefined(slowPart(pattern)))

  it("is accepted quickly if it is too long to check", () => {
    const words = (count: number) => Array.from({ length: count }, (_, index) => `\\w{3}${index}`).join("|")
    for (
      const pattern of ["(".repeat(60) + "a" + ")*".repeat(60), `(${words(40)})*`, `(${words(400)})*`, "(a{0,150})*"]
    ) {
      slowPart(pattern)
    }
  })
})
