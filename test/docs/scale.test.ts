import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const page = readFileSync("docs/scale.md", "utf8")
const blocks = (language: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gmu"))].map(([, text]) => text!)
const fhir2visit = `${process.execPath} ${join(process.cwd(), "dist/fhir2visit.mjs")}`

/** Runs lines of a shell in a folder, as they stand on the page. */
const here = (folder: string, text: string) =>
  spawnSync("bash", ["-ec", `fhir2visit() { ${fhir2visit} "$@"; }\n${text}`], { cwd: folder, encoding: "utf8" })

/** A folder with the samples. */
const withSamples = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "scale-"))
  cpSync("samples", join(folder, "samples"), { recursive: true })
  return folder
}

describe("docs/scale.md", () => {
  it("its first commands run, and give what one process gives", () => {
    const folder = withSamples()
    const one =
      "fhir2visit convert samples/clinic-day/input --facility samples/clinic-day -o one.ndjson --report one.json --rejected-ok"
    const { status, stderr } = here(folder, `${blocks("sh")[0]!}${one}\n`)
    assert.strictEqual(status, 0, stderr)
    const read = (file: string): string => readFileSync(join(folder, file), "utf8")
    const visits = (...files: ReadonlyArray<string>) =>
      files.flatMap((file) => read(file).trim().split("\n")).toSorted()
    assert.deepStrictEqual(visits("visits-1.ndjson", "visits-2.ndjson"), visits("one.ndjson"))
    const report = (file: string) => ({ ...JSON.parse(read(file)), started: "", ended: "" })
    assert.deepStrictEqual(report("report.json"), report("one.json"))
    rmSync(folder, { recursive: true })
  }, 120_000)
})
