import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Fault, noFaults } from "../../src/service/sandbox/Faults.ts"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import type { SandboxOptions } from "../../src/service/sandbox/SandboxOptions.ts"
import { capture } from "../captures.ts"
import { encounter, type Json, lines, patient } from "../run/smallRecords.ts"
import { typed } from "./sandboxUser.ts"
import { settingsFor, spoiled, visitJson } from "./visitFiles.ts"

/** The embedded service, and a facility that submits other visits to it in each run. */
const setUp = (options: Partial<SandboxOptions> = {}) =>
  Effect.gen(function*() {
    const { url, visits } = yield* startSandbox(options)
    const folder = mkdtempSync(join(tmpdir(), "later-"))
    const settle = (...lines: ReadonlyArray<string>) =>
      writeFileSync(
        join(folder, "facility.yaml"),
        settingsFor(url, "retry: {delay: 100ms, reads: 0}", "reconcile: {wait: 0s, confirmAfter: 7d}", ...lines)
      )
    settle()
    const submit = (texts: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
      const file = join(folder, "visits.ndjson")
      writeFileSync(file, texts.join("\n"))
      return typed(["submit", file, "--facility", folder], env)
    }
    /** The messages of the next run, as `--dry-run` shows them. */
    const dryRun = (texts: ReadonlyArray<string>) => {
      const file = join(folder, "next.ndjson")
      writeFileSync(file, texts.join("\n"))
      return Effect.map(typed(["submit", file, "--facility", folder, "--dry-run"]), ({ stderr }) => stderr)
    }
    return { dryRun, folder, settle, submit, visits, status: typed(["status", "--facility", folder]) }
  })

describe("visits that an earlier run did not send", () => {
  it.live("reports them in every run whose input does not have them, until they are sent", () =>
    Effect.gen(function*() {
      const { dryRun, status, submit, visits } = yield* setUp()
      const firstDay = [visitJson(1), visitJson(2)]
      assert.strictEqual((yield* submit(firstDay, { FHIR2VISIT_PASSWORD: "mistyped" })).code, 3)

      assert.include(yield* dryRun([visitJson(3)]), "warning[not-sent]: 2 visits of earlier runs were not sent")
      assert.notInclude(yield* dryRun(firstDay), "not-sent")
      const nextDay = yield* submit([visitJson(3)])
      assert.include(nextDay.stderr, "warning[not-sent]: 2 visits of earlier runs were not sent")
      assert.include(nextDay.stderr, "each visit that is not stored, and what to do")
      assert.strictEqual(nextDay.code, 0)
      assert.notInclude(nextDay.stderr, "earlier-version-held")
      const rejected = yield* submit([spoiled(1, /"admitted_at":"[^"]*"/u, "\"admitted_at\":null"), visitJson(2)])
      assert.include(rejected.stderr, "warning[not-sent]: 1 visit of an earlier run was not sent")
      assert.include((yield* status).stdout, "run again with this visit in the input")

      const again = yield* submit(firstDay)
      assert.notInclude(again.stderr, "not-sent")
      assert.deepStrictEqual((yield* visits).map(({ code }) => code).toSorted(), ["V000001", "V000002", "V000003"])
    }))
})

