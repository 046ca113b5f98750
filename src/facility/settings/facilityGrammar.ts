import { adjustable, levelNames } from "../../diagnostic/levels.ts"
import { slowPart } from "../../mapping/check/slowPattern.ts"
import {
  anyText,
  declareKeys,
  type JsonSchema,
  type Key,
  type Kind,
  mapByName,
  oneWord,
  schemaOf,
  written
} from "../../mapping/language/grammar/Kind.ts"
import { defaultSource, exportLevels, fetchModes, serverAuths } from "../../mirror/SourceSettings.ts"
import { blockedReasons, documentedRules } from "../../service/responses/AnswerRules.ts"
import { defaultLists, processedFacts, referencePaths } from "../../service/settings/ListSettings.ts"
import { defaultAuth } from "../../service/settings/OperatorConfig.ts"
import { defaultReconcile } from "../../service/settings/ReconcileSettings.ts"
import { defaultRetry } from "../../service/settings/RetrySettings.ts"
import { defaultSending, noReferrals, optionalFields } from "../../service/settings/SendingSettings.ts"
import { fhirVersions } from "../../source/versions/FhirVersion.ts"
import { defaultRuleSettings, medicinePrices } from "../../visit/rules/Rule.ts"
import {
  baseMapping,
  cardChecks,
  defaultService,
  environments,
  facilityLimits,
  fillableFields,
  partialVisits,
  sameVisits
} from "../Facility.ts"
import {
  amount,
  count,
  countSetting,
  filePath,
  httpsAddress,
  issuedCode,
  lengthOfTime,
  onOrOff,
  orNever,
  orNone,
  orOff,
  percentIn,
  queryWord,
  type Setting,
  textSetting,
  textsLike,
  textsOrNumbers,
  textsWithSpans,
  wordOrNull,
  wordOrOff,
  writtenMillis,
  zoneName
} from "./settingKinds.ts"

/**
 * The settings of a `facility.yaml`: every key, what its value can be, its default, and what it means. The program reads files by it. The
 * schema of editors and docs/reference/facility.md are printed from it.
 */

const listed = (values: ReadonlyArray<string>): string =>
  values.length === 0 ? "none" : values.map((value) => `\`${value}\``).join(", ")

export const serviceKeys = declareKeys({
  baseUrl: { kind: httpsAddress, doc: "Where data is sent and read. `FHIR2VISIT_BASE_URL` takes precedence." },
  authUrl: { kind: httpsAddress, doc: "Where tokens are requested. `FHIR2VISIT_AUTH_URL` takes precedence." },
  caFile: {
    kind: filePath,
    doc: "A PEM file with the certificates of private authorities that are trusted in addition to the default ones."
  }
})

export const authKeys = declareKeys({
  refreshMargin: {
    kind: percentIn(1, 90),
    default: defaultAuth.refreshMargin,
    doc:
      "A token is renewed when at most this part of its life is left (§5). A token that is refused earlier is renewed at once."
  }
})

export const limitsKeys = declareKeys({
  requestsPerHour: {
    kind: countSetting(1),
    otherwise: `\`${facilityLimits.requestsPerHour}\``,
    doc: "Data requests in any hour, of every process on the journal. Card searches and lists count, too."
  },
  reserve: {
    kind: countSetting(0),
    otherwise: `\`${facilityLimits.reserve}\`, and at most one in a hundred requests`,
    doc:
      "Of these, the number that uploads leave to `beneficiary CARD` and to other programs of the same user. It is less than `requestsPerHour`."
  },
  tokensPerMinute: {
    kind: countSetting(1),
    otherwise: `\`${facilityLimits.tokensPerMinute}\``,
    doc:
      "Token requests in any minute, of every process. A run needs one, and sends at most five a minute, whatever the response."
  },
  shared: {
    kind: filePath,
    doc:
      "A file that counts the requests of every facility that names it. Use it where several facilities send as one user, who has one limit. Without it each journal counts its own."
  }
})

