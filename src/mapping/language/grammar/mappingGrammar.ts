import type { ValueRemark } from "../../MappingPlan.ts"
import type { additionKeys, SyntaxEntry, SyntaxScalar } from "../MappingSyntax.ts"
import { conceptMapKeys, unmappedKeys } from "./conceptMapGrammar.ts"
import { groupingKeys } from "./groupingGrammar.ts"
import {
  anyText,
  block,
  declareKeys,
  description,
  intBetween,
  type JsonSchema,
  type Key,
  type Keys,
  keysOf,
  type Kind,
  mapByName,
  oneWord,
  orNothing,
  placed,
  readValues,
  refer,
  schemaOf,
  someNumber,
  trueOrFalse,
  type Values,
  written
} from "./Kind.ts"
import {
  anyLiteral,
  assume,
  conceptMapName,
  conditions,
  listOfPaths,
  listOfTexts,
  onePathOf,
  orNull,
  pathOrPaths,
  pathsWithRemarks,
  remarkedPath,
  severalNames
} from "./pathKinds.ts"
import { sharedTableKeys, tableKeys } from "./tableGrammar.ts"

/**
 * The grammar of a mapping file: every key, what its value can be, its default, and what it means. The check reads files by it. The schema
 * of editors and docs/reference/mapping.md are printed from it. Concept maps, grouping and tables have files of their own.
 */

const textOrNull: JsonSchema = { type: ["string", "null"] }

const warn = { kind: anyText, doc: "The text of a warning, which is reported each time." } as const

/** An expression with the warning or the assumption that it reports when it takes effect. */
export const pathRemarkKeys = declareKeys({
  path: { kind: remarkedPath, doc: "The expression." },
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

/** Every key that can be used together with `warn` or `assume`: those of a path, of a value, and of a policy for unmapped codes. */
export const remarkedWords: ReadonlySet<string> = new Set([
  ...keysOf(pathRemarkKeys),
  ...keysOf(valueRemarkKeys),
  ...keysOf(unmappedKeys)
])

/** A value that is sent as it is written. */
export interface SentValue {
  readonly value: string | number | boolean
  /** A number as written, if its digits differ from the value. */
  readonly digits?: string
  readonly entry: SyntaxEntry
  /** What is reported when it is sent. */
  readonly remark?: ValueRemark
}

/** A value or default, possibly with the warning or assumption that is reported when it is sent: `{value: …, assume: NAME}`. */
const sent: Kind<SentValue> = {
  shown: "a value",
  schema: { anyOf: [anyLiteral, schemaOf(valueRemarkKeys)] },
  read: (reader, given, what) => {
    const map = given.value.kind === "map" ? reader.map(given.value, what, keysOf(valueRemarkKeys)) : undefined
    const entry = map === undefined ? given : map.entries.get("value")
    const remark = map === undefined ? undefined : reader.remark(map)
    if (entry === undefined) {
      return reader.report("missing-key", given.value.span, `${what} needs its \`value\``, {
        help: ["write  {value: …, assume: NAME}"]
      })
    }
    const value = reader.literal(entry, what)
    if (value === undefined) return undefined
    const { span } = entry.value
    const digits = entry.value.kind === "scalar" ? entry.value.written : undefined
    return {
      value,
      entry,
      ...(digits === undefined ? {} : { digits }),
      ...(remark === undefined ? {} : { remark: { ...remark, span } })
    }
  }
}

/** What an overlay adds to a list of the mapping below. */
const addedKeys = declareKeys(
  {
    before: { kind: written("a list of paths", listOfPaths), doc: "Comes before the list of the mapping below." },
    after: { kind: written("a list of paths", listOfPaths), doc: "Comes after it." }
  } satisfies Record<(typeof additionKeys)[number], unknown>
)

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
      "A time without an offset is read in the facility's zone and reported (`zone`), read so and reported only if the clocks show it twice or skip it (`local`), or rejected."
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
    kind: listOfTexts("a list of names"),
    doc: "Names of the arguments; `%name` in the path."
  },
  path: {
    kind: onePathOf("a function has one path; several results:  a | b"),
    doc: "The expression that is evaluated.",
    required: "merged"
  },
  over: {
    kind: oneWord(["item", "collection", "visit"]),
    default: "item",
    doc: "Whether it is evaluated on each item of its input, on all items together, or once for a visit, on no input."
  },
  description
})