describe("a visit that is rejected after an earlier version was sent", () => {
  const rejected = spoiled(1, /"admitted_at":"[^"]*"/u, "\"admitted_at\":null")
  const message = /warning\[earlier-version-held\]: (.*)/u

  it.live("is reported with what the service has", () =>
    Effect.gen(function*() {
      for (
        const [isPartial, holds] of [[false, "has an earlier version of it"], [
          true,
          "has an earlier version of it in part"
        ]] as const
      ) {
        const { dryRun, submit } = yield* setUp({ isPartial: () => isPartial })
        yield* submit([visitJson(1)])
        const title = `the visit is rejected, and the service ${holds}`
        const [planned, { stderr }] = [yield* dryRun([rejected]), yield* submit([rejected])]
        for (const shown of [planned, stderr]) {
          assert.strictEqual(capture(shown, message), title)
          assert.match(shown, /visit +V000001/u)
        }
        assert.notMatch((yield* submit([visitJson(1)])).stderr, message)
        assert.notMatch((yield* submit([visitJson(1), rejected])).stderr, message)
      }
    }))

  it.live("is reported also if a code in it belongs to another patient", () =>
    Effect.gen(function*() {
      const { submit } = yield* setUp()
      yield* submit([visitJson(1)])
      const { stderr } = yield* submit([
        spoiled(1, /"patient_code":"P00000100"(?=.*"patient_code")/u, "\"patient_code\":\"P9\"")
      ])
      assert.include(stderr, "error[foreign-code]")
      assert.strictEqual(
        capture(stderr, message),
        "the visit is rejected, and the service has an earlier version of it"
      )
    }))

  it.live("is counted by `status`, like every visit that the last run rejected", () =>
    Effect.gen(function*() {
      const { status, submit } = yield* setUp()
      assert.notInclude((yield* status).stdout, "rejected")
      yield* submit([visitJson(1), spoiled(2, /"admitted_at":"[^"]*"/u, "\"admitted_at\":null"), visitJson(3)])
      const { stdout } = yield* status
      assert.match(
        stdout,
        /1 visit was rejected by the run that began \S+ \S+; its report lists them\n +1 visit +required-field/u
      )
      assert.include(stdout, "fhir2visit explain required-field")
      yield* submit([visitJson(1)])
      assert.notInclude((yield* status).stdout, "rejected by")
    }))

  it.live("is reported if the outcome of the earlier version is unknown", () =>
    Effect.gen(function*() {
      const faults: ReadonlyArray<Fault> = [
        { word: "500-before", place: "visits", rate: 1 },
        { word: "500-before", place: "processed", rate: 1 }
      ]
      const { dryRun, submit } = yield* setUp({ faults: { ...noFaults, faults } })
      yield* submit([visitJson(1)])
      assert.strictEqual(
        capture(yield* dryRun([rejected]), message),
        "the visit is rejected, and the service may have an earlier version of it"
      )
    }))

  it.live("is not reported if no version was sent", () =>
    Effect.gen(function*() {
      const { dryRun, submit } = yield* setUp()
      yield* submit([visitJson(1)], { FHIR2VISIT_PASSWORD: "mistyped" })
      assert.notMatch(yield* dryRun([rejected]), message)
      assert.notMatch((yield* submit([rejected])).stderr, message)
    }))
})

