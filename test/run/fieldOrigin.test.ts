import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { outcomeProblems } from "../../src/cli/screen/outcomeProblems.ts"
import { convert } from "../../src/run/convert.ts"
import type { JournalVisit } from "../../src/submission/journal/JournalVisit.ts"
import { unsent } from "../../src/submission/journal/VisitState.ts"
import { only, present } from "../present.ts"
import { neutral } from "./converted.ts"

/** A visit that the service refused for one field. */
const refused: Omit<JournalVisit, "code" | "patientCode"> = {
  ...unsent,
  state: "REFUSED",
  fingerprint: "",
  admittedAt: "",
  source: null,
  mapping: null,
  attempts: 1,
  sentFingerprint: null,
  heldFingerprint: null,
  heldAdmittedAt: null,
  changedSince: false,
  withdrawn: false,
  unseen: false,
  uuid: null,
  problem: "field-refused",
  field: "patient_code",
  moreFields: 0,
  said: null,
  status: 422,
  listedStatus: null,
  listError: null,
  attemptedAt: null,
  listedAt: null,
  updatedAt: ""
}

const conversion = convert({ ...neutral, inputs: ["samples/outpatient-fever/input"] }).pipe(
  Effect.provide(NodeServices.layer)
)

describe("A field that the service names", () => {
  it.effect("leads to the mapping line and the record, in any notation of the field", () =>
    Effect.gen(function*() {
      const { fieldOrigin, visits } = yield* conversion
      const visit = only(yield* Stream.runCollect(visits))
      for (const field of ["vital_signs[0].recorded_at", "vital_signs.0.recorded_at"]) {
        const { mapping, origin, source } = present(fieldOrigin(visit.source, field))
        assert.match(mapping?.file ?? "", /clinical\.yaml$/u)
        assert.match(source ?? "", /^Observation\//u)
        assert.isAbove(origin?.line ?? 0, 1)
      }
      assert.strictEqual(fieldOrigin(visit.source, "patient_code")?.path, "%patient.keyOf('patient')")
      assert.isUndefined(fieldOrigin("Encounter/nobody", "patient_code"))
    }))

  it.effect("leads there in the message of a refusal", () =>
    Effect.gen(function*() {
      const { fieldOrigin, visits } = yield* conversion
      const { code, patientCode, source } = only(yield* Stream.runCollect(visits))
      const visit = { ...refused, code: present(code), patientCode: present(patientCode) }
      const [problem] = outcomeProblems(
        { code: visit.code, source, decision: { _tag: "Send", why: "new" }, outcome: "refused", visit },
        fieldOrigin
      )
      assert.strictEqual(problem?.code, "field-refused")
      assert.match(problem?.mapping?.file ?? "", /visit\.yaml$/u)
      assert.strictEqual(problem?.field, "patient_code")
    }))
})
