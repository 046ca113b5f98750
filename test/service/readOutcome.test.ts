import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import fc from "fast-check"
import { type ParsedOutcome, readOutcome } from "../../src/service/responses/readOutcome.ts"
import { present } from "../present.ts"

const json = (value: unknown): string => JSON.stringify(value)
const ok = (data: unknown, more: object = {}) =>
  json({ success: true, http_code: 200, message: "Save successfully", data, ...more })
const refusal = (message: string, more: object = { data: null }) =>
  json({ success: false, http_code: 422, message, ...more })
const invalid = (errors: unknown) => refusal("Invalid request data", { errors })

/** The reading as one short line, so that a row of the table fits on one. */
const brief = (reading: ParsedOutcome): string => {
  if (reading._tag !== "Read") return reading._tag === "Stopped" ? `Stopped ${reading.reason._tag}` : reading._tag
  const { outcome } = reading
  switch (outcome._tag) {
    case "Stored":
    case "PartlyStored":
      return `${outcome._tag} ${outcome.uuid}`
    case "Unknown":
      return "Unknown"
    case "Refused":
      return [
        "Refused",
        outcome.reason,
        outcome.index ?? "-",
        outcome.field ?? "-",
        ...(outcome.more === undefined ? [] : [`and ${outcome.more} more`])
      ].join(" ")
  }
}

/** A list in a list, and so on. */
const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)

type Row = readonly [name: string, status: number, body: string, expected: string, headers?: Record<string, string>]

