import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { beneficiaryFile } from "../../src/beneficiary/BeneficiaryFile.ts"
import { fillVisits } from "../../src/beneficiary/fillVisits.ts"
import { documentedLimits, type Facility, usualService } from "../../src/facility/Facility.ts"
import { Operator } from "../../src/operator/Operator.ts"
import { OperatorError, RateLimited, UnexpectedAnswer } from "../../src/operator/OperatorError.ts"
import type { VisitProblem } from "../../src/visit/VisitProblem.ts"

const day = 86_400_000
const facilityIn = (folder: string): Facility => ({
  file: null,
  code: "HF0001",
  system: "SYS",
  timezone: "UTC",
  mapping: "mapping.yaml",
  tables: [],
  service: { baseUrl: "https://data.example.org", authUrl: "https://auth.example.org", caFile: null },
  limits: documentedLimits,
  ...usualService,
  validation: {},
  fillPatient: ["spid"],
  journal: join(folder, "state", "journal.sqlite")
})

const visit = (...cards: ReadonlyArray<string>) => ({
  patient: { code: "P1", spid: null, identifications: cards.map((card_code) => ({ card_code })) }
})

/** A service that knows some cards; it tells what it was asked, and in which lane. */
const service = (answers: Readonly<Record<string, unknown>>) => {
  const asked: Array<string> = []
  const layer = Layer.mock(Operator, {
    beneficiaries: (card, lane = "front") =>
      Effect.suspend(() => {
        asked.push(`${lane} ${card}`)
        const answer = answers[card]
        if (answer instanceof OperatorError) return Effect.fail(answer)
        const records = answer === undefined ? [] : Array.isArray(answer) ? answer : [answer]
        return Effect.succeed(records as ReadonlyArray<Readonly<Record<string, unknown>>>)
      })
  })
  return { asked, layer }
}

const spidOf = ({ visit }: { readonly visit: Readonly<Record<string, unknown>> }) =>
  (visit["patient"] as { readonly spid: unknown }).spid

const setting = Effect.sync(() => {
  const facility = facilityIn(mkdtempSync(join(tmpdir(), "fill-")))
  return { facility, file: beneficiaryFile(facility)! }
})

/** A process of its own: what it does not find in the file, it does not know. */
const fill = (facility: Facility, ...cards: ReadonlyArray<string>) =>
  Effect.flatMap(fillVisits(facility), (fill) => fill!(visit(...cards))).pipe(Effect.provide(NodeFileSystem.layer))