export const keyKeys = declareKeys({
  path: { kind: pathOrPaths, doc: "From the record to its code." },
  mint: {
    kind: orNothing(placed({ ...anyText, schema: textOrNull })),
    doc: "Makes a code if the source has none: this text and 13 characters of a hash. A patient code is never made.",
    example: "mint: V"
  },
  description
})

const firstFound = onePathOf("the first that is found:  (a | b).first()")

export const unitKeys = declareKeys({
  to: { kind: { ...placed(anyText), shown: "a unit of UCUM" }, doc: "The unit to send.", example: "to: cm" },
  from: { kind: firstFound, doc: "Where the unit of a number is, if it is not a Quantity.", example: "from: units" },
  conceptMap: { kind: conceptMapName, doc: "The concept map that gives the unit of what `of` finds." },
  of: { kind: firstFound, doc: "What the unit depends on.", example: "of: code.translated('vital_name')" },
  round: { kind: intBetween(0, 10, " of decimals"), default: 2, doc: "The number of decimals after a conversion." },
  spelling: { kind: conceptMapName, doc: "The concept map from local spellings of units to UCUM." },
  molarMass: {
    kind: someNumber(" of grams in a mole"),
    doc: "Grams in a mole, to convert between mass and moles."
  }
})

/** A unit, or `{to: UNIT}` with other keys. */
const unit: Kind<Values<typeof unitKeys>> = {
  shown: "a unit of UCUM",
  schema: { oneOf: [textOrNull, schemaOf(unitKeys)] },
  read: (reader, entry, what) => {
    if (entry.value.kind === "scalar") {
      const to = unitKeys.to.kind.read(reader, entry, what)
      return to === undefined ? undefined : { ...readValues(reader, unitKeys, undefined), to }
    }
    const map = reader.names(entry.value, what, keysOf(unitKeys))
    if (map === undefined) return undefined
    if (!map.entries.has("to") && !(map.entries.has("conceptMap") && map.entries.has("of"))) {
      reader.report("missing-key", map.span, `${what} needs \`to\`, or \`conceptMap\` and \`of\``)
    }
    return readValues(reader, unitKeys, map)
  }
}

/** `null` is a value here: it is sent. */
const empty: Kind<"" | null> = {
  shown: "`\"\"` or `null`",
  schema: { enum: ["", null] },
  read: (reader, { value }, what) =>
    value.kind === "scalar" && (value.value === "" || value.value === null)
      ? value.value
      : reader.report("invalid-value", value.span, `${what} must be \`""\` or \`null\``, {
        help: ["to set what is sent instead of a missing value:  default:"]
      })
}

/** The attributes of a field's long form. */
export const fieldKeys = declareKeys({
  path: { kind: pathsWithRemarks, doc: "One path, or several in order." },
  value: { kind: sent, doc: "A fixed value. Nothing is looked up." },
  conceptMap: {
    kind: conceptMapName,
    doc: "The concept map that turns the source's code into the service's value."
  },
  unit: {
    kind: unit,
    doc: "The unit to send.",
    example: "unit: cm"
  },
  default: { kind: sent, doc: "Sent when no path finds anything." },
  required: {
    kind: oneWord(["error", "warning", "none"]),
    otherwise: "`error` for codes, timestamps, and identifiers; `none` for others",
    doc: "What a missing value means."
  },
  join: { kind: anyText, doc: "Joins several values into one text.", example: "join: \"; \"" },
  take: { kind: oneWord(["first"]), doc: "Of several values the first is sent, without a report." },
  empty: {
    kind: placed(empty),
    doc: "Sent when there is no value, if it differs from the specification's default."
  },
  assume,
  description
})

/** The attributes that give a field its value. */
export const valueWords = ["path", "value", "default"] as const satisfies ReadonlyArray<keyof typeof fieldKeys>