export const retryKeys = declareKeys({
  reads: {
    kind: count(0, 20),
    default: defaultRetry.reads,
    doc: "Retries of a read, and of a request that found no connection. A submission is never repeated automatically."
  },
  visits: {
    kind: count(1, 20),
    default: defaultRetry.visits,
    doc: "Attempts to send a visit in a run. Before each but the first, the visit is looked up."
  },
  delay: {
    kind: lengthOfTime("100ms", "10m"),
    default: defaultRetry.delayMillis,
    doc:
      "The wait after a second request in a row without a clear response. It doubles with each further one, and a read begins with a quarter of it. Random jitter takes off up to half."
  },
  longest: {
    kind: lengthOfTime("1s", "1h"),
    otherwise: "`60s`, or `delay` if that is longer",
    doc: "The longest wait, except one that the service itself states. It is no shorter than `delay`."
  },
  stopAfter: {
    kind: count(1, 20),
    default: defaultRetry.stopAfter,
    doc:
      "After this many requests in a row without a clear response the run reads the list once. It continues if the list shows that visits arrive and only responses are lost. Otherwise it stops."
  },
  deadline: {
    kind: lengthOfTime("1s", "10m"),
    default: defaultRetry.deadlineMillis,
    doc:
      "The longest time for one request and its whole response. The run waits twice for a service that sends nothing at all, and reports this after ten seconds."
  },
  unknownPatient: {
    kind: orNever(lengthOfTime("1h", "30d", "or `never`")),
    default: defaultRetry.unknownPatientMillis,
    doc:
      "A visit refused for its `patient_code` is sent again this long after the last attempt, by any run with it in its input. The patient may be registered by then. `never` waits for a change or for `release`."
  }
})

export const reconcileKeys = declareKeys({
  wait: {
    kind: lengthOfTime("0s", "1h"),
    default: defaultReconcile.waitMillis,
    doc:
      "The shortest wait before the list is read after a request without a response, because the visit may still be in flight. Set it longer where the list lags behind."
  },
  partialAfter: {
    kind: lengthOfTime("0s", "30d"),
    default: defaultReconcile.partialAfterMillis,
    doc: "A visit that is stored in part is looked up when its last lookup is this long ago."
  },
  confirmAfter: {
    kind: orNever(lengthOfTime("0s", "7d", "or `never`")),
    default: defaultReconcile.confirmAfterMillis,
    doc:
      "This long after the response, a run reads the list for visits that only a response reports as stored; for 30 days it reads the list again each time that four times as long has passed. It reports what [disagrees](../problems/not-confirmed.md). `never` turns this off."
  },
  share: {
    kind: percentIn(1, 100),
    default: defaultReconcile.share,
    doc:
      "The part of `requestsPerHour` that may request lists, at least 10 requests. Beyond it a run continues as if there were no list. `status --remote` is not limited by it."
  }
})

export const messagesKeys = declareKeys(
  {
    "visit-already-submitted": {
      kind: textsOrNumbers("regular expressions"),
      doc: "The visit was sent before."
    },
    "admission-date-changed": {
      kind: textsOrNumbers("regular expressions"),
      doc: "The stored visit has another day of admission."
    },
    "admission-time-taken": {
      kind: textsOrNumbers("regular expressions"),
      doc: "Another visit of the patient has this time of admission."
    }
  } satisfies Record<(typeof blockedReasons)[number], unknown>
)

