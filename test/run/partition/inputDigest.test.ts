import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { inputDigest } from "../../../src/run/parts/inputDigest.ts"
import type { Input } from "../../../src/source/read/findInputs.ts"

import { temporaryFolder, written } from "../converted.ts"

const fileAt = (path: string): Input => ({ _tag: "File", name: "in.ndjson", path, named: true })
const links = { roots: { length: 1, patientOf: () => 7 } }
const facts = { records: 1, unreadable: [] }

describe("The digest of an input", () => {
  it.effect("fails if the size of a file cannot be read: another input would have the same digest", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryFolder, "gone.ndjson")
      const { message } = yield* Effect.flip(inputDigest({ inputs: [fileAt(path)], problems: [] }, facts, links))
      assert.strictEqual(message, "in.ndjson cannot be read: it is gone")
    }))

  it.effect("differs with the size of a file", () =>
    Effect.gen(function*() {
      const files = written(yield* temporaryFolder, { "a.ndjson": "{}\n", "b.ndjson": "{}\n\n" })
      const digests = yield* Effect.forEach(files, (path) =>
        inputDigest({ inputs: [fileAt(path)], problems: [] }, facts, links))
      assert.notStrictEqual(digests[0], digests[1])
    }))
})
