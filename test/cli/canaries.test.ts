import { assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { at } from "../../src/at.ts"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { encodeVisit } from "../../src/visit/encode.ts"
import { portOf } from "../portOf.ts"
import { exampleVisit } from "../visit/exampleVisit.ts"
import { submittedCodes } from "../visitCodes.ts"
import { builtProgram, start } from "./builtProgram.ts"

/** Fields that are no value of a person: codes of the visit's own parts, times, words of the specification and of public lists. */
const plain =
  /(?:^|\.)(?:health_facility_code|visit_code|encounter_code|request_code|invoice_code|code|.*_at|.*_type|.*_type_name|visit_outcome|sex|invoice_date|birthdate|title|marital_status|nationality)$/u

interface Planted {
  readonly text: string
  readonly canaries: ReadonlyArray<string>
}

/** The example with a canary in every field that says something of a person, numbers too. */
const plant = (number: number): Planted => {
  const canaries: Array<string> = []
  const canary = (word: string): string => {
    canaries.push(word)
    return word
  }
  let next = 0
  const walk = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(item, path))
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner, `${path}.${key}`)]))
    }
    next++
    if (path.startsWith(".patient.address.") || path.endsWith(".patient_code") || path === ".patient.code") return value
    if (path.startsWith(".diagnosis.diagnosis_") && path !== ".diagnosis.diagnosis_type_name") {
      return canary(`Canary${number}D${next}x`)
    }
    if (typeof value === "string" && !plain.test(path)) return canary(`Canary${number}T${next}x`)
    // An impossible measurement is rejected.
    if (typeof value === "number" && /^\.(?:triages|vital_signs)/u.test(path)) {
      return Number(canary(`3${number}.91${next}3`))
    }
    if (typeof value === "number" && !path.startsWith(".prescriptions")) return Number(canary(`7${number}91${next}3`))
    return value
  }
  const visit = jsonObjectOf(walk(JSON.parse(encodeVisit(exampleVisit)), ""))
  const text = JSON.stringify({
    ...visit,
    patient: {
      ...jsonObjectOf(visit["patient"]),
      birthdate: canary(`193${number}-07-19`),
      phone: canary(`0551917${number}3`)
    }
  })
    .replaceAll("V260301", `V00000${number}`)
    .replaceAll("P26001001", canary(`PCanary${number}`))
    .replaceAll(String(exampleVisit.patient.address.village.name), canary(`Village-Canary-${number}`))
  return { text, canaries }
}

const secrets = {
  FHIR2VISIT_USERNAME: "user-Canary-u1",
  FHIR2VISIT_PASSWORD: "pass Canary&p2",
  FHIR2VISIT_CLIENT_ID: "client-Canary-c3",
  FHIR2VISIT_CLIENT_SECRET: "secret-Canary-s4"
}
const tokens = ["access-Canary-a5", "refresh-Canary-r6"]

const fastTimers = join(import.meta.dirname, "fastTimers.mjs")

/** A service that repeats its requests in every response of the specification, and in some others. */
let server: Server
let url: string
let requested = 0
const answer = async (request: IncomingMessage, response: ServerResponse) => {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  const echo = `${body} ${request.headers.authorization ?? ""} ${request.url ?? ""}`
  const say = (status: number, value: unknown, headers = {}) => {
    response.writeHead(status, {
      "content-type": "application/json",
      "x-echo": encodeURIComponent(echo).slice(0, 2000),
      ...headers
    })
    response.end(typeof value === "string" ? value : JSON.stringify(value))
  }
  const failed = (message: string) => ({ success: false, http_code: 422, message, errors: message, data: null })
  if (request.url === "/oauth/token") {
    return say(200, { access_token: tokens[0], refresh_token: tokens[1], token_type: "Bearer", expires_in: "172800" })
  }
  if (request.url?.includes("beneficiary")) return say(404, failed(`No person has ${echo}`))
  if (request.method === "GET") return say(requested % 2 === 0 ? 500 : 404, failed(echo))
  const code = at(submittedCodes(body), 0)
  switch (requested++ % 7) {
    case 0:
      return say(422, failed(`The visits.0.patient.name field is required. ${echo}`))
    case 1:
      return say(422, failed(`Something is wrong with ${echo}`))
    case 2:
      return say(500, failed(echo))
    case 3:
      return say(200, `<html>${echo}</html>`, { "content-type": "text/html" })
    case 4:
      return say(422, failed(`Submit is blocked: Visit Code ${code} has already been submitted. ${echo}`))
    case 5:
      return say(401, failed(echo))
    default:
      return say(200, {
        success: true,
        http_code: 200,
        message: echo,
        data: { status: 1, uuld: "u-1", visit_code: code, echo }
      })
  }
}

