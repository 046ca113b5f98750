import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Say, scripted, token } from "../service/scripted.ts"
import { typed } from "./sandboxUser.ts"
import { facilityFolder, settingsFor, stored, visitJson } from "./visitFiles.ts"

const words = "The diagnosis list of Canary-name is not acceptable because of X"
const refused = (errors: string): Say => [422, { success: false, message: "Invalid request data", errors, data: null }]

/** A facility with one visit, and a service with a given response to submissions. */
const setting = Effect.gen(function*() {
  const service = { answer: refused(words), url: "" }
  const { url } = yield* scripted(({ method, path }) =>
    path === "/oauth/token" ? token(1) : method === "POST" ? service.answer : [200, { success: true, data: [] }]
  )
  const { file: visits, folder } = facilityFolder(1, settingsFor(url))
  const type = (command: string, ...more: ReadonlyArray<string>) => typed([command, ...more, "--facility", folder])
  /** Every byte of the folder except the visits. */
  const bytes = () =>
    ["HF0001.sqlite", "HF0001.sqlite-wal"].filter((name) => readdirSync(join(folder, ".fhir2visit")).includes(name))
      .map((name) => readFileSync(join(folder, ".fhir2visit", name), "latin1")).join("")
  return { service, folder, visits, type, bytes }
})

describe("§7: the service's own text about a refused visit", () => {
  it.live("is stored, and shown only with --show-values; its existence is always shown", () =>
    Effect.gen(function*() {
      const { folder, type, visits } = yield* setting
      const reports = ["--report", join(folder, "r.json"), "--report", join(folder, "r.html")]
      const hidden: Array<string> = []
      for (const format of ["human", "line", "json"]) {
        const reported = yield* type("submit", visits, ...reports, "--format", format)
        const status = yield* type("status", "--format", format)
        assert.strictEqual(reported.code, 1, reported.stderr)
        for (const text of [reported.stdout + reported.stderr, status.stdout]) {
          assert.include(text, "the service refused it for a reason it does not document")
          // Lines for editors hold titles only.
          if (format !== "line") {
            assert.include(text, `\`fhir2visit status --facility ${folder} --show-values\` shows the service's message`)
          }
          hidden.push(text)
        }
      }
      hidden.push(readFileSync(join(folder, "r.json"), "utf8"), readFileSync(join(folder, "r.html"), "utf8"))
      assert.notMatch(hidden.join("\n"), /Canary|not acceptable/u)

      const stated = JSON.stringify(`Invalid request data\n${words}`)
      for (const format of ["human", "line"]) {
        assert.include((yield* type("status", "--show-values", "--format", format)).stdout, stated)
      }
      const { stdout } = yield* type("status", "--show-values", "--format", "json")
      assert.deepInclude(JSON.parse(stdout).visits[0], { said: JSON.parse(stated) })
      assert.include((yield* type("submit", visits, ...reports, "--show-values")).stderr, `= said      ${stated}`)
      assert.include(readFileSync(join(folder, "r.html"), "utf8"), "The service's message")
      assert.include(readFileSync(join(folder, "r.html"), "utf8"), "Canary-name")
    }).pipe(Effect.scoped))

  it.live("is also stored for a field", () =>
    Effect.gen(function*() {
      const { folder, service, type, visits } = yield* setting
      service.answer = refused("The visits.0.visit_type field must be one of the list.")
      assert.include(
        (yield* type("submit", visits)).stderr,
        `\`fhir2visit status --facility ${folder} --show-values\` shows the service's message`
      )
      assert.include((yield* type("status", "--show-values")).stdout, "must be one of the list")
    }).pipe(Effect.scoped))

  it.live("is bounded, and erased when the service stores the visit", () =>
    Effect.gen(function*() {
      const { bytes, folder, service, type, visits } = yield* setting
      service.answer = refused(`${words} \u0000 ${"x".repeat(100_000)}`)
      yield* type("submit", visits)
      assert.include(bytes(), "Canary-name")
      const journal = new DatabaseSync(join(folder, ".fhir2visit", "HF0001.sqlite"), { readOnly: true })
      assert.strictEqual(journal.prepare("SELECT length(said) AS n FROM visit").get()?.["n"], 2000)
      journal.close()
      service.answer = stored("V000001")
      writeFileSync(visits, visitJson(1).replace(/"occupation":"[^"]*"/u, "\"occupation\":\"Other\""))
      const again = yield* type("submit", visits)
      assert.strictEqual(again.code, 0, again.stderr)
      assert.notInclude(bytes(), "Canary-name")
    }).pipe(Effect.scoped))

  it.live("is not stored if it repeats our token or password", () =>
    Effect.gen(function*() {
      const { bytes, service, type, visits } = yield* setting
      for (const secret of ["access-1", "sandbox"]) {
        service.answer = refused(`${words}: ${secret}`)
        const reported = yield* type("submit", visits)
        assert.include(reported.stderr, "for a reason it does not document")
        assert.notInclude(reported.stderr, "--show-values")
        assert.notInclude(bytes(), "Canary-name")
        writeFileSync(visits, visitJson(1).replace(/"occupation":"[^"]*"/u, "\"occupation\":\"Other\""))
      }
    }).pipe(Effect.scoped))
})
