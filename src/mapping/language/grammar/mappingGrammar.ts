import { copyRules } from "../../../source/records/Servers.ts"
import { referenceListTypes } from "../../../visit/Field.ts"
import {
  anyText,
  declareKeys,
  description,
  type JsonSchema,
  keysOf,
  type Kind,
  mapByName,
  oneWord,
  refer,
  schemaOf,
  trueOrFalse,
  written
} from "./Kind.ts"
import { sharedTableKeys, tableKeys } from "./tableGrammar.ts"

/**
 * The grammar of a mapping file: every key, what its value can be, its default, and what it means. The check reads files by it. The schema
 * of editors and docs/reference/mapping.md are printed from it.
 */

const onePath: JsonSchema = { type: ["string", "null"] }
const listOfPaths: JsonSchema = { type: "array", items: { anyOf: [{ type: "string" }, refer("remark")] } }

/** One expression. */
const path = written("a path", { type: "string" })
/** Expressions; the first that finds something wins. */
const paths = written("a path, or several in order", { oneOf: [onePath, { type: "array", items: { type: "string" } }] })
/** Expressions, each possibly with what it reports when it takes effect. */
const pathsWithRemarks = written("a path, several in order, or several with names", {
  anyOf: [
    onePath,
    refer("remark"),
    listOfPaths,
    refer("added"),
    { type: "object", additionalProperties: { anyOf: [onePath, refer("remark")] } }
  ]
})
const conditions = written("a path, several, or several with names", {
  oneOf: [
    { type: "string" },
    { type: "array", items: { type: "string" } },
    { type: "object", additionalProperties: { anyOf: [onePath, refer("remark")] } }
  ]
})

const anyLiteral: JsonSchema = { type: ["string", "number", "boolean"] }
const names: JsonSchema = { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }
const orNull: JsonSchema = { type: ["object", "null"] }

const millis = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }

/** `30 minutes`, `2 hours`, `1 day`, in milliseconds. */
const duration: Kind<number> = {
  shown: "a length of time",
  schema: { anyOf: [{ const: 0 }, { type: "string", pattern: "^\\d{1,5}\\s*(minute|hour|day|week)s?$" }] },
  read: (reader, { value }, what) => {
    if (value.kind === "scalar" && value.value === 0) return 0
    const given = value.kind === "scalar" && typeof value.value === "string" ? value.value.trim() : ""
    const parts = /^(\d{1,5})\s*(minute|hour|day|week)s?$/u.exec(given)
    if (parts !== null) return Number(parts[1]) * millis[parts[2] as keyof typeof millis]
    return reader.report("invalid-value", value.span, `${what} is not a length of time`, {
      help: ["write a number and a unit: 30 minutes, 2 hours, 1 day, 1 week"]
    })
  }
}

const assume = {
  kind: { ...anyText, schema: { type: "string", pattern: "^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$" } },
  doc: "The name of the assumption that is made here. It is declared under `assumption`."
} as const
const warn = { kind: anyText, doc: "The text of a warning, which is reported each time." } as const

/** An expression with the warning or the assumption that it reports when it takes effect. */
export const pathRemarkKeys = declareKeys({
  path: { kind: anyText, doc: "The expression." },
  warn,
  assume
})

/** A value or default with the warning or the assumption that it reports when it is sent. */
export const valueRemarkKeys = declareKeys({
  value: {
    kind: written("a text, a number, or a truth value", anyLiteral),
    doc: "What is sent.",
    required: "always"
  },
  warn,
  assume
})
const literalOrRemark: JsonSchema = { anyOf: [anyLiteral, schemaOf(valueRemarkKeys)] }

/** What an overlay adds to a list of the mapping below. */
const addedKeys = declareKeys({
  before: { kind: written("a list of paths", listOfPaths), doc: "Comes before the list of the mapping below." },
  after: { kind: written("a list of paths", listOfPaths), doc: "Comes after it." }
})

