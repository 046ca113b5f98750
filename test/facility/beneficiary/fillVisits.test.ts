import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { at } from "../../../src/at.ts"
import { beneficiaryFile } from "../../../src/facility/beneficiary/BeneficiaryFile.ts"
import { cardNumbers } from "../../../src/facility/beneficiary/fillPatient.ts"
import { fillVisits } from "../../../src/facility/beneficiary/fillVisits.ts"
import { defaultService, type Facility, facilityLimits } from "../../../src/facility/Facility.ts"
import { jsonObjectOf, jsonObjectsIn, oneOrMore } from "../../../src/json/JsonObject.ts"
import { Operator } from "../../../src/service/Operator.ts"
import { OperatorError } from "../../../src/service/OperatorError.ts"
import { FacilityCode, SystemCode } from "../../../src/visit/values/Code.ts"
import type { VisitProblem } from "../../../src/visit/VisitProblem.ts"
import { present } from "../../present.ts"

const day = 86_400_000
const facilityIn = (folder: string): Facility => ({
  file: null,
  code: FacilityCode("HF0001"),
  system: SystemCode("SYS"),
  name: null,
  timezone: "UTC",
  mapping: "mapping.yaml",
  tables: [],
  accepted: null,
  service: { baseUrl: "https://data.example.org", authUrl: "https://auth.example.org", caFile: null },
  limits: facilityLimits,
  ...defaultService,
  validation: {},
  fillPatient: ["spid"],
  journal: join(folder, "state", "journal.sqlite")
})

const visit = (...cards: ReadonlyArray<string>) => ({
  patient: { code: "P1", spid: null, identifications: cards.map((card_code) => ({ card_code })) }
})

/** A service that knows some cards, and records its requests and their lanes. */
const service = (answers: Readonly<Record<string, unknown>>) => {
  const requested: Array<string> = []
  const layer = Layer.mock(Operator, {
    beneficiaries: (card, lane = "front") =>
      Effect.suspend(() => {
        requested.push(`${lane} ${card}`)
        const answer = answers[card]
        if (answer instanceof OperatorError) return Effect.fail(answer)
        return Effect.succeed(jsonObjectsIn(oneOrMore(answer)))
      })
  })
  return { asked: requested, layer }
}

const spidOf = ({ visit }: { readonly visit: Readonly<Record<string, unknown>> }) =>
  jsonObjectOf(visit["patient"])["spid"]

const setting = Effect.sync(() => {
  const facility = facilityIn(mkdtempSync(join(tmpdir(), "fill-")))
  return { facility, file: present(beneficiaryFile(facility)) }
})

/** Runs like a new process, which knows only the file. */
const fill = (facility: Facility, ...cards: ReadonlyArray<string>) =>
  Effect.flatMap(fillVisits(facility), (fill) => present(fill)(visit(...cards))).pipe(
    Effect.provide(NodeFileSystem.layer)
  )

