import { copyRules } from "../../../source/records/Servers.ts"
import {
  anyText,
  declareKeys,
  description,
  type Kind,
  mapByName,
  oneWord,
  placed,
  refer,
  schemaOf,
  severalTexts,
  trueOrFalse,
  written
} from "./Kind.ts"
import { assume, duration, onePathOf, orNull, pathOrPaths, plainConditions } from "./pathKinds.ts"

/** The keys of `grouping:`. */

/** The types of Bundles that can be one visit. What a search found, and a history, are lists of records. */
const bundleTypes = ["document", "message", "transaction", "batch", "collection"] as const

export const bundleKeys = declareKeys({
  enabled: { kind: trueOrFalse, default: true, doc: "Whether each such Bundle is one visit." },
  assume,
  description
})

export const documentKeys = declareKeys({
  ...bundleKeys,
  where: {
    kind: plainConditions,
    doc:
      "Conditions for the Composition. All must be true, or records that belong to the visit only by this document are not used.",
    example: "where: \"status != 'entered-in-error'\""
  }
})

const bundleDoc = "Each Bundle of this type is one visit."
const bundle = { kind: written("a map", schemaOf(bundleKeys, orNull)), doc: bundleDoc }

export const bundlesKeys = declareKeys(
  {
    document: { kind: written("a map", schemaOf(documentKeys, orNull)), doc: bundleDoc },
    message: bundle,
    transaction: bundle,
    batch: bundle,
    collection: bundle
  } satisfies Record<(typeof bundleTypes)[number], unknown>
)

export const windowKeys = declareKeys({
  enabled: { kind: trueOrFalse, default: true, doc: "`true` opens the window." },
  patient: {
    kind: pathOrPaths,
    doc: "From the record to its patient.",
    example: "patient: subject",
    required: "merged"
  },
  time: {
    kind: pathOrPaths,
    doc: "From the record to its time: a date, a time, or a Period.",
    example: "time: effective",
    required: "merged"
  },
  before: {
    kind: duration,
    default: 0,
    doc: "How long before an encounter began a record still belongs to it.",
    example: "before: 30 minutes"
  },
  after: {
    kind: duration,
    default: 0,
    doc: "How long after an encounter ended a record still belongs to it.",
    example: "after: 1 day"
  },
  several: {
    kind: oneWord(["reject", "nearest"]),
    default: "reject",
    doc:
      "A time that falls into several visits of the patient: `reject` rejects the record, `nearest` uses the nearest visit."
  },
  assume,
  description
})

const pathOfType = onePathOf("").schema

const alternatives = "a record that refers to it in several elements:  a | b  in one path"

/** URLs, as records write them. */
const urls: Kind<ReadonlyArray<string>> = {
  shown: "a URL, or several",
  schema: severalTexts("").schema,
  read: (reader, { value }, what) =>
    reader.texts(value, what).flatMap(({ span, value }) =>
      typeof value === "string" && URL.canParse(value)
        ? [value]
        : reader.report("invalid-value", span, `${what} must be the URL of a modifier extension`, {
          help: [
            `write the URL as the records do, for example  understood: ["https://hospital.example/fhir/refuted"]`
          ]
        }) ?? []
    )
}

export const groupingKeys = declareKeys({
  resource: {
    kind: { ...placed(anyText), shown: "a type", schema: refer("resourceType") },
    doc: "The records that can be a visit.",
    example: "resource: Encounter",
    required: "merged"
  },
  where: { kind: plainConditions, doc: "Conditions for such a record. All must be true." },
  copies: {
    kind: oneWord(copyRules),
    default: "reject",
    doc:
      "Copies of a record that differ, if no version shows the newer one: `reject` rejects the visit, `last` uses the copy that is read last."
  },
  understood: {
    kind: urls,
    doc:
      "URLs of modifier extensions and of `implicitRules` that the mapping handles. A record with a different one is not used."
  },
  status: {
    kind: written("words by element", refer("statusWords")),
    doc: "The facility's own words for a status, and the code of FHIR for each.",
    example: "status: {Encounter: {CLOSED: finished}}"
  },
  partOf: {
    kind: onePathOf(alternatives),
    doc: "From an encounter to the one it is part of. The top is the visit.",
    example: "partOf: partOf"
  },
  rootIsEncounter: {
    kind: oneWord(["when-none-of-its-kind", "when-no-members", "always", "never"]),
    default: "when-no-members",
    doc: "Whether the top is itself a row of `outpatients`, `inpatients` or `emergencies`."
  },
  kind: {
    kind: onePathOf("a kind found in several ways:  iif(condition, one, other)  in one path"),
    doc: "From an encounter to its kind."
  },
  patient: {
    kind: onePathOf(alternatives),
    doc: "From the top to its patient.",
    example: "patient: subject",
    required: "merged"
  },
  start: { kind: pathOrPaths, doc: "When an encounter began: the order of a visit's encounters, and its windows." },
  end: { kind: pathOrPaths, doc: "When an encounter ended." },
  link: {
    kind: mapByName("paths by type", pathOrPaths.schema),
    doc: "From a record to an encounter. The first path that finds one in the input wins. `\"*\"` is every other type.",
    example: "link: {Observation: encounter}"
  },
  bundle: {
    kind: written("types of Bundles", schemaOf(bundlesKeys)),
    doc: "Types of Bundles that are one visit each. Their records that refer to no encounter belong to it.",
    example: "bundle: {collection: {enabled: true}}"
  },
  window: {
    kind: mapByName("windows by type", schemaOf(windowKeys, orNull)),
    doc:
      "Records that refer to no encounter belong to the visit of their patient at that time. `\"*\"` changes all windows of the mapping below.",
    example: "window: {Observation: {enabled: true}}"
  },
  patientScope: {
    kind: mapByName("a path by type", pathOfType),
    doc: "Types that belong to the patient rather than to one visit, and the path to the patient."
  },
  description
})
