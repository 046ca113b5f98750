import type { Extension } from "fhir/r4.d.ts"
import type { Visit } from "../../../visit/Visit.ts"
import { dateTime, extension, missing, optionalMember, row, stated } from "../Elements.ts"
import { coded, diagnosisTypes, icd10, isFhirCode, terminology } from "../Names.ts"
import type { BundleWriter } from "./BundleWriter.ts"

/**
 * Diagnoses (§2.6): a Condition each. The primary ones have rank 1 in the visit's Encounter (`writeEncounters`), secondary ones
 * have none; other types are in an extension.
 */
export const writeDiagnoses = (to: BundleWriter, visit: Visit): void => {
  visit.diagnosis.forEach((diagnosis, index) => {
    const { diagnosed_by, diagnosis_code, diagnosis_description, diagnosis_name, diagnosis_type_name, title } =
      diagnosis
    const extensions: Array<Extension> = [
      row("diagnosis", index),
      ...missing("diagnosis", { diagnosed_by, diagnosis_description, diagnosis_name, diagnosis_type_name, title })
    ]
    const encounter = to.within("diagnosis", diagnosis.encounter_code, extensions)
    if (diagnosis_type_name !== null && diagnosis_type_name !== "Primary" && diagnosis_type_name !== "Secondary") {
      const type = diagnosisTypes.get(diagnosis_type_name)
      extensions.push(
        type === undefined
          ? stated("diagnosis.diagnosis_type_name", diagnosis_type_name)
          : extension("diagnosis-type", { valueCoding: type })
      )
    }
    const fits = isFhirCode(diagnosis_code)
    if (!fits) extensions.push(stated("diagnosis.diagnosis_code", diagnosis_code))
    to.add({
      resourceType: "Condition",
      id: to.id("diagnosis", index + 1),
      extension: extensions,
      clinicalStatus: coded({ system: `${terminology}/condition-clinical`, code: "active" }),
      verificationStatus: coded({ system: `${terminology}/condition-ver-status`, code: "confirmed" }),
      category: [coded({ system: `${terminology}/condition-category`, code: "encounter-diagnosis" })],
      code: coded({
        system: icd10,
        ...(fits ? { code: diagnosis_code } : {}),
        ...optionalMember("display", diagnosis_name)
      }),
      subject: to.patient,
      encounter,
      recordedDate: dateTime(diagnosis.diagnosed_at),
      ...optionalMember("asserter", to.person(diagnosed_by, title)),
      ...optionalMember("note", diagnosis_description, (text) => [{ text }])
    })
  })
}
