import { assert, beforeAll, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defaultReadLimits } from "../../src/source/read/ReadLimits.ts"
import { captures } from "../captures.ts"
import { builtProgram, start } from "../cli/builtProgram.ts"

const page = readFileSync("docs/security.md", "utf8")

beforeAll(() => void builtProgram())

describe("docs/security.md", () => {
  it("states the program's limits", () => {
    const { depth, documentBytes, inflatedBytes, inflatedRatio, recordBytes } = defaultReadLimits
    const mebibyte = 1024 * 1024
    for (
      const row of [
        `| one record | ${recordBytes / mebibyte} MiB |`,
        `| one JSON document | ${documentBytes / mebibyte} MiB |`,
        `| depth of a record | ${depth} levels |`,
        `| a compressed file | ${inflatedBytes / mebibyte / 1024} GiB inflated, and ${inflatedRatio} times its size |`
      ]
    ) assert.include(page, row)
  })

  it("states the files' modes, and no output shows a patient's name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "security-"))
    cpSync("docs/first-hour/export", join(folder, "export"), { recursive: true })
    const names = captures(
      readFileSync("docs/first-hour/export/Patient.ndjson", "utf8"),
      /"use":"usual","text":"([^"]+)"/gu
    )
    const reports = ["report.json", "report.html", "metrics.prom"]
    const files = ["visits.ndjson", "rejected.ndjson", ...reports]
    const convert = start(
      [
        "convert",
        "export",
        "-o",
        "visits.ndjson",
        "--rejected",
        "rejected.ndjson",
        ...reports.flatMap((file) => ["--report", file])
      ],
      { cwd: folder }
    )
    const profile = start(["profile", "export", "-o", "profile.html"], { cwd: folder })
    await convert.ended
    await profile.ended
    for (const file of [...files, "profile.html"]) {
      const mode = (statSync(join(folder, file)).mode & 0o777).toString(8).padStart(4, "0")
      const row = page.split("\n").find((line) => line.includes(`\`${file.replace(".html", "")}`))
      assert.include(row, mode, file)
    }
    assert.isAtLeast(names.length, 3)
    const shown = [convert.seen.stderr, ...reports.map((file) => readFileSync(join(folder, file), "utf8"))]
    for (const text of [...shown, readFileSync(join(folder, "profile.html"), "utf8")]) {
      for (const name of names) assert.notInclude(text, name)
    }
    rmSync(folder, { recursive: true })
  })

  it("names variables that are read, also from a file, and has no way to disable certificate checks", async () => {
    const folder = mkdtempSync(join(tmpdir(), "security-"))
    mkdirSync(join(folder, "secrets"))
    writeFileSync(
      join(folder, "facility.yaml"),
      "facility: HF0001\nsystem: S\ntimezone: UTC\nmapping: fhir-r4\nservice: {baseUrl: \"https://127.0.0.1:9\", authUrl: \"https://127.0.0.1:9\"}\n"
    )
    writeFileSync(join(folder, "visits.ndjson"), "")
    const variables = [...page.matchAll(/^\| `(FHIR2VISIT_\w+)` \| `(\w+)` \|$/gmu)]
    assert.strictEqual(variables.length, 4)
    const env: Record<string, string> = { NODE_TLS_REJECT_UNAUTHORIZED: "0" }
    const requested = start(["submit", "visits.ndjson", "--facility", "."], { cwd: folder })
    assert.strictEqual(await requested.ended, 2)
    for (const [, direct = "", file = ""] of variables) {
      assert.include(requested.seen.stderr, direct)
      const secret = join(folder, "secrets", direct)
      env[file] = secret
      writeFileSync(secret, "secret\n", { mode: 0o600 })
    }
    const refused = start(["status", "--remote", "--facility", "."], { cwd: folder, env })
    assert.notStrictEqual(await refused.ended, 0)
    assert.include(refused.seen.stderr, "NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off")
    rmSync(folder, { recursive: true })
  })
})