describe("§4.4 what a facility asks for is filled in from the cards of its patients", () => {
  it.effect("a run asks once, in the lane of uploads; after that no network is needed, for 30 days", () =>
    Effect.gen(function*() {
      const { facility, file } = yield* setting
      const { asked, layer } = service({ "100": { spid: "SP1", surname: "Canary" } })
      assert.deepStrictEqual((yield* fill(facility, "100")).problems.map(({ code }) => code), ["no-beneficiary"])
      for (let n = 0; n < 3; n++) {
        assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "100"), layer)), "SP1")
      }
      assert.strictEqual(spidOf(yield* fill(facility, "100")), "SP1")
      assert.deepStrictEqual(asked, ["bulk 100"])
      yield* TestClock.adjust(31 * day)
      assert.strictEqual(spidOf(yield* fill(facility, "100")), "SP1")
      yield* Effect.provide(fill(facility, "100"), layer)
      assert.strictEqual(asked.length, 2)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(statSync(dirname(file)).mode & 0o777, 0o700)
      assert.notInclude(readFileSync(file, "utf8"), "Canary")
      yield* TestClock.adjust(91 * day)
      assert.isNull(spidOf(yield* fill(facility, "100")))
      assert.strictEqual(readFileSync(file, "utf8"), "")
    }))

  it.effect("each card of the patient is tried; that nobody has one is asked again the next day", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const { asked, layer } = service({ "200": { spid: "SP2" } })
      assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "100", "200"), layer)), "SP2")
      const nobody = yield* Effect.provide(fill(facility, "100"), layer)
      assert.match(nobody.problems[0]!.title, /no card that the service knows/u)
      assert.deepStrictEqual(asked, ["bulk 100", "bulk 200"])
      yield* TestClock.adjust(1.5 * day)
      yield* Effect.provide(fill(facility, "100"), layer)
      assert.strictEqual(asked.length, 3)
    }))

  it.effect("an answer that was kept before sex and birthdate were compared is asked for again", () =>
    Effect.gen(function*() {
      const { facility, file } = yield* setting
      const { asked, layer } = service({ "100": { spid: "SP1" } })
      yield* Effect.provide(fill(facility, "100"), layer)
      writeFileSync(
        file,
        "{\"card\":\"100\",\"at\":\"1970-01-01T00:00:00Z\",\"known\":{\"patientCode\":null,\"spid\":\"SP9\",\"cards\":[]}}\n"
      )
      assert.isNull(spidOf(yield* fill(facility, "100")))
      assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "100"), layer)), "SP1")
      assert.strictEqual(asked.length, 2)
    }))

  it.effect("a record that is not the patient's fills nothing, and keeps a visit back that needs it", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const stranger = { patient_code: "P-other", spid: "SP-other", benefit_cards: ["CARD-other"], cards: [] }
      const { layer } = service({ "100": stranger, "300": [{ patient_code: "P1", spid: "A" }, { patient_code: null }] })
      const told = ({ problems }: { readonly problems: ReadonlyArray<VisitProblem> }) =>
        problems.map(({ code, severity, title }) => `${severity}[${code}]: ${title}`)

      const other = yield* Effect.provide(fill(facility, "100"), layer)
      assert.isNull(spidOf(other))
      assert.deepStrictEqual(told(other), [
        "error[other-beneficiary]: the service's record of the patient's card has another `code` and other cards, so nothing is filled in from it"
      ])
      assert.notMatch(JSON.stringify(other.problems), /-other/u)

      const cards = { ...facility, fillPatient: ["identifications"] as const }
      assert.deepStrictEqual(
        (yield* Effect.provide(fill(cards, "100"), layer)).problems.map(({ severity }) => severity),
        [
          "warning"
        ]
      )

      const household = yield* Effect.provide(fill(facility, "300"), layer)
      assert.isNull(spidOf(household))
      assert.match(told(household).join(), /^error\[other-beneficiary\]: several people have the patient's card/u)
    }))

  it.effect("a dead person whose day of death is not said is told", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const { layer } = service({ "100": { spid: "SP1", dead: true } })
      const filled = yield* Effect.provide(fill(facility, "100"), layer)
      assert.strictEqual(spidOf(filled), "SP1")
      assert.deepStrictEqual(filled.problems.map(({ code, severity }) => `${severity} ${code}`), [
        "warning other-beneficiary"
      ])
    }))

  it.effect("an answer that is not understood leaves one visit as it is; the world stops the run", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const { layer } = service({
        "100": new OperatorError({ reason: new UnexpectedAnswer({ status: 200, detail: "" }) }),
        "200": new OperatorError({ reason: new RateLimited({ retryAfterSeconds: 60 }) })
      })
      assert.match((yield* Effect.provide(fill(facility, "100"), layer)).problems[0]!.title, /not been looked up/u)
      const stopped = yield* Effect.result(Effect.provide(fill(facility, "200"), layer))
      assert.isTrue(Result.isFailure(stopped))
    }))

  it.effect("a damaged line is as none, and a file that cannot be written stops nobody", () =>
    Effect.gen(function*() {
      const { facility, file } = yield* setting
      const { asked, layer } = service({ "100": { spid: "SP1" }, "200": { spid: "SP2" } })
      yield* Effect.provide(fill(facility, "100"), layer)
      appendFileSync(file, "{\"card\":\"200\",\"at\":\"2026-01-01T00:00:00Z\",\"known\":[{\"spid\":7}]}\n{\"card\":\"2")
      assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "200"), layer)), "SP2")
      assert.strictEqual(spidOf(yield* fill(facility, "100")), "SP1")
      assert.strictEqual(asked.length, 2)
      writeFileSync(file, "")
      chmodSync(file, 0o000)
      assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "100"), layer)), "SP1")
    }))

  it.effect("a facility that asks for nothing has nothing filled in", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const none = yield* Effect.provide(fillVisits({ ...facility, fillPatient: [] }), NodeFileSystem.layer)
      assert.isNull(none)
    }))
})
