import { assert, describe, it } from "@effect/vitest"
import { FileLabels } from "../../src/run/accounts/fileLabels.ts"

const patientIn = (file: string, name: unknown) => ({
  origin: { file, line: 1, reference: "Patient/1" },
  resource: { resourceType: "Patient", name }
})

describe("File names that hold a patient's name", () => {
  it("are shown with the name masked, ignoring accents and case", () => {
    const labels = new FileLabels()
    const file = "export/Zoë_O-Sample_5b1e44.json"
    labels.learn(patientIn(file, [{ family: "O'Sample", given: ["ZOE"] }]))
    assert.strictEqual(labels.of(file), "export/*_O-*_5b1e44.json")
  })

  it("are shown unchanged if no word is a name", () => {
    const labels = new FileLabels()
    labels.learn(patientIn("ann/Patient.000.ndjson", [{ family: "Example", given: ["Ann"] }]))
    assert.strictEqual(labels.of("ann/Patient.000.ndjson"), "ann/Patient.000.ndjson")
    assert.strictEqual(labels.of("other.json"), "other.json")
  })
})
