import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { cardChecks, defaultService, type Facility, fillableFields } from "../Facility.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `beneficiary:` of a `facility.yaml`: which cards are looked up, and which patient fields are filled from the responses. */
export const readBeneficiarySettings = (
  reader: FacilityReader,
  root: SyntaxMap
): Pick<Facility, "checkCards" | "fillPatient"> => {
  const map = reader.mapOf(root, "beneficiary", ["check", "fill"])
  const check = reader.isOff(map, "check")
    ? "off"
    : reader.oneOf(map?.entries.get("check"), "`check`", cardChecks)
  const fill = reader.texts(map?.entries.get("fill")?.value, "`fill`").flatMap((text) => {
    const field = fillableFields.find((field) => field === text.value)
    if (field === undefined) {
      reader.report("invalid-facility", text.span, "only some fields of a patient can be filled in", undefined, [
        `fill: [${fillableFields.join(", ")}]`
      ])
    }
    return field === undefined ? [] : [field]
  })
  return { checkCards: check ?? defaultService.checkCards, fillPatient: [...new Set(fill)] }
}
