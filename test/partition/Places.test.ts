import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Growing } from "../../src/partition/Growing.ts"
import { isExact, lineOf, markOf, Places } from "../../src/partition/Places.ts"
import { runs } from "../runs.ts"

const place = fc.record({
  source: fc.integer({ min: 0, max: 4095 }),
  offset: fc.oneof(
    fc.nat(5_000),
    fc.integer({ min: 0, max: 2 ** 52 - 1 }),
    fc.constantFrom(2 ** 32 - 1, 2 ** 32, 2 ** 40)
  ),
  length: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  mark: fc.tuple(fc.integer({ min: 0, max: 2 ** 29 }), fc.boolean()).map(([line, exact]) => markOf(line, exact))
})

describe("What is known of the records of a large run", () => {
  it("a place is given back as it was taken, wherever in a file of any size it is", () => {
    fc.assert(
      fc.property(fc.array(place), fc.array(place), (own, others) => {
        const [places, more] = [new Places(), new Places()]
        own.forEach((one) => places.push(one))
        others.forEach((one) => more.push(one))
        places.append(more.data(), 7)
        own.forEach((one, number) => assert.deepStrictEqual(places.at(number), one))
        others.forEach((one, number) => {
          const found = places.at(own.length + number)
          assert.deepStrictEqual({ ...found, mark: 0 }, { ...one, mark: 0 })
          assert.strictEqual(lineOf(found.mark), lineOf(one.mark) + 7)
          assert.strictEqual(isExact(found.mark), isExact(one.mark))
        })
      }),
      { numRuns: runs(100) }
    )
  })

  it("numbers stand in chunks and are one row all the same", () => {
    const [numbers, more] = [new Growing(), new Growing()]
    for (let number = 0; number < 40_000; number++) numbers.push(number)
    more.append(numbers.data(), 5)
    more.append(Uint32Array.of(4_294_967_295))
    assert.strictEqual(more.length, 40_001)
    for (const at of [0, 16_383, 16_384, 39_999]) assert.strictEqual(more.at(at), at + 5)
    assert.strictEqual(more.at(40_000), 4_294_967_295)
    assert.deepStrictEqual([...more.data()].slice(-2), [40_004, 4_294_967_295])
  })
})
