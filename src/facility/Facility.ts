import { Data } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { NamedTable } from "../mapping/tables/expandTables.ts"
import type { RuleSettings } from "../visit/rules/Rule.ts"

/** A place we send for: who it is, how its data is mapped, and where the service is. No secret is in it. */
export interface Facility {
  /** The `facility.yaml` as the user named it; `null` when the neutral defaults apply. */
  readonly file: string | null
  /** Health facility code, issued by the operator (§4.1). */
  readonly code: string | null
  /** System code, issued by the operator (§4.1). */
  readonly system: string | null
  /** IANA name: the zone of times without an offset, and of the times that are sent. */
  readonly timezone: string
  /** The mapping file. */
  readonly mapping: string
  /** Code tables that are put on top of the concept maps of their names. */
  readonly tables: ReadonlyArray<NamedTable>
  /** `{base_url}` and `{auth_url}` (§1). */
  readonly service: FacilityService
  readonly limits: FacilityLimits
  /** What validation is told, where it differs from the usual. */
  readonly validation: Partial<FacilityValidation>
  /** Fields of a visit's patient that are filled from the service's record of the patient's card. */
  readonly fillPatient: ReadonlyArray<FillableField>
  /** The file that remembers what was sent. */
  readonly journal: string
}

/** The fields of a visit's patient that the service's own record of a card can fill (§2.5). */
export const fillableFields = ["code", "spid", "identifications"] as const
export type FillableField = (typeof fillableFields)[number]

/** What a facility may set of the validation of its visits. */
export type FacilityValidation = Omit<RuleSettings, "now" | "facilityCode" | "lists">

/** Those of its settings that are lists of names. */
export const validationKeys = [
  "transferDischargeTypes",
  "referralAdmissionTypes",
  "deceasedValues",
  "inpatientVisitTypes",
  "primaryDiagnosisTypes",
  "schemePaymentTypes",
  "currencies",
  "historyNames",
  "examinationNames"
] as const satisfies ReadonlyArray<keyof RuleSettings>

/** Those that are numbers. */
export const validationNumbers = [
  "maxLength",
  "maxBytes",
  "invoiceTolerance"
] as const satisfies ReadonlyArray<keyof RuleSettings>

/** Where the service is. */
export interface FacilityService {
  readonly baseUrl: string | null
  readonly authUrl: string | null
  /** A PEM file with a private certificate authority, trusted beside the usual ones. */
  readonly caFile: string | null
}

/** How hard the service may be asked (§8). */
export interface FacilityLimits {
  /** Token requests a minute, for each address. */
  readonly tokensPerMinute: number
  /** Data requests an hour, for each user. */
  readonly requestsPerHour: number
  /** Of these, left by uploads to card searches, and to other programs that share the user. */
  readonly reserve: number
}

/** The limits as the specification states them (§8). */
export const documentedLimits: FacilityLimits = { tokensPerMinute: 60, requestsPerHour: 1000, reserve: 10 }

/** The mapping that applies when no other is named. */
export const baseMapping = "fhir-r4"

/** The settings are wrong: nothing was read and nothing was sent. Every problem is in it. */
export class FacilityRefused extends Data.TaggedError("FacilityRefused")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {
  override get message() {
    return this.problems.map(({ title }) => title).join("; ")
  }
}