export const timeKeys = declareKeys({
  partialTimestamp: {
    kind: oneWord(["reject", "start-of-day", "midday"]),
    default: "start-of-day",
    doc: "A date where a timestamp is needed."
  },
  partialEnd: {
    kind: oneWord(["end-of-day", "reject", "start-of-day", "midday"]),
    default: "end-of-day",
    doc: "The same for the end of something. FHIR includes the last day of a Period."
  },
  partialDate: {
    kind: oneWord(["reject", "blank", "first-day"]),
    default: "reject",
    doc: "A year or a month where a date is needed."
  },
  missingOffset: {
    kind: oneWord(["zone", "local", "reject"]),
    default: "zone",
    doc:
      "A time without an offset is read in the facility's zone and reported (`zone`), read so without a report (`local`), or rejected."
  }
})

export const textKeys = declareKeys({
  normalise: {
    kind: oneWord(["NFC", "none"]),
    default: "NFC",
    doc: "Texts are sent in this normal form of Unicode; `none` sends them unchanged."
  }
})

export const statedKeys = declareKeys({
  row: { kind: anyText, doc: "The beginning of the extension URLs that number the row of a list." },
  part: { kind: anyText, doc: "The beginning of the extension URLs that order the records of one row." },
  field: { kind: anyText, doc: "The beginning of the extension URLs that state the value of a field." }
})

export const assumptionKeys = declareKeys({
  means: { kind: anyText, doc: "What is done, in a sentence. It is the text of the warning." },
  instead: { kind: anyText, doc: "What could be done instead, and the line that does it." },
  ask: { kind: oneWord(["hospital", "operator"]), default: "hospital", doc: "Who can decide." },
  level: {
    kind: oneWord(["warning", "error"]),
    default: "warning",
    doc: "How it is reported until it is accepted. An `error` keeps its visits from being sent."
  }
})

export const acceptanceKeys = declareKeys({
  why: { kind: anyText, doc: "Why it is accepted, who decided it, and when.", required: "always" },
  hash: { kind: anyText, doc: "Of the lines that were accepted. When they change, the assumption is reported again." }
})

/** The policies for an unmapped code that are one keyword. */
export const unmappedModes = ["reject", "warn", "skip", "provided"] as const

export const unmappedKeys = declareKeys({
  fixed: { kind: written("a text", { type: "string" }), doc: "This value is sent." },
  table: { kind: written("a name", { type: "string" }), doc: "The code is looked up in another concept map." },
  policy: { kind: written("a policy", { enum: unmappedModes }), doc: "One of the words, with `assume`." },
  assume
})

export const conceptRowKeys = declareKeys({
  value: { kind: written("a text", { type: ["string", "number"] }), doc: "The service's value.", required: "always" },
  assume
})

export const conceptMapKeys = declareKeys({
  table: {
    kind: mapByName("codes and their values", {
      anyOf: [{ type: ["string", "number", "null"] }, schemaOf(conceptRowKeys)]
    }, orNull),
    doc: "The service's value of each code (`code`, or `system|code`).",
    example: "table: {female: F, male: M}"
  },
  file: {
    kind: written("a file, or several", names),
    doc: "Files of code tables next to the mapping: CSV, or a FHIR ConceptMap in JSON.",
    example: "file: tables/marital-status.csv"
  },
  accept: {
    kind: written("a list of relations", { type: "array", items: refer("relation") }),
    doc: "Relations of a FHIR ConceptMap that are used besides equal and equivalent."
  },
  unmapped: {
    kind: written("a policy", { oneOf: [{ enum: unmappedModes }, schemaOf(unmappedKeys)] }),
    otherwise: "`warn`",
    doc: "What happens to an unmapped code."
  },
  list: {
    kind: oneWord(referenceListTypes),
    doc: "The list of the standard data that the values must be in.",
    example: "list: visit_types"
  },
  send: {
    kind: oneWord(["name", "code"]),
    default: "name",
    doc: "Whether the name or the code of the row in the list is sent."
  },
  description
})

