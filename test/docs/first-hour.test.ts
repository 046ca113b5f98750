import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { at } from "../../src/at.ts"
import { capture, captures } from "../captures.ts"
import { bareEnvironment, builtProgram, start } from "../cli/builtProgram.ts"
import { only } from "../present.ts"

const text = readFileSync("docs/first-hour.md", "utf8")
/** Fenced blocks and rows of the table of codes, in reading order. */
const steps = [
  ...text.matchAll(/^(`{3,4})(\w+)(?: ([^\n]+))?\n([\s\S]*?)^\1$|^\| `(\w+\.csv)` \| (\w+) \| .* \| (\w+) \|$/gmu)
].map(([, , language = "row", name = "", body = "", table = "", code = "", value = ""]) => ({
  language,
  name,
  body,
  table,
  code,
  value
}))

/** A pattern of expected output: a line `…` matches any lines, and `…` in a line any text. Dates and the package's path vary. */
const shown = (screen: string): RegExp =>
  new RegExp(
    `^${
      screen.trim().split("…").map((part) =>
        part.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&").replaceAll(/\d{4}-\d{2}-\d{2}/gu, "\\d{4}-\\d{2}-\\d{2}")
      )
        .join("[\\s\\S]*?")
    }$`,
    "u"
  )

beforeAll(() => void builtProgram())

describe("docs/first-hour.md", () => {
  it("makes a checkout a command of every folder, and its records are where the page copies them from", () => {
    const root = dirname(dirname(builtProgram()))
    const checkout = mkdtempSync(join(tmpdir(), "first-hour-checkout-"))
    try {
      for (const part of ["package.json", "dist", "docs/first-hour"]) {
        cpSync(join(root, part), join(checkout, part), { recursive: true })
      }
      const prefix = join(checkout, "global")
      const env = {
        ...bareEnvironment,
        PATH: `${join(prefix, "bin")}:${process.env.PATH ?? ""}`,
        HOME: checkout,
        npm_config_prefix: prefix,
        npm_config_ignore_scripts: "true",
        npm_config_offline: "true"
      }
      const type = (line: string, cwd = checkout) => spawnSync("sh", ["-c", line], { cwd, encoding: "utf8", env })
      mkdirSync(join(prefix, "lib"), { recursive: true })
      const { body } = only(steps.filter(({ name }) => name === "checkout"))
      // the first line installs what the build needs
      assert.match(body, /^npm ci\n/u)
      for (const line of body.trim().split("\n").slice(1)) assert.strictEqual(type(line).status, 0, line)
      const empty = join(checkout, "empty")
      mkdirSync(empty)
      assert.match(type("fhir2visit --version", empty).stdout, /^fhir2visit \d/u)
      const copy = only(captures(text, /^(cp -r .*)$/gmu))
      assert.strictEqual(type(copy, empty).status, 0)
      assert.include(readdirSync(join(empty, "export")), "Encounter.ndjson")
    } finally {
      rmSync(checkout, { recursive: true })
    }
  })

  it("prints what each command of the page prints, from top to bottom", async () => {
    const program = builtProgram()
    const folder = mkdtempSync(join(tmpdir(), "first-hour-"))
    const sandbox = start(["sandbox", "--port", "0"])
    try {
      const url = at(await sandbox.says(/http:\/\/127\.0\.0\.1:\d+/u), 0)
      const root = dirname(dirname(program))
      mkdirSync(join(folder, "bin"))
      writeFileSync(join(folder, "bin/fhir2visit"), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`)
      chmodSync(join(folder, "bin/fhir2visit"), 0o755)
      const env = { ...bareEnvironment, NO_COLOR: "1", PATH: `${join(folder, "bin")}:${process.env.PATH ?? ""}` }
      let screen = ""
      let commands = 0
      for (const { body, code, language, name, table, value } of steps) {
        if (language === "sh" && name === "") {
          screen = ""
          for (const line of body.trim().split("\n")) {
            if (line.startsWith("cp -r ")) {
              const source = capture(line, /fhir2visit\/(\S+)" export$/u)
              cpSync(join(root, source), join(folder, "export"), { recursive: true })
              continue
            }
            const { status, stderr, stdout } = spawnSync("sh", ["-c", line], { cwd: folder, encoding: "utf8", env })
            assert.isAtMost(status ?? 9, 1, `${line}\n${stderr}`)
            screen += stdout + stderr
            commands++
          }
        } else if (language === "text") {
          assert.match(screen.replaceAll(`${root}/`, "node_modules/fhir2visit/").trim(), shown(body))
        } else if (name === "river-clinic/mapping.yaml") {
          appendFileSync(join(folder, name), body)
        } else if (language === "yaml" || language === "md") {
          writeFileSync(join(folder, name), body.replaceAll("http://127.0.0.1:8787", url))
        } else if (language === "row") {
          const file = join(folder, "river-clinic/tables", table)
          const filled = readFileSync(file, "utf8").split("\r\n").map((line) =>
            line.includes(`,${code},`) && line.endsWith(",") ? line + value : line
          )
          writeFileSync(file, filled.join("\r\n"))
        }
      }
      assert.isAbove(commands, 9)
      assert.include(
        readFileSync(join(folder, "river-clinic/tables/marital_status.csv"), "utf8"),
        "K2,Widower,Widowed,"
      )
      const visits = readFileSync(join(folder, "visits.ndjson"), "utf8").trim().split("\n").map((line) =>
        JSON.parse(line)
      )
      assert.deepStrictEqual(
        visits.map((
          { discharge_type, patient, vital_signs }
        ) => [discharge_type, patient.marital_status, vital_signs.length]),
        [["Authorized", "Married", 1], ["Authorized", "Widowed", 1]]
      )
    } finally {
      sandbox.child.kill()
      await sandbox.ended
      rmSync(folder, { recursive: true })
    }
  })
})
