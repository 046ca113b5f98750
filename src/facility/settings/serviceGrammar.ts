import { declareKeys, type Key, oneWord, schemaOf, severalTexts, written } from "../../mapping/language/grammar/Kind.ts"
import { blockedReasons, documentedRules } from "../../service/responses/ResponseRules.ts"
import { defaultLists, processedFacts, referencePaths } from "../../service/settings/ListSettings.ts"
import { defaultAuth } from "../../service/settings/OperatorConfig.ts"
import { defaultReconcile } from "../../service/settings/ReconcileSettings.ts"
import { defaultRetry } from "../../service/settings/RetrySettings.ts"
import { defaultSending, noReferrals, optionalFields } from "../../service/settings/SendingSettings.ts"
import { cardChecks, defaultService, facilityLimits, fillableFields, partialVisits, sameVisits } from "../Facility.ts"
import {
  count,
  countSetting,
  filePath,
  httpsAddress,
  lengthOfTime,
  listedValues,
  onOrOff,
  orNever,
  orNone,
  orOff,
  percentIn,
  queryWord,
  type Setting,
  textSetting,
  textsOrNumbers,
  wordOrNull,
  wordOrOff
} from "./settingKinds.ts"

/** The settings about the service: its addresses and limits, and how visits are sent, resolved and looked up. */

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
      "A file that counts the requests of every facility that names it. Use it if several facilities send as one user, who has one limit. Without it each journal counts its own."
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
      "The shortest wait before the list is read after a request without a response, because the visit may still be in flight. Set it longer if the list lags behind."
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
    otherwise: listedValues(documentedRules.stored),
    doc: "Statuses, in a response or in the list, of a visit that is completely stored. 1 always is one."
  },
  partialStatus: {
    kind: textsOrNumbers("a status, or several"),
    otherwise: listedValues(documentedRules.partial),
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
  facility: rowKey
})

export const processedKeys = declareKeys({
  ...pages(defaultLists.processed, "the list of submitted visits", "100, 50 and 10"),
  sortBy: {
    kind: orNone(queryWord),
    default: defaultLists.processed.sortBy,
    doc:
      "The field that it is sorted by. `none` requests no order, and so does the run when the service refuses the field, or fails with 500 or 501."
  },
  fields: {
    kind: written("a map", schemaOf(processedFieldsKeys)),
    otherwise: "found by the usual names",
    doc: "Where a row has each fact. A configured key is the only one used.",
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
    kind: severalTexts(fillableFields.map((field) => `\`${field}\``).join(", ")),
    otherwise: "none",
    doc: "Fields of the patient that are filled in from the record of the card.",
    example: "fill: [code, spid]"
  }
})
