import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startOptions } from "../src/startOptions.ts"
import { bareEnvironment, builtProgram } from "./cli/builtProgram.ts"

const megabyte = 1024 * 1024

const forSending = ["--max-semi-space-size=8", "--heap-growing-percent=35"]
const forConversion = ["--max-semi-space-size=16", "--heap-growing-percent=100"]

describe("The start of a command", () => {
  it("limits memory for what only passes through, and for standard input", () => {
    assert.deepStrictEqual(startOptions(["submit", "visits.ndjson"]), forSending)
    assert.deepStrictEqual(startOptions(["validate", "visits.ndjson"]), forSending)
    assert.deepStrictEqual(startOptions(["convert", "-"]), forConversion)
    assert.deepStrictEqual(startOptions(["convert", "missing.ndjson", "-o", "-"]), [])
  })

  it("limits memory if the input is large", () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    mkdirSync(join(folder, "inner"))
    for (const [name, size] of [["one.ndjson", 20 * megabyte], ["inner/two.ndjson", 20 * megabyte]] as const) {
      writeFileSync(join(folder, name), "")
      truncateSync(join(folder, name), size)
    }
    assert.deepStrictEqual(startOptions(["convert", folder]), forConversion)
    assert.deepStrictEqual(startOptions(["convert", join(folder, "one.ndjson")]), [])
    assert.deepStrictEqual(
      startOptions(["convert", join(folder, "one.ndjson"), join(folder, "inner/two.ndjson")]),
      forConversion
    )
  })

  it("starts again once, and ends", () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    const [large, small] = [join(folder, "large.ndjson"), join(folder, "small.ndjson")]
    writeFileSync(large, `${" ".repeat(1023)}\n`.repeat(33 * 1024))
    writeFileSync(small, "\n")
    for (
      const [expected, ...args] of [[1, "convert", large, "-o", `${large}.visits`], [0, "validate", small]] as const
    ) {
      assert.isNotEmpty(startOptions(args))
      const { signal, status, stderr } = spawnSync(process.execPath, [builtProgram(), ...args], {
        encoding: "utf8",
        env: bareEnvironment,
        timeout: 300_000
      })
      assert.deepStrictEqual([signal, status], [null, expected], stderr)
    }
  })

  it("follows no link in a folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    symlinkSync(folder, join(folder, "again"))
    symlinkSync("nothing", join(folder, "nothing"))
    assert.deepStrictEqual(startOptions(["convert", folder]), [])
  })
})
