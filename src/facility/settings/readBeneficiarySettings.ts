import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { type Facility, fillableFields } from "../Facility.ts"
import { beneficiaryKeys } from "./facilityGrammar.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `beneficiary:` of a `facility.yaml`: which cards are looked up, and which patient fields are filled from the responses. */
export const readBeneficiarySettings = (
  reader: FacilityReader,
  root: SyntaxMap
): Pick<Facility, "checkCards" | "fillPatient"> => {
  const { check, fill = [] } = reader.section(root, "beneficiary", beneficiaryKeys).values
  const fields = fill.flatMap((text) => {
    const field = fillableFields.find((field) => field === text.value)
    if (field === undefined) {
      reader.report("invalid-facility", text.span, "only some fields of a patient can be filled in", {
        help: [`fill: [${fillableFields.join(", ")}]`]
      })
    }
    return field === undefined ? [] : [field]
  })
  return { checkCards: check, fillPatient: [...new Set(fields)] }
}
