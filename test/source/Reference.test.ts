import { assert, describe, it } from "@effect/vitest"
import { parseReference } from "../../src/source/records/Reference.ts"
import type { Reference } from "../../src/source/records/Reference.ts"

describe("parseReference", () => {
  const cases: ReadonlyArray<readonly [string, Reference]> = [
    ["Patient/17", { _tag: "Relative", type: "Patient", id: "17" }],
    ["/Patient/17", { _tag: "Relative", type: "Patient", id: "17" }],
    ["Patient/17/_history/3", { _tag: "Relative", type: "Patient", id: "17" }],
    ["  Patient/17 ", { _tag: "Relative", type: "Patient", id: "17" }],
    ["fhir/r4/Patient/17", { _tag: "Relative", type: "Patient", id: "17" }],
    ["https://emr.example/fhir/Patient/17", {
      _tag: "Absolute",
      url: "https://emr.example/fhir/Patient/17",
      base: "https://emr.example/fhir",
      type: "Patient",
      id: "17"
    }],
    ["http://emr.example/Patient/17/_history/2", {
      _tag: "Absolute",
      url: "http://emr.example/Patient/17",
      base: "http://emr.example",
      type: "Patient",
      id: "17"
    }],
    ["http://terminology.example/CodeSystem-x", { _tag: "Url", url: "http://terminology.example/CodeSystem-x" }],
    ["http://Patient/17", { _tag: "Url", url: "http://Patient/17" }],
    ["urn:uuid:0f1e", { _tag: "Urn", urn: "urn:uuid:0f1e", id: "0f1e" }],
    ["urn:oid:1.2.3", { _tag: "Urn", urn: "urn:oid:1.2.3", id: "1.2.3" }],
    ["Condition/urn:uuid:0f1e", { _tag: "Urn", urn: "urn:uuid:0f1e", id: "0f1e", type: "Condition" }],
    ["#med1", { _tag: "Contained", id: "med1" }],
    ["#", { _tag: "Contained", id: "" }],
    ["Practitioner?identifier=http://id.example/npi|99", {
      _tag: "Conditional",
      type: "Practitioner",
      identifier: { system: "http://id.example/npi", value: "99" }
    }],
    ["https://emr.example/Practitioner?active=true&identifier=http%3A%2F%2Fid.example%7CA%2B1", {
      _tag: "Conditional",
      type: "Practitioner",
      base: "https://emr.example",
      identifier: { system: "http://id.example", value: "A+1" }
    }],
    ["Location?identifier=|12", { _tag: "Conditional", type: "Location", identifier: { system: "", value: "12" } }],
    ["Location?identifier=12", { _tag: "Conditional", type: "Location", identifier: { value: "12" } }],
    ["Location?_id=12", { _tag: "Conditional", type: "Location", id: "12" }],
    ["Location?name=%E0%A4%A", { _tag: "Conditional", type: "Location" }],
    ["5946f880-b197", { _tag: "Bare", id: "5946f880-b197" }],
    ["Patient/", { _tag: "Bare", id: "Patient/" }],
    ["", { _tag: "Nothing" }]
  ]
  for (const [text, expected] of cases) {
    it(JSON.stringify(text), () => {
      assert.deepStrictEqual(parseReference(text), expected)
      if (text.trim() !== "") assert.deepStrictEqual(parseReference({ reference: text, display: "d" }), expected)
    })
  }

  it("uses `type` if the text has no type", () => {
    const type = "http://hl7.org/fhir/StructureDefinition/Encounter"
    assert.deepStrictEqual(parseReference({ reference: "17", type }), { _tag: "Bare", id: "17", type: "Encounter" })
    assert.deepStrictEqual(parseReference({ reference: "Patient/17", type }), {
      _tag: "Relative",
      type: "Patient",
      id: "17"
    })
  })

  it("reads only an identifier as a logical reference, and only a display as unresolvable", () => {
    const identifier = { system: "http://id.example", value: "7", use: "usual" }
    assert.deepStrictEqual(parseReference({ identifier, type: "Patient" }), {
      _tag: "Logical",
      type: "Patient",
      identifier: { system: "http://id.example", value: "7" }
    })
    assert.deepStrictEqual(parseReference({ display: "Ward" }), { _tag: "Display" })
    assert.deepStrictEqual(parseReference({ identifier: { system: "http://id.example" }, display: "Ward" }), {
      _tag: "Display"
    })
  })

  it("reads other values as no reference", () => {
    for (const value of [null, undefined, 5, [], {}, { reference: 5 }, { reference: "" }]) {
      assert.deepStrictEqual(parseReference(value), { _tag: "Nothing" })
    }
  })
})
