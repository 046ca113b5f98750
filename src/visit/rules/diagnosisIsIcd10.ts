import { isIcd10, severalCodesHelp } from "../values/icd10.ts"
import { entriesOf, type Rule, textAt } from "./Rule.ts"

/**
 * §4.3: diagnosis codes come from the `diagnoses` list. Its codes have the form of ICD-10 or of a national edition. A code of another
 * system, such as SNOMED CT or ICD-9, has a different meaning there, or none. A code on the list is valid whatever its form.
 */
export const diagnosisIsIcd10: Rule = (visit, { lists }, report) => {
  const known = lists?.get("diagnoses")?.codes
  entriesOf(visit, "diagnosis").forEach((diagnosis, index) => {
    const code = textAt(diagnosis, "diagnosis_code")
    if (code === undefined || code.trim() === "" || isIcd10(code) || known?.has(code) === true) return
    report({
      code: "foreign-diagnosis",
      severity: "error",
      path: ["diagnosis", index, "diagnosis_code"],
      title: "`diagnosis_code` does not have the form of ICD-10",
      help: severalCodesHelp(code) ??
        "map it to ICD-10:  diagnosis_code: {conceptMap: …}; if the operator accepts such codes, in facility.yaml:  validation: {levels: {foreign-diagnosis: warning}}"
    })
  })
}
