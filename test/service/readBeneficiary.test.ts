import { assert, describe, it } from "@effect/vitest"
import { readBeneficiary } from "../../src/service/responses/readBeneficiary.ts"

const reading = (status: number, body: unknown) =>
  readBeneficiary({ status, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) }, "100")._tag

describe("§4.4 the response to the search for a card", () => {
  const record = { patient_code: "P1", benefit_cards: [{ number: "100" }] }
  const rows: ReadonlyArray<readonly [name: string, status: number, body: unknown, expected: string]> = [
    ["a record", 200, { success: true, http_code: 200, data: record }, "Found"],
    ["a list of one", 200, { success: true, data: [record] }, "Found"],
    ["no data", 200, { success: true, data: null }, "Nobody"],
    ["an empty list", 200, { success: true, data: [] }, "Nobody"],
    ["success false", 200, { success: false, message: "Not found", data: null }, "Nobody"],
    ["success false as a text", 200, { success: "false", data: record }, "Nobody"],
    ["a 404 inside of a 200", 200, { success: false, http_code: 404, data: null }, "Nobody"],
    ["the service's 404", 404, { success: false, http_code: 404, message: "Not found", data: null }, "Nobody"],
    ["an error inside of a 200", 200, { success: false, http_code: 500, data: null }, "NotUnderstood"],
    ["an error inside of a 200, with data", 200, { success: true, http_code: 500, data: [] }, "NotUnderstood"],
    ["an HTML page", 200, "<html/>", "NotUnderstood"],
    ["a 404 of a web server", 404, "<html/>", "NotUnderstood"]
  ]
  for (const [name, status, body, expected] of rows) {
    it(`${status} ${name}: ${expected}`, () => assert.strictEqual(reading(status, body), expected))
  }
})
