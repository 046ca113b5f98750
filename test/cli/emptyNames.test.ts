import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { bareEnvironment, builtProgram, testNode } from "./builtProgram.ts"

const program = resolve(builtProgram())
const cwd = mkdtempSync(join(tmpdir(), "empty-names-"))

const run = (...args: ReadonlyArray<string>) => {
  const { status, stderr } = spawnSync(testNode, [program, ...args], {
    cwd,
    env: bareEnvironment,
    encoding: "utf8",
    input: ""
  })
  return { code: status, stderr }
}

describe("a name that is empty, as from a variable that is not set", () => {
  it("is an invalid command line, and nothing is written", () => {
    for (
      const [args, name] of [
        [["init", ""], "argument <dir>"],
        [["convert", ""], "argument <input>"],
        [["validate", ""], "argument <file>"],
        [["mapping", "check", ""], "argument <mapping>"],
        [["convert", "-", "-o", ""], "flag --output"],
        [["convert", "-", "--rejected", ""], "flag --rejected"],
        [["convert", "-", "--facility", ""], "flag --facility"],
        [["to-csv", "-", "-o", ""], "flag --output"]
      ] as const
    ) {
      const seen = run(...args)
      assert.strictEqual(seen.code, 2, `${args.join(" ")}: ${seen.stderr}`)
      assert.include(seen.stderr, name)
      assert.include(seen.stderr, "Expected: a text that is not empty")
    }
    assert.deepStrictEqual(readdirSync(cwd), [])
  })
})

describe("sandbox --data", () => {
  it("states what is wrong with the file, without its values, and not the help of a port", () => {
    writeFileSync(join(cwd, "data.json"), JSON.stringify({ visits: [], patients: ["Invented Name"] }))
    writeFileSync(join(cwd, "text.json"), "Invented Name")
    for (
      const [file, words] of [["data.json", "wrong element [\"patients\"]"], [
        "text.json",
        "data file of the sandbox"
      ]] as const
    ) {
      const seen = run("sandbox", "--port", "0", "--data", file)
      assert.strictEqual(seen.code, 2, seen.stderr)
      assert.include(seen.stderr, `\`${file}\` is not a data file of the sandbox`)
      assert.include(seen.stderr, words)
      assert.notInclude(seen.stderr, "Invented")
      assert.notInclude(seen.stderr, "free port")
    }
  })
})
