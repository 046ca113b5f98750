import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { checkNumbers } from "../../mapping/check/checkNumbers.ts"
import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { parseYaml } from "../../mapping/language/parseYaml.ts"
import type { SourceSettings } from "../../mirror/SourceSettings.ts"
import type { AnswerRules } from "../../service/responses/AnswerRules.ts"
import type { AuthSettings } from "../../service/settings/AuthSettings.ts"
import type { ListSettings } from "../../service/settings/ListSettings.ts"
import type { ReconcileSettings } from "../../service/settings/ReconcileSettings.ts"
import type { RetrySettings } from "../../service/settings/RetrySettings.ts"
import type { SendingSettings } from "../../service/settings/SendingSettings.ts"
import { fhirVersions, type FhirVersionSetting } from "../../source/versions/FhirVersion.ts"
import {
  type CardCheck,
  type Environment,
  environments,
  type FacilityValidation,
  type FillableField,
  type PartialVisits,
  type SameVisit
} from "../Facility.ts"
import { FacilityReader, type Setting } from "./FacilityReader.ts"
import { parseValidation } from "./parseValidation.ts"
import { readAnswers } from "./readAnswers.ts"
import { readAuth } from "./readAuth.ts"
import { readBeneficiarySettings } from "./readBeneficiarySettings.ts"
import { readListSettings } from "./readListSettings.ts"
import { readReconcile } from "./readReconcile.ts"
import { readRetry } from "./readRetry.ts"
import { readSource } from "./readSource.ts"

/** A `facility.yaml` as written. Missing settings are absent; relative paths are not yet resolved. */
export interface FacilitySettings {
  readonly facility?: Setting<string>
  readonly name?: Setting<string>
  readonly system?: Setting<string>
  readonly environment?: Environment
  readonly timezone?: Setting<string>
  readonly mapping?: Setting<string>
  /** A folder of tables, or each table's file by its name. */
  readonly tables?: Setting<string | ReadonlyMap<string, Setting<string>>>
  readonly gazetteer?: Setting<string>
  readonly baseUrl?: Setting<string>
  readonly authUrl?: Setting<string>
  readonly caFile?: Setting<string>
  readonly auth?: AuthSettings
  readonly tokensPerMinute?: Setting<number>
  readonly requestsPerHour?: Setting<number>
  readonly reserve?: Setting<number>
  /** The file that counts the requests of several facilities. */
  readonly shared?: Setting<string>
  readonly journal?: Setting<string>
  readonly answers?: AnswerRules
  readonly sending?: SendingSettings
  readonly settleMillis?: number | null
  readonly partial?: PartialVisits
  readonly sameAdmission?: SameVisit
  readonly sameEncounter?: SameVisit
  readonly retry?: RetrySettings
  readonly reconcile?: ReconcileSettings
  readonly lists?: ListSettings
  readonly sameServer?: ReadonlyArray<string>
  readonly fhirVersion?: FhirVersionSetting
  readonly referenceDays?: number
  readonly checkCards?: CardCheck
  readonly fillPatient?: ReadonlyArray<FillableField>
  readonly validation?: Partial<FacilityValidation>
  readonly source?: SourceSettings
}

const keys = [
  "facility",
  "name",
  "system",
  "environment",
  "timezone",
  "sameServer",
  "fhirVersion",
  "mapping",
  "tables",
  "gazetteer",
  "service",
  "auth",
  "limits",
  "submit",
  "retry",
  "reconcile",
  "reference",
  "processed",
  "journal",
  "validation",
  "beneficiary",
  "source"
]

/** Parses the text of a `facility.yaml`, and reports everything that is invalid. An empty file is not a facility. */
export const parseFacility = (
  file: string,
  text: string
): { readonly settings?: FacilitySettings; readonly problems: ReadonlyArray<Diagnostic> } => {
  const reader = new FacilityReader()
  if (text.trim() === "") {
    reader.report("invalid-facility", { file, line: 1, column: 1, endColumn: 2 }, "the file is empty", undefined, [
      "write at least `facility: CODE` and `timezone: Area/City`"
    ])
    return { problems: reader.problems }
  }
  const { problems, syntax } = parseYaml(file, text)
  if (syntax === undefined) return { problems }
  checkNumbers(reader, syntax)
  const root = reader.map(syntax, "a facility file", keys)
  if (root === undefined) return { problems: reader.problems }
  const service = reader.mapOf(root, "service", ["baseUrl", "authUrl", "caFile"])
  const limits = reader.mapOf(root, "limits", ["tokensPerMinute", "requestsPerHour", "reserve", "shared"])
  const settings = {
    facility: reader.code(root, "facility"),
    name: reader.setting(root, "name"),
    system: reader.code(root, "system"),
    environment: reader.oneOf(root.entries.get("environment"), "`environment`", environments),
    timezone: reader.timezone(root),
    sameServer: readServers(reader, root),
    fhirVersion: reader.oneOf(root.entries.get("fhirVersion"), "`fhirVersion`", fhirVersions),
    mapping: reader.setting(root, "mapping"),
    tables: reader.tables(root),
    gazetteer: reader.setting(reader.mapOf(root, "gazetteer", ["file"]), "file"),
    baseUrl: reader.url(service, "baseUrl"),
    authUrl: reader.url(service, "authUrl"),
    caFile: reader.setting(service, "caFile"),
    auth: readAuth(reader, root),
    tokensPerMinute: reader.count(limits, "tokensPerMinute", 1),
    requestsPerHour: reader.count(limits, "requestsPerHour", 1),
    reserve: reader.count(limits, "reserve", 0),
    shared: reader.setting(limits, "shared"),
    journal: reader.setting(root, "journal"),
    ...readBeneficiarySettings(reader, root),
    validation: parseValidation(reader, root),
    ...readAnswers(reader, root),
    retry: readRetry(reader, root),
    reconcile: readReconcile(reader, root),
    ...readListSettings(reader, root),
    source: readSource(reader, root)
  }
  if (!root.entries.has("timezone")) {
    reader.report(
      "missing-key",
      { ...root.span, endColumn: root.span.column + 1 },
      "a facility file names its `timezone`",
      undefined,
      ["the zone of times that have no offset, for example  timezone: Asia/Phnom_Penh"]
    )
  }
  return { settings: present(settings), problems: reader.problems }
}

/** `sameServer`: base addresses as references contain them, also with http. No request is sent to them. */
const readServers = (reader: FacilityReader, root: SyntaxMap): ReadonlyArray<string> | undefined => {
  const entry = root.entries.get("sameServer")
  if (entry === undefined) return undefined
  return reader.texts(entry.value, "`sameServer`").flatMap(({ span, value }) =>
    /^https?:\/\/[^/\s?#]+(?:\/[^\s?#]*)?$/u.test(String(value)) ? [String(value)] : reader.report(
      "invalid-facility",
      span,
      "an address under `sameServer` is the base of a FHIR server, such as https://emr.example/fhir"
    ) ?? []
  )
}

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], undefined> }

const present = <A extends object>(settings: A): Present<A> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Present<A>
