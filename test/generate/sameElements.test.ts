import { assert, describe, it } from "@effect/vitest"
import type { Elements } from "../../src/fhirpath/FhirPath.ts"
import { areSame } from "../../src/fhirpath/generate/sameElements.ts"
import { recordWith } from "./recordWith.ts"
import { engineWithCalls, notingScope } from "./reportedCalls.ts"

const { compile, elementOf } = engineWithCalls("definition")

const foundIn = (record: object, text: string): Elements =>
  compile(text).evaluate([elementOf(recordWith(record))], {}, notingScope())

const patient = {
  resourceType: "Patient",
  name: [{ family: "Sample", given: ["Ann", "Ann"], text: "Ann" }, { given: ["Bee"] }],
  contact: [{ name: { family: "Sample" } }]
}

describe("What two evaluations found", () => {
  it.each(["name.given", "name.given.first()", "name.family = 'Sample'", "'a' | 'b'", "contact"])(
    "is the same in two readings of one record: %s",
    (text) => assert.isTrue(areSame(foundIn(patient, text), foundIn(patient, text)))
  )

  it.each([
    ["another number of elements", "name.given", "name.given.tail()"],
    ["more elements", "name.given.first()", "name.given"],
    ["another place in a list", "name.first().given.first()", "name.first().given.last()"],
    ["another name", "name.first().text", "name.first().given.first()"],
    ["another parent", "name.first().family", "contact.name.family"],
    ["another value", "true", "false"],
    ["a value for an element", "name.first().family", "'Sample'"]
  ])("differs by %s", (_, one, other) => {
    assert.isFalse(areSame(foundIn(patient, one), foundIn(patient, other)))
  })

  it("differs by the data of one place", () => {
    const changed = { ...patient, name: [{ family: "Other" }] }
    assert.isFalse(areSame(foundIn(patient, "name.first().family"), foundIn(changed, "name.first().family")))
  })
})
