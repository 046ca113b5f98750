import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { outcomeProblems } from "../../src/cli/screen/outcomeProblems.ts"
import { convert } from "../../src/run/convert.ts"
import { neutral } from "./converted.ts"

const conversion = convert({ ...neutral, inputs: ["samples/outpatient-fever/input"] }).pipe(
  Effect.provide(NodeServices.layer)
)

describe("A field that the service names", () => {
  it.effect("leads to the mapping line and the record, in any notation of the field", () =>
    Effect.gen(function*() {
      const { fieldOrigin, visits } = yield* conversion
      const [visit] = yield* Stream.runCollect(visits)
      for (const field of ["vital_signs[0].recorded_at", "vital_signs.0.recorded_at"]) {
        const home = fieldOrigin(visit!.source, field)
        assert.match(home!.mapping!.file, /clinical\.yaml$/u)
        assert.match(home!.source!, /^Observation\//u)
        assert.isAbove(home!.origin!.line, 1)
      }
      assert.strictEqual(fieldOrigin(visit!.source, "patient_code")!.path, "%patient.keyOf('patient')")
      assert.isUndefined(fieldOrigin("Encounter/nobody", "patient_code"))
    }))

  it.effect("leads there in the message of a refusal", () =>
    Effect.gen(function*() {
      const { fieldOrigin, visits } = yield* conversion
      const [visit] = yield* Stream.runCollect(visits)
      const [problem] = outcomeProblems({
        code: visit!.code!,
        source: visit!.source,
        decision: { _tag: "Send", why: "new" } as never,
        outcome: "refused",
        visit: {
          state: "REFUSED",
          problem: "field-refused",
          field: "patient_code",
          status: 422,
          attempts: 1,
          said: null
        } as never
      }, fieldOrigin)
      assert.strictEqual(problem!.code, "field-refused")
      assert.match(problem!.mapping!.file, /visit\.yaml$/u)
      assert.strictEqual(problem!.field, "patient_code")
    }))
})
