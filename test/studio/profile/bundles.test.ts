import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { drafted, upTo } from "./drafted.ts"

interface Written {
  readonly resourceType: string
}

/** A transaction with a visit, and records that refer to the patient and not to the encounter. */
const transaction = (at: number, more: ReadonlyArray<Written> = []) => {
  const subject = { reference: `Patient/p${at}` }
  const period = { start: `2026-03-0${at}T08:00:00+07:00`, end: `2026-03-0${at}T09:00:00+07:00` }
  const encounter = {
    resourceType: "Encounter",
    id: `e${at}`,
    status: "finished",
    class: { code: "AMB" },
    subject,
    period
  }
  const code = { coding: [{ system: "http://hl7.org/fhir/sid/icd-10", code: `A0${at}.0`, display: "Fever" }] }
  const records = [
    { resourceType: "Patient", id: `p${at}`, gender: "female", birthDate: "1990-04-12", name: [{ family: "Example" }] },
    encounter,
    // Without a time, so that no window places it.
    { resourceType: "Condition", id: `c${at}`, subject, code },
    ...more
  ]
  const entry = records.map((resource) => ({ resource, request: { method: "POST", url: resource.resourceType } }))
  return JSON.stringify({ resourceType: "Bundle", type: "transaction", entry })
}

const files = (more?: ReadonlyArray<Written>) =>
  Object.fromEntries(upTo(4).map((at) => [`${at}.json`, transaction(at, more)]))

describe("Transactions with records that refer to no encounter", () => {
  it.effect("are declared to be one visit each, by an assumption, if each has one visit", () =>
    Effect.gen(function*() {
      const { mapping, visits } = yield* drafted(files())
      assert.match(mapping, /bundle:\s+#[^\n]*: 4 Condition\s+transaction: \{enabled: true\}/u)
      assert.notInclude(mapping, "reach no encounter, and do not have")
      assert.sameMembers(visits.flatMap(({ diagnosis }) => diagnosis).map((one) => one.diagnosis_code), [
        "A01.0",
        "A02.0",
        "A03.0",
        "A04.0"
      ])
    }))

  it.effect("are not, if one has two visits", () =>
    Effect.gen(function*() {
      const other = {
        resourceType: "Encounter",
        id: "other",
        status: "finished",
        class: { code: "AMB" },
        subject: { reference: "Patient/p1" },
        period: { start: "2026-04-01T08:00:00+07:00", end: "2026-04-01T09:00:00+07:00" }
      }
      const { mapping } = yield* drafted({ ...files(), "1.json": transaction(1, [other]) })
      assert.notMatch(mapping, /bundle:/u)
    }))
})
