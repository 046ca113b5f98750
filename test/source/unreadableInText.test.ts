import { assert, describe, it } from "@effect/vitest"
import type { Resource } from "../../src/source/records/SourceRecord.ts"
import { unreadableInText } from "../../src/source/records/unreadableInText.ts"
import { namesOfRecord } from "../../src/source/records/UnreadableRecord.ts"
import { only, present } from "../present.ts"

const identifier = { system: "urn:visits", value: "V-17" }

/** The names that mean an encounter. */
const encounter = new Set(namesOfRecord({
  origin: { file: "a", line: 1, reference: "Encounter/e1" },
  resource: { resourceType: "Encounter", id: "e1", identifier: [identifier] },
  fullUrl: "https://emr.example/fhir/Encounter/e1"
}))

/** Each text three times: as JSON, with an invalid word, and without its last quote. */
const damaged = (record: unknown): ReadonlyArray<string> => {
  const text = JSON.stringify(record)
  return [text, text.replace("\"final\"", "final"), `${text.slice(0, -1)},"x":"y}`]
}

describe("unreadableInText", () => {
  it("returns the references of a record, in every form", () => {
    for (
      const reference of [
        { reference: "Encounter/e1" },
        { reference: "https://emr.example/fhir/Encounter/e1/_history/2" },
        { reference: "Encounter?identifier=urn:visits|V-17" },
        { reference: "Encounter?identifier=V-17" },
        { type: "Encounter", identifier },
        { identifier: { value: "V-17" } },
        { reference: "e1", type: "Encounter" },
        { reference: "urn:uuid:e1" }
      ]
    ) {
      for (const text of damaged({ resourceType: "Observation", id: "o", status: "final", encounter: reference })) {
        const { references } = only(unreadableInText(text))
        assert.isTrue(references.some((name) => encounter.has(name)), text)
      }
    }
  })

  it("returns the record's own type and id, not those of contained resources, in any order of keys", () => {
    const contained = [{ resourceType: "Device", id: "d" }]
    for (
      const record of [
        { resourceType: "Observation", id: "o", status: "final", contained },
        { contained, id: "o", resourceType: "Observation", status: "final" }
      ]
    ) {
      for (const text of damaged(record)) {
        const { names, type } = only(unreadableInText(text))
        assert.deepStrictEqual([type, names[0]], ["Observation", "Observation/o"], text)
      }
    }
    const unsure = present(
      unreadableInText(
        `{"contained":[{"resourceType":"Device","id":"d}],"id":"o","resourceType":"Observation"}`
      )[0]
    )
    assert.isUndefined(unsure.type)
    // Its type can be any that comes after the damage.
    const { names, type } = only(unreadableInText(
      `{"id":"o","status":"final,"encounter":{"reference":"Encounter/e1"},"resourceType":"Observation"}`
    ))
    assert.isUndefined(type)
    assert.include(names, "Observation/o")
  })

  it("returns when the record was last updated, and nothing else of that name", () => {
    for (const other of ["x", "contained"]) {
      const text = `{"resourceType":"Observation","id":"o","${other}":{"lastUpdated":"2020-01-01"},"status":final}`
      assert.isUndefined(only(unreadableInText(text)).updated, text)
      const { updated } = only(unreadableInText(text.replace("{", `{"meta":{"lastUpdated":"2026-03-03"},`)))
      assert.strictEqual(updated, "2026-03-03", text)
    }
  })

  it("returns each resource of a Bundle, an array and Parameters, with its address", () => {
    const of = (id: string): Resource => ({ id, resourceType: "Observation", status: "final" })
    const [one, two] = [of("1"), of("2")]
    const first = (text: string) => unreadableInText(text).map(({ names: [name] }) => name)
    for (
      const document of [
        { entry: [{ fullUrl: "urn:uuid:1", resource: one }, { resource: two }], resourceType: "Bundle" },
        { resourceType: "Parameters", parameter: [{ name: "a", resource: one }, { name: "b", resource: two }] },
        [one, two]
      ]
    ) {
      for (const text of damaged(document).slice(0, 2)) {
        assert.deepStrictEqual(first(text), ["Observation/1", "Observation/2"], text)
        assert.deepStrictEqual(first(text.slice(0, -5)), ["Observation/1", "Observation/2"], text)
      }
    }
    const { names } = only(unreadableInText(
      `{"resourceType":"Bundle","entry":[{"fullUrl":"urn:uuid:1","resource":{"resourceType":"Practitioner","active":yes}}]}`
    ))
    assert.includeMembers([...names], ["urn:uuid:1", "Practitioner/1"])
  })
})
