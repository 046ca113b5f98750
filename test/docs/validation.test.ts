import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { parseFacility } from "../../src/facility/parseFacility.ts"
import { usualSettings } from "../../src/visit/rules/Rule.ts"
import { validateVisit, type ValidationSettings } from "../../src/visit/validateVisit.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import { withValue } from "../visit/mutate.ts"

const page = readFileSync("docs/validation.md", "utf8")
const example = /^```yaml facility\.yaml\n([\s\S]*?)^```$/mu.exec(page)![1]!
const rows = page.split("\n").filter((line) => line.startsWith("| `")).map((line) => line.slice(2, -2).split(" | "))
const word = (cell: string): string => cell.replaceAll("`", "")

/** The usual values as a page writes them. */
const written = (value: unknown): string =>
  Array.isArray(value) ? (value.length === 0 ? "none" : value.join(", ")) : String(value)

const { settings } = parseFacility("facility.yaml", `${example}mapping: ./mapping.yaml\n`)

describe("docs/validation.md", () => {
  it("the example is one that the program takes, whole", () => {
    const { problems } = parseFacility("facility.yaml", `${example}mapping: ./mapping.yaml\n`)
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(settings?.validation?.mayBeNull, ["patient.spid", "discharged_at", "inpatients.ended_at"])
  })

  it("what the example lets off is a warning, and an error without it", () => {
    const visit = withValue(exampleVisit, ["patient", "spid"], null)
    const found = (validation: Partial<ValidationSettings>) =>
      validateVisit(visit, { now: Date.UTC(2026, 3, 1), ...validation })
        .filter(({ path }) => path.join(".") === "patient.spid").map(({ severity }) => severity)
    assert.deepStrictEqual(found({}), ["error"])
    assert.deepStrictEqual(found(settings!.validation!), ["warning"])
  })

  it("every setting is in the table, with its usual value", () => {
    const told = new Map(rows.map(([name, usual]) => [word(name!), word(usual!)]))
    const usual = Object.entries(usualSettings).map(([name, value]) => [name, written(value)] as const)
    assert.deepStrictEqual(
      told,
      new Map([...usual, ["currencies", "that of the first invoice"] as const, ["levels", "none"] as const])
    )
  })

  it("every setting it names is one that a facility may write", () => {
    for (const [name] of rows) {
      const { problems } = parseFacility(
        "facility.yaml",
        `timezone: UTC\nmapping: ./mapping.yaml\nvalidation:\n  ${word(name!)}: {}\n`
      )
      assert.isFalse(problems.some(({ code }) => code === "unknown-key"), name)
    }
  })
})