export const orderKeys = declareKeys({
  field: { kind: placed(anyText), doc: "The field that rows are sorted by." },
  conceptMap: { kind: conceptMapName, doc: "Sorts the values of the field as this concept map lists them." },
  path: {
    kind: onePathOf("write several orders as several items:  orderBy: [{path: …}, {path: …}]"),
    doc: "Sorts by what this path finds on each row."
  },
  descending: { kind: trueOrFalse, default: false, doc: "The other way round." }
})

const oneForEach = onePathOf(
  "for rows of several elements:  a | b  in one path, or a branch for each under  unionAll:"
)

/** Fields, or lists of fields of which one is enough. */
const neededFields: Kind<ReadonlyArray<ReadonlyArray<SyntaxScalar>>> = {
  shown: "a list of fields",
  schema: {
    type: "array",
    items: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }
  },
  read: (reader, { value }, what) =>
    (value.kind === "list" ? value.items : [value]).flatMap((item) => {
      const fields = reader.texts(item, what)
      return item.kind === "list" && fields.length > 0 ? [fields] : fields.map((field) => [field])
    })
}

/** The keys of a component. No field of the specification has one of these names. */
export const componentKeys = declareKeys({
  sameAs: {
    kind: anyText,
    doc: "Starts with all lines of a sibling component.",
    example: "sameAs: outpatients",
    inBranch: "never"
  },
  resource: {
    kind: {
      ...pathOrPaths,
      shown: "a type, or several",
      schema: { oneOf: [refer("resourceType"), { type: "array", items: refer("resourceType") }] }
    },
    doc: "One row for each record of the type in the visit.",
    example: "resource: Observation",
    check: (_, reader, { value }) => {
      if (value.kind !== "list" || value.items.length > 0) return
      reader.report("invalid-value", value.span, "`resource` names the types of the rows", {
        help: ["to have no rows:  enabled: false"]
      })
    }
  },
  scope: {
    kind: oneWord(["visit", "patient"]),
    default: "visit",
    doc: "Whose records are the rows: those of the visit, or those of its patient."
  },
  forEach: { kind: oneForEach, doc: "One row for each element that the path finds." },
  forEachOrNull: { kind: oneForEach, doc: "The same, and one empty row if there is none." },
  unionAll: {
    kind: written("branches by name", { type: "object" }),
    doc: "Branches, whose rows follow each other. The keys of the component apply to every branch.",
    inBranch: "never"
  },
  where: { kind: conditions, doc: "Conditions for a row. All must be true." },
  groupBy: {
    kind: {
      ...pathOrPaths,
      shown: "a path, or several",
      schema: { anyOf: [pathOrPaths.schema, refer("added")] }
    },
    doc: "Records with the same values become one row.",
    example: "groupBy: [effective, performer.first()]",
    check: (_, reader, { value }) => {
      const isEmpty = value.kind === "list"
        ? value.items.length === 0
        : value.kind === "map" && value.entries.size === 0
      if (!isEmpty) return
      reader.report("invalid-value", value.span, "`groupBy` has nothing that distinguishes groups", {
        help: ["one row for each record:  groupBy: null", "one row of all records:  groupBy: [\"'all'\"]"]
      })
    }
  },
  orderBy: {
    kind: written("fields, or paths", {
      type: "array",
      items: { oneOf: [{ type: "string" }, schemaOf(orderKeys)] }
    }),
    otherwise: "the order of the records",
    doc: "Sorts the rows; `-` before a field reverses its order.",
    example: "orderBy: [recorded_at, -code]",
    inBranch: "never"
  },
  onePer: {
    kind: listOfTexts("a list of fields"),
    doc: "Of rows with the same values of these fields the last is kept. The others are reported.",
    inBranch: "never"
  },
  take: {
    kind: oneWord(["first", "all"]),
    default: "all",
    doc: "`first` sends only the first row, and reports the others.",
    inBranch: "never"
  },
  needs: {
    kind: neededFields,
    doc: "A row without these fields is dropped and reported. Of an inner list, one field is enough.",
    example: "needs: [code, [height, weight]]"
  },
  assume,
  enabled: { kind: trueOrFalse, default: true, doc: "`false`: no rows.", inBranch: "own" },
  description: { ...description, inBranch: "own" }
})

