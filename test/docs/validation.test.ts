import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { readFacility } from "../../src/facility/readFacility.ts"
import { parseFacility } from "../../src/facility/settings/parseFacility.ts"
import { validationKeys } from "../../src/facility/settings/validationGrammar.ts"
import { defaultRuleSettings } from "../../src/visit/rules/Rule.ts"
import { validateVisit, type ValidationSettings } from "../../src/visit/validateVisit.ts"
import { present } from "../present.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import { withValue } from "../visit/mutate.ts"
import { codeBlocks } from "./pages.ts"

const page = readFileSync("docs/validation.md", "utf8")
const [example = ""] = codeBlocks(page, "yaml facility.yaml")
const { settings } = parseFacility("facility.yaml", `${example}mapping: ./mapping.yaml\n`)

describe("docs/validation.md", () => {
  it.effect("shows a gazetteer that is read and used for addresses", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(tmpdir(), "validation-"))
      const [, addresses = ""] = page.split("\n## Addresses\n")
      for (const [, name = "", body = ""] of addresses.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gmu)) {
        writeFileSync(join(folder, name), body)
      }
      const { validation } = yield* readFacility(folder)
      const found = (...codes: ReadonlyArray<string>) =>
        validateVisit(
          ["province", "district", "commune", "village"].reduce<unknown>(
            (visit, level, at) => withValue(visit, ["patient", "address", level, "code"], codes[at] ?? null),
            exampleVisit
          ),
          { now: Date.UTC(2026, 3, 1), ...validation }
        ).filter(({ path }) => path.includes("address") && path.at(-1) === "code")
          .filter(({ severity }) => severity === "warning")
          .map(({ code, path }) => `${code} ${path[2]}`)
      assert.deepStrictEqual(found("12", "1203", "120301"), [])
      assert.deepStrictEqual(found("12", "N7"), [])
      assert.deepStrictEqual(found("12", "N7", "120301"), ["contradiction commune"])
      assert.deepStrictEqual(found("12", "1204"), ["unknown-list-value district"])
    }).pipe(Effect.provide(NodeFileSystem.layer)))

  it("shows a valid facility.yaml", () => {
    const { problems } = parseFacility("facility.yaml", `${example}mapping: ./mapping.yaml\n`)
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(settings?.validation?.mayBeNull, ["patient.spid", "discharged_at", "inpatients.ended_at"])
  })

  it("shows settings that turn errors into warnings", () => {
    const visit = withValue(exampleVisit, ["patient", "spid"], null)
    const found = (validation: Partial<ValidationSettings>) =>
      validateVisit(visit, { now: Date.UTC(2026, 3, 1), ...validation })
        .filter(({ path }) => path.join(".") === "patient.spid").map(({ severity }) => severity)
    assert.deepStrictEqual(found({}), ["error"])
    assert.deepStrictEqual(found(present(settings?.validation)), ["warning"])
  })

  it("names every setting of the rules in the facility's settings", () =>
    assert.includeMembers(Object.keys(validationKeys), Object.keys(defaultRuleSettings)))
})