export const submitKeys = declareKeys({
  storedStatus: {
    kind: textsOrNumbers("a status, or several"),
    otherwise: listed(documentedRules.stored),
    doc: "Statuses, in a response or in the list, of a visit that is completely stored. 1 always is one."
  },
  partialStatus: {
    kind: textsOrNumbers("a status, or several"),
    otherwise: listed(documentedRules.partial),
    doc: "Statuses of a visit that is stored in part. 3 always is one."
  },
  messages: {
    kind: written("patterns by reason", schemaOf(messagesKeys)),
    otherwise: "none",
    doc:
      "Regular expressions for the message of a refusal. They ignore case, and their first group matches the visit code. The sentences of the specification need none."
  },
  settle: {
    kind: orOff(lengthOfTime("1m", "90d", "or `off`")),
    default: defaultService.settleMillis,
    doc: "How long a visit must be over and unchanged before it is sent."
  },
  partial: {
    kind: oneWord(partialVisits),
    default: defaultService.partial,
    doc: "A visit that is stored in part is sent again when its source has changed. `hold` never sends it again."
  },
  sameAdmission: {
    kind: oneWord(sameVisits),
    default: defaultService.sameAdmission,
    doc:
      "A visit is held when the journal has another sent visit of its patient with its admission time (§3). `send` leaves it to the service."
  },
  sameEncounter: {
    kind: oneWord(sameVisits),
    default: defaultService.sameEncounter,
    doc:
      "A visit is held when the journal has another sent visit with an encounter of the same code (§4.5 rule 3). `send` leaves it to the service."
  },
  gzip: {
    kind: onOrOff,
    default: defaultSending.gzip,
    doc: "`on` compresses the requests. If the service does not support it, the run stops and nothing is stored."
  },
  requestIdHeader: {
    kind: orOff(textSetting),
    default: defaultSending.requestIdHeader,
    doc:
      "A header with a random UUID for each attempt. The UUID is reused when the same request is sent again with another token or after a wait. The journal has it in the `detail` of the attempt's first row.",
    example: "requestIdHeader: X-Request-Id"
  },
  optional: {
    kind: wordOrNull(optionalFields),
    default: defaultSending.optional,
    doc: "Fields that may be omitted (§2.6) are sent as `null` or `[]` when they have no value. `omit` omits them."
  },
  noReferral: {
    kind: wordOrNull(noReferrals),
    default: defaultSending.noReferral,
    doc:
      "Without a referral `referrals` is `null`. `nulls` sends its two fields with `null` each. They are never omitted, because fields are not removed (§2)."
  },
  tilte: {
    kind: onOrOff,
    default: defaultSending.tilte,
    doc: "`on` sends the `title` of imageries a second time as `tilte`, as in the documented sample (§2.6)."
  }
})

const pages = (defaults: { readonly perPage: number; readonly pageParam: string }, of: string, smaller: string) => ({
  perPage: {
    kind: count(1, 10_000),
    default: defaults.perPage,
    doc: `Rows per page of ${of}. If the service refuses so many, ${smaller} are requested.`
  },
  pageParam: { kind: queryWord, default: defaults.pageParam, doc: "The query parameter that selects a page of it." }
})

export const referenceKeys = declareKeys({
  maxAge: {
    kind: lengthOfTime("1d", "366d"),
    default: defaultService.referenceDays * 86_400_000,
    doc: "A warning is reported when the standard data from `codes pull` is older than this."
  },
  ...pages(defaultLists.reference, "the standard data", "50 and 10"),
  path: {
    kind: oneWord(referencePaths),
    default: defaultLists.reference.path,
    doc:
      "The standard data is requested under `/api/v1`, or under `/v1`, which §4.3 has, too. `auto` requests the first. If it is not found (404), `auto` requests the other, and keeps the one that responds."
  }
})

const rowKey: Key<Setting<string>> = { kind: textSetting, doc: "The key of a row, or keys joined by points." }

export const processedFieldsKeys: Readonly<Record<(typeof processedFacts)[number], typeof rowKey>> = declareKeys({
  visitCode: rowKey,
  patientCode: rowKey,
  admittedAt: rowKey,
  status: rowKey,
  id: rowKey,
  createdAt: rowKey,
  facility: rowKey
})

export const processedKeys = declareKeys({
  ...pages(defaultLists.processed, "the list of submitted visits", "100, 50 and 10"),
  sortBy: {
    kind: orNone(queryWord),
    default: defaultLists.processed.sortBy,
    doc:
      "The field that it is sorted by. `none` requests no order, and so does the run when the service refuses the field."
  },
  fields: {
    kind: written("a map", schemaOf(processedFieldsKeys)),
    otherwise: "found by the usual names",
    doc: "Where a row holds each fact. A configured key is the only one used.",
    example: "fields: {visitCode: record.code, status: record.state}"
  }
})

export const beneficiaryKeys = declareKeys({
  check: {
    kind: wordOrOff(cardChecks),
    default: defaultService.checkCards,
    doc:
      "Whether the service knows the patient by this code and this card (§4.5 rule 1). `all` looks up a card of every patient before sending. `sample` looks up those of the first 20 patients of a run."
  },
  fill: {
    kind: textsWithSpans(fillableFields.map((field) => `\`${field}\``).join(", ")),
    otherwise: "none",
    doc: "Fields of the patient that are filled in from the record of the card.",
    example: "fill: [code, spid]"
  }
})

