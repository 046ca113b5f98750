import { Data } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { NamedTable } from "../mapping/tables/expandTables.ts"
import type { SourceSettings } from "../mirror/SourceSettings.ts"
import { type AnswerRules, documentedRules } from "../service/responses/AnswerRules.ts"
import { type AuthSettings, defaultAuth } from "../service/settings/AuthSettings.ts"
import { defaultLists, type ListSettings } from "../service/settings/ListSettings.ts"
import { defaultReconcile, type ReconcileSettings } from "../service/settings/ReconcileSettings.ts"
import { defaultRetry, type RetrySettings } from "../service/settings/RetrySettings.ts"
import { defaultSending, type SendingSettings } from "../service/settings/SendingSettings.ts"
import type { FhirVersionSetting } from "../source/versions/FhirVersion.ts"
import type { RuleSettings } from "../visit/rules/Rule.ts"

/** The journal of a rehearsal: it has no name, and neither has anything that would stand beside it. */
export const noJournal = ""

/** A place we send for: who it is, how its data is mapped, and where the service is. No secret is in it. */
export interface Facility {
  /** The `facility.yaml` as the user named it; `null` when the neutral defaults apply. */
  readonly file: string | null
  /** Health facility code, issued by the operator (§4.1). */
  readonly code: string | null
  /** System code, issued by the operator (§4.1). */
  readonly system: string | null
  /** Which of the operator's services this is: what is sent to the one is never taken for sent to the other. */
  readonly environment: Environment
  /** IANA name: the zone of times without an offset, and of the times that are sent. */
  readonly timezone: string
  /** Base addresses of the facility's FHIR server, under each of which its records are the same. */
  readonly sameServer: ReadonlyArray<string>
  /** The version of FHIR that records are read as; `auto` looks at each. */
  readonly fhirVersion: FhirVersionSetting
  /** The mapping file. */
  readonly mapping: string
  /** Code tables that are put on top of the concept maps of their names. */
  readonly tables: ReadonlyArray<NamedTable>
  /** The file of the assumptions that it accepts, `assumptions.yaml` beside its settings; `null` when there is none. */
  readonly accepted: string | null
  /** `{base_url}` and `{auth_url}` (§1). */
  readonly service: FacilityService
  /** How tokens are held (§5). */
  readonly auth: AuthSettings
  readonly limits: FacilityLimits
  /** A file that counts the requests of every facility that names it; `null` when the journal counts its own. */
  readonly sharedLimits: string | null
  /** How answers to submissions are read. */
  readonly answers: AnswerRules
  /** How submissions are written where the operator wants more than §4.5 shows. */
  readonly sending: SendingSettings
  /** A visit is sent when it has been over, and its records unchanged, for as long (milliseconds); `null` sends it at once. */
  readonly settleMillis: number | null
  /** What becomes of a visit that is stored in part when its source has changed (§3). */
  readonly partial: PartialVisits
  /** What becomes of a visit when another one of its patient with its admission time was sent before (§3). */
  readonly sameAdmission: SameVisit
  /** What becomes of a visit when another one with an encounter of the same code was sent before (§4.5 rule 3). */
  readonly sameEncounter: SameVisit
  /** How often and after which waits something is tried again. */
  readonly retry: RetrySettings
  /** When the service is asked what it holds, and with how many of the requests. */
  readonly reconcile: ReconcileSettings
  /** How the service's lists are asked for and read. */
  readonly lists: ListSettings
  /** The standard data at hand is told as old when it is older than this many days. */
  readonly referenceDays: number
  /** What validation is told, where it differs from the usual. */
  readonly validation: Partial<FacilityValidation>
  /** Of which visits a run looks the patient's card up, to tell whether the service knows the patient by this code (§4.5 rule 1). */
  readonly checkCards: CardCheck
  /** Fields of a visit's patient that are filled from the service's record of the patient's card. */
  readonly fillPatient: ReadonlyArray<FillableField>
  /** The FHIR server that `fetch` reads, with paths as the program sees them; `null` where there is none. */
  readonly source: SourceSettings | null
  /** The file that remembers what was sent; `noJournal` in a rehearsal. */
  readonly journal: string
}

/** The service that counts, and the one to try things out on (§1). */
export const environments = ["production", "demo"] as const
export type Environment = (typeof environments)[number]

/** It is sent as an update, or held until the operator has told how it is completed. */
export const partialVisits = ["update", "hold"] as const
export type PartialVisits = (typeof partialVisits)[number]

/** It is held, or sent for the service to decide. */
export const sameVisits = ["hold", "send"] as const
export type SameVisit = (typeof sameVisits)[number]

/** Of no visits, of those of the first patients of a run, or of all. */
export const cardChecks = ["off", "sample", "all"] as const
export type CardCheck = (typeof cardChecks)[number]

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
export const facilityLimits: FacilityLimits = { tokensPerMinute: 60, requestsPerHour: 1000, reserve: 10 }

/** What a facility has that writes nothing about how the service is spoken to. */
export const defaultService = {
  environment: "production",
  sameServer: [],
  fhirVersion: "auto",
  auth: defaultAuth,
  sharedLimits: null,
  answers: documentedRules,
  sending: defaultSending,
  settleMillis: null,
  partial: "update",
  sameAdmission: "hold",
  sameEncounter: "hold",
  retry: defaultRetry,
  reconcile: defaultReconcile,
  lists: defaultLists,
  referenceDays: 7,
  checkCards: "off",
  source: null
} as const

/** The name of whatever is kept of the facility's service: its host, and which of the services there it is. */
export const serviceName = ({ environment, service }: Pick<Facility, "environment" | "service">): string | null =>
  service.baseUrl === null
    ? null
    : `${new URL(service.baseUrl).host.replaceAll(/[^a-z0-9.-]/giu, "_")}${environment === "demo" ? ".demo" : ""}`

/** The mapping that applies when no other is named. */
export const baseMapping = "fhir-r4"

/** The settings are wrong: nothing was read and nothing was sent. Every problem is in it. */
export class InvalidFacility extends Data.TaggedError("InvalidFacility")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {
  override get message() {
    return this.problems.map(({ title }) => title).join("; ")
  }
}
