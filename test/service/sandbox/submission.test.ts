import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { FacilityCode, VisitCode } from "../../../src/visit/values/Code.ts"
import { withValue } from "../../visit/mutate.ts"
import { get, getToken, headersOf, post, postText } from "./client.ts"
import { sampleVisit } from "./sampleVisit.ts"
import { withSandbox } from "./withSandbox.ts"

describe("§4.5 submit visit data", () => {
  it("§4.5 returns status 1, `uuld` and the visit's code", () =>
    withSandbox({}, async ({ url }) => {
      const { data, json, status } = await post(url, [sampleVisit(1)], headersOf(await getToken(url)))
      assert.strictEqual(status, 200)
      assert.strictEqual(json["message"], "Save successfully")
      assert.deepStrictEqual(Object.keys(data), ["status", "uuld", "visit_code"])
      assert.strictEqual(data["status"], 1)
      assert.strictEqual(data["visit_code"], "V420001")
    }))

  it("keeps the exact text", () =>
    withSandbox({}, async ({ body, url }) => {
      const headers = headersOf(await getToken(url))
      const texts = [1, 2].map((n) =>
        JSON.stringify(sampleVisit(n), null, 2)
          .replace("60.5", "60.50")
          .replace("Fever for two days", "\\u0046ever: \\\"39\\\", ] } [ {, \\\\")
      )
      const answer = await postText(
        url,
        ` {"other": [{"visits": [1]}, "]"], "visits" : [ ${texts[0]} ,\n${texts[1]}] , "z": {}} `,
        headers
      )
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.data["visit_code"], "V420002")
      assert.strictEqual(await Effect.runPromise(body(FacilityCode("F1"), VisitCode("V420001"))), texts[0])
      assert.strictEqual((await get(`${url}/sandbox/visits/V420002`)).text, texts[1])
      assert.strictEqual((await get(`${url}/sandbox/visits/V420002?facility=F2`)).status, 404)
    }))

  const without = (path: string, value?: unknown): unknown => withValue(sampleVisit(1), path.split("."), value)

  const faults: ReadonlyArray<readonly [path: string, value: unknown, errors: string]> = [
    ["patient_code", undefined, "The visits.0.patient_code field is required."],
    ["patient_code", null, "The visits.0.patient_code field is required."],
    ["code", "", "The visits.0.code field is required."],
    ["admitted_at", null, "The visits.0.admitted_at field is required."],
    ["patient.code", undefined, "The visits.0.patient.code field is required."],
    ["triages.0.code", null, "The visits.0.triages.0.code field is required."],
    ["vital_signs.0.encounter_code", undefined, "The visits.0.vital_signs.0.encounter_code field is required."],
    [
      "laboratories.0.results.0.verified_at",
      null,
      "The visits.0.laboratories.0.results.0.verified_at field is required."
    ],
    ["invoices.0.services.0.service_code", null, "The visits.0.invoices.0.services.0.service_code field is required."],
    [
      "patient.identifications.0.card_code",
      null,
      "The visits.0.patient.identifications.0.card_code field is required."
    ],
    ["patient.phone", undefined, "The visits.0.patient.phone field must be present."],
    ["triages", null, "The visits.0.triages field must be an array."],
    ["consultations", [1], "The visits.0.consultations.0 field must be a string."],
    ["patient", [], "The visits.0.patient field must be an object."],
    ["triages.0.height", "165", "The visits.0.triages.0.height field must be a number."],
    ["invoices.0.services.0.paid", 1, "The visits.0.invoices.0.services.0.paid field must be true or false."],
    ["patient.sex", "male", "The selected visits.0.patient.sex is invalid."],
    [
      "physical_examinations.0.value",
      [],
      "The visits.0.physical_examinations.0.value field must be a string."
    ],
    [
      "physical_examinations.1.value",
      "soft",
      "The visits.0.physical_examinations.1.value field must be an array."
    ],
    ["referrals", "none", "The visits.0.referrals field must be an object."]
  ]
  for (const [path, value, errors] of faults) {
    it(`§4.5 rule 7, §7 ${path} ${value === undefined ? "missing" : `= ${JSON.stringify(value)}`}: 422 ${errors}`, () =>
      withSandbox({}, async ({ url, visits }) => {
        const { json, status } = await post(url, [without(path, value)], headersOf(await getToken(url)))
        assert.strictEqual(status, 422)
        assert.deepStrictEqual(json, { success: false, http_code: 422, message: "Invalid request data", errors })
        assert.deepStrictEqual(await Effect.runPromise(visits), [])
      }))
  }

  const notTimestamps = [
    "2026-03-01",
    "2026-03-01T08:00:00Z",
    "2026-03-01T08:00:00.000Z",
    "2026-03-01T08:00:00+07:00",
    "2026-03-01T08:00:00.0+07:00",
    "2026-03-01T08:00:00.000+0700",
    "2026-03-01 08:00:00.000+07:00",
    "2026-02-30T08:00:00.000+07:00",
    "2026-03-01T24:00:00.000+07:00",
    "2026-13-01T08:00:00.000+07:00",
    ""
  ]
  for (const text of notTimestamps) {
    it(`§4.5 rule 4 ${JSON.stringify(text)} is not a timestamp`, () =>
      withSandbox({}, async ({ url }) => {
        const { json, status } = await post(url, [without("admitted_at", text)], headersOf(await getToken(url)))
        assert.strictEqual(status, 422)
        assert.strictEqual(
          json["errors"],
          "The visits.0.admitted_at field must match the format YYYY-MM-DDTHH:mm:ss.sss+HH:MM."
        )
      }))
  }

  it("§2.6 accepts the documented imagery sample: `tilte`, and no collected fields", () =>
    withSandbox({}, async ({ url }) => {
      const at = "2026-03-01T08:00:00.000+07:00"
      const imagery = {
        patient_code: "P25000001",
        visit_code: "V420001",
        encounter_code: "E300001",
        request_code: "IM1",
        requested_at: at,
        requested_by: "Test Doctor",
        tilte: "Physician",
        results: []
      }
      const headers = headersOf(await getToken(url))
      const answer = await post(url, [sampleVisit(1, { imageries: [imagery] })], headers)
      assert.strictEqual(answer.status, 200, answer.text)
      const { tilte: _, ...untitled } = imagery
      const refused = await post(url, [sampleVisit(2, { imageries: [untitled] })], headers)
      assert.strictEqual(refused.status, 422)
    }))

  it("§4.5 rule 1 refuses an unknown patient once a data file lists the patients", () =>
    withSandbox({ data: { beneficiaries: [{ patient_code: "P1" }], visits: [], users: [] } }, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      const visit = (code: string) => JSON.parse(JSON.stringify(sampleVisit(1)).replaceAll("P25000001", code))
      assert.strictEqual(
        (await post(url, [visit("P2")], headers)).json["errors"],
        "The selected visits.0.patient_code is invalid."
      )
      assert.strictEqual((await post(url, [visit("P1")], headers)).status, 200)
    }))

  it("§4.5 rule 2 requires unique visit codes for each health facility", () =>
    withSandbox({}, async ({ url, visits }) => {
      const token = await getToken(url)
      assert.strictEqual((await post(url, [sampleVisit(1)], headersOf(token))).status, 200)
      const elsewhere = JSON.parse(
        JSON.stringify(sampleVisit(1, { health_facility_code: "F2", admitted_at: "2026-03-09T09:00:00.000+07:00" }))
          .replaceAll("E300001", "E9").replaceAll("T300001", "T9")
      )
      const answer = await post(url, [elsewhere], headersOf(token, { "x-health-facility-code": "F2" }))
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual((await Effect.runPromise(visits)).length, 2)
      const two = await post(url, [sampleVisit(2), sampleVisit(2)], headersOf(token))
      assert.strictEqual(two.json["errors"], "The visits.1.code field has a duplicate value.")
    }))

  it("§4.5 rule 3 requires unique encounter codes within the system", () =>
    withSandbox({}, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      assert.strictEqual((await post(url, [sampleVisit(1)], headers)).status, 200)
      const second = JSON.parse(JSON.stringify(sampleVisit(2)).replaceAll("E300002", "E300001"))
      assert.strictEqual(
        (await post(url, [second], headers)).json["errors"],
        "The visits.0.outpatients.0.code has already been taken."
      )
      const twice = JSON.parse(JSON.stringify(sampleVisit(3)).replaceAll("T300003", "E300003"))
      assert.strictEqual(
        (await post(url, [twice], headers)).json["errors"],
        "The visits.0.outpatients.0.code field has a duplicate value."
      )
    }))

  it("§4.5 rule 6 requires the referral of a transfer", () =>
    withSandbox({}, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      const bare = await post(url, [sampleVisit(1, { discharge_type: "Refer Out" })], headers)
      assert.strictEqual(bare.json["errors"], "The visits.0.referrals field is required.")
      const half = await post(
        url,
        [sampleVisit(1, { discharge_type: "Refer Out", referrals: { referred_from: null, referred_to: null } })],
        headers
      )
      assert.strictEqual(half.json["errors"], "The visits.0.referrals.referred_to field is required.")
      const referred_to = {
        code: "RF1",
        referral_number: "1",
        transportation: "Ambulance",
        reason: "Surgery",
        health_facility: { name: "Two Bridges National Hospital", code: "HFAC-000005" },
        has_called: true,
        caretaker_name: "Test Caretaker",
        caretaker_phone: "",
        referred_by: "Test Doctor",
        referred_by_phone: "",
        referred_at: "2026-03-01T08:00:00.000+07:00",
        received_by: null,
        received_at: null,
        medications: ""
      }
      const whole = sampleVisit(1, { discharge_type: "Refer Out", referrals: { referred_from: null, referred_to } })
      assert.strictEqual((await post(url, [whole], headers)).status, 200)
    }))

  const foreign: ReadonlyArray<readonly [string, string]> = [
    ["patient.code", "The selected visits.0.patient.code is invalid."],
    ["triages.0.visit_code", "The selected visits.0.triages.0.visit_code is invalid."],
    ["diagnosis.0.patient_code", "The selected visits.0.diagnosis.0.patient_code is invalid."],
    ["vital_signs.0.encounter_code", "The selected visits.0.vital_signs.0.encounter_code is invalid."],
    ["invoices.0.medications.0.invoice_code", "The selected visits.0.invoices.0.medications.0.invoice_code is invalid."]
  ]
  for (const [path, errors] of foreign) {
    it(`§7 data integrity: ${path} names something outside the visit`, () =>
      withSandbox({}, async ({ url }) => {
        const { json } = await post(url, [without(path, "X1")], headersOf(await getToken(url)))
        assert.strictEqual(json["errors"], errors)
      }))
  }

  it("§7 returns 403 if the body has another facility than the header", () =>
    withSandbox({}, async ({ url }) => {
      const answer = await post(
        url,
        [sampleVisit(1)],
        headersOf(await getToken(url), { "x-health-facility-code": "F2" })
      )
      assert.strictEqual(answer.status, 403)
      assert.strictEqual(answer.json["errors"], "You are not allowed to create visits for this facility")
    }))

  it("stores all visits of a request or none", () =>
    withSandbox({ maxVisits: 3 }, async ({ url, visits }) => {
      const headers = headersOf(await getToken(url))
      const broken = sampleVisit(2, { created_at: null })
      const refused = await post(url, [sampleVisit(1), broken], headers)
      assert.strictEqual(refused.json["errors"], "The visits.1.created_at field is required.")
      assert.deepStrictEqual(await Effect.runPromise(visits), [])
      const taken = await post(url, [sampleVisit(1), sampleVisit(2)], headers)
      assert.strictEqual(taken.data["visit_code"], "V420002")
      const half = await post(url, [sampleVisit(3), sampleVisit(2)], headers)
      assert.strictEqual(half.json["message"], "Submit is blocked: Visit Code V420002 has already been submitted.")
      assert.strictEqual((await Effect.runPromise(visits)).length, 2)
      assert.strictEqual((await post(url, [3, 4, 5, 6].map((n) => sampleVisit(n)), headers)).status, 422)
    }))
})

