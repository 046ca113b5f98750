import { assert, describe, it } from "@effect/vitest"
import { Worker } from "node:worker_threads"
import { UserPattern } from "../../src/pattern/UserPattern.ts"

/** A pattern has time for a match only if it needs hardly any, so that the tests do not wait. */
const hurried = { first: 20, later: 1 }

const patient = { first: 60_000, later: 60_000 }

const almost = `${"a".repeat(80)}!`

describe("A pattern that a user wrote", () => {
  for (
    const [kind, source, text = almost] of [
      ["repetitions within repetitions", "^(a+)+$"],
      ["alternatives of one text", "^(?:a|aa)+$"],
      ["many repetitions one after the other", "a*a*a*a*a*a*a*a*a*a*$"],
      ["a counted repetition", "^(?:a|a){60}$"],
      ["a lookahead", "^(?=(a+)+$)a"],
      ["a lookbehind", "(?<=^(?:a+)+)b", `${"a".repeat(80)}b`.replace("a", "!")],
      ["the text of a group", "^(a+)\\1*(?:a\\1?)*$"],
      ["characters outside the Basic Multilingual Plane", "^(😀+)+$", `${"😀".repeat(80)}!`]
    ] as const
  ) {
    it(`is interrupted if it takes too long: ${kind}`, () => {
      const pattern = (flags: string) => new UserPattern(source, flags, hurried)
      assert.isUndefined(pattern("u").test(text))
      assert.isUndefined(pattern("su").test(text))
      assert.isUndefined(pattern("iu").exec(text))
      assert.isUndefined(pattern("gu").replaceIn(text, "-"))
    })
  }

  it("is interrupted in a worker, too", async () => {
    const code = `
      const { parentPort } = require("node:worker_threads")
      import(${JSON.stringify(new URL("../../src/pattern/UserPattern.ts", import.meta.url).href)}).then(
        ({ UserPattern }) => parentPort.postMessage(
          String(new UserPattern("^(a+)+$", "su", ${JSON.stringify(hurried)}).test(${JSON.stringify(almost)}))
        )
      )`
    const worker = new Worker(code, { eval: true })
    const answer = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject))
    await worker.terminate()
    assert.strictEqual(answer, "undefined")
  })

  it("can be used again after it was interrupted", () => {
    const pattern = new UserPattern("^(a+)+$", "su", { first: 20, later: 1000 })
    assert.isUndefined(pattern.test(almost))
    assert.isTrue(pattern.test("a".repeat(80)))
    assert.isFalse(pattern.test("b"))
    assert.strictEqual(pattern.exec("aaa")?.[1], "aaa")
  })

  it.each(
    [
      ["^(a+)+$", "aa"],
      ["^(a+)+$", "a".repeat(80)],
      ["^(.+) - (.+)$", "x".repeat(3000) + " - y"],
      ["\\s+$", `${" ".repeat(3000)}x`],
      ["^.$", "😀"],
      ["^(?=.*\\d)(\\w)\\1", "aa1"]
    ] as const
  )("matches as any other, with or without limited time: %s", (source, text) => {
    const pattern = new UserPattern(source, "su", patient)
    const expected = new RegExp(source, "su")
    assert.strictEqual(pattern.test(text), expected.test(text))
    assert.deepStrictEqual(pattern.exec(text), expected.exec(text))
    assert.strictEqual(
      new UserPattern(source, "gu", patient).replaceIn(text, "[$&]"),
      text.replace(new RegExp(source, "gu"), "[$&]")
    )
  })

  it("is not quoted in the error if it is not a regular expression", () => {
    assert.throws(() => new UserPattern("^Somphone(", "u"), /^this is not a regular expression$/u)
  })
})