const rows: ReadonlyArray<Row> = [
  // §4.5, §3: success
  ["status 1 for our code", 200, ok({ status: 1, uuld: "u1", visit_code: "V1" }), "Stored u1"],
  ["status 3 for our code", 200, ok({ status: 3, uuld: "u1", visit_code: "V1" }), "PartlyStored u1"],
  ["`uuid` in place of `uuld`", 200, ok({ status: 1, uuid: "u2", visit_code: "V1" }), "Stored u2"],
  ["no identifier at all", 200, ok({ status: 1, visit_code: "V1" }), "Stored null"],
  ["the status as text", 200, ok({ status: "1", uuld: "u1", visit_code: "V1" }), "Stored u1"],
  ["extra fields", 200, ok({ status: 1, uuld: "u1", visit_code: "V1", more: {} }, { trace: 1 }), "Stored u1"],
  ["a byte order mark", 200, `\uFEFF${ok({ status: 1, uuld: "u1", visit_code: "V1" })}`, "Stored u1"],
  ["data as an array of one", 200, ok([{ status: 1, uuld: "u1", visit_code: "V1" }]), "Stored u1"],
  ["201 with the same body", 201, ok({ status: 1, uuld: "u", visit_code: "V1" }, { http_code: 201 }), "Stored u"],
  // 200 with anything else
  ["another visit's code", 200, ok({ status: 1, uuld: "u1", visit_code: "V2" }), "Unknown"],
  ["no visit code", 200, ok({ status: 1, uuld: "u1" }), "Unknown"],
  ["status 2", 200, ok({ status: 2, uuld: "u1", visit_code: "V1" }), "Unknown"],
  ["no status", 200, ok({ uuld: "u1", visit_code: "V1" }), "Unknown"],
  ["data null", 200, ok(null), "Unknown"],
  ["data an empty array", 200, ok([]), "Unknown"],
  [
    "success false",
    200,
    json({ success: false, http_code: 200, message: "x", data: { status: 1, uuld: "u", visit_code: "V1" } }),
    "Unknown"
  ],
  ["no success", 200, json({ data: { status: 1, uuld: "u1", visit_code: "V1" } }), "Unknown"],
  [
    "http_code against the status",
    200,
    ok({ status: 1, uuld: "u1", visit_code: "V1" }, { http_code: 500 }),
    "Unknown"
  ],
  [
    "success with errors",
    200,
    ok({ status: 1, uuld: "u1", visit_code: "V1" }, { errors: "The visit could not be saved." }),
    "Unknown"
  ],
  ["success with empty errors", 200, ok({ status: 1, uuld: "u1", visit_code: "V1" }, { errors: [""] }), "Stored u1"],
  ["an HTML page", 200, "<html><body>Sign in</body></html>", "Unknown"],
  [
    "JSON that calls itself HTML",
    200,
    ok({ status: 1, uuld: "u1", visit_code: "V1" }),
    "Unknown",
    { "content-type": "text/html; charset=utf-8" }
  ],
  ["a compressed body", 200, ok({ status: 1, visit_code: "V1" }), "Unknown", { "content-encoding": "gzip" }],
  ["a body that is nested too deeply", 422, `{"success":false,"message":"no","errors":${nested(100_000)}}`, "Unknown"],
  ["an empty body", 200, "", "Unknown"],
  ["half a body", 200, ok({ status: 1, uuld: "u1", visit_code: "V1" }).slice(0, 40), "Unknown"],
  ["a JSON string", 200, json("ok"), "Unknown"],
  ["a JSON array", 200, json([]), "Unknown"],
  ["202", 202, ok({ status: 1, uuld: "u1", visit_code: "V1" }), "Unknown"],
  ["204", 204, "", "Unknown"],
  // refused before it was looked at
  ["401", 401, json({ success: false, message: "Unauthenticated" }), "TokenErrorResponse"],
  ["401 as HTML", 401, "<html/>", "TokenErrorResponse"],
  ["403", 403, json({ success: false, message: "Access denied" }), "Stopped AccessDenied"],
  ["403 with a firewall's page", 403, "<html>blocked</html>", "Unknown"],
  ["403 in a gateway's words", 403, json({ message: "Forbidden" }), "Unknown"],
  ["403 with nothing left in the window", 403, "", "LimitReached", { "x-ratelimit-remaining": "0" }],
  ["403 with Retry-After", 403, "", "LimitReached", { "retry-after": "60" }],
  ["429", 429, "Too Many Attempts.", "LimitReached"],
  ["429 with headers", 429, "", "LimitReached", { "retry-after": "1" }],
  ["400", 400, json({ success: false, message: "Bad request" }), "Stopped UnexpectedResponse"],
  [
    "400 in the service's form that names a field",
    400,
    json({ success: false, message: "Bad request", errors: "The visits.0.code field is required." }),
    "Refused field-refused 0 code"
  ],
  ["400 with a firewall's page", 400, "<html>blocked</html>", "Unknown"],
  ["404 as HTML", 404, "<html/>", "Stopped UnexpectedResponse"],
  ["405", 405, "", "Stopped UnexpectedResponse"],
  ["406", 406, json({ success: false, message: "Not acceptable" }), "Stopped UnexpectedResponse"],
  ["406 with a firewall's page", 406, "<html>blocked</html>", "Unknown"],
  ["415", 415, "", "Stopped UnexpectedResponse"],
  ["419", 419, "", "Stopped UnexpectedResponse"],
  ["431", 431, "", "Stopped UnexpectedResponse"],
  // §7: 422
  [
    "already submitted",
    422,
    refusal("Submit is blocked: Visit Code V1 has already been submitted."),
    "Refused visit-already-submitted 0 -"
  ],
  [
    "already submitted, another spelling",
    422,
    refusal("This visit was already submitted"),
    "Refused visit-already-submitted - -"
  ],
  [
    "admission date",
    422,
    refusal("Submit blocked. Admission date must match the original date."),
    "Refused admission-date-changed - -"
  ],
  [
    "same admission time",
    422,
    refusal(
      "Submit is blocked. An existing visit with the same admission date and time was found. Rejected to prevent abnormal claims"
    ),
    "Refused admission-time-taken - -"
  ],
  [
    "a missing field",
    422,
    invalid("The visits.0.patient_code field is required."),
    "Refused field-refused 0 patient_code"
  ],
  [
    "a missing field deep inside",
    422,
    invalid("The visits.0.triages.1.code field is required."),
    "Refused field-refused 0 triages[1].code"
  ],
  [
    "a field and more",
    422,
    invalid("The visits.0.laboratories.2.results.13.verified_at field is required. (and 2 more errors)"),
    "Refused field-refused 0 laboratories[2].results[13].verified_at and 2 more"
  ],
  [
    "a field and one more",
    422,
    invalid("The visits.0.code field is required. (and 1 more error)"),
    "Refused field-refused 0 code and 1 more"
  ],
  [
    "several fields, all of them named",
    422,
    invalid({ "visits.0.code": ["It is required."], "visits.0.admitted_at": ["It is required.", "It is no date."] }),
    "Refused field-refused 0 code and 2 more"
  ],
  [
    "a wrong date",
    422,
    invalid("The visits.0.admitted_at does not match the format Y-m-d\\TH:i:s.vP."),
    "Refused field-refused 0 admitted_at"
  ],
  [
    "errors as an object of arrays",
    422,
    invalid({ "visits.0.outpatients.0.code": ["The field is required."] }),
    "Refused field-refused 0 outpatients[0].code"
  ],
  [
    "errors as an array",
    422,
    invalid(["The visits.0.code field is required."]),
    "Refused field-refused 0 code"
  ],
  [
    "the framework's own shape",
    422,
    json({ message: "The visits.0.code field is required.", errors: { "visits.0.code": ["…"] } }),
    "Refused field-refused 0 code"
  ],
  [
    "a finding of an examination",
    422,
    invalid("The visits.0.physical_examinations.0.value.1.palpation field is required."),
    "Refused field-refused 0 physical_examinations[0].value[1].palpation"
  ],
  [
    "a key that §2 does not have, which may be data: the last one that it has",
    422,
    invalid("The visits.0.patient.CANARYNAME field is required."),
    "Refused field-refused 0 patient"
  ],
  ["the same at the top", 422, invalid("The visits.0.CANARYNAME.code is wrong."), "Refused field-refused 0 -"],
  [
    "a number where there is no list",
    422,
    invalid("The visits.0.patient.85512345678 field is required."),
    "Refused field-refused 0 patient"
  ],
  ["a visit without a field", 422, invalid("The visits.0 field is required."), "Refused field-refused 0 -"],
  ["an unknown sentence", 422, refusal("The period is closed."), "Refused refused-other - -"],
  ["413 in the envelope", 413, refusal("Payload too large", { http_code: 413 }), "Refused too-large - -"],
  // it may have been stored
  ["422 as HTML", 422, "<html/>", "Unknown"],
  ["422 with nothing", 422, "", "Unknown"],
  ["422 with half an envelope", 422, refusal("The visits.0.code field is required.").slice(0, -9), "Unknown"],
  ["422 of a firewall that speaks JSON", 422, json({ message: "Request blocked", id: 7 }), "Unknown"],
  ["422 without a message", 422, json({ success: false, http_code: 422 }), "Unknown"],
  ["422 that says success", 422, json({ success: true, message: "Save successfully" }), "Unknown"],
  ["422 that says another status", 422, json({ success: false, http_code: 200, message: "x" }), "Unknown"],
  ["422 that is a list", 422, "[]", "Unknown"],
  ["413 as HTML", 413, "<html><h1>413 Request Entity Too Large</h1></html>", "Unknown"],
  ["413 with nothing", 413, "", "Unknown"],
  ["408", 408, "", "Unknown"],
  ["409", 409, "", "Unknown"],
  ["425", 425, "", "Unknown"],
  ["500", 500, json({ success: false, message: "Internal server error" }), "Unknown"],
  ["502 as HTML", 502, "<html/>", "Unknown"],
  ["503 with Retry-After", 503, "", "Unknown", { "retry-after": "5" }],
  ["504", 504, "", "Unknown"],
  ["599", 599, "", "Unknown"],
  ["301", 301, "", "Unknown", { location: "https://elsewhere.example/" }],
  ["302", 302, "", "Unknown"],
  ["307", 307, "", "Unknown"],
  ["308", 308, "", "Unknown"]
]

