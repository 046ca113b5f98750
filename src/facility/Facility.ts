import { Data } from "effect"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { NamedTable } from "../mapping/tables/expandTables.ts"
import type { SourceSettings } from "../mirror/SourceSettings.ts"
import { documentedRules, type ResponseRules } from "../service/responses/ResponseRules.ts"
import { defaultLists, type ListSettings } from "../service/settings/ListSettings.ts"
import { type AuthSettings, defaultAuth, serviceAddress } from "../service/settings/OperatorConfig.ts"
import { defaultReconcile, type ReconcileSettings } from "../service/settings/ReconcileSettings.ts"
import { defaultRetry, type RetrySettings } from "../service/settings/RetrySettings.ts"
import { defaultSending, type SendingSettings } from "../service/settings/SendingSettings.ts"
import type { FhirVersionSetting } from "../source/versions/FhirVersion.ts"
import type { RuleSettings } from "../visit/rules/Rule.ts"
import type { FacilityCode, SystemCode } from "../visit/values/Code.ts"

/** The journal of a rehearsal has no file name, and there are no files next to it. */
export const noJournal = ""

/** A facility (sending site): its identity, its mapping, and the service's address. It contains no secret. */
export interface Facility {
  /** The `facility.yaml` as the user named it; `null` when the neutral defaults apply. */
  readonly file: string | null
  /** Health facility code, issued by the operator (§4.1). */
  readonly code: FacilityCode | null
  /** What the hospital is called, for readers of reports; `null` when only its code is known. */
  readonly name: string | null
  /** System code, issued by the operator (§4.1). */
  readonly system: SystemCode | null
  /** Which of the operator's services this is. A visit sent to one never counts as sent to the other. */
  readonly environment: Environment
  /** IANA name: the zone of times without an offset, and of sent times. */
  readonly timezone: string
  /** Base addresses of the facility's FHIR server. A record is the same under each of them. */
  readonly sameServer: ReadonlyArray<string>
  /** The FHIR version of the records; `auto` detects it for each record. */
  readonly fhirVersion: FhirVersionSetting
  readonly mapping: string
  /** Code tables that extend the concept maps of the same names. */
  readonly tables: ReadonlyArray<NamedTable>
  /** The file of accepted assumptions, `assumptions.yaml` next to the settings; `null` when there is none. */
  readonly accepted: string | null
  /** `{base_url}` and `{auth_url}` (§1). */
  readonly service: FacilityService
  /** How tokens are cached (§5). */
  readonly auth: AuthSettings
  readonly limits: FacilityLimits
  /** A file that counts the requests of every facility that names it; `null` if the journal counts only this facility's. */
  readonly sharedLimits: string | null
  /** How responses to submissions are read. */
  readonly responseRules: ResponseRules
  /** How submissions are written if the operator requires more than §4.5 shows. */
  readonly sending: SendingSettings
  /** A visit is sent after it has been over, and its records unchanged, for this time (milliseconds); `null` sends it at once. */
  readonly settleMillis: number | null
  /** What to do with a partially stored visit whose source has changed (§3). */
  readonly partial: PartialVisits
  /** What to do with a visit if another visit of its patient with the same admission time was sent before (§3). */
  readonly sameAdmission: SameVisit
  /** What to do with a visit if another visit with an encounter of the same code was sent before (§4.5 rule 3). */
  readonly sameEncounter: SameVisit
  /** Number of retries, and the delays between them. */
  readonly retry: RetrySettings
  /** When the journal is compared with the service's list, and the part of the requests for it. */
  readonly reconcile: ReconcileSettings
  /** How the service's lists are requested and read. */
  readonly lists: ListSettings
  /** Loaded standard data that is older than this many days is reported as old. */
  readonly referenceDays: number
  /** Validation settings that differ from the default. */
  readonly validation: Partial<FacilityValidation>
  /** The visits whose patient's card is looked up, to check that the service knows the patient by this code (§4.5 rule 1). */
  readonly checkCards: CardCheck
  /** Fields of a visit's patient that are filled from the service's record of the patient's card. */
  readonly fillPatient: ReadonlyArray<FillableField>
  /** The FHIR server that `fetch` reads, with resolved paths; `null` if there is none. */
  readonly source: SourceSettings | null
  /** The file that records what was sent; `noJournal` in a rehearsal. */
  readonly journal: string
}