const names = textsWithSpans("a name, or several")
const fieldPaths = textsWithSpans("a field of the visit, or several")

const pattern: Kind<string> = {
  shown: "a regular expression",
  schema: { type: "string" },
  read: (reader, entry, what) => {
    const text = reader.text(entry, what)
    if (text === undefined) return undefined
    if (!isPattern(text)) return reader.report("invalid-value", entry.value.span, `${what} is a regular expression`)
    if (slowPart(text) === undefined) return text
    return reader.report(
      "invalid-value",
      entry.value.span,
      `${what} can cut one text in many ways and take very long`
    )
  }
}

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(`^(?:${text})$`, "u").unicode
  } catch {
    return false
  }
}

export const validationKeys = declareKeys({
  mayBeNull: {
    kind: fieldPaths,
    otherwise: listed(defaultRuleSettings.mayBeNull),
    doc:
      "Mandatory fields (§4.5 rule 7) that the service accepts as `null`, according to its operator: a missing one is a warning. For other fields, a null is not reported."
  },
  required: {
    kind: fieldPaths,
    otherwise: listed(defaultRuleSettings.required),
    doc: "Further fields without which a visit is not sent."
  },
  expected: {
    kind: fieldPaths,
    otherwise: listed(defaultRuleSettings.expected),
    doc: "Fields that are a warning if they are missing. If every patient has a card, add `patient.identifications`."
  },
  codePattern: {
    kind: pattern,
    otherwise: listed([defaultRuleSettings.codePattern]),
    doc: "What the codes of visits, patients, and encounters look like. Others are a warning."
  },
  maxLength: {
    kind: count(1),
    otherwise: listed([String(defaultRuleSettings.maxLength)]),
    doc: "Codes, names, and titles that are longer are a warning. Nothing is ever cut off."
  },
  maxBytes: {
    kind: count(1),
    otherwise: listed([String(defaultRuleSettings.maxBytes)]),
    doc: "A larger visit is a warning. A visit is never split."
  },
  historyNames: {
    kind: names,
    otherwise: listed(defaultRuleSettings.historyNames),
    doc: "Names in addition to those of §2.6 that are not reported; `\"*\"` is any."
  },
  examinationNames: {
    kind: names,
    otherwise: listed(defaultRuleSettings.examinationNames),
    doc: "The same for physical examinations."
  },
  currencies: {
    kind: names,
    otherwise: "that of the first invoice",
    doc:
      "The currencies that invoices may be in, where their records name one. An invoice in another is an error, because nothing is ever converted."
  },
  invoiceTolerance: {
    kind: amount(0),
    otherwise: listed([String(defaultRuleSettings.invoiceTolerance)]),
    doc: "The largest difference between the `total` of an invoice and the sum of its lines."
  },
  medicinePrice: {
    kind: oneWord(medicinePrices),
    otherwise: listed([defaultRuleSettings.medicinePrice]),
    doc: "Whether the price of a medicine in an invoice is that of one piece, of the line, or of either."
  },
  transferDischargeTypes: {
    kind: names,
    otherwise: listed(defaultRuleSettings.transferDischargeTypes),
    doc: "Discharge types that mean a transfer, which needs a referral (§4.5 rule 6)."
  },
  referralAdmissionTypes: {
    kind: names,
    otherwise: listed(defaultRuleSettings.referralAdmissionTypes),
    doc: "Admission types that mean that another facility referred the patient."
  },
  deceasedValues: {
    kind: names,
    otherwise: listed(defaultRuleSettings.deceasedValues),
    doc: "Discharge types and outcomes that mean that the patient died."
  },
  inpatientVisitTypes: {
    kind: names,
    otherwise: listed(defaultRuleSettings.inpatientVisitTypes),
    doc: "Visit types of an inpatient stay."
  },
  primaryDiagnosisTypes: {
    kind: names,
    otherwise: listed(defaultRuleSettings.primaryDiagnosisTypes),
    doc: "Types of a primary diagnosis."
  },
  schemePaymentTypes: {
    kind: names,
    otherwise: listed(defaultRuleSettings.schemePaymentTypes),
    doc: "Payment types of a scheme whose members have a card."
  },
  levels: {
    kind: mapByName("a level by problem code", { enum: [...levelNames, false] }, {
      propertyNames: { enum: adjustable }
    }),
    doc: "The severity of a warning: `error` rejects the visit, `off` ignores it.",
    example: "levels: {primary-diagnosis: error, outside-visit: off}"
  }
})