export const functionKeys = declareKeys({
  parameters: {
    kind: written("a list of names", { type: "array", items: { type: "string" } }),
    doc: "Names of the arguments; `%name` in the path."
  },
  path: { kind: path, doc: "The expression that is evaluated.", required: "merged" },
  over: {
    kind: oneWord(["item", "collection"]),
    default: "item",
    doc: "Whether it is evaluated on each item of its input, or on all items together."
  },
  description
})

/** The types of Bundles that can be one visit. What a search found, and a history, are lists of records. */
const bundleTypes = ["document", "message", "transaction", "batch", "collection"] as const

export const bundleKeys = declareKeys({
  enabled: { kind: trueOrFalse, default: true, doc: "Whether each such Bundle is one visit." },
  assume,
  description
})

const bundle = { kind: written("a map", schemaOf(bundleKeys, orNull)), doc: "Each Bundle of this type is one visit." }

export const bundlesKeys = declareKeys(
  {
    document: bundle,
    message: bundle,
    transaction: bundle,
    batch: bundle,
    collection: bundle
  } satisfies Record<(typeof bundleTypes)[number], unknown>
)

export const windowKeys = declareKeys({
  enabled: { kind: trueOrFalse, default: true, doc: "`true` opens the window." },
  patient: { kind: paths, doc: "From the record to its patient.", example: "patient: subject", required: "merged" },
  time: {
    kind: paths,
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
      "A time that falls into several visits of the patient: `reject` leaves the record out as an error, `nearest` uses the nearest visit."
  },
  assume,
  description
})

export const groupingKeys = declareKeys({
  resource: {
    kind: written("a type", refer("resourceType")),
    doc: "The records that can be a visit.",
    example: "resource: Encounter",
    required: "merged"
  },
  where: { kind: conditions, doc: "Conditions for such a record. All must be true." },
  copies: {
    kind: oneWord(copyRules),
    default: "reject",
    doc:
      "Copies of a record that differ, if no version shows the newer one: `reject` rejects the visit, `last` uses the copy that is read last."
  },
  understood: {
    kind: paths,
    doc:
      "URLs of modifier extensions and of `implicitRules` that the mapping handles. A record with a different one is not used."
  },
  status: {
    kind: written("words by element", refer("statusWords")),
    doc: "The facility's own words for a status, and the code of FHIR for each.",
    example: "status: {Encounter: {CLOSED: finished}}"
  },
  partOf: {
    kind: path,
    doc: "From an encounter to the one it is part of. The top is the visit.",
    example: "partOf: partOf"
  },
  rootIsEncounter: {
    kind: oneWord(["when-none-of-its-kind", "when-no-members", "always", "never"]),
    default: "when-no-members",
    doc: "Whether the top is itself a row of `outpatients`, `inpatients` or `emergencies`."
  },
  kind: { kind: path, doc: "From an encounter to its kind." },
  patient: { kind: path, doc: "From the top to its patient.", example: "patient: subject", required: "merged" },
  start: { kind: paths, doc: "When an encounter began: the order of a visit's encounters, and its windows." },
  end: { kind: paths, doc: "When an encounter ended." },
  link: {
    kind: mapByName("paths by type", paths.schema),
    doc: "From a record to an encounter. The first path that finds one in the input wins. `\"*\"` is every other type.",
    example: "link: {Observation: encounter}"
  },
  bundle: {
    kind: written("types of Bundles", schemaOf(bundlesKeys)),
    doc: "Types of Bundles that are one visit each. Their records that name no encounter belong to it.",
    example: "bundle: {collection: {enabled: true}}"
  },
  window: {
    kind: mapByName("windows by type", schemaOf(windowKeys, orNull)),
    doc:
      "Records that name no encounter belong to the visit of their patient at that time. `\"*\"` changes all windows of the mapping below.",
    example: "window: {Observation: {enabled: true}}"
  },
  patientScope: {
    kind: mapByName("a path by type", { type: "string" }),
    doc: "Types that belong to the patient rather than to one visit, and the path to the patient."
  },
  description
})

export const keyKeys = declareKeys({
  path: { kind: paths, doc: "From the record to its code." },
  mint: {
    kind: written("a text", { type: ["string", "null"] }),
    doc: "Makes a code where the source has none: this text and 13 characters of a hash. A patient code is never made.",
    example: "mint: V"
  },
  description
})

