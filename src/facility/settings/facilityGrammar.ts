import { declareKeys, type JsonSchema, oneWord, schemaOf, written } from "../../mapping/language/grammar/Kind.ts"
import { fhirVersions } from "../../source/versions/FhirVersion.ts"
import { baseMapping, defaultService, environments } from "../Facility.ts"
import {
  authKeys,
  beneficiaryKeys,
  limitsKeys,
  processedKeys,
  reconcileKeys,
  referenceKeys,
  retryKeys,
  serviceKeys,
  submitKeys
} from "./serviceGrammar.ts"
import { filePath, issuedCode, textSetting, textsLike, zoneName } from "./settingKinds.ts"
import { sourceKeys } from "./sourceGrammar.ts"
import { validationKeys } from "./validationGrammar.ts"

/**
 * The settings of a `facility.yaml`: every key, what its value can be, its default, and what it means. The program reads files by it. The
 * schema of editors and docs/reference/facility.md are printed from it. The larger sections have files of their own.
 */

export const gazetteerKeys = declareKeys({
  file: { kind: filePath, doc: "The codes and names of administrative units, as CSV or YAML." }
})

const section = (keys: Parameters<typeof schemaOf>[0]) => written("a map", schemaOf(keys))

export const facilityKeys = declareKeys({
  facility: {
    kind: issuedCode,
    doc: "The facility's code, which the operator issued (§4.1). `FHIR2VISIT_FACILITY_CODE` takes precedence.",
    example: "facility: HF0001"
  },
  name: { kind: textSetting, doc: "What the hospital is called, for readers of reports." },
  system: {
    kind: issuedCode,
    doc: "The system's code, which the operator issued (§4.1). `FHIR2VISIT_SYSTEM_CODE` takes precedence."
  },
  environment: {
    kind: oneWord(environments),
    default: defaultService.environment,
    doc: "Which of the operator's services this is (§1). Each has a journal of its own."
  },
  timezone: {
    kind: zoneName,
    doc: "The zone of times without an offset, and of the times that are sent.",
    example: "timezone: Asia/Phnom_Penh",
    required: "always"
  },
  sameServer: {
    kind: textsLike(
      "addresses",
      /^https?:\/\/[^/\s?#]+(?:\/[^\s?#]*)?$/u,
      (what) => `an address under ${what} is the base of a FHIR server, such as https://emr.example/fhir`
    ),
    doc:
      "Base addresses of the facility's FHIR server, as references have them. A record is the same under each of them."
  },
  fhirVersion: {
    kind: oneWord(fhirVersions),
    default: defaultService.fhirVersion,
    doc: "The FHIR version of the records. `auto` finds it for each record."
  },
  mapping: {
    kind: textSetting,
    otherwise: `\`${baseMapping}\``,
    doc: "The mapping: a file, or the name of one that comes with the program.",
    example: "mapping: ./mapping.yaml"
  },
  tables: {
    kind: written("a folder, or files by name", {
      anyOf: [{ type: "string" }, { type: "object", additionalProperties: { type: "string" } }]
    }),
    doc: "Code tables on top of the concept maps of the same names.",
    example: "tables: tables"
  },
  gazetteer: { kind: section(gazetteerKeys), doc: "Administrative units, to check the codes of addresses." },
  service: { kind: section(serviceKeys), doc: "The address of the service (§1)." },
  auth: { kind: section(authKeys), doc: "How tokens are held (§5). It never contains secrets." },
  limits: { kind: section(limitsKeys), doc: "The request limits of the service (§8)." },
  submit: { kind: section(submitKeys), doc: "How visits are sent, and what the responses mean." },
  retry: { kind: section(retryKeys), doc: "The number of retries, and the waits between them." },
  reconcile: {
    kind: section(reconcileKeys),
    doc: "When the journal is compared with the service's list (§4.6), and the part of the requests for it."
  },
  reference: { kind: section(referenceKeys), doc: "The standard data (§4.3)." },
  processed: { kind: section(processedKeys), doc: "The list of submitted visits (§4.6)." },
  journal: {
    kind: filePath,
    otherwise: "a file in `.fhir2visit`",
    doc: "The file that records what was sent. `FHIR2VISIT_JOURNAL` takes precedence."
  },
  validation: { kind: section(validationKeys), doc: "What is checked before a visit is sent." },
  beneficiary: { kind: section(beneficiaryKeys), doc: "The cards of patients (§4.4)." },
  source: { kind: section(sourceKeys), doc: "The FHIR server that `fetch` reads." }
})

/** JSON Schema (draft 2020-12) of a `facility.yaml`, for editors: completion, descriptions, unknown keys underlined. */
export const facilitySchema = (): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "fhir2visit facility",
  ...schemaOf(facilityKeys)
})