describe("§4.4: fills the requested fields from the cards of patients", () => {
  it.effect("looks a card up once, with the quota of uploads; then needs no network for 30 days", () =>
    Effect.gen(function*() {
      const { facility, file } = yield* setting
      const { asked: requested, layer } = service({ "100": { spid: "SP1", surname: "Canary" } })
      assert.deepStrictEqual((yield* fill(facility, "100")).problems.map(({ code }) => code), ["no-beneficiary"])
      for (let n = 0; n < 3; n++) {
        assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "100"), layer)), "SP1")
      }
      assert.strictEqual(spidOf(yield* fill(facility, "100")), "SP1")
      assert.deepStrictEqual(requested, ["bulk 100"])
      yield* TestClock.adjust(31 * day)
      assert.strictEqual(spidOf(yield* fill(facility, "100")), "SP1")
      yield* Effect.provide(fill(facility, "100"), layer)
      assert.strictEqual(requested.length, 2)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(statSync(dirname(file)).mode & 0o777, 0o700)
      assert.notInclude(readFileSync(file, "utf8"), "Canary")
      yield* TestClock.adjust(91 * day)
      assert.isNull(spidOf(yield* fill(facility, "100")))
      assert.strictEqual(readFileSync(file, "utf8"), "")
    }))

  it.effect("tries each card of the patient, and looks up unknown cards again after a day", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const { asked: requested, layer } = service({ "200": { spid: "SP2" } })
      assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "100", "200"), layer)), "SP2")
      const unfilled = yield* Effect.provide(fill(facility, "100"), layer)
      assert.match(at(unfilled.problems, 0).title, /no card that the service knows/u)
      assert.deepStrictEqual(requested, ["bulk 100", "bulk 200"])
      yield* TestClock.adjust(1.5 * day)
      yield* Effect.provide(fill(facility, "100"), layer)
      assert.strictEqual(requested.length, 3)
    }))

  it.effect("uses no response of another service, also if only its path differs", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const { layer } = service({ "100": { spid: "SP1" } })
      const demo = { ...facility, service: { ...facility.service, baseUrl: "https://data.example.org/demo/" } }
      assert.strictEqual(spidOf(yield* Effect.provide(fill(demo, "100"), layer)), "SP1")
      assert.isNull(spidOf(yield* fill(facility, "100")))
      assert.strictEqual(
        beneficiaryFile({ ...demo, service: { ...demo.service, baseUrl: "https://data.example.org/demo/api" } }),
        beneficiaryFile(demo)
      )
    }))

  it.effect("looks a card up again if the stored response has no sex or birthdate", () =>
    Effect.gen(function*() {
      const { facility, file } = yield* setting
      const { asked: requested, layer } = service({ "100": { spid: "SP1" } })
      yield* Effect.provide(fill(facility, "100"), layer)
      writeFileSync(
        file,
        "{\"card\":\"100\",\"at\":\"1970-01-01T00:00:00Z\",\"known\":{\"patientCode\":null,\"spid\":\"SP9\",\"cards\":[]}}\n"
      )
      assert.isNull(spidOf(yield* fill(facility, "100")))
      assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "100"), layer)), "SP1")
      assert.strictEqual(requested.length, 2)
    }))

  it.effect("fills nothing from another person's record, and rejects a visit that needs it", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const stranger = { patient_code: "P-other", spid: "SP-other", benefit_cards: ["CARD-other"], cards: [] }
      const { layer } = service({ "100": stranger, "300": [{ patient_code: "P1", spid: "A" }, { patient_code: null }] })
      const reported = ({ problems }: { readonly problems: ReadonlyArray<VisitProblem> }) =>
        problems.map(({ code, severity, title }) => `${severity}[${code}]: ${title}`)

      const other = yield* Effect.provide(fill(facility, "100"), layer)
      assert.isNull(spidOf(other))
      assert.deepStrictEqual(reported(other), [
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
      assert.match(reported(household).join(), /^error\[other-beneficiary\]: several people have the patient's card/u)
    }))

  it.effect("reports a death without a date", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const { layer } = service({ "100": { spid: "SP1", patient_code: "P1", dead: true } })
      const filled = yield* Effect.provide(fill(facility, "100"), layer)
      assert.strictEqual(spidOf(filled), "SP1")
      assert.deepStrictEqual(filled.problems.map(({ code, severity }) => `${severity} ${code}`), [
        "warning other-beneficiary"
      ])
    }))

  it.effect("reports that only the card shows whose record it is", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const birthdate = "1990-04-12"
      const codeless = (more: object) => ({ patient: { sex: "F", identifications: [{ card_code: "100" }], ...more } })
      const { layer } = service({ "100": { spid: "SP1", sex: "F", birthdate } })
      const problems = (more: object) =>
        Effect.flatMap(fillVisits(facility), (fill) => present(fill)(codeless(more))).pipe(
          Effect.map((filled) => [spidOf(filled), ...filled.problems.map(({ title }) => title)]),
          Effect.provide([NodeFileSystem.layer, layer])
        )
      assert.deepStrictEqual(yield* problems({ birthdate }), ["SP1"])
      const [spid, title, ...others] = yield* problems({})
      assert.deepStrictEqual([spid, others], ["SP1", []])
      assert.match(String(title), /no birth date or other number confirms it/u)
    }))

  it.effect("leaves a visit unchanged after an unexpected response, and stops the run after a failure", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const { layer } = service({
        "100": new OperatorError({ reason: { _tag: "UnexpectedResponse", status: 200, detail: "" } }),
        "200": new OperatorError({ reason: { _tag: "RateLimited", retryAfterSeconds: 60 } })
      })
      assert.match(at((yield* Effect.provide(fill(facility, "100"), layer)).problems, 0).title, /not been looked up/u)
      const stopped = yield* Effect.result(Effect.provide(fill(facility, "200"), layer))
      assert.isTrue(Result.isFailure(stopped))
    }))

  it.effect("ignores a damaged line, and continues if the file cannot be written", () =>
    Effect.gen(function*() {
      const { facility, file } = yield* setting
      const { asked: requested, layer } = service({ "100": { spid: "SP1" }, "200": { spid: "SP2" } })
      yield* Effect.provide(fill(facility, "100"), layer)
      appendFileSync(file, "{\"card\":\"200\",\"at\":\"2026-01-01T00:00:00Z\",\"known\":[{\"spid\":7}]}\n{\"card\":\"2")
      assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "200"), layer)), "SP2")
      assert.strictEqual(spidOf(yield* fill(facility, "100")), "SP1")
      assert.strictEqual(requested.length, 2)
      writeFileSync(file, "")
      chmodSync(file, 0o000)
      assert.strictEqual(spidOf(yield* Effect.provide(fill(facility, "100"), layer)), "SP1")
    }))

  it.effect("reports cards without a type, which are not added", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const cards = { ...facility, fillPatient: ["spid", "identifications"] as const }
      const { layer } = service({
        "100": {
          spid: "SP1",
          patient_code: "P1",
          identifications: [{ card_code: "100" }, { card_code: "A" }, { card_code: "B", card_type: "T" }]
        },
        "200": { spid: "SP1", patient_code: "P1", identifications: [{ card_code: "200" }] }
      })
      const filled = yield* Effect.provide(fill(cards, "100"), layer)
      assert.deepStrictEqual(cardNumbers(filled.visit), ["100", "B"])
      assert.deepStrictEqual(filled.problems.map(({ code, severity, times }) => [severity, code, times]), [[
        "warning",
        "dropped-record",
        1
      ]])
      assert.deepStrictEqual((yield* Effect.provide(fill(cards, "200"), layer)).problems, [])
      const onlySpid = { ...cards, fillPatient: ["spid"] as const }
      assert.deepStrictEqual((yield* Effect.provide(fill(onlySpid, "100"), layer)).problems, [])
    }))

  it.effect("fills nothing if the facility requests nothing", () =>
    Effect.gen(function*() {
      const { facility } = yield* setting
      const none = yield* Effect.provide(fillVisits({ ...facility, fillPatient: [] }), NodeFileSystem.layer)
      assert.isNull(none)
    }))
})

