import { assert, beforeAll, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { standardData } from "../../src/service/sandbox/data/standardData.ts"
import { assertGolden } from "../golden.ts"
import { builtProgram, start } from "./builtProgram.ts"
import { spoiled, visitJson } from "./visitFiles.ts"

/**
 * Each file of `screens/` is a command, the exit code and what was printed. A new one needs its first line, `$ fhir2visit …`, and
 * `UPDATE=1`. Environment variables come before the command.
 */
const screens = join(import.meta.dirname, "screens")
const root = join(import.meta.dirname, "../..")
const files = mkdtempSync(join(tmpdir(), "screens-"))

const lines = (...visits: ReadonlyArray<string>): string => `${visits.join("\n")}\n`

const write = (name: string, text: string): void => {
  mkdirSync(join(files, name, ".."), { recursive: true })
  writeFileSync(join(files, name), text)
}

beforeAll(() => {
  builtProgram()
  cpSync(join(root, "samples"), join(files, "samples"), { recursive: true })
  write("good.ndjson", lines(visitJson(1), visitJson(2), visitJson(3)))
  write("request.json", `{"visits": [\n${visitJson(1)},\n${visitJson(2)}\n]}\n`)
  write(
    "mixed.ndjson",
    lines(
      visitJson(1),
      spoiled(2, "\"code\":\"V000002\",", ""),
      spoiled(3, /"recorded_by":"[^"]*"/, "\"recorded_by\":7"),
      spoiled(4, /"admitted_at":"[^"]*"/, "\"admitted_at\":\"2026-03-01\""),
      spoiled(5, /"admitted_at":"[^"]*"/, "\"admitted_at\":\"2026-03-01 08:00\""),
      "{\"code\": oops",
      visitJson(1)
    )
  )
  write("hospital-a/mapping.yaml", "mapping: hospital-a\nextends: fhir-r4\n")
  write(
    "hospital-a/facility.yaml",
    "facility: HF0001\nsystem: SYS-1\ntimezone: Asia/Phnom_Penh\nmapping: ./mapping.yaml\n"
  )
  write(
    "hospital-b/mapping.yaml",
    "mapping: hospital-b\nextends: fhir-r4\nvisit:\n  patient:\n    occupation: {value: Farmer}\n  triages: {enabled: false}\n"
  )
  write("hospital-b/facility.yaml", "facility: HF0001\ntimezone: Asia/Phnom_Penh\nmapping: ./mapping.yaml\n")
  write(
    "wrong-mapping/mapping.yaml",
    "mapping: wrong\nextends: fhir-r4\nvisit:\n  triages:\n    titel: performer.display\n    title: performer.where(\n"
  )
  // An unmapped code, and text instead of a code.
  write(
    "unmapped.ndjson",
    lines(
      JSON.stringify({
        resourceType: "Patient",
        id: "p1",
        maritalStatus: { coding: [{ system: "http://hospital-a.example/marital", code: "K9" }] }
      }),
      JSON.stringify({
        resourceType: "Encounter",
        id: "e1",
        status: "finished",
        class: { code: "AMB" },
        subject: { reference: "Patient/p1" },
        period: { start: "2026-03-02T08:00:00+07:00" },
        hospitalization: { dischargeDisposition: { text: "Meadow went home" } }
      })
    )
  )
  const records =
    "[{\"resourceType\": \"Patient\", \"id\": \"p1\"}, {\"resourceType\": \"Encounter\", \"id\": \"e1\", \"status\": \"finished\", \"class\": {\"code\": \"AMB\"}, \"subject\": {\"reference\": \"Patient/p1\"}, \"period\": {\"start\": \"2026-03-02\"}}]"
  const page = (name: string, ...blocks: ReadonlyArray<readonly [string, string]>): string =>
    `# ${name}\n\n\`\`\`json source\n${records}\n\`\`\`\n\n${
      blocks.map(([title, body]) => `## ${title}\n\n${body}\n`).join("\n")
    }`
  write(
    "hospital-a/cases/visit.md",
    page(
      "Visits",
      ["an ambulatory encounter", "```json visit\n{\"visit_type\": \"OPD\", \"inpatients\": []}\n```"],
      ["a stay", "```json visit\n{\"visit_type\": \"IPD\", \"outpatients\": []}\n```"],
      ["a mistake", "```yaml mapping\nvisit:\n  patient: {nam: name.family}\n```\n\n```json visit\n{}\n```"]
    )
  )
  write(
    "doubtful.yaml",
    "mapping: doubtful\nextends: fhir-r4\nconstant: {wards: \"http://hospital-a.example/wards\"}\nvisit:\n  admitted_at: null\n  surgeries:\n"
      + "    where: {surgical: \"category.coding.code = '387713003'\"}\n    surgeon_name: performer.actor.who()\n"
  )
  write("wrong-table/marital_status.csv", "code;value\n1;Single\n2;Married\n1;Widowed\n")
  write("wrong-table/sexx.csv", "code,value\n")
  write(
    "wrong-table/facility.yaml",
    "timezone: UTC\ntables:\n  marital_status: marital_status.csv\n  sexx: sexx.csv\n"
  )
  const pulled = (type: keyof typeof standardData) =>
    write(
      `pulled/.fhir2visit/standard-data/service.example/${type}.json`,
      JSON.stringify({
        type,
        url: "https://service.example",
        pulledAt: new Date(Date.now() - 30.5 * 86_400_000).toISOString(),
        count: standardData[type].length,
        items: standardData[type]
      })
    )
  pulled("diagnoses")
  pulled("marital_statuses")
  write("pulled/marital_status.csv", "code,value\nS,SINGLE\nM,Maried\nX,Partnered\n")
  write(
    "pulled/facility.yaml",
    "facility: HF0001\ntimezone: Asia/Phnom_Penh\nservice: {baseUrl: \"https://service.example\"}\ntables: {marital_status: marital_status.csv}\n"
  )
  write("wrong-mapping/facility.yaml", "timezone: UTC\nmapping: ./mapping.yaml\n")
  write(
    "broken/facility.yaml",
    "facilty: HF0001\ntimezone: Asia/Phnom_Pen\nmapping: fhir-r5\nservice:\n  baseUrl: http://data.example.org\n  password: Meadow7\n"
  )
})