describe("a visit that the source cancels or deletes after it was sent", () => {
  const patients = lines(patient("a"), patient("b"))
  const encounterOf = (id: string, status = "finished"): Json => ({ ...encounter(id, id === "e1" ? "a" : "b"), status })
  const deletion = (id: string): Json => ({
    resourceType: "Bundle",
    type: "transaction",
    entry: [{ request: { method: "DELETE", url: `Encounter/${id}` } }]
  })

  /** Runs with the two patients and the given records. */
  const sending = (options: Partial<SandboxOptions> = {}, ...fields: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const { folder, settle, status, visits } = yield* setUp(options)
      settle("mapping: mapping.yaml")
      const code = (value: string) => `{code: {value: "${value}"}}`
      const address = `province: ${code("12")}, district: ${code("1201")}, commune: ${code("120101")}, village: ${
        code("12010101")
      }`
      writeFileSync(
        join(folder, "mapping.yaml"),
        `mapping: a\nextends: fhir-r4\nvisit: {${[...fields, `patient: {address: {${address}}}`].join(", ")}}\n`
      )
      const as = (env: Readonly<Record<string, string>>, records: string, ...more: ReadonlyArray<string>) => {
        const input = join(folder, "records.ndjson")
        writeFileSync(input, patients + records)
        return typed(["run", input, "--facility", folder, ...more], env)
      }
      const run = Object.assign((records: string, ...more: ReadonlyArray<string>) => as({}, records, ...more), { as })
      return { run, status, visits }
    })
  const held =
    /warning\[earlier-version-held\]: the source no longer has this as a visit of the facility, .*, and the service (.*)/u

  it.live(
    "is reported by each run that has the cancelled record, with what the service has",
    () =>
      Effect.gen(function*() {
        const { run, visits } = yield* sending()
        const first = yield* run(lines(encounterOf("e1"), encounterOf("e2")))
        assert.match(first.stderr, /2 stored/u, first.stderr)
        assert.notInclude(first.stderr, "earlier-version-held")
        for (
          const [gone, ...more] of [[encounterOf("e2", "cancelled"), "--dry-run"], [encounterOf("e2", "cancelled")], [
            deletion("e2")
          ]] as const
        ) {
          const { stderr } = yield* run(lines(encounterOf("e1"), gone), ...more)
          assert.strictEqual(capture(stderr, held), "has it")
          assert.match(stderr, /source +Encounter\/e2/u)
          assert.strictEqual(stderr.split("earlier-version-held]").length, 2)
        }
        assert.notMatch((yield* run(lines(encounterOf("e1"), encounterOf("e3", "cancelled")))).stderr, held)
        assert.strictEqual((yield* visits).length, 2)
      })
  )

  const gone = "the source no longer has it as a visit of the facility"

  it.live("is listed by `status` until an input has it as a visit again, also after inputs without its record", () =>
    Effect.gen(function*() {
      const { run, status } = yield* sending()
      yield* run(lines(encounterOf("e1"), encounterOf("e2")))
      assert.notInclude((yield* status).stdout, gone)
      yield* run(lines(encounterOf("e1"), encounterOf("e2", "cancelled")), "--dry-run")
      assert.notInclude((yield* status).stdout, gone)
      yield* run(lines(encounterOf("e1"), encounterOf("e2", "cancelled")))
      yield* run(lines(encounterOf("e1")))
      const { stdout } = yield* status
      assert.match(
        stdout,
        new RegExp(`1 stored: stored; ${gone}, for example because it was cancelled\n.* Encounter/e2\n`, "u")
      )
      assert.include(stdout, "ask the operator to remove it")
      yield* run(lines(encounterOf("e1"), encounterOf("e2")))
      assert.notInclude((yield* status).stdout, gone)
    }))

  it.live("is reported alike if the source moves it to another facility", () =>
    Effect.gen(function*() {
      const { run, status } = yield* sending({}, "health_facility_code: [serviceProvider.display, \"%facility\"]")
      yield* run(lines(encounterOf("e1"), encounterOf("e2")))
      const moved = lines(encounterOf("e1"), { ...encounterOf("e2"), serviceProvider: { display: "HF0002" } })
      for (const more of [["--dry-run"], []]) {
        const { code, stderr } = yield* run(moved, ...more)
        assert.include(stderr, "error[foreign-code]")
        assert.strictEqual(capture(stderr, held), "has it")
        assert.strictEqual(code, 1)
      }
      assert.include((yield* status).stdout, gone)
      yield* run(lines(encounterOf("e1"), encounterOf("e2")))
      assert.notInclude((yield* status).stdout, gone)
    }))

  it.live("is neither sent nor reported as not sent if it was only checked, and `status` requests nothing", () =>
    Effect.gen(function*() {
      const { run, status, visits } = yield* sending()
      const mistyped = { FHIR2VISIT_PASSWORD: "mistyped" }
      assert.strictEqual((yield* run.as(mistyped, lines(encounterOf("e1"), encounterOf("e2")))).code, 3)
      const cancelled = lines(encounterOf("e1"), encounterOf("e2", "cancelled"))
      assert.notInclude((yield* run(cancelled, "--dry-run")).stderr, "not-sent")
      for (const records of [cancelled, lines(encounterOf("e1"))]) {
        const { code, stderr } = yield* run(records)
        assert.notInclude(stderr, "not-sent")
        assert.notInclude(stderr, "earlier-version-held")
        assert.strictEqual(code, 0)
      }
      const { stdout } = yield* status
      assert.include(stdout, `1 ready: not sent; ${gone}`)
      assert.include(stdout, "next   nothing: it is not sent")
      assert.notInclude((yield* run(lines(encounterOf("e1")), "--dry-run")).stderr, "not-sent")
      assert.strictEqual((yield* visits).length, 1)
      yield* run(lines(encounterOf("e1"), encounterOf("e2")))
      assert.strictEqual((yield* visits).length, 2)
    }))

  it.live("is not sent again if its outcome is unknown and the list does not show it", () =>
    Effect.gen(function*() {
      const faults: Array<Fault> = [
        { word: "500-before", place: "visits", rate: 1 },
        { word: "500-before", place: "processed", rate: 1 }
      ]
      const { run, status, visits } = yield* sending({ faults: { ...noFaults, faults } })
      assert.strictEqual((yield* run(lines(encounterOf("e1"), encounterOf("e2")))).code, 3)
      faults.splice(0)
      const { stderr } = yield* run(lines(encounterOf("e1"), encounterOf("e2", "entered-in-error")))
      assert.strictEqual(capture(stderr, held), "may have it")
      assert.strictEqual((yield* visits).length, 1)
      assert.match((yield* status).stdout, /1 stored +1 with unknown outcome/u)
      assert.include((yield* status).stdout, "the outcome is looked up, and it is not sent again")
      // nor by a run whose input lacks the cancelled record
      yield* run(lines(encounterOf("e1")))
      assert.strictEqual((yield* visits).length, 1)
      yield* run(lines(encounterOf("e1"), encounterOf("e2")))
      assert.strictEqual((yield* visits).length, 2)
    }))
})