export const unitKeys = declareKeys({
  to: { kind: written("a unit of UCUM", { type: "string" }), doc: "The unit to send.", example: "to: cm" },
  from: { kind: path, doc: "Where the unit of a number is, if it is not a Quantity.", example: "from: units" },
  conceptMap: {
    kind: written("a name", { type: "string" }),
    doc: "The concept map that gives the unit of what `of` finds."
  },
  of: { kind: paths, doc: "What the unit depends on.", example: "of: code.translated('vital_name')" },
  round: {
    kind: written("0 to 10", { type: "integer", minimum: 0, maximum: 10 }),
    otherwise: "2",
    doc: "The number of decimals after a conversion."
  },
  spelling: {
    kind: written("a name", { type: "string" }),
    doc: "The concept map from local spellings of units to UCUM."
  },
  molarMass: {
    kind: written("a number", { type: "number" }),
    doc: "Grams in a mole, to convert between mass and moles."
  }
})

/** The attributes of a field's long form. */
export const fieldKeys = declareKeys({
  path: { kind: pathsWithRemarks, doc: "One path, or several in order." },
  value: { kind: written("a value", literalOrRemark), doc: "A fixed value. Nothing is looked up." },
  conceptMap: {
    kind: written("a name", { type: ["string", "null"] }),
    doc: "The concept map that turns the source's code into the service's value."
  },
  unit: {
    kind: written("a unit of UCUM", { oneOf: [onePath, schemaOf(unitKeys)] }),
    doc: "The unit to send.",
    example: "unit: cm"
  },
  default: { kind: written("a value", literalOrRemark), doc: "Sent when no path finds anything." },
  required: {
    kind: oneWord(["error", "warning", "none"]),
    otherwise: "`error` for codes, timestamps, and identifiers; `none` for others",
    doc: "What a missing value means."
  },
  join: { kind: anyText, doc: "Joins several values into one text.", example: "join: \"; \"" },
  take: { kind: oneWord(["first"]), doc: "Of several values the first is sent, without a report." },
  empty: {
    kind: written("`\"\"` or `null`", { enum: ["", null] }),
    doc: "Sent when there is no value, if it differs from the specification's default."
  },
  assume,
  description
})

export const orderKeys = declareKeys({
  field: { kind: anyText, doc: "The field that rows are sorted by." },
  conceptMap: { kind: anyText, doc: "Sorts the values of the field as this concept map lists them." },
  path: { kind: path, doc: "Sorts by what this path finds on each row." },
  descending: { kind: trueOrFalse, default: false, doc: "The other way round." }
})

/** The keys of a component. No field of the specification has one of these names. */
export const componentKeys = declareKeys({
  sameAs: {
    kind: anyText,
    doc: "Starts with all lines of a sibling component.",
    example: "sameAs: outpatients"
  },
  resource: {
    kind: written("a type, or several", {
      oneOf: [refer("resourceType"), { type: "array", items: refer("resourceType") }]
    }),
    doc: "One row for each record of the type in the visit.",
    example: "resource: Observation"
  },
  scope: {
    kind: oneWord(["visit", "patient"]),
    default: "visit",
    doc: "Whose records are the rows: those of the visit, or those of its patient."
  },
  forEach: { kind: path, doc: "One row for each element that the path finds." },
  forEachOrNull: { kind: path, doc: "The same, and one empty row if there is none." },
  unionAll: {
    kind: written("branches by name", { type: "object" }),
    doc: "Branches, whose rows follow each other. The keys of the component apply to every branch."
  },
  where: { kind: conditions, doc: "Conditions for a row. All must be true." },
  groupBy: {
    kind: written("a path, or several", {
      anyOf: [onePath, { type: "array", items: { type: "string" } }, refer("added")]
    }),
    doc: "Records with the same values become one row.",
    example: "groupBy: [effective, performer.first()]"
  },
  orderBy: {
    kind: written("fields, or paths", {
      type: "array",
      items: { oneOf: [{ type: "string" }, schemaOf(orderKeys)] }
    }),
    otherwise: "the order of the records",
    doc: "Sorts the rows; `-` before a field reverses its order.",
    example: "orderBy: [recorded_at, -code]"
  },
  onePer: {
    kind: written("a list of fields", { type: "array", items: { type: "string" } }),
    doc: "Of rows with the same values of these fields the last is kept. The others are reported."
  },
  take: {
    kind: oneWord(["first", "all"]),
    default: "all",
    doc: "`first` sends only the first row, and reports the others."
  },
  needs: {
    kind: written("a list of fields", {
      type: "array",
      items: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }
    }),
    doc: "A row without these fields is left out and reported. Of fields in a list of their own one is enough.",
    example: "needs: [code, [height, weight]]"
  },
  assume,
  enabled: { kind: trueOrFalse, default: true, doc: "`false`: no rows." },
  description
})