export const certificateKeys = declareKeys({
  certFile: { kind: filePath, doc: "The certificate, as PEM." },
  keyFile: { kind: filePath, doc: "Its private key, as PEM." }
})

const everyDays: Readonly<Record<string, number>> = { daily: 1, weekly: 7, monthly: 30 }
const dayLength = 86_400_000
const ageLength = lengthOfTime("1h", "366d", "or  daily, weekly, monthly, off")

/** `weekly`, or a length of time, in milliseconds. */
const age: Kind<number> = {
  shown: "`daily`, `weekly`, `monthly`, 1h to 366d",
  schema: { type: "string" },
  read: (reader, entry, what) => {
    const days = entry.value.kind === "scalar" ? everyDays[String(entry.value.value)] : undefined
    return days === undefined ? ageLength.read(reader, entry, what) : days * dayLength
  },
  write: (value) =>
    Object.entries(everyDays).find(([, days]) => days * dayLength === value)?.[0] ?? writtenMillis(value)
}

export const sourceKeys = declareKeys({
  server: { kind: httpsAddress, doc: "The base address of the FHIR server.", required: "always" },
  level: {
    kind: oneWord(exportLevels),
    otherwise: `\`${defaultSource.level}\`, or \`group\` where \`group:\` is set`,
    doc: "The records of all patients, those of one group of patients, or all records."
  },
  group: { kind: textSetting, doc: "The id of the Group resource, for `level: group`." },
  mode: {
    kind: oneWord(fetchModes),
    default: defaultSource.mode,
    doc: "`auto` asks for a bulk export, and searches where the server has none."
  },
  auth: {
    kind: oneWord(serverAuths),
    default: defaultSource.auth,
    doc: "How the program authenticates; see [fetch](../fetch.md#settings)."
  },
  tokenUrl: {
    kind: httpsAddress,
    otherwise: "that of the server's SMART configuration",
    doc: "The token endpoint."
  },
  scope: { kind: anyText, default: defaultSource.scope, doc: "The scopes to ask for." },
  types: {
    kind: textsLike(
      "resource types",
      /^[A-Z][A-Za-z]{1,63}$/u,
      (what) => `${what}: expected the name of a FHIR resource type, such as Encounter`
    ),
    otherwise: "those that the mapping reads and the server has",
    doc: "The resource types to export."
  },
  overlap: {
    kind: lengthOfTime("0s", "7d"),
    default: defaultSource.overlapMillis,
    doc: "How far before the last export the next one begins, for records that were being written then."
  },
  mirror: {
    kind: anyText,
    default: defaultSource.mirror,
    doc: "The folder where exports are kept, next to `facility.yaml`."
  },
  full: {
    kind: orOff(age),
    default: defaultSource.fullMillis,
    doc:
      "How old the last complete export may be. Only a complete export shows what was deleted at a server that lists no deletions."
  },
  origins: {
    kind: textsLike(
      "origins",
      /^https?:\/\/[^/?#\s]+$/u,
      (what) => `${what}: expected an origin, such as https://files.example`
    ),
    doc: "Other origins that may be sent the token, for servers whose files are elsewhere."
  },
  certificate: {
    kind: written("a map", schemaOf(certificateKeys)),
    doc: "A client certificate and its key.",
    example: "certificate: {certFile: client.pem, keyFile: client.key}"
  },
  patience: {
    kind: lengthOfTime("1m", "30d"),
    default: defaultSource.patienceMillis,
    doc: "The longest time for one export."
  },
  downloads: { kind: count(1, 16), default: defaultSource.downloads, doc: "Files that are downloaded at once." },
  pageSize: { kind: count(1, 1000), default: defaultSource.pageSize, doc: "Records on one page of a search." }
})

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
