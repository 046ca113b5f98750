import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { Operator } from "../../src/operator/Operator.ts"
import { beneficiaryOf } from "../../src/proof/beneficiaryOf.ts"
import { inventedVisit } from "../../src/proof/inventedVisit.ts"
import { startSandbox } from "../../src/sandbox/Sandbox.ts"
import { standardData } from "../../src/sandbox/standardData.ts"
import { encodeVisit } from "../../src/visit/encode.ts"
import { referenceListTypes } from "../../src/visit/Field.ts"
import { makeReferenceList } from "../../src/visit/ReferenceList.ts"
import { validateVisit } from "../../src/visit/validateVisit.ts"
import { configFor } from "../operator/configFor.ts"
import { present } from "../pipeline/converted.ts"
import { asFile, bundleText, convert, loadChecked } from "../roundtrip/convert.ts"
import { runs, timeout } from "../runs.ts"

const options = { facility: "F1", lists: standardData }
const lists = new Map(referenceListTypes.map((type) => [type, makeReferenceList(standardData[type])]))
const numbered = fc.integer({ min: 1, max: 9_999_999 }).chain((n) => inventedVisit(n, options))

describe("Invented visits, to rehearse with", () => {
  it("any of them is ready and has nothing to look at twice", { timeout }, () => {
    fc.assert(
      fc.property(numbered, (visit) => {
        assert.deepStrictEqual(validateVisit(visit, { now: present, lists }), [])
      }),
      { numRuns: runs(60) }
    )
  })

  it("any of them comes back from FHIR through the base mapping, ready", { timeout }, async () => {
    const checked = await loadChecked()
    fc.assert(
      fc.property(numbered, (visit) => {
        const [back] = convert(checked, [asFile(bundleText(visit))]).visits
        assert.isTrue(back!.ready)
        assert.strictEqual(back!.code, visit.code)
      }),
      { numRuns: runs(10) }
    )
  })

  it.live("an embedded service that knows their patients takes them all, and each once", () =>
    Effect.gen(function*() {
      const visits = Array.from({ length: 40 }, (_, n) =>
        fc.sample(inventedVisit(n + 1, options), { numRuns: 1, seed: n })[0]!)
      const sandbox = yield* startSandbox({
        data: { beneficiaries: visits.map(beneficiaryOf), visits: [], users: [] }
      })
      yield* Effect.gen(function*() {
        const operator = yield* Operator
        assert.strictEqual((yield* operator.submit(visits.map(encodeVisit)))._tag, "Stored")
        assert.strictEqual((yield* sandbox.visits).length, 40)
        assert.strictEqual((yield* operator.submit([encodeVisit(visits[7]!)]))._tag, "Refused")
      }).pipe(Effect.provide(Operator.layer(configFor(sandbox.url)), { local: true }))
    }).pipe(Effect.scoped), timeout)
})
