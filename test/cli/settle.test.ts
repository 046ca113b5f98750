import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { jsonObjectOf } from "../../src/json/JsonObject.ts"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { present } from "../present.ts"
import { runs } from "../runs.ts"
import { FastClock } from "../submission/FastClock.ts"
import { typed } from "./sandboxUser.ts"
import { settingsFor } from "./visitFiles.ts"

/** The first sample: the visit V420101, over on 2025-07-08 at 10:20 (03:20Z); none of its records has a `meta.lastUpdated`. */
const sample = readFileSync("samples/outpatient-fever/input/visit.bundle.json", "utf8")
type Resource = { [key: string]: unknown; resourceType: string }
const parsedSample = (): { readonly entry: ReadonlyArray<{ readonly resource: Resource }> } => JSON.parse(sample)
const changed = (change: (resource: Resource) => void): string => {
  const bundle = parsedSample()
  for (const { resource } of bundle.entry) change(resource)
  return JSON.stringify(bundle)
}
const onTheWard = changed((resource) => {
  if (resource.resourceType !== "Encounter") return
  resource.status = "in-progress"
  resource.period = { start: jsonObjectOf(resource.period).start }
})
const corrected = changed((resource) => {
  if (resource.resourceType === "Condition") resource.meta = { lastUpdated: "2025-07-10T05:00:00+07:00" }
})
const patientChanged = changed((resource) => {
  if (resource.resourceType === "Patient") resource.meta = { lastUpdated: "2025-07-10T05:00:00+07:00" }
})

const setUp = (...settings: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const beneficiary = { patient_code: "P25900101", identifications: [] }
    const sandbox = yield* startSandbox({ data: { beneficiaries: [beneficiary], visits: [], users: [] } })
    const { url } = sandbox
    const folder = mkdtempSync(join(tmpdir(), "settle-"))
    writeFileSync(
      join(folder, "facility.yaml"),
      settingsFor(
        url,
        ...settings
      )
    )
    mkdirSync(join(folder, "input"))
    const input = join(folder, "input", "visit.json")
    const file = join(folder, "report.json")
    const of = (words: ReadonlyArray<string>, at: string) =>
      typed([...words, "--facility", folder]).pipe(
        Effect.provideService(Clock.Clock, new FastClock(1, Date.parse(at)))
      )
    /** `run` at a time: what was seen, and the counts of its report. */
    const run = (records: string, at: string, ...more: ReadonlyArray<string>) =>
      Effect.gen(function*() {
        writeFileSync(input, records)
        const seen = yield* of(["run", join(folder, "input"), "--report", file, ...more], at)
        return { ...seen, report: JSON.parse(readFileSync(file, "utf8")) }
      })
    const submissions = Effect.map(sandbox.stats, ({ requests }) =>
      Object.entries(requests).filter(([name]) =>
        name.startsWith("POST") && !name.includes("oauth")
      )
        .flatMap(([, answers]) => Object.values(answers)).reduce((sum, count) => sum + count, 0))
    return {
      folder,
      of,
      run,
      submissions,
      visits: sandbox.visits,
      stored: Effect.map(sandbox.visits, (visits) => visits.length)
    }
  })

const day = 86_400_000

/** The records of the sample as those of another visit of the same patient, on a day from 0. */
const visitOn = (today: number): ReadonlyArray<Resource> => {
  const { entry } = parsedSample()
  const dateAt = (days: number): string =>
    new Date(Date.parse("2025-07-08") + (today + days) * day).toISOString().slice(0, 10)
  let text = JSON.stringify(entry.map(({ resource }) => resource))
  for (const { resource: { id, resourceType } } of entry) {
    if (resourceType === "Patient" || resourceType === "Practitioner") continue
    text = text.replaceAll(`/${String(id)}"`, `/${String(id)}-${today}"`)
      .replaceAll(`"id":"${String(id)}"`, `"id":"${String(id)}-${today}"`)
  }
  text = text.replaceAll("420101", String(420_200 + today)).replaceAll("317101", String(317_200 + today))
    .replaceAll("2025-07-10", dateAt(2)).replaceAll("2025-07-08", dateAt(0))
  return JSON.parse(text)
}

