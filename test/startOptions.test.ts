import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startOptions, withoutSet } from "../src/startOptions.ts"

const megabyte = 1024 * 1024

const forSending = ["--max-semi-space-size=8", "--heap-growing-percent=35"]
const compiling = "--invocation-count-for-turbofan=30000"
const forConversion = ["--max-semi-space-size=16", "--heap-growing-percent=100", compiling]

/** A version of V8 with every option. */
const v8 = "13.6.233"
const optionsOf = (...args: ReadonlyArray<string>) => startOptions(args, v8)

describe("The start of a command", () => {
  it("limits memory for what only passes through, and for standard input", () => {
    assert.deepStrictEqual(optionsOf("submit", "visits.ndjson"), forSending)
    assert.deepStrictEqual(optionsOf("validate", "visits.ndjson"), forSending)
    assert.deepStrictEqual(optionsOf("convert", "-"), forConversion)
    assert.deepStrictEqual(optionsOf("convert", "missing.ndjson", "-o", "-"), [])
  })

  it("limits memory if the input is large", () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    mkdirSync(join(folder, "inner"))
    for (const [name, size] of [["one.ndjson", 20 * megabyte], ["inner/two.ndjson", 20 * megabyte]] as const) {
      writeFileSync(join(folder, name), "")
      truncateSync(join(folder, name), size)
    }
    assert.deepStrictEqual(optionsOf("convert", folder), forConversion)
    assert.deepStrictEqual(optionsOf("explain", folder), forConversion.slice(0, 2))
    assert.deepStrictEqual(optionsOf("explain", join(folder, "one.ndjson")), [])
    assert.deepStrictEqual(
      optionsOf("convert", join(folder, "one.ndjson"), join(folder, "inner/two.ndjson")),
      forConversion
    )
  })

  it("lets V8 compile less in a conversion that takes longer than its start", () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    for (const size of [3, 5]) {
      writeFileSync(join(folder, `${size}.ndjson`), "")
      truncateSync(join(folder, `${size}.ndjson`), size * megabyte)
    }
    assert.deepStrictEqual(optionsOf("convert", join(folder, "3.ndjson")), [])
    assert.deepStrictEqual(optionsOf("convert", join(folder, "5.ndjson")), [compiling])
    // Another version may not have the option, and would not start.
    assert.deepStrictEqual(startOptions(["convert", join(folder, "5.ndjson")], "12.4.254"), [])
  })

  it("sets each option once, so that starting again ends", () => {
    const all = optionsOf("convert", "-")
    assert.deepStrictEqual(withoutSet(all, all.join(" ")), [])
    // An option of the user takes precedence.
    assert.deepStrictEqual(withoutSet(all, "--max-semi-space-size=64"), all.slice(1))
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    for (const size of [5, 33]) {
      const file = join(folder, `${size}.ndjson`)
      writeFileSync(file, "\n".repeat(size * megabyte))
      for (const args of [["convert", file, "-o", join(folder, "visits.ndjson")], ["validate", file]]) {
        const { signal, status, stderr } = spawnSync(process.execPath, ["src/main.ts", ...args], {
          encoding: "utf8",
          timeout: 20_000
        })
        assert.deepStrictEqual([args[0], signal, status], [args[0], null, args[0] === "convert" ? 1 : 0], stderr)
      }
    }
  }, 60_000)

  it("has only options that this Node knows", () => {
    const known = spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" }).stdout
    for (const option of [...startOptions(["submit"]), ...startOptions(["convert", "-"])]) {
      assert.include(known, option.replace(/=.*/u, ""))
    }
  })

  it("follows no link in a folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "start-"))
    symlinkSync(folder, join(folder, "again"))
    symlinkSync("nothing", join(folder, "nothing"))
    assert.deepStrictEqual(optionsOf("convert", folder), [])
  })
})