describe("§4.5 rule 1: checks that the service knows the patient by this code, if the facility requests it", () => {
  const complete = (number: number) => ({
    patient: { code: `P${number}`, spid: "SP", identifications: [{ card_code: `C${number}` }] }
  })
  /** A facility that checks cards, and fills the given fields. */
  const checking = (check: Facility["checkCards"], fields: Facility["fillPatient"] = []) =>
    Effect.map(setting, ({ facility }) => ({ ...facility, checkCards: check, fillPatient: fields }))
  const filler = (facility: Facility, asks = true) => Effect.provide(fillVisits(facility, asks), NodeFileSystem.layer)

  it.effect("looks up each card once, and leaves the visits unchanged", () =>
    Effect.gen(function*() {
      const { asked: requested, layer } = service({
        C1: { patient_code: "P1" },
        C2: { patient_code: "P-other", sex: "M" }
      })
      const look = present(yield* filler(yield* checking("all")))
      const reported = yield* Effect.forEach(
        [1, 2, 3, 1],
        (number) =>
          Effect.map(look(complete(number)), ({ problems, visit }) => {
            assert.deepStrictEqual(visit, complete(number))
            return problems.map(({ code, severity, title }) => `${severity}[${code}]: ${title}`)
          })
      ).pipe(Effect.provide(layer))
      assert.deepStrictEqual(reported, [
        [],
        ["warning[other-beneficiary]: the service's record of the patient's card has another `code`"],
        ["warning[no-beneficiary]: the service knows none of the patient's cards"],
        []
      ])
      assert.deepStrictEqual(requested, ["bulk C1", "bulk C2", "bulk C3"])
    }))

  it.effect("does not check patients without a card, and checks none if the caller has no service", () =>
    Effect.gen(function*() {
      const facility = yield* checking("all")
      const { asked: requested, layer } = service({})
      const look = present(yield* filler(facility))
      assert.deepStrictEqual((yield* Effect.provide(look(visit()), layer)).problems, [])
      assert.isNull(yield* filler(facility, false))
      assert.isNull(yield* filler(yield* checking("off")))
      assert.deepStrictEqual(requested, [])
    }))

  it.effect("reports a check that could not be made, so that it does not look like a good one", () =>
    Effect.gen(function*() {
      const { layer } = service({
        C1: new OperatorError({ reason: { _tag: "UnexpectedResponse", status: 200, detail: "" } })
      })
      const look = present(yield* filler(yield* checking("all")))
      const asked = yield* Effect.provide(look(complete(1)), layer)
      const alone = yield* look(complete(2))
      for (const { problems } of [asked, alone]) {
        assert.deepStrictEqual(problems.map(({ code, severity, title }) => `${severity}[${code}]: ${title}`), [
          "warning[no-beneficiary]: the patient's card could not be checked: the service gave no response that can be read"
        ])
      }
    }))

  it.effect("samples the cards of the first twenty patients, however many visits they have", () =>
    Effect.gen(function*() {
      const { asked: requested, layer } = service({})
      const look = present(yield* filler(yield* checking("sample")))
      const visits = Array.from({ length: 60 }, (_, at) => complete(Math.floor(at / 2)))
      const reported = yield* Effect.forEach(visits, look).pipe(Effect.provide(layer))
      assert.strictEqual(requested.length, 20)
      assert.strictEqual(reported.filter(({ problems }) => problems.length > 0).length, 40)
    }))

  it.effect("still fills fields, and reports missing ones", () =>
    Effect.gen(function*() {
      const { layer } = service({ "100": { spid: "SP1", patient_code: "P1" } })
      const look = present(yield* filler(yield* checking("all", ["spid"])))
      assert.strictEqual(spidOf(yield* Effect.provide(look(visit("100")), layer)), "SP1")
      const { problems } = yield* Effect.provide(look(visit("300")), layer)
      assert.match(at(problems, 0).title, /so nothing is filled in from it/u)
    }))
})