/** The keys of a component, as a set of words. */
const componentWords: ReadonlySet<string> = new Set(keysOf(componentKeys))
const fieldWords: ReadonlySet<string> = new Set(keysOf(fieldKeys))

/** Whether a key belongs to a component: it is no field of the specification. */
export const isComponentKey = (key: string): boolean => componentWords.has(key)

/** Whether a key belongs to the long form of a field. */
export const isFieldKey = (key: string): boolean => fieldWords.has(key)

/** The keys of a mapping file. */
export const mappingKeys = declareKeys({
  mapping: { kind: anyText, doc: "The mapping's name.", example: "mapping: our-hospital", required: "merged" },
  description,
  extends: {
    kind: written("a name, or several", names),
    doc: "The mappings below: shipped ones by name, others by file.",
    example: "extends: fhir-r4"
  },
  fhirVersion: {
    kind: written("a version", { enum: ["4.0.1"] }),
    doc: "The version of FHIR that paths are checked against."
  },
  time: { kind: written("a map", schemaOf(timeKeys)), doc: "Dates and times that are less precise than their field." },
  text: { kind: written("a map", schemaOf(textKeys)), doc: "How texts are sent." },
  stated: {
    kind: written("a map", { oneOf: [{ type: "null" }, schemaOf(statedKeys)] }),
    doc: "Extensions by which a source states directly what a record becomes."
  },
  table: {
    kind: mapByName("tables by name", schemaOf(tableKeys, orNull), { properties: { "*": schemaOf(sharedTableKeys) } }),
    doc: "The tables of an extract in CSV. `\"*\"` holds settings for all tables."
  },
  assumption: {
    kind: mapByName("assumptions by name", schemaOf(assumptionKeys, orNull)),
    doc: "Decisions of the mapping that the source does not force."
  },
  accept: {
    kind: mapByName("reasons by name", { anyOf: [onePath, schemaOf(acceptanceKeys)] }),
    doc: "The assumptions that the facility accepts: why, who decided it, and when."
  },
  constant: { kind: mapByName("values by name", anyLiteral), doc: "Values that expressions use as `%name`." },
  conceptMap: {
    kind: mapByName("concept maps by name", schemaOf(conceptMapKeys)),
    doc: "From the source's codes to the values of the service."
  },
  function: {
    kind: mapByName("functions by name", { oneOf: [{ type: "string" }, schemaOf(functionKeys)] }),
    doc: "Functions that expressions call."
  },
  grouping: {
    kind: written("a map", schemaOf(groupingKeys)),
    doc: "Which records are one visit.",
    required: "merged"
  },
  key: {
    kind: mapByName("keys by name", { oneOf: [paths.schema, schemaOf(keyKeys)] }),
    doc: "How patients, visits, encounters, and other records are named.",
    required: "merged"
  },
  visit: {
    kind: written("sections and fields", refer("visit")),
    doc: "The visit, section by section.",
    required: "merged"
  }
})

/** Schemas that others refer to by name. */
export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  remark: schemaOf(pathRemarkKeys),
  added: schemaOf(addedKeys)
}
