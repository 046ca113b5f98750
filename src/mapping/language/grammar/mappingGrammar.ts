import { conceptMapKeys } from "./conceptMapGrammar.ts"
import { groupingKeys } from "./groupingGrammar.ts"
import {
  anyText,
  declareKeys,
  description,
  type JsonSchema,
  keysOf,
  mapByName,
  oneWord,
  refer,
  schemaOf,
  trueOrFalse,
  written
} from "./Kind.ts"
import {
  anyLiteral,
  assume,
  conditions,
  listOfPaths,
  names,
  onePath,
  orNull,
  path,
  pathOrPaths,
  pathsWithRemarks
} from "./pathKinds.ts"
import { sharedTableKeys, tableKeys } from "./tableGrammar.ts"

/**
 * The grammar of a mapping file: every key, what its value can be, its default, and what it means. The check reads files by it. The schema
 * of editors and docs/reference/mapping.md are printed from it. Concept maps, grouping and tables have files of their own.
 */

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
    doc: "A date in place of a timestamp."
  },
  partialEnd: {
    kind: oneWord(["end-of-day", "reject", "start-of-day", "midday"]),
    default: "end-of-day",
    doc: "The same for the end of something. FHIR includes the last day of a Period."
  },
  partialDate: {
    kind: oneWord(["reject", "blank", "first-day"]),
    default: "reject",
    doc: "A year or a month in place of a date."
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

export const keyKeys = declareKeys({
  path: { kind: pathOrPaths, doc: "From the record to its code." },
  mint: {
    kind: written("a text", { type: ["string", "null"] }),
    doc: "Makes a code if the source has none: this text and 13 characters of a hash. A patient code is never made.",
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
  of: { kind: pathOrPaths, doc: "What the unit depends on.", example: "of: code.translated('vital_name')" },
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
    doc: "A row without these fields is dropped and reported. Of an inner list, one field is enough.",
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
    kind: mapByName("keys by name", { oneOf: [pathOrPaths.schema, schemaOf(keyKeys)] }),
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