describe("a visit whose code a visit of another patient has", () => {
  const reused = spoiled(2, /V000002/gu, "V000001").replaceAll("P00000200", "P00000900").replaceAll(
    "2026-03",
    "2026-02"
  )

  it.live("is not in the journal under its code, so the next step is not `status`", () =>
    Effect.gen(function*() {
      const { submit, visits } = yield* setUp()
      yield* submit([visitJson(1)])
      const { code, stderr } = yield* submit([reused])
      assert.include(stderr, "error[duplicate-code]")
      assert.match(stderr, /next {3}fhir2visit explain duplicate-code\s+1 visit not sent: a visit of another patient/u)
      assert.notInclude(stderr, "each visit that is not stored")
      assert.deepStrictEqual([code, (yield* visits).length], [1, 1])
    }))
})

describe("a visit that has changed since it was stored", () => {
  const changed = spoiled(1, "\"occupation\":\"Farmer\"", "\"occupation\":\"Teacher\"")

  it.live("is named in the verdict, because the service has its earlier version", () =>
    Effect.gen(function*() {
      const { dryRun, submit, visits } = yield* setUp()
      assert.include((yield* submit([visitJson(1), visitJson(2)])).stderr, "All 2 visits are delivered.")
      const next = [changed, visitJson(2), visitJson(3)]
      assert.include(
        (yield* dryRun(next)).replaceAll(/\s+/gu, " "),
        "Nothing was sent: 1 of 3 visits could be delivered, 2 are skipped; the service has 1 of them in an earlier version."
      )
      const { code, stderr } = yield* submit(next)
      assert.include(stderr, "All 3 visits are delivered; the service has 1 of them in an earlier version.")
      assert.include(stderr, "warning[changed-since-stored]")
      assert.strictEqual(code, 0)
      assert.strictEqual((yield* visits).length, 3)
      assert.include((yield* submit([visitJson(1)])).stderr, "The visit is delivered.")
    }))
})

describe("§3: updates of a visit that is stored in part", () => {
  const occupation = (text: string) => spoiled(1, "\"occupation\":\"Farmer\"", `"occupation":"${text}"`)

  it.live("shows that the admission date of the source, or the settings, hold the update", () =>
    Effect.gen(function*() {
      const { settle, submit } = yield* setUp({ isPartial: () => true })
      yield* submit([visitJson(1)])
      const moved = yield* submit([spoiled(1, /"admitted_at":"\d{4}/u, "\"admitted_at\":\"2019")])
      assert.include(
        moved.stderr,
        "stored in part, and its update is not sent: the source has another admission date now"
      )
      settle("submit: {partial: hold}")
      const held = yield* submit([occupation("Teacher")])
      assert.include(held.stderr, "stored in part, and its update is not sent: `submit: {partial: hold}`")
    }))

  it.live("shows that the service refused the update, and sends the next one", () =>
    Effect.gen(function*() {
      const { status, submit, visits } = yield* setUp({
        isPartial: (visit) => JSON.stringify(visit).includes("Farmer")
      })
      const first = yield* submit([visitJson(1)])
      assert.include(first.stderr, "stored in part; the service waits for an update")
      // the records of the patient were merged into those of another
      const merged = yield* submit([visitJson(1).replaceAll("P00000100", "P00000900")])
      const words = "stored in part, and the service refused its update"
      assert.include(merged.stderr, words)
      assert.include((yield* status).stdout, words)

      assert.strictEqual((yield* submit([occupation("Teacher")])).code, 0)
      assert.deepStrictEqual((yield* visits).map(({ code, status }) => `${code} ${status}`), ["V000001 1"])
    }))
})