describe("§3 states", () => {
  const at = "2026-03-01T08:00:00.000+07:00"

  it("§7 does not change a completely stored visit", () =>
    withSandbox({}, async ({ url, visits }) => {
      const headers = headersOf(await getToken(url))
      await post(url, [sampleVisit(1)], headers)
      const before = await Effect.runPromise(visits)
      const again = await post(url, [sampleVisit(1, { visit_outcome: "Recovered" })], headers)
      assert.strictEqual(again.status, 422)
      assert.deepStrictEqual(again.json, {
        success: false,
        http_code: 422,
        message: "Submit is blocked: Visit Code V420001 has already been submitted.",
        data: null
      })
      assert.deepStrictEqual(await Effect.runPromise(visits), before)
    }))

  it("accepts updates of a visit with status 3 until it is complete: same code, same admission", () =>
    withSandbox({}, async ({ body, url, visits }) => {
      const headers = headersOf(await getToken(url))
      const open = (over: object) =>
        sampleVisit(1, { admitted_at: at, discharged_at: null, discharge_type: null, ...over })
      assert.strictEqual((await post(url, [open({})], headers)).data["status"], 3)
      assert.strictEqual((await post(url, [open({ consultations: ["Rest"] })], headers)).data["status"], 3)
      const moved = await post(url, [open({ admitted_at: "2026-03-01T08:00:01.000+07:00" })], headers)
      assert.deepStrictEqual(moved.json, {
        success: false,
        http_code: 422,
        message: "Submit blocked. Admission date must match the original date.",
        data: null
      })
      const sameInstant = sampleVisit(1, { admitted_at: "2026-03-01T01:00:00.000+00:00", discharged_at: at })
      assert.strictEqual((await post(url, [sameInstant], headers)).data["status"], 1)
      assert.strictEqual((await post(url, [open({})], headers)).status, 422)
      const [visit, ...others] = await Effect.runPromise(visits)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(visit?.submissions, 3)
      assert.include(
        await Effect.runPromise(body(FacilityCode("F1"), VisitCode("V420001"))),
        "2026-03-01T01:00:00.000+00:00"
      )
    }))

  it("accepts open encounters in an open visit, and refuses both if open visits are not allowed", () =>
    withSandbox({ openVisits: false }, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      const refused = await post(url, [sampleVisit(1, { discharged_at: null })], headers)
      assert.strictEqual(refused.json["errors"], "The visits.0.discharged_at field is required.")
    }))

  it("§7 refuses another visit of the patient at the same instant as an abnormal claim", () =>
    withSandbox({}, async ({ url }) => {
      const headers = headersOf(await getToken(url))
      await post(url, [sampleVisit(1, { admitted_at: at })], headers)
      const { json, status } = await post(
        url,
        [sampleVisit(2, { admitted_at: "2026-03-01T01:00:00.000+00:00" })],
        headers
      )
      assert.strictEqual(status, 422)
      assert.match(String(json["message"]), /^Submit is blocked.*same admission time.*abnormal claims/)
      assert.isNull(json.data)
      const both = await post(
        url,
        [3, 4].map((n) => sampleVisit(n, { admitted_at: "2026-05-01T08:00:00.000+07:00" })),
        headers
      )
      assert.match(String(both.json["message"]), /same admission time/)
    }))
})