describe("visits that are still open", () => {
  it.live(
    "law: over daily deltas each visit is sent once, by the first run after its settle time",
    () =>
      Effect.gen(function*() {
        const { folder, of, stored, submissions } = yield* setUp("submit: {settle: 24h}")
        const first = Date.parse("2025-07-08T03:20:00Z")
        // Thirty take half a minute: with TEST_RUNS above 1.
        const days = runs(1) === 1 ? 6 : 30
        /** When the last record of each visit changes; the seed decides whether one comes late, and how late. */
        const changes: Array<number> = []
        let seed = 7
        const below = (limit: number): number => {
          seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
          return Math.floor((seed / 2_147_483_648) * limit)
        }
        const late: Array<{ readonly at: number; readonly resource: Resource }> = []
        for (let today = 0; today < days; today++) {
          const ended = first + today * day
          const records = visitOn(today).filter(({ resourceType }) =>
            today === 0 || (resourceType !== "Patient" && resourceType !== "Practitioner")
          )
          for (const record of records) record.meta = { lastUpdated: new Date(ended).toISOString() }
          changes[today] = ended
          const delta = [...records]
          for (let at = ended + below(23) * 3_600_000; below(2) === 0; at += below(23) * 3_600_000) {
            const weight = structuredClone(present(records.find(({ id }) => id === `weight-${today}`)))
            weight.meta = { lastUpdated: new Date(at).toISOString() }
            weight.valueQuantity = { ...jsonObjectOf(weight.valueQuantity), value: 50 + below(20) }
            late.push({ at, resource: weight })
            changes[today] = at
          }
          // The run of a day is at 18:00Z: the delta has what changed until then.
          const now = Date.parse("2025-07-08T18:00:00Z") + today * day
          for (const one of late.splice(0)) {
            if (one.at <= now) delta.push(one.resource)
            else late.push(one)
          }
          const name = join(folder, "input", `${String(today).padStart(2, "0")}.ndjson`)
          writeFileSync(name, delta.map((record) => `${JSON.stringify(record)}\n`).join(""))
          const seen = yield* of(["run", join(folder, "input"), "--rejected-ok"], new Date(now).toISOString())
          assert.strictEqual(seen.code, 0, seen.stderr)
          const settled = changes.filter((at) => at + day <= now).length
          assert.strictEqual(yield* stored, settled, `day ${today}: ${seen.stderr}`)
        }
        assert.strictEqual(yield* submissions, yield* stored)
      }).pipe(Effect.scoped)
  )

  it.live(
    "a newer record of the visit holds it; a newer record of the patient does not",
    () =>
      Effect.gen(function*() {
        const { run, stored } = yield* setUp("submit: {settle: 24h}")
        const held = yield* run(corrected, "2025-07-10T21:00:00Z")
        assert.deepInclude(held.report.counts, { open: 1, sent: 0 })
        assert.strictEqual(held.report.stillOpen[0].ready, "2025-07-10T22:00:00.000Z")
        assert.strictEqual(yield* stored, 0)
        const sent = yield* run(patientChanged, "2025-07-10T21:00:00Z")
        assert.deepInclude(sent.report.counts, { open: 0, sent: 1, stored: 1 })
      }).pipe(Effect.scoped)
  )

  it.live("a dry run holds the visit, shows when it can be sent, and writes nothing", () =>
    Effect.gen(function*() {
      const { run } = yield* setUp("submit: {settle: 2d}")
      const planned = yield* run(sample, "2025-07-09T03:00:00Z", "--dry-run")
      assert.strictEqual(planned.code, 0, planned.stderr)
      assert.match(planned.stderr, /1 {2}hold +still open/u)
      assert.deepInclude(planned.report.counts, { ready: 0, open: 1, left: 0, skipped: 0 })
      assert.deepInclude(planned.report.plan[0], {
        visit: "V420101",
        action: "hold",
        why: "still-open",
        ready: "2025-07-10T03:20:00.000Z"
      })
    }).pipe(Effect.scoped))

  it.live(
    "neither rejects nor sends the visit of a patient on the ward, with and without `settle`",
    () =>
      Effect.gen(function*() {
        for (const settings of [[], ["submit: {settle: 1h}"]]) {
          const { of, folder, run, stored } = yield* setUp(...settings)
          const rejected = join(folder, "rejected.ndjson")
          const open = yield* run(onTheWard, "2025-07-08T02:00:00Z", "--rejected", rejected)
          assert.strictEqual(open.code, 0, open.stderr)
          assert.notInclude(open.stderr, "error")
          assert.deepInclude(open.report.counts, { visits: 1, ready: 0, rejected: 0, open: 1, sent: 0 })
          assert.strictEqual(open.report.stillOpen[0].ready, null)
          assert.strictEqual(readFileSync(rejected, "utf8"), "")
          assert.strictEqual(yield* stored, 0)
          const planned = yield* run(onTheWard, "2025-07-08T02:00:00Z", "--dry-run")
          assert.strictEqual(planned.code, 0, planned.stderr)
          assert.deepInclude(planned.report.plan[0], { action: "hold", why: "still-open", ready: null })
          const out = join(folder, "out.ndjson")
          const converted = yield* of(["convert", join(folder, "input"), "-o", out], "2025-07-08T02:00:00Z")
          assert.strictEqual(converted.code, 0, converted.stderr)
          assert.include(converted.stderr, "still open: 1 not over")
          assert.strictEqual(readFileSync(out, "utf8"), "")
          const over = yield* run(sample, "2025-07-09T02:00:00Z")
          assert.deepInclude(over.report.counts, { visits: 1, ready: 1, open: 0, sent: 1, stored: 1 })
        }
      }).pipe(Effect.scoped)
  )

  it.live(
    "does not send a visit while a stay below its finished encounter is in progress",
    () =>
      Effect.gen(function*() {
        const { run, stored } = yield* setUp()
        const bundle = parsedSample()
        const top = present(bundle.entry.find(({ resource }) => resource.resourceType === "Encounter")).resource
        const stay = {
          ...top,
          id: "ward",
          identifier: [],
          status: "in-progress",
          class: { code: "IMP" },
          partOf: { reference: `Encounter/${String(top.id)}` },
          period: { start: jsonObjectOf(top.period).end }
        }
        const records = JSON.stringify({ ...bundle, entry: [...bundle.entry, { resource: stay }] })
        const seen = yield* run(records, "2025-07-09T02:00:00Z")
        assert.strictEqual(seen.code, 0, seen.stderr)
        assert.deepInclude(seen.report.counts, { visits: 1, ready: 0, rejected: 0, open: 1, sent: 0 })
        assert.strictEqual(yield* stored, 0)
      }).pipe(Effect.scoped)
  )

  it.live("rejects a finished encounter without an end", () =>
    Effect.gen(function*() {
      const { run } = yield* setUp()
      const seen = yield* run(onTheWard.replaceAll("in-progress", "finished"), "2025-07-09T02:00:00Z")
      assert.strictEqual(seen.code, 1)
      assert.deepInclude(seen.report.counts, { rejected: 1, open: 0 })
    }).pipe(Effect.scoped))

  it.live("`submit FILE` uses only the discharge time", () =>
    Effect.gen(function*() {
      const { folder, of, run, stored } = yield* setUp("submit: {settle: 24h}")
      const visits = join(folder, "visits.ndjson")
      yield* run(corrected, "2025-07-09T02:00:00Z", "-o", visits)
      const early = yield* of(["submit", visits], "2025-07-09T03:19:00Z")
      assert.strictEqual(early.code, 0, early.stderr)
      assert.match(early.stderr, /0 ready\s+0 rejected\s+1 still open/u)
      assert.strictEqual(yield* stored, 0)
      const late = yield* of(["submit", visits], "2025-07-09T03:20:00Z")
      assert.strictEqual(late.code, 0, late.stderr)
      assert.strictEqual(yield* stored, 1)
    }).pipe(Effect.scoped))
})
