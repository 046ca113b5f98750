import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { at } from "../../src/at.ts"
import { lineBlocks } from "../../src/json/lines.ts"
import { LongLine } from "../../src/json/LongLine.ts"

const mebibyte = 1024 * 1024

/** The same value with its long texts empty. */
const withoutLong = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value),
    (_, member: unknown) =>
      typeof member === "string" && Buffer.byteLength(JSON.stringify(member)) - 2 > 16 * 1024 ? "" : member
  )

const escapes = fc.constantFrom("A", "\\", "\"", "\n", "ö", "\u0001", "😀", "\\\"", "}{][,:")
const text = fc.tuple(escapes, fc.constantFrom(0, 1, 5, 8190, 8191, 8192, 8193, 16_383, 16_384, 16_385, 40_000))
  .map(([piece, times]) => piece.repeat(times))
const value = fc.dictionary(
  fc.constantFrom("a", "\\", "\"", "content", "subject"),
  fc.oneof(text, fc.integer(), fc.array(fc.oneof(text, fc.record({ reference: text })), { maxLength: 4 })),
  { maxKeys: 5 }
)

describe("LongLine", () => {
  it("law: keeps the JSON with its long texts empty, wherever chunks end", () =>
    fc.assert(
      fc.property(
        value,
        fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 5 }),
        (value, cuts) => {
          const line = Buffer.from(JSON.stringify(value))
          const long = new LongLine(mebibyte)
          for (let start = 0, turn = 0; start < line.length; turn++) {
            const end = start + at(cuts, turn % cuts.length)
            long.take(line.subarray(start, end))
            start = end
          }
          assert.isFalse(long.isPartial)
          assert.deepStrictEqual(JSON.parse(long.text()), withoutLong(value))
        }
      ),
      { numRuns: 300 }
    ))

  it("keeps at most its limit, and is then partial", () => {
    const long = new LongLine(1000)
    for (let turn = 0; turn < 100; turn++) long.take(Buffer.from("{\"a\":\"b\"},"))
    assert.isFalse(long.isPartial)
    long.take(Buffer.from("{"))
    assert.isTrue(long.isPartial)
    assert.lengthOf(long.text(), 1000)
  })

  it("law: is read between the lines around it, wherever chunks end", async () => {
    const bytes = Buffer.from(`{"a":1}\n{"x":"${"A".repeat(40_000)}","r":"${"b".repeat(20)}"}\n{"c":1}\n{"d":2}`)
    for (const size of [1, 7, 9, 4096, 40_017, 40_018, 40_050, 40_058, 40_059, 50_000]) {
      const chunks = async function*() {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      }
      const seen: Array<unknown> = []
      for await (const block of lineBlocks(chunks(), 20_000)) {
        if (block._tag === "TooLong") seen.push([block.line, block.gist.text()])
        else {seen.push(
            ...block.bytes.toString().split("\n").flatMap((one, at) => one === "" ? [] : [[block.line + at, one]])
          )}
      }
      const isHeld = seen.length === 4 && JSON.stringify(seen[1]).length > 40_000
      assert.deepStrictEqual(seen, [
        [1, "{\"a\":1}"],
        isHeld ? seen[1] : [2, `{"x":"","r":"${"b".repeat(20)}"}`],
        [3, "{\"c\":1}"],
        [4, "{\"d\":2}"]
      ])
    }
  })
})