describe("§7 the meaning of a response to a submission", () => {
  for (const [name, status, body, expected, headers] of rows) {
    it(`${status} ${name}: ${expected}`, () => {
      const reading = readOutcome({ status, headers: { "content-type": "application/json", ...headers }, body }, ["V1"])
      assert.strictEqual(brief(reading), expected)
    })
  }

  it("redacts the service's message", () => {
    const reading = readOutcome({ status: 422, headers: {}, body: refusal("Patient SOK Dara has a visit") }, ["V1"])
    if (reading._tag !== "Read" || reading.outcome._tag !== "Refused") throw new Error(brief(reading))
    assert.notInclude(JSON.stringify(reading), "Dara")
    assert.include(Redacted.value(present(reading.outcome.said)), "Dara")
  })
})

describe("§4.5 several visits in one request", () => {
  const codes = ["V1", "V2", "V3"]
  it("reads a response that names one of them", () => {
    assert.strictEqual(
      brief(readOutcome({ status: 200, headers: {}, body: ok({ status: 1, uuld: "u", visit_code: "V3" }) }, codes)),
      "Stored u"
    )
  })
  it("reads a response that names all of them with one status", () => {
    const data = codes.map((visit_code) => ({ status: 3, uuld: visit_code, visit_code }))
    assert.strictEqual(brief(readOutcome({ status: 200, headers: {}, body: ok(data) }, codes)), "PartlyStored V3")
  })
  it("returns unknown if the statuses differ", () => {
    const data = codes.map((visit_code, at) => ({ status: at === 0 ? 3 : 1, uuld: visit_code, visit_code }))
    assert.strictEqual(brief(readOutcome({ status: 200, headers: {}, body: ok(data) }, codes)), "Unknown")
  })
  it("returns unknown if one visit is missing", () => {
    const results = codes.map((visit_code) => ({ status: 1, uuld: visit_code, visit_code }))
    for (const data of [results.slice(1), results.slice(2), [null, results[2]], [results[2], results[2], results[2]]]) {
      assert.strictEqual(brief(readOutcome({ status: 200, headers: {}, body: ok(data) }, codes)), "Unknown")
    }
  })
  it("finds the results by their codes, in any order", () => {
    const data = codes.toReversed().map((visit_code) => ({ status: 1, uuld: visit_code, visit_code }))
    assert.strictEqual(brief(readOutcome({ status: 200, headers: {}, body: ok(data) }, codes)), "Stored V1")
  })
  it("returns unknown if there are more results than visits", () => {
    const data = [...codes, "V4"].map((visit_code) => ({ status: 1, uuld: visit_code, visit_code }))
    assert.strictEqual(brief(readOutcome({ status: 200, headers: {}, body: ok(data) }, codes)), "Unknown")
  })
  it("finds the refused visit by index or by code", () => {
    const field = invalid("The visits.2.code field is required.")
    assert.strictEqual(
      brief(readOutcome({ status: 422, headers: {}, body: field }, codes)),
      "Refused field-refused 2 code"
    )
    const code = refusal("Submit is blocked: Visit Code V2 has already been submitted.")
    assert.strictEqual(
      brief(readOutcome({ status: 422, headers: {}, body: code }, codes)),
      "Refused visit-already-submitted 1 -"
    )
  })
})

describe("I3 no verdict without evidence", () => {
  it("returns stored only for 200 or 201 with success, a known status and our own code", () => {
    fc.assert(fc.property(
      fc.integer({ min: 100, max: 999 }),
      fc.oneof(fc.string(), fc.json(), fc.constant(ok({ status: 1, uuld: "u", visit_code: "V1" }))),
      (status, body) => {
        const reading = readOutcome({ status, headers: {}, body }, ["V1"])
        if (reading._tag !== "Read" || reading.outcome._tag === "Unknown" || reading.outcome._tag === "Refused") return
        assert.include([200, 201], status)
        const envelope = JSON.parse(body)
        assert.isTrue(envelope.success)
        assert.strictEqual(envelope.data.visit_code, "V1")
      }
    ))
  })
  it("never throws", () => {
    fc.assert(
      fc.property(fc.integer(), fc.dictionary(fc.string(), fc.string()), fc.string(), (status, headers, body) => {
        readOutcome({ status, headers, body }, ["V1"])
        const refused = JSON.stringify({ message: body, errors: [body, { [body]: body }] })
        readOutcome({ status: 422, headers, body: refused }, ["V1"])
      })
    )
  })
})