describe("screens", () => {
  for (const name of readdirSync(screens).filter((file) => file.endsWith(".screen"))) {
    it.concurrent(name, async () => {
      const [command = ""] = readFileSync(join(screens, name), "utf8").split("\n", 1)
      const folder = mkdtempSync(join(tmpdir(), "screen-"))
      cpSync(files, folder, { recursive: true })
      const words = command.replace(/^\$ /, "").split(" ")
      const at = words.indexOf("fhir2visit")
      assert.isAtLeast(at, 0, command)
      const env = Object.fromEntries(
        words.slice(0, at).map((word) => word.split("=")).map(([name = "", value = ""]) => [name, value])
      )
      const { ended, seen } = start(words.slice(at + 1), { cwd: folder, env })
      const code = await ended
      const text = (part: string): string =>
        part.replaceAll(folder, "DIR").replaceAll(root, "PACKAGE").replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g, "DATE")
          .replaceAll(/checked in (?:less than )?\d+ s/g, "checked in TIME").replaceAll(
            /127\.0\.0\.1:\d+/g,
            "127.0.0.1:PORT"
          )
      for (const never of ["\u001b", "Meadow7"]) assert.notInclude(seen.stdout + seen.stderr, never)
      assertGolden(
        join(screens, name),
        `${command}\nexit ${code}\n--- stdout\n${text(seen.stdout)}--- stderr\n${text(seen.stderr)}`
      )
    })
  }
})
