import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { conceptText } from "../../src/mapping/functions/concepts.ts"
import type { Json } from "../run/smallRecords.ts"
import { encounter, patient, visitOf } from "./visitOf.ts"

const absence = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
const masked = { system: absence, code: "masked", display: "Masked" }
const asked = { system: absence, code: "asked-unknown" }
const other = { system: "http://terminology.hl7.org/CodeSystem/v3-NullFlavor", code: "OTH", display: "other" }
const latex = { system: "http://snomed.info/sct", code: "1003755004", display: "Latex" }

describe("A code that states why there is no concept", () => {
  it("has no text, and neither has a text that repeats it", () => {
    for (
      const none of [
        masked,
        { coding: [masked] },
        { coding: [asked] },
        { coding: [masked], text: "masked" },
        { coding: [asked], text: "Asked, unknown" },
        { coding: [other, masked] },
        { coding: [{ ...masked, userSelected: true }] },
        { coding: [{ system: "http://hl7.org/fhir/v3/NullFlavor", code: "UNK" }] }
      ]
    ) assert.isUndefined(conceptText(none), JSON.stringify(none))
  })

  it("can have the concept beside it, as a text or as another code", () => {
    assert.strictEqual(conceptText({ coding: [other], text: "Rubber" }), "Rubber")
    assert.strictEqual(conceptText({ coding: [other, latex] }), "Latex")
    assert.strictEqual(conceptText({ coding: [masked, { system: latex.system, code: latex.code }] }), latex.code)
    assert.strictEqual(conceptText({ coding: [latex], text: "Masked" }), "Masked")
  })

  const overlay = (path: string): string =>
    "conceptMap:\n  local: {table: {A: Single, asked-unknown: Not known}, unmapped: provided}\n"
    + `visit: {patient: {occupation: ${path}}}\n`
  for (
    const [how, path] of [
      ["translated()", "maritalStatus.translated('local')"],
      ["a line's conceptMap", "{path: maritalStatus, conceptMap: local}"]
    ] as const
  ) {
    it.effect(`is not sent by ${how} in place of a row, but can have a row`, () =>
      Effect.gen(function*() {
        const sent = (maritalStatus: Json) =>
          Effect.map(
            visitOf([{ ...patient, maritalStatus }, encounter], overlay(path)),
            ({ unmapped, visit }) => [visit.patient.occupation, unmapped.filter((one) => one.startsWith("local"))]
          )
        assert.deepStrictEqual(yield* sent({ coding: [masked] }), [null, ["local masked 1"]])
        assert.deepStrictEqual(yield* sent({ coding: [asked] }), ["Not known", []])
        assert.deepStrictEqual(yield* sent({ coding: [masked, { code: "Q" }] }), ["Q", ["local Q 1"]])
      }))
  }
})
