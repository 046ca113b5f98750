import { isJsonObject } from "./JsonObject.ts"

/**
 * The URLs, by OID, of code systems that FHIR and HL7 Terminology also list under an OID (https://hl7.org/fhir/R4/terminologies-systems.html,
 * https://terminology.hl7.org). It has no system whose OID is its only name in FHIR, such as
 * 2.16.840.1.113883.6.238. The OID of ICD-9 (2.16.840.1.113883.6.42) is not here either: it names two editions.
 */
export const systemUrls: ReadonlyMap<string, string> = new Map([
  ["1.2.840.10008.2.16.4", "http://dicom.nema.org/resources/ontology/DCM"],
  ["2.16.840.1.113883.6.1", "http://loinc.org"],
  ["2.16.840.1.113883.6.3", "http://hl7.org/fhir/sid/icd-10"],
  ["2.16.840.1.113883.6.4", "http://hl7.org/fhir/sid/icd-10-pcs"],
  ["2.16.840.1.113883.6.8", "http://unitsofmeasure.org"],
  ["2.16.840.1.113883.6.12", "http://www.ama-assn.org/go/cpt"],
  ["2.16.840.1.113883.6.69", "http://hl7.org/fhir/sid/ndc"],
  ["2.16.840.1.113883.6.73", "http://www.whocc.no/atc"],
  ["2.16.840.1.113883.6.88", "http://www.nlm.nih.gov/research/umls/rxnorm"],
  ["2.16.840.1.113883.6.90", "http://hl7.org/fhir/sid/icd-10-cm"],
  ["2.16.840.1.113883.6.96", "http://snomed.info/sct"],
  ["2.16.840.1.113883.6.103", "http://hl7.org/fhir/sid/icd-9-cm"],
  ["2.16.840.1.113883.6.104", "http://hl7.org/fhir/sid/icd-9-cm"],
  ["2.16.840.1.113883.6.301.5", "https://www.nubc.org/CodeSystem/PatDischargeStatus"],
  ["2.16.840.1.113883.12.292", "http://hl7.org/fhir/sid/cvx"],
  // HL7 V3.
  ...Object.entries({
    1: "AdministrativeGender",
    2: "MaritalStatus",
    4: "ActCode",
    7: "ActPriority",
    8: "ActReason",
    25: "Confidentiality",
    83: "ObservationInterpretation",
    90: "ParticipationType",
    111: "RoleCode",
    1008: "NullFlavor",
    1063: "ObservationValue"
  }).map(([number, name]) =>
    [`2.16.840.1.113883.5.${number}`, `http://terminology.hl7.org/CodeSystem/v3-${name}`] as const
  ),
  // Tables of HL7 V2, by the OID of the table.
  ...[2, 52, 74, 103, 112, 131].map((table) =>
    [
      `2.16.840.1.113883.12.${table}`,
      `http://terminology.hl7.org/CodeSystem/v2-${String(table).padStart(4, "0")}`
    ] as const
  ),
  // Some also by the OID of their code system.
  ["2.16.840.1.113883.18.29", "http://terminology.hl7.org/CodeSystem/v2-0074"],
  ["2.16.840.1.113883.18.40", "http://terminology.hl7.org/CodeSystem/v2-0103"],
  ["2.16.840.1.113883.18.58", "http://terminology.hl7.org/CodeSystem/v2-0131"]
])

/** The beginnings of these OIDs. */
const roots = ["2.16.840.1.113883.", "1.2.840.10008.2.16.4"]

/** Returns the URL of a code system that is named by its OID, with or without `urn:oid:`; `undefined` for any other name. */
export const urlOfOid = (name: string): string | undefined => systemUrls.get(name.replace(/^urn:oid:/iu, ""))

/** Replaces the OIDs of code systems by their URLs in a value that was parsed from a text, in place. Each system then has one name. */
export const useSystemUrls = (text: string, value: unknown): void => {
  if (roots.some((root) => text.includes(root))) replaceIn(value)
}

const replaceIn = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return
  if (Array.isArray(value)) { for (const item of value) replaceIn(item) }
  else if (isJsonObject(value)) {
    const { code, system } = value
    // An Identifier has no code. Its system is no code system, and records are found by it as written.
    const url = typeof system === "string" && code !== undefined ? urlOfOid(system) : undefined
    // The caller has parsed the object, so it can be changed.
    if (url !== undefined) (value as Record<string, unknown>).system = url
    // All enumerable members of parsed JSON are own members.
    for (const name in value) replaceIn(value[name])
  }
}