/** The keys that set where rows come from: a component has one of them. */
export const rowWords = ["resource", "forEach", "forEachOrNull"] as const satisfies ReadonlyArray<
  keyof typeof componentKeys
>

const inBranchOf = (word: string): Key<unknown>["inBranch"] => {
  const keys: Keys = componentKeys
  return keys[word]?.inBranch
}

/** Whether a key applies to all branches of a component together. */
export const isOfAllBranches = (word: string): boolean => inBranchOf(word) === "never"

/** Whether the branches of a component take over this key of it; every field is. */
export const isInherited = (word: string): boolean => inBranchOf(word) === undefined

/** The keys of a component, as a set of words. */
const componentWords: ReadonlySet<string> = new Set(keysOf(componentKeys))
const fieldWords: ReadonlySet<string> = new Set(keysOf(fieldKeys))

/** Whether a key belongs to a component: it is no field of the specification. */
export const isComponentKey = (key: string): key is keyof typeof componentKeys => componentWords.has(key)

/** Whether a key belongs to the long form of a field. */
export const isFieldKey = (key: string): boolean => fieldWords.has(key)

const stated = block("a map", statedKeys)

/** A version of FHIR R4. */
const version: Kind<string> = {
  shown: "a version",
  schema: { enum: ["4.0.1"] },
  read: (reader, entry, what) => {
    const given = reader.text(entry, what)
    return given === undefined || given.startsWith("4.0")
      ? given
      : reader.report("invalid-value", entry.value.span, `${what} cannot be \`${given}\``, {
        help: ["paths are checked against FHIR R4:  fhirVersion: 4.0.1"]
      })
  }
}

/** The keys of a mapping file. */
export const mappingKeys = declareKeys({
  mapping: { kind: anyText, doc: "The mapping's name.", example: "mapping: our-hospital", required: "merged" },
  description,
  extends: {
    kind: severalNames,
    doc: "The mappings below: shipped ones by name, others by file.",
    example: "extends: fhir-r4"
  },
  fhirVersion: {
    kind: version,
    doc: "The version of FHIR that paths are checked against."
  },
  time: { kind: block("a map", timeKeys), doc: "Dates and times that are less precise than their field." },
  text: { kind: block("a map", textKeys), doc: "How texts are sent." },
  stated: {
    kind: orNothing({ ...stated, schema: { oneOf: [{ type: "null" }, stated.schema] } }),
    doc: "Extensions by which a source states directly what a record becomes."
  },
  table: {
    kind: mapByName("tables by name", schemaOf(tableKeys, orNull), { properties: { "*": schemaOf(sharedTableKeys) } }),
    doc: "The tables of an extract in CSV. `\"*\"` has settings for all tables."
  },
  assumption: {
    kind: mapByName("assumptions by name", schemaOf(assumptionKeys, orNull)),
    doc: "Decisions of the mapping that the source does not force."
  },
  accept: {
    kind: mapByName("reasons by name", { anyOf: [textOrNull, schemaOf(acceptanceKeys)] }),
    doc: "The assumptions that the facility accepts: why, who decided it, and when."
  },
  constant: { kind: mapByName("values by name", anyLiteral), doc: "Values that expressions use as `%name`." },
  conceptMap: {
    kind: mapByName("concept maps by name", schemaOf(conceptMapKeys)),
    doc: "From the source's codes to the values of the service."
  },
  function: {
    kind: mapByName("functions by name", { oneOf: [functionKeys.path.kind.schema, schemaOf(functionKeys)] }),
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

/** The keys of a facility's file of accepted assumptions. */
export const assumptionFileKeys = declareKeys({ accept: mappingKeys.accept })

/** Schemas that others refer to by name. */
export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  remark: schemaOf(pathRemarkKeys),
  added: schemaOf(addedKeys)
}
