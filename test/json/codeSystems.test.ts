import { assert, describe, it } from "@effect/vitest"
import { systemUrls, urlOfOid } from "../../src/json/codeSystems.ts"
import { parseRecord, parseText } from "../../src/json/parseRecord.ts"
import { scanValue } from "../../src/json/scanJson.ts"

const icd10 = "http://hl7.org/fhir/sid/icd-10"
const oid = "urn:oid:2.16.840.1.113883.6.3"

const parsed = (value: unknown): unknown => parseText(JSON.stringify(value))

describe("The OID of a code system", () => {
  it("is another name of its URL, with or without `urn:oid:`", () => {
    for (const name of [oid, "2.16.840.1.113883.6.3", "URN:OID:2.16.840.1.113883.6.3"]) {
      assert.strictEqual(urlOfOid(name), icd10, name)
    }
    // Race and ethnicity, which FHIR names by the OID; a longer OID; no name.
    for (const name of ["urn:oid:2.16.840.1.113883.6.238", `${oid}.1`, "urn:oid:", ""]) {
      assert.isUndefined(urlOfOid(name), name)
    }
  })

  it("is replaced in every code of a record: of a Coding, a Quantity, at any depth", () => {
    const record = (system: string) => ({
      code: { coding: [{ system, code: "A90" }, { system: "http://our-hospital.example/codes", code: "7" }] },
      extension: [{ url: "u", valueCoding: { system, code: "B54" } }],
      contained: [{ valueQuantity: { value: 1, system, code: "mg" } }]
    })
    assert.deepStrictEqual(parsed(record(oid)), record(icd10))
    assert.deepStrictEqual(
      parsed(record("urn:oid:1.2.840.10008.2.16.4")),
      record("http://dicom.nema.org/resources/ontology/DCM")
    )
  })

  it("stays in an identifier, a text and any other element", () => {
    const record = {
      identifier: [{ system: oid, value: "1" }],
      code: oid,
      text: { div: `"system":"${oid}","code":"A90"` }
    }
    assert.deepStrictEqual(parsed(record), record)
  })

  it("is replaced also if numbers have to be read again, and nothing else changes", () => {
    // A key that looks like an index changes the order of the numbers.
    const text = `{"a":{"value":7.20,"system":"${oid}","code":"x"},"0":1.10}`
    const bytes = Buffer.from(text)
    const found = parseRecord(bytes, scanValue(bytes, 0, bytes.length), 10)
    assert.strictEqual(
      "value" in found ? JSON.stringify(found.value) : found.unfit,
      `{"0":1.1,"a":{"value":7.2,"system":"${icd10}","code":"x"}}`
    )
  })

  it("names one system each, which is no OID itself", () => {
    assert.isAbove(systemUrls.size, 30)
    for (const [name, url] of systemUrls) {
      assert.match(name, /^[12](?:\.\d+)+$/u)
      assert.match(url, /^https?:\/\//u)
      assert.isUndefined(urlOfOid(url))
      // Every OID is noticed.
      assert.deepStrictEqual(parsed({ system: name, code: "x" }), { system: url, code: "x" })
    }
  })
})