/** The production service, and the one for tests (§1). */
export const environments = ["production", "demo"] as const
export type Environment = (typeof environments)[number]

/** The visit is sent as an update, or held until the operator has stated how to complete it. */
export const partialVisits = ["update", "hold"] as const
export type PartialVisits = (typeof partialVisits)[number]

/** The visit is held, or sent for the service to decide. */
export const sameVisits = ["hold", "send"] as const
export type SameVisit = (typeof sameVisits)[number]

/** No visits, those of the first patients of a run, or all. */
export const cardChecks = ["off", "sample", "all"] as const
export type CardCheck = (typeof cardChecks)[number]

/** The fields of a visit's patient that the service's own record of a card can fill (§2.5). */
export const fillableFields = ["code", "spid", "identifications"] as const
export type FillableField = (typeof fillableFields)[number]

/** The validation settings that a facility may change. */
export type FacilityValidation = Omit<RuleSettings, "now" | "facilityCode" | "lists">

interface FacilityService {
  readonly baseUrl: string | null
  readonly authUrl: string | null
  /** A PEM file with a private certificate authority, trusted in addition to the default ones. */
  readonly caFile: string | null
}

/** The request limits of the service (§8). */
interface FacilityLimits {
  /** Token requests a minute, for each address. */
  readonly tokensPerMinute: number
  /** Data requests an hour, for each user. */
  readonly requestsPerHour: number
  /** The part of these that uploads leave to card lookups, and to other programs that share the user. */
  readonly reserve: number
}

/** The limits as the specification states them (§8). */
export const facilityLimits: FacilityLimits = { tokensPerMinute: 60, requestsPerHour: 1000, reserve: 10 }

/** The defaults for a facility without settings for the connection to the service. */
export const defaultService = {
  environment: "production",
  sameServer: [],
  fhirVersion: "auto",
  auth: defaultAuth,
  sharedLimits: null,
  responseRules: documentedRules,
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
  fillPatient: [],
  source: null
} as const

/** The settings that a facility takes over as they are written. Without one, `defaultService` holds. */
export type DirectSettings = Pick<Facility, Exclude<keyof typeof defaultService, "sharedLimits" | "source">>

/** The name for files about the facility's service: its host and path, and the environment. */
export const serviceName = ({ environment, service }: Pick<Facility, "environment" | "service">): string | null =>
  service.baseUrl === null
    ? null
    : `${serviceAddress(service.baseUrl).replace(/^.*\/\//u, "").replaceAll(/[^a-z0-9.-]/giu, "_")}${
      environment === "demo" ? ".demo" : ""
    }`

/** The mapping that applies if no other is named. */
export const baseMapping = "fhir-r4"

/** The error of settings that a command needs. If no facility was named, its settings are most likely in the folder of one. */
export const incompleteFacility = (
  { file }: Pick<Facility, "file">,
  [first, ...others]: ReadonlyArray<Diagnostic>
): InvalidFacility =>
  new InvalidFacility({
    problems: first === undefined ? [] : [
      file === null
        ? { ...first, help: ["name the folder of the facility:  --facility FOLDER", ...first.help ?? []] }
        : first,
      ...others
    ]
  })

/** A problem of the settings that has no place in a file. */
export const facilityProblem = (title: string, ...help: ReadonlyArray<string>): Diagnostic => ({
  code: "invalid-facility",
  severity: "error",
  title,
  ...(help.length === 0 ? {} : { help })
})

/** The settings are invalid: nothing was read and nothing was sent. It contains every problem. */
export class InvalidFacility extends Data.TaggedError("InvalidFacility")<{
  readonly problems: ReadonlyArray<Diagnostic>
}> {
  override get message() {
    return this.problems.map(({ title }) => title).join("; ")
  }
}
