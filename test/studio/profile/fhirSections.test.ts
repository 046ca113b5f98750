import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { renderProfile } from "../../../src/studio/profile/renderProfile.ts"
import { present } from "../../present.ts"
import { temporaryFolder, written } from "../../run/converted.ts"
import { type } from "./drafted.ts"
import { codedInIcd10, hospital, ndjson, profileOf } from "./hospital.ts"

const profiled = (records: Parameters<typeof profileOf>[0]) => Effect.provide(profileOf(records), NodeServices.layer)

const oxygen = (at: number) => ({
  resourceType: "Observation",
  id: `o${at}`,
  status: "final",
  code: { coding: [{ system: "http://loinc.org", code: "2710-2" }] },
  subject: { reference: `Patient/p${at}` },
  encounter: { reference: `Encounter/e${at}` },
  effectiveDateTime: `2026-03-0${at}T08:06:00+07:00`,
  valueQuantity: { value: 97, unit: "%", code: "%", system: "http://unitsofmeasure.org" }
})

describe("Vital signs under codes that the base mapping does not have", () => {
  it.effect("are sent with the lines that `init` writes, and every line is used", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "in"))
      written(join(folder, "in"), { "all.ndjson": ndjson([...codedInIcd10(hospital()), ...[1, 2, 3, 4].map(oxygen)]) })
      const made = join(folder, "made")
      yield* type("init", made, "--from", join(folder, "in"))
      const mapping = readFileSync(join(made, "mapping.yaml"), "utf8")
      assert.match(mapping, /"2710-2": Blood Oxygen/u)
      // The units are those of the signs, which the base mapping has.
      assert.notInclude(mapping, "vital_unit")
      const out = join(folder, "visits.ndjson")
      yield* type("convert", join(folder, "in"), "--facility", made, "-o", out)
      const [visit] = readFileSync(out, "utf8").trim().split("\n").map((line): Sent => JSON.parse(line))
      const sent = visit?.vital_signs.flatMap(({ observations }) =>
        observations.map(({ name, value }) => [name, value])
      )
      assert.deepStrictEqual(sent, [["Temperature", 37.5], ["Blood Oxygen", 97]])
    }))
})

interface Sent {
  readonly vital_signs: ReadonlyArray<
    { readonly observations: ReadonlyArray<{ readonly name: string; readonly value: number }> }
  >
}

describe("Elements with a choice of types", () => {
  it.effect("are listed with the type that occurs", () =>
    Effect.gen(function*() {
      const text = renderProfile(yield* profiled([...hospital(), oxygen(1)]))
      assert.match(text, /Observation\n {4}(?:.*\n? {4})*?.*effective\.ofType\(dateTime\) 100 %/u)
      assert.match(text, /value\.ofType\(Quantity\) 100 %/u)
      assert.notMatch(text, /ofType\(Quantity\)\.unit/u)
    }))
})

describe("Records of a patient that do not all refer to an encounter", () => {
  const past = {
    resourceType: "Procedure",
    id: "past",
    status: "completed",
    code: { text: "x" },
    subject: { reference: "Patient/p1" },
    performedDateTime: "2010-05-01"
  }
  const recent = { ...past, id: "now", encounter: { reference: "Encounter/e1" } }

  it.effect("are not placed by time; the sections that read them are listed with their conditions", () =>
    Effect.gen(function*() {
      const { suggestions } = yield* profiled([...hospital(), past, recent])
      const note = present(suggestions.notes.find((one) => one.includes("Procedure records")))
      assert.include(
        note,
        "`medical_histories.past-surgical` reads them where  status = 'completed'  and  isSurgery()"
      )
      assert.notInclude(note, "window")
      assert.notInclude(suggestions.overlay, "Procedure")
    }))
})
