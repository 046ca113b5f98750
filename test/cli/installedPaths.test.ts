import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { builtProgram } from "./builtProgram.ts"

const program = resolve(builtProgram())
const installed = resolve(".")
const sample = resolve("samples/clinic-day")
const folder = mkdtempSync(join(tmpdir(), "elsewhere-"))

afterAll(() => rmSync(folder, { recursive: true }))

describe("Where the program is installed", () => {
  for (
    const words of [
      `convert ${sample}/input -o v.ndjson --rejected r.ndjson --report r.json --report r.html --coverage c.json`,
      `convert ${sample}/input -o v.ndjson --rejected r.ndjson --as operation-outcome --format json`,
      `convert ${sample}/input -o v.ndjson --verbose`,
      "mapping check",
      "mapping show",
      "mapping diff fhir-r4 us-synthetic",
      `assumptions ${sample}/input`,
      `explain V420401.admitted_at ${sample}/input`
    ]
  ) {
    it(`is not shown: ${words.replaceAll(`${sample}/`, "")}`, () => {
      const { stderr, stdout } = spawnSync(process.execPath, [program, ...words.split(" ")], {
        cwd: folder,
        encoding: "utf8"
      })
      const written = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"))
      // The input was named by its path, so it is shown by it.
      const shown = [stdout, stderr, ...written].join("\n").replaceAll(sample, "")
      assert.notInclude(shown, installed)
      assert.notInclude(shown, "node_modules")
      assert.isNotEmpty(shown)
    }, 60_000)
  }
})
