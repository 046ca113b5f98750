import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { Operator } from "../../src/service/Operator.ts"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { arbitraryVisit, linkParts } from "../../src/studio/proof/arbitraryVisit.ts"
import { copyOf } from "../../src/studio/proof/MutableObject.ts"
import { FacilityCode } from "../../src/visit/values/Code.ts"
import type { Visit } from "../../src/visit/Visit.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"
import { configFor } from "../service/configFor.ts"
import { asFile, bundleText, convert, loadChecked } from "./convert.ts"

const checked = await loadChecked()
const many = { token: { count: 1_000_000, windowMillis: 1_000 }, data: { count: 1_000_000, windowMillis: 1_000 } }

/** The visit as the n-th of its service: codes that no other has. */
const numbered = (visit: Visit, n: number): Visit =>
  linkParts({ ...copyOf(visit), health_facility_code: "F1", code: `V${n}`, patient_code: `P${n}` })

describe("law: the service stores the visit that was sent", () => {
  it.live(
    "any visit, from FHIR through the mapping and over HTTP, byte for byte, one by one and together",
    () =>
      Effect.gen(function*() {
        const sandbox = yield* startSandbox({ transferValues: [], limits: many, maxVisits: 10 })
        const config = configFor(sandbox.url, { limits: { ...many, reserve: 0, maxWaitMillis: 0 } })
        yield* Effect.gen(function*() {
          const operator = yield* Operator
          const run = Effect.runPromiseWith(yield* Effect.context<never>())
          let next = 0
          const everyVisitArrives = fc.asyncProperty(
            fc.array(arbitraryVisit, { minLength: 1, maxLength: 4 }),
            async (visits) => {
              const sent = visits.map((visit) => {
                const [converted, more] = convert(checked, [asFile(bundleText(numbered(visit, next++)))]).visits
                assert.isUndefined(more)
                return present(converted)
              })
              const outcome = await run(operator.submit(sent.map(({ json }) => json)))
              assert.include(["Stored", "PartlyStored"], outcome._tag, JSON.stringify(outcome))
              for (const { code, json } of sent) {
                assert.strictEqual(await run(sandbox.body(FacilityCode("F1"), present(code))), json)
              }
            }
          )
          yield* Effect.promise(() => fc.assert(everyVisitArrives, { numRuns: runs(25) }))
        }).pipe(Effect.provide(Operator.layer(config), { local: true }))
      }).pipe(Effect.scoped),
    timeout
  )
})
