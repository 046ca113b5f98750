import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openBeneficiaryFile } from "../../../src/facility/beneficiary/BeneficiaryFile.ts"
import { temporaryFolder } from "../../source/tempFolder.ts"

describe("The stored responses of card searches", () => {
  it.effect("are read up to a line that a crash cut within a character, which is removed", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "cards.ndjson")
      const first = yield* openBeneficiaryFile(file, 0)
      yield* first.add("C-1", { known: [], at: 1 })
      yield* first.add("C-ក", { known: [], at: 2 })
      const text = readFileSync(file)
      truncateSync(file, text.indexOf("ក") + 1)
      const second = yield* openBeneficiaryFile(file, 3)
      assert.deepStrictEqual(second.find("C-1"), { known: [], at: 1 })
      yield* second.add("C-2", { known: [], at: 4 })
      assert.deepStrictEqual(
        readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line).card),
        ["C-1", "C-2"]
      )
    }).pipe(Effect.provide(NodeServices.layer), Effect.scoped))

  it.effect("can be read by their owner only, also if the file was readable for everyone before", () =>
    Effect.gen(function*() {
      const file = join(yield* temporaryFolder, "cards.ndjson")
      const modeOf = (path: string) => statSync(path).mode & 0o777
      const first = yield* openBeneficiaryFile(file, 0)
      yield* first.add("C-1", { known: [], at: 1 })
      assert.strictEqual(modeOf(file), 0o600)
      chmodSync(file, 0o644)
      yield* openBeneficiaryFile(file, 2)
      assert.strictEqual(modeOf(file), 0o600)
      chmodSync(file, 0o644)
      yield* first.add("C-2", { known: [], at: 3 })
      assert.strictEqual(modeOf(file), 0o600)
      // A draft that remained after a crash is written again.
      writeFileSync(`${file}.new`, "", { mode: 0o644 })
      chmodSync(`${file}.new`, 0o644)
      yield* first.add("C-2", { known: [], at: 4 })
      yield* openBeneficiaryFile(file, 5)
      assert.strictEqual(modeOf(file), 0o600)
    }).pipe(Effect.provide(NodeServices.layer), Effect.scoped))
})
