import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { vi } from "vitest"
import type * as Names from "../../../src/run/links/hashName.ts"
import { converted } from "../converted.ts"

const { hashBytes, hashName } = await vi.importActual<typeof Names>("../../../src/run/links/hashName.ts")

/** How often the code that is tested made a weak hash. */
const weak = vi.hoisted(() => ({ count: 0 }))

/** Only three hashes for all names, so that names collide. */
vi.mock("../../../src/run/links/hashName.ts", async (original) => {
  const names = await original<typeof Names>()
  const weakened = (hash: number): number => {
    weak.count++
    return 2 ** 40 + (hash % 3)
  }
  return {
    ...names,
    hashName: (...name: Parameters<typeof hashName>) => weakened(names.hashName(...name)),
    hashBytes: (...name: Parameters<typeof hashBytes>) => weakened(names.hashBytes(...name))
  }
})

const inParts = { maxInMemoryBytes: 0, partitionBytes: 1, workers: 0, helps: false }

describe("names with colliding hashes", () => {
  it.effect(
    "give the visits and accounts of a run in memory, which compares names",
    () =>
      Effect.gen(function*() {
        for (const sample of ["clinic-day", "emergency-labs-imaging"]) {
          const inputs = [`samples/${sample}`]
          const { groups: _, ...whole } = yield* converted(inputs, {
            memoryLimits: { maxInMemoryBytes: Number.POSITIVE_INFINITY, workers: 0 }
          })
          const { groups: __, ...cut } = yield* converted(inputs, { memoryLimits: inParts })
          assert.deepStrictEqual(cut, whole)
        }
        assert.isAbove(weak.count, 0)
      })
  )

  it("have a hash of 53 bits, made of two halves, and no collisions otherwise", async () => {
    const { hashFrom, highOf, lowOf } = await vi.importActual<typeof Names>("../../../src/run/links/hashName.ts")
    const hashes = new Set<number>()
    for (let number = 0; number < 200_000; number++) hashes.add(hashName(`Observation/${number}`))
    assert.strictEqual(hashes.size, 200_000)
    const { beginHash } = await vi.importActual<typeof Names>("../../../src/run/links/hashName.ts")
    for (const seed of [0, 1, 2]) {
      for (const name of ["Observation/17", "x", "Observation/"]) {
        const bytes = Buffer.from(`--${name}--`)
        for (let begun = 0; begun <= name.length; begun++) {
          const start = beginHash(name.slice(0, begun), seed)
          assert.strictEqual(hashBytes(start, bytes, 2 + begun, 2 + name.length), hashName(name, seed))
        }
      }
    }
    assert.isTrue([...hashes].some((hash) => hash > 2 ** 52))
    fc.assert(fc.property(fc.string(), fc.boolean(), (name, isLoose) => {
      const hash = isLoose ? -hashName(name) : hashName(name)
      assert.strictEqual(hashFrom(lowOf(hash), highOf(hash)), hash)
      assert.isTrue(Number.isSafeInteger(hash) && hash !== 0)
    }))
  })
})
