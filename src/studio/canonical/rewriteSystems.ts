import type { Bundle } from "fhir/r4.d.ts"
import { isJsonObject } from "../../json/JsonObject.ts"
import { base, icd10, naming, system } from "./Names.ts"

/** The addresses of the canonical form, by the constant of the base mapping that holds each. */
export const canonicalAddresses = {
  patient_code_system: naming("patient-code"),
  spid_system: naming("spid"),
  visit_code_system: naming("visit-code"),
  encounter_code_system: naming("encounter-code"),
  record_code_system: naming("record-code"),
  dispense_code_system: naming("record-code/dispense"),
  facility_code_system: naming("health-facility"),
  card_type_system: system("card-types"),
  medication_system: system("medications"),
  service_system: system("services"),
  icd10,
  ext: `${base}/StructureDefinition/`
}

/** Rewrites the identifier and code systems of a canonical Bundle to those that the constants of another mapping name. */
export const rewriteSystems = (bundle: Bundle, constants: Readonly<Record<string, unknown>>): Bundle => {
  const whole = new Map<string, string>()
  for (const [name, address] of Object.entries(canonicalAddresses)) {
    const other = constants[name]
    if (name !== "ext" && typeof other === "string" && other !== address) whole.set(address, other)
  }
  const { ext } = canonicalAddresses
  const otherExt = typeof constants.ext === "string" ? constants.ext : ext
  if (whole.size === 0 && otherExt === ext) return bundle
  const visit = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => visit(item, key))
    if (isJsonObject(value)) {
      // Exact numbers are frozen.
      if (Object.isFrozen(value)) return value
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner, name)]))
    }
    if (typeof value !== "string" || (key !== "system" && key !== "url")) return value
    // The mapping reads rows and stated fields (`stated:`) at fixed addresses.
    if (key === "url" && value.startsWith(ext) && !/^(?:row|part|stated)-/u.test(value.slice(ext.length))) {
      return otherExt + value.slice(ext.length)
    }
    return key === "system" ? (whole.get(value) ?? value) : value
  }
  // Only texts are replaced, by texts.
  return visit(bundle, "") as Bundle
}
