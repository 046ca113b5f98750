import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startOptions } from "../src/startOptions.ts"

const megabyte = 1024 * 1024

const limited = (newObjects: number) => [`--max-semi-space-size=${newObjects}`, "--heap-growing-percent=35"]

describe("The start of a command", () => {
  it("limits memory for what only passes through, and for standard input", () => {
    assert.deepStrictEqual(startOptions(["submit", "visits.ndjson"]), limited(8))
    assert.deepStrictEqual(startOptions(["validate", "visits.ndjson"]), limited(8))
    assert.deepStrictEqual(startOptions(["convert", "-"]), limited(16))
    assert.deepStrictEqual(startOptions(["convert", "missing.ndjson", "-o", "-"]), [])
  })

  it("limits memory if the input is large", () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    mkdirSync(join(folder, "inner"))
    for (const [name, size] of [["one.ndjson", 20 * megabyte], ["inner/two.ndjson", 20 * megabyte]] as const) {
      writeFileSync(join(folder, name), "")
      truncateSync(join(folder, name), size)
    }
    assert.deepStrictEqual(startOptions(["convert", folder]), limited(16))
    assert.deepStrictEqual(startOptions(["convert", join(folder, "one.ndjson")]), [])
    assert.deepStrictEqual(
      startOptions(["convert", join(folder, "one.ndjson"), join(folder, "inner/two.ndjson")]),
      limited(16)
    )
  })

  it("follows no link in a folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    symlinkSync(folder, join(folder, "again"))
    symlinkSync("nothing", join(folder, "nothing"))
    assert.deepStrictEqual(startOptions(["convert", folder]), [])
  })
})
