import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { only } from "../present.ts"
import { converted, temporaryFolder, written } from "./converted.ts"

const records = (marital: unknown) => [
  { resourceType: "Patient", id: "p1", ...(marital === undefined ? {} : { maritalStatus: marital }) },
  {
    resourceType: "Encounter",
    id: "e1",
    status: "finished",
    class: { code: "AMB" },
    subject: { reference: "Patient/p1" },
    period: { start: "2026-03-02T08:00:00+07:00" }
  }
]

const codesOf = (marital: unknown) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const inputs = written(folder, {
      "a.ndjson": records(marital).map((record) => JSON.stringify(record)).join("\n")
    })
    const { visits } = yield* converted(inputs, {
      validation: { expected: ["patient.marital_status"] }
    })
    return only(visits).problems.filter(({ field }) => field === "patient.marital_status").map(({ code }) => code)
  }).pipe(Effect.provide(NodeServices.layer))

describe("an expected field", () => {
  it.effect("is reported if it has no value", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* codesOf(undefined), ["no-value"])
    }))

  it.effect("is reported once if its code is unmapped", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* codesOf({ coding: [{ code: "K9" }] }), ["unmapped-code"])
    }))
})
