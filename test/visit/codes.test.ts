import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { SandboxStore } from "../../src/service/sandbox/store/SandboxStore.ts"
import type { Submission } from "../../src/submission/Submission.ts"
import { Encounter } from "../../src/visit/components/Encounter.ts"
import {
  type EncounterCode,
  FacilityCode,
  PatientCode,
  type SystemCode,
  VisitCode
} from "../../src/visit/values/Code.ts"
import { Visit } from "../../src/visit/Visit.ts"

/** Checked by the compiler: a line that is meant to be wrong and is not fails `npm run check`. */
describe("The kinds of codes", () => {
  it("accept no text, and no code of another kind", () => {
    const patient = PatientCode("P-1")
    const visit = VisitCode("V-1")
    const facility = FacilityCode("HF-1")
    const text: string = patient
    const codes: {
      readonly visit: VisitCode
      readonly patient: PatientCode
      readonly encounter: EncounterCode
      readonly facility: FacilityCode
      readonly system: SystemCode
    } = {
      // @ts-expect-error: the code of a patient
      visit: patient,
      // @ts-expect-error: the code of a visit
      patient: visit,
      // @ts-expect-error: the code of a visit
      encounter: visit,
      // @ts-expect-error: the code of a patient
      facility: patient,
      // @ts-expect-error: the code of a facility
      system: facility
    }
    const texts: typeof codes = {
      // @ts-expect-error: a text
      visit: text,
      // @ts-expect-error: a text
      patient: text,
      // @ts-expect-error: a text
      encounter: text,
      // @ts-expect-error: a text
      facility: text,
      // @ts-expect-error: a text
      system: text
    }
    assert.strictEqual(text, codes.visit)
    assert.strictEqual(text, texts.system)
  })

  it("are made by a schema", () => {
    const visit: VisitCode = Schema.decodeSync(Visit.fields.code)("V-1")
    // @ts-expect-error: the code of a visit
    const patient: PatientCode = Schema.decodeSync(Visit.fields.code)("V-1")
    const code: EncounterCode = Schema.decodeSync(Encounter.fields.code)("V-1")
    assert.strictEqual(visit, "V-1")
    assert.strictEqual<string>(patient, visit)
    assert.strictEqual(code, "V-1")
  })

  it("keep their kind from the visit to the journal and the service", () => {
    const submissionOf = (visit: Visit): Pick<Submission, "code" | "facility" | "patientCode"> => ({
      code: visit.code,
      // @ts-expect-error: the code of the patient
      facility: visit.patient_code,
      // @ts-expect-error: the code of the facility
      patientCode: visit.health_facility_code
    })
    const storedIn = (store: SandboxStore, visit: Visit) =>
      // @ts-expect-error: the facility comes first
      store.visit(visit.code, visit.health_facility_code)
    assert.isFunction(submissionOf)
    assert.isFunction(storedIn)
  })
})
