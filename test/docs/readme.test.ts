import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { at } from "../../src/at.ts"
import { capture } from "../captures.ts"
import { bareEnvironment } from "../cli/builtProgram.ts"
import { present } from "../present.ts"
import { codeBlocks } from "./pages.ts"

const readme = readFileSync("README.md", "utf8")

const blocks = (language: string): ReadonlyArray<string> => codeBlocks(readme, language)

const run = (command: string) =>
  spawnSync("sh", ["-c", command], {
    encoding: "utf8",
    env: {
      ...bareEnvironment,
      PATH: `${join(process.cwd(), "node_modules/.bin")}:${process.env.PATH ?? ""}`,
      NO_COLOR: "1"
    }
  })

/** Replaces dates, because they change. */
const undated = (screen: string): string => screen.replace(/\d{4}-\d{2}-\d{2}(?=\n)/gu, "TODAY").trim()

describe("README.md", () => {
  it("has two set-up commands: one runs the samples, one the tests", () => {
    const commands = blocks("sh").map((block) => block.trim())
    assert.include(commands, "npm ci && npm run demo")
    assert.include(commands, "npm ci && npm test")
    const scripts = JSON.parse(readFileSync("package.json", "utf8")).scripts
    assert.containsAllKeys(scripts, ["demo", "test", "check", "bench"])
    assert.include(readFileSync(".ci/run", "utf8"), "npm ci && npm test")
  })

  it("sends every sample to the sandbox in the demo", () => {
    const { status, stderr } = run("npm run -s demo")
    assert.strictEqual(status, 0, stderr)
    assert.strictEqual(stderr.match(/ stored/gu)?.length, 4)
    assert.include(stderr, "5 visits      4 ready      1 rejected      4 sent")
  })

  it("shows the output of the first sample", () => {
    const command = present(
      blocks("sh").map((block) => block.trim()).find((block) => block.startsWith("npx fhir2visit run"))
    )
    const { status, stderr } = run(command.replace("npx fhir2visit", "node dist/fhir2visit.mjs"))
    assert.strictEqual(status, 0)
    assert.strictEqual(undated(at(blocks("text"), 0)), undated(stderr))
  })

  it("runs the built program by its name, as npx does", () => {
    const { status, stdout, stderr } = run("dist/fhir2visit.mjs --version")
    assert.strictEqual(status, 0, stderr)
    assert.include(stdout, JSON.parse(readFileSync("package.json", "utf8")).version)
  })

  it("shows a message as it is printed", () => {
    const { stderr } = run("node dist/fhir2visit.mjs convert samples/clinic-day/input --facility samples/clinic-day")
    assert.include(stderr, at(blocks("text"), 1).trim())
  })

  it("names only flags and commands that exist", () => {
    for (
      const command of blocks("sh").flatMap((block) => block.split("\n")).filter((line) => line.includes("fhir2visit "))
    ) {
      const name = capture(command, /fhir2visit ((?:codes )?\w+)/u)
      const { stdout, status } = run(`node dist/fhir2visit.mjs ${name} --help`)
      assert.strictEqual(status, 0, command)
      for (const [flag] of command.matchAll(/--[a-z-]+/gu)) assert.include(stdout, flag, command)
    }
  })
})