beforeAll(async () => {
  builtProgram()
  server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${portOf(server)}`
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

describe("I8: a canary in every field, secret, and response", () => {
  it(
    "appears in no output, at any log level and in any format; files with patient data have mode 0600",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "leak-"))
      const file = (name: string) => join(folder, name)
      const planted = [1, 2, 3, 4, 5, 6, 7, 8].map(plant)
      const spoiled = plant(9).text.replace(/"admitted_at":"[^"]*"/u, "\"admitted_at\":\"Canary9bad\"")
      writeFileSync(file("visits.ndjson"), [...planted.map(({ text }) => text), spoiled, "{\"Canary9json"].join("\n"))
      writeFileSync(
        file("facility.yaml"),
        `facility: HF0001\nsystem: SYS-1\ntimezone: Asia/Phnom_Penh\njournal: ${file("journal.sqlite")}\n`
          // A canary is not an ICD-10 code, but must be sent.
          + "validation: {levels: {foreign-diagnosis: warning}}\n"
          + `service: {baseUrl: "${url}", authUrl: "${url}"}\n`
      )
      const written: Array<string> = []
      const type = async (...words: ReadonlyArray<string>) => {
        const { ended, seen } = start(words, { env: { ...secrets, NODE_OPTIONS: `--import ${fastTimers}` } })
        const code = await ended
        assert.notInclude(seen.stderr, "internal error")
        written.push(seen.stdout, seen.stderr)
        return code
      }
      const common = ["--facility", folder, "--log-level", "all"]
      const results = [
        "--report",
        file("report.json"),
        "--report",
        file("report.html"),
        "--rejected",
        file("rejected.ndjson")
      ]
      await type("validate", file("visits.ndjson"), ...common)
      await type("submit", file("visits.ndjson"), "--dry-run", ...common, ...results)
      written.push(readFileSync(file("report.json"), "utf8"), readFileSync(file("report.html"), "utf8"))
      const codes = []
      for (const format of ["human", "json", "line"]) {
        codes.push(await type("submit", file("visits.ndjson"), ...common, ...results, "--format", format))
        for (const name of ["report.json", "report.html", "rejected.ndjson"]) {
          written.push(readFileSync(file(name), "utf8"))
        }
        await type("status", ...common, "--format", format)
        if (format === "human") await type("status", "--remote", ...common)
      }
      await type("submit", file("visits.ndjson"), "--batch", "3", ...common)
      await type("beneficiary", "Canary-card-b7", ...common)
      // every kind of response occurred
      assert.isAbove(requested, 7)
      assert.includeMembers<unknown>([1, 3], codes)

      const journal = new DatabaseSync(file("journal.sqlite"), { readOnly: true })
      const views = journal.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").all()
      assert.isAtLeast(views.length, 3)
      for (const { name } of views) {
        written.push(JSON.stringify(journal.prepare(`SELECT * FROM "${String(name)}"`).all()))
      }
      const erased = journal.prepare(
        "SELECT payload FROM visit WHERE state IN ('STORED', 'REFUSED') AND payload IS NOT NULL"
      )
      assert.deepStrictEqual(erased.all(), [])
      journal.close()

      const canaries = planted.flatMap(({ canaries }) => canaries)
      assert.isAbove(canaries.length, 8 * 100)
      const all = written.join("\n")
      assert.isAbove(all.length, 5000)
      for (
        const canary of [
          ...canaries,
          ...Object.values(secrets),
          ...tokens,
          "Canary9bad",
          "Canary9json",
          "Canary-card-b7",
          "anary"
        ]
      ) assert.isFalse(all.includes(canary), canary)
      // no canary is in any file except the input and the journal
      for (const name of readdirSync(folder)) {
        if (name === "facility.yaml" || name === "visits.ndjson") continue
        assert.strictEqual(statSync(file(name)).mode & 0o077, 0, `${name} is for its owner`)
        const bytes = readFileSync(file(name), "latin1")
        for (const secret of [...Object.values(secrets), ...tokens]) assert.isFalse(bytes.includes(secret), name)
      }
      rmSync(folder, { recursive: true, force: true })
    }
  )
})
