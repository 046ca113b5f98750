import { assert, describe, it } from "@effect/vitest"
import { defaultSending, noReferrals, optionalFields } from "../../src/service/settings/SendingSettings.ts"
import { wireForm } from "../../src/service/wireForm.ts"
import { encodeVisit } from "../../src/visit/encode.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import { withValue } from "../visit/mutate.ts"

const text = encodeVisit(exampleVisit)
const parse = (json: string): Record<string, any> => JSON.parse(json)

describe("the text of a visit, where an operator differs from the specification", () => {
  it("is the given text if the operator does not differ", () => {
    for (const one of [text, "{\"code\": \"V1\",  \"total\":7.20}", "no JSON"]) {
      assert.strictEqual(wireForm(one, defaultSending), one)
    }
  })

  it("§2.6: omits only optional fields without a value", () => {
    const sparse = withValue(
      withValue(exampleVisit, ["inpatients", 0, "symptoms"], []),
      ["referrals", "referred_to", "health_facility", "label"],
      null
    )
    const sent = parse(wireForm(JSON.stringify(sparse), { ...defaultSending, optional: "omit" }))
    assert.notProperty(sent.inpatients[0], "symptoms")
    assert.notProperty(sent.referrals.referred_to.health_facility, "label")
    assert.property(sent, "followup_at")
    assert.isArray(sent.soaps)
    const whole = parse(wireForm(
      JSON.stringify(withValue(exampleVisit, ["inpatients", 0, "symptoms"], ["Fever"])),
      { ...defaultSending, optional: "omit" }
    ))
    assert.deepStrictEqual(whole.inpatients[0].symptoms, ["Fever"])
  })

  it("§2.4: sends the two fields of a missing referral as `null`, and keeps a referral unchanged", () => {
    const form = { ...defaultSending, noReferral: "nulls" } as const
    const none = parse(wireForm(JSON.stringify({ ...exampleVisit, referrals: null }), form))
    assert.deepStrictEqual(none.referrals, { referred_from: null, referred_to: null })
    assert.strictEqual(wireForm(text, form), text)
  })

  it("§2.6: sends the title of an imagery also under the misspelt name of the sample", () => {
    const { imageries } = parse(wireForm(text, { ...defaultSending, tilte: true }))
    assert.isNotEmpty(imageries)
    for (const imagery of imageries) assert.strictEqual(imagery.tilte, imagery.title)
  })

  it("keeps the digits of numbers and the order of the fields, in every form", () => {
    assert.match(text, /\d\.\d*0[,}]/u)
    for (const optional of optionalFields) {
      for (const noReferral of noReferrals) {
        const formed = wireForm(text, { optional, noReferral, tilte: true })
        const expected = optional === "omit" ? text.replaceAll("\"symptoms\":[],", "") : text
        assert.isTrue(formed.replaceAll(/,"tilte":"[^"]*"/gu, "") === expected, `${optional} ${noReferral}`)
      }
    }
  })
})
