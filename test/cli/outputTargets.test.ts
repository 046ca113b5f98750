import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { bareEnvironment, builtProgram, testNode } from "./builtProgram.ts"

const program = resolve(builtProgram())
const sample = resolve("samples/outpatient-fever")
const input = join(sample, "input")
const fresh = (): string => mkdtempSync(join(tmpdir(), "targets-"))

const run = (cwd: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(testNode, [program, ...args], {
    cwd,
    env: bareEnvironment,
    encoding: "utf8",
    input: ""
  })
  return { code: status, stderr, stdout }
}

/** A folder with visits, records, a report, and a journal. */
const material = (): string => {
  const folder = fresh()
  const made = run(folder, "convert", input, "--facility", sample, "-o", "v.ndjson", "--report", "r.json", "-q")
  assert.strictEqual(made.code, 0, made.stderr)
  writeFileSync(join(folder, "records.json"), readFileSync(join(input, "visit.bundle.json")))
  writeFileSync(join(folder, "journal.json"), "SQLite format 3\0and more")
  return folder
}

describe("an output never replaces what a command reads", () => {
  const folder = material()
  for (
    const args of [
      ["to-fhir", "v.ndjson", "-o", "v.ndjson"],
      ["profile", "records.json", "-o", "records.json"],
      ["assumptions", "records.json", "-o", "records.json"],
      ["overview", "r.json", "-o", "r.json"],
      ["merge-reports", "r.json", "-o", "r.json"]
    ]
  ) {
    it(args.join(" "), () => {
      const output = join(folder, args.at(-1) ?? "")
      const before = readFileSync(output, "latin1")
      const seen = run(folder, ...args)
      assert.strictEqual(seen.code, 2, seen.stderr)
      assert.include(seen.stderr, "--output and the input")
      assert.strictEqual(readFileSync(output, "latin1"), before)
      const linked = join(fresh(), "linked.json")
      linkSync(output, linked)
      const other = run(folder, ...args.slice(0, -1), linked)
      assert.strictEqual(other.code, 2, other.stderr)
      assert.include(other.stderr, "--output would replace the input")
    })
  }

  it("a journal", () => {
    for (
      const args of [
        ["generate", "--visits", "1"],
        ["to-fhir", "v.ndjson"],
        ["profile", "records.json"],
        ["assumptions", "records.json"],
        ["overview", "r.json"]
      ]
    ) {
      const seen = run(folder, ...args, "-o", "journal.json")
      assert.strictEqual(seen.code, 2, seen.stderr)
      assert.include(seen.stderr, "--output would replace a database, which may be a journal")
    }
  })
})

describe("a link that points to a missing file", () => {
  it("is another name of that file: two results are not written into it", () => {
    const folder = fresh()
    symlinkSync("v.json", join(folder, "link.json"))
    const seen = run(folder, "convert", input, "--facility", sample, "-o", "v.json", "--report", "link.json", "-q")
    assert.strictEqual(seen.code, 2, seen.stderr)
    assert.include(seen.stderr, "--report and --output are the same file")
    assert.deepStrictEqual(readdirSync(folder), ["link.json"])
  })

  it("stays a link, and the file is created", () => {
    const folder = fresh()
    symlinkSync("v.ndjson", join(folder, "link.ndjson"))
    symlinkSync("loop", join(folder, "loop"))
    const seen = run(folder, "convert", input, "--facility", sample, "-o", "link.ndjson", "-q")
    assert.strictEqual(seen.code, 0, seen.stderr)
    assert.isTrue(lstatSync(join(folder, "link.ndjson")).isSymbolicLink())
    assert.isTrue(lstatSync(join(folder, "v.ndjson")).isFile())
  })
})

describe("a folder for results", () => {
  const folder = material()
  const commands: ReadonlyArray<ReadonlyArray<string>> = [
    ["to-csv", "v.ndjson", "-o"],
    ["partition", "records.json", "--into", "2", "-o"],
    ["codes", "unmapped", "records.json", "-o"],
    ["init", "--from", "records.json"]
  ]
  it("is not standard output", () => {
    for (const args of commands) {
      const seen = run(folder, ...args, "-")
      assert.strictEqual(seen.code, 2, seen.stderr)
      assert.include(seen.stderr, "the result is several files: standard output takes one")
      assert.isFalse(existsSync(join(folder, "-")))
    }
  })

  it("is not a file: exit code 2, because running again does not help", () => {
    for (const args of commands) {
      const seen = run(folder, ...args, "v.ndjson")
      assert.strictEqual(seen.code, 2, seen.stderr)
      assert.include(seen.stderr, "`v.ndjson` exists and is not a folder")
    }
  })
})

describe("the name of a result", () => {
  const folder = material()
  it("has an extension that the command writes", () => {
    const convert = ["convert", input, "--facility", sample, "-q"]
    for (
      const [args, words] of [
        [[...convert, "--coverage", "coverage.html"], "--coverage writes text or JSON, not `coverage.html`"],
        [[...convert, "--coverage", "coverage.csv"], "--coverage writes text or JSON, not `coverage.csv`"],
        [["profile", "records.json", "-o", "profile.csv"], "`profile.csv` is not a file of a known kind"]
      ] as const
    ) {
      const seen = run(folder, ...args)
      assert.strictEqual(seen.code, 2, seen.stderr)
      assert.include(seen.stderr, words)
    }
    assert.deepStrictEqual(readdirSync(folder).filter((name) => /^(?:coverage|profile)/u.test(name)), [])
  })

  it("`-` is standard output for the merged report", () => {
    const parts = run(folder, "partition", "records.json", "--facility", sample, "--into", "1", "-o", "parts")
    assert.strictEqual(parts.code, 0, parts.stderr)
    const part = ["convert", "parts", "--facility", sample, "--part", "1/1", "--report", "part.json", "-q"]
    assert.strictEqual(run(folder, ...part).code, 0)
    const seen = run(folder, "merge-reports", "part.json", "--parts", "parts/parts.json", "-o", "-")
    assert.strictEqual(seen.code, 0, seen.stderr)
    assert.deepInclude(JSON.parse(seen.stdout), { format: 2 })
    assert.isFalse(existsSync(join(folder, "-")))
  })
})

describe("standard input is read once", () => {
  it("rejects it where the records are read twice", () => {
    const folder = fresh()
    for (const args of [["mapping", "diff", "fhir-r4", "fhir-r4", "-"], ["init", "a", "--from", "-"]]) {
      const seen = run(folder, ...args)
      assert.strictEqual(seen.code, 2, seen.stderr)
      assert.include(seen.stderr, "cannot read standard input")
    }
    assert.deepStrictEqual(readdirSync(folder), [])
  })
})
