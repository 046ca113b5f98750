import { resourceTypes } from "../../fhirpath/infer/Model.ts"
import { statusPlaces } from "../../fhirpath/infer/statusOf.ts"
import { copyRules } from "../../source/records/Servers.ts"
import { calendars } from "../../source/tables/dateFormat.ts"
import { columnTypes } from "../../source/tables/TableLayout.ts"
import type { Field } from "../../visit/Field.ts"
import { referenceListTypes } from "../../visit/Field.ts"
import { visitFields } from "../../visit/fields.ts"
import { acceptWords } from "../tables/conceptMapTable.ts"
import type * as words from "./words.ts"
import {
  acceptedRows,
  assumptionAsks,
  assumptionLevels,
  bundleTypes,
  decimalSigns,
  functionInputs,
  missingOffsets,
  normalForms,
  partialDates,
  partialEnds,
  partialTimestamps,
  requiredWords,
  rootRoles,
  rowScopes,
  sendWords,
  severalVisits,
  unmappedModes
} from "./words.ts"

type JsonSchema = Readonly<Record<string, unknown>>

const refer = (name: string): string => `#/$defs/${name}`

const text: JsonSchema = { type: "string" }
const path: JsonSchema = { type: ["string", "null"], description: "A FHIRPath expression." }
/** A duration, as in `30 minutes`. */
const duration: JsonSchema = {
  anyOf: [{ const: 0 }, { type: "string", pattern: "^\\d{1,5}\\s*(minute|hour|day|week)s?$" }]
}
const paths: JsonSchema = {
  description: "A FHIRPath expression, or several of which the first that finds something wins.",
  oneOf: [path, { type: "array", items: text }]
}
const listOfPaths: JsonSchema = { type: "array", items: { anyOf: [text, { $ref: refer("told") }] } }
/** Paths with names, so that an overlay can change one of them. */
const namedPaths: JsonSchema = {
  type: "object",
  additionalProperties: { anyOf: [{ type: ["string", "null"] }, { $ref: refer("told") }] }
}
const warningPaths: JsonSchema = {
  description: paths.description,
  anyOf: [path, { $ref: refer("told") }, listOfPaths, { $ref: refer("added") }, namedPaths]
}
const conditions: JsonSchema = {
  description: "FHIRPath conditions that must all be true; named, so that an overlay can change one.",
  oneOf: [text, { type: "array", items: text }, { type: "object", additionalProperties: { type: ["string", "null"] } }]
}
const warningConditions: JsonSchema = {
  description: conditions.description,
  oneOf: [
    text,
    { type: "array", items: text },
    { type: "object", additionalProperties: { anyOf: [{ type: ["string", "null"] }, { $ref: refer("told") }] } }
  ]
}
const literal: JsonSchema = { type: ["string", "number", "boolean"] }

/** A resource type of FHIR, or a table of the mapping. */
const recordType: JsonSchema = { anyOf: [{ enum: resourceTypes() }, { type: "string", pattern: "^[a-z][a-z0-9_]*$" }] }

/** One schema for each of some keys. */
type Each<Words extends ReadonlyArray<string>> = Readonly<Record<Words[number], JsonSchema>>

/** A map that allows only some keys; if `Words` is given, its type requires a schema for each of them. */
const closed = <Words extends ReadonlyArray<string> = ReadonlyArray<string>>(
  properties: Each<Words>,
  more: JsonSchema = {}
): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more
})

const assume: JsonSchema = {
  type: "string",
  pattern: "^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$",
  description: "The name of the assumption that is made here; declared under `assumption`."
}
const warn: JsonSchema = { type: "string", description: "The text of a warning, reported each time." }

/** An expression with the warning or assumption that it reports when it takes effect. */
const told = closed<typeof words.warningKeys>({ path: text, warn, assume })

/** What an overlay adds to a list of the mapping below. */
const added: JsonSchema = closed({ before: listOfPaths, after: listOfPaths })

/** A value with the warning or assumption that it reports when it is sent. */
const literalOrReported: JsonSchema = {
  anyOf: [literal, closed<typeof words.defaultWords>({ value: literal, warn, assume }, { required: ["value"] })]
}

const leafProperties: Each<typeof words.leafWords> = {
  path: warningPaths,
  value: { ...literalOrReported, description: "Sent unchanged." },
  conceptMap: { type: ["string", "null"], description: "The concept map that gives the service's value." },
  unit: {
    description: "The UCUM unit to send.",
    oneOf: [
      { type: ["string", "null"] },
      closed<typeof words.unitWords>({
        to: text,
        from: text,
        conceptMap: text,
        of: paths,
        round: { type: "integer", minimum: 0, maximum: 10 },
        spelling: text,
        molarMass: { type: "number" }
      })
    ]
  },
  default: { ...literalOrReported, description: "Sent when no path finds anything." },
  required: { enum: requiredWords },
  empty: { enum: ["", null], description: "Sent when there is no value, where it is not what the specification says." },
  join: { type: "string", description: "Joins several values into one text." },
  take: { const: "first" },
  assume,
  description: text
}

const leaf = (field: Field, shared: Shared): JsonSchema => ({
  description: `${field.description} (${field.section})`,
  ...share(shared, "field", {
    anyOf: [path, listOfPaths, { $ref: refer("added") }, closed(leafProperties)]
  })
})

type OrderWord = (typeof words.orderWords)[number]

const rowProperties: Each<typeof words.componentWords> = {
  sameAs: { type: "string", description: "Begins with everything a sibling says." },
  resource: {
    description: "One row for each record of the type.",
    oneOf: [{ $ref: refer("resourceType") }, { type: "array", items: { $ref: refer("resourceType") } }]
  },
  scope: { enum: rowScopes },
  forEach: { type: "string", description: "One row for each element the path finds." },
  forEachOrNull: { type: "string", description: "One row for each element, and one empty row when there is none." },
  unionAll: { type: "object", description: "Named branches, whose rows follow each other." },
  where: warningConditions,
  groupBy: {
    anyOf: [{ type: ["string", "null"] }, { type: "array", items: text }, { $ref: refer("added") }]
  },
  orderBy: {
    type: "array",
    items: {
      oneOf: [
        text,
        closed<ReadonlyArray<Exclude<OrderWord, "path">>>({
          field: text,
          conceptMap: text,
          descending: { type: "boolean" }
        }),
        closed<ReadonlyArray<Exclude<OrderWord, "field" | "conceptMap">>>({
          path: text,
          descending: { type: "boolean" }
        })
      ]
    }
  },
  onePer: {
    type: "array",
    items: text,
    description: "Of rows with the same values of these fields the last is kept."
  },
  take: { enum: acceptedRows },
  needs: {
    type: "array",
    items: { oneOf: [text, { type: "array", items: text }] },
    description: "A row without these fields is left out; of fields in a list of their own one is enough."
  },
  assume,
  enabled: { type: "boolean" },
  description: text
}

/** Schemas used in several places, by name: each is written once, under `$defs`. */
type Shared = Map<string, JsonSchema>

const share = (shared: Shared, name: string, schema: JsonSchema): JsonSchema => {
  if (!shared.has(name)) shared.set(name, schema)
  return { $ref: refer(name) }
}

const component = (name: string, fields: ReadonlyArray<Field>, description: string, shared: Shared): JsonSchema => {
  const own = Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, name, shared)]))
  const words = Object.fromEntries(
    Object.entries(rowProperties).map(([word, schema]) => [word, share(shared, word, schema)])
  )
  const branch = share(shared, `${name}-branch`, closed({ ...words, ...own }))
  const whole = closed({ ...words, unionAll: { type: "object", additionalProperties: branch }, ...own }, {
    type: ["object", "null"]
  })
  return { description, ...share(shared, name, whole) }
}

/** A component's schema is named after its location, because two components of one name can have different fields. */
const fieldSchema = (field: Field, above: string, shared: Shared): JsonSchema => {
  const name = `${above}.${field.name}`
  switch (field.kind) {
    case "object":
    case "list":
      // If the specification does not define the form of an object, a source provides the whole object.
      if (field.kind === "object" && (field.fields ?? []).length === 0) return leaf(field, shared)
      return component(name, field.fields ?? [], `${field.description} (${field.section})`, shared)
    case "strings":
      return {
        anyOf: [
          leaf(field, shared),
          component(name, [{ ...field, name: "value", kind: "text" }], field.description, shared)
        ]
      }
    case "examination":
      return {
        anyOf: [
          leaf(field, shared),
          component(
            name,
            [{ ...field, name: "key", kind: "text" }, { ...field, name: "value", kind: "text" }],
            field.description,
            shared
          )
        ]
      }
    default:
      return leaf(field, shared)
  }
}

const wordList: JsonSchema = {
  oneOf: [{ type: ["string", "number", "boolean"] }, {
    type: "array",
    items: { type: ["string", "number", "boolean"] }
  }]
}
const dateFormat: JsonSchema = {
  description: "How dates are written, such as DD/MM/YYYY HH:mm; of several the first that fits.",
  oneOf: [text, { type: "array", items: text }]
}
const calendar: JsonSchema = { enum: Object.keys(calendars) }
const sign: JsonSchema = { type: "string", minLength: 1, maxLength: 1 }

const columnProperties: Each<typeof words.columnWords> = {
  type: { enum: columnTypes },
  from: {
    description: "What the header calls the column, or its number; several are joined by a blank.",
    oneOf: [{ type: ["string", "integer"] }, { type: "array", items: { type: ["string", "integer"] } }]
  },
  format: dateFormat,
  calendar,
  decimal: { enum: decimalSigns },
  group: sign,
  true: wordList,
  false: wordList,
  null: wordList,
  trim: { type: "boolean" },
  optional: { type: "boolean", description: "A header may be without it." },
  description: text
}

const formatProperties: Each<typeof words.formatWords> = {
  timestamp: dateFormat,
  date: dateFormat,
  calendar,
  decimal: { enum: decimalSigns },
  group: sign,
  true: wordList,
  false: wordList
}

const sharedProperties: Each<typeof words.sharedTableWords> = {
  encoding: { type: "string", description: "utf-8, windows-874, windows-1252, utf-16le …" },
  delimiter: { type: "string", description: "A sign, or comma, semicolon, tab, pipe." },
  quote: { type: ["string", "null"] },
  escape: sign,
  header: { type: ["boolean", "integer"], description: "Whether a row names the columns, or which." },
  format: closed(formatProperties),
  null: { ...wordList, description: "Words that mean no value." },
  trim: { type: "boolean", description: "Removes spaces at the ends of cells (default: true)." },
  formulaGuard: { type: "boolean", description: "An apostrophe before a formula sign is taken away." },
  optional: { type: "boolean", description: "Headers may be without columns." },
  fileOptional: { type: "boolean", description: "There may be no file of the table." },
  description: text
}

const linkProperties: Each<typeof words.linkWords> = {
  table: text,
  on: { ...wordList, description: "The columns that hold the key of the other table." },
  description: text
}

const columnName: JsonSchema = { oneOf: [{ enum: [...columnTypes, null] }, closed(columnProperties)] }

const tableProperties: Each<typeof words.tableWords> = {
  file: { description: "File names, with * and ?.", oneOf: [text, { type: "array", items: text }] },
  key: { ...wordList, description: "The columns that identify a row." },
  order: { ...text, description: "The column that orders rows without a key." },
  column: { oneOf: [{ type: "array", items: text }, { type: "object", additionalProperties: columnName }] },
  link: {
    type: "object",
    additionalProperties: { oneOf: [{ type: ["string", "null"] }, closed(linkProperties)] }
  },
  ...sharedProperties
}

/** JSON Schema (draft 2020-12) of a mapping file, for editors: completion, descriptions, unknown keys underlined. */
export const mappingSchema = (): JsonSchema => {
  const shared: Shared = new Map()
  const resourceType = share(shared, "resourceType", recordType)
  const properties: Each<typeof words.topLevelKeys> = {
    mapping: { type: "string", description: "The mapping's name." },
    description: text,
    extends: {
      description: "Shipped mappings by name, others by file.",
      oneOf: [text, { type: "array", items: text }]
    },
    fhirVersion: { enum: ["4.0.1"] },
    time: closed<typeof words.timeWords>({
      partialTimestamp: { enum: partialTimestamps },
      partialEnd: { enum: partialEnds },
      partialDate: { enum: partialDates },
      missingOffset: { enum: missingOffsets }
    }),
    text: closed<typeof words.textWords>({ normalise: { enum: normalForms } }),
    stated: {
      description: "How a source says outright what a record is to become: beginnings of extension addresses.",
      oneOf: [{ type: "null" }, closed<typeof words.statedWords>({ row: text, part: text, field: text })]
    },
    table: {
      type: "object",
      description: "The tables of an extract in CSV.",
      properties: { "*": closed(sharedProperties, { description: "Settings for all tables." }) },
      additionalProperties: closed(tableProperties, { type: ["object", "null"] })
    },
    assumption: {
      type: "object",
      description: "Decisions of the mapping that the source does not force, by name.",
      additionalProperties: closed<typeof words.assumptionWords>({
        means: { type: "string", description: "What is done, in a sentence." },
        instead: { type: "string", description: "What could be done instead, and the line that does it." },
        ask: { enum: assumptionAsks, description: "Who can decide (default: hospital)." },
        level: { enum: assumptionLevels, description: "How it is reported until it is accepted (default: warning)." }
      }, { type: ["object", "null"] })
    },
    accept: {
      type: "object",
      description: "The assumptions that the facility accepts: why, who decided it, and when.",
      additionalProperties: {
        anyOf: [
          { type: ["string", "null"] },
          closed<typeof words.acceptanceWords>({
            why: text,
            hash: {
              type: "string",
              description: "Of the lines that were accepted: when they change, the assumption is reported again."
            }
          }, { required: ["why"] })
        ]
      }
    },
    constant: { type: "object", additionalProperties: literal },
    conceptMap: {
      type: "object",
      additionalProperties: closed<typeof words.conceptMapWords>({
        file: {
          description: "Files of code tables next to the mapping: CSV, or a FHIR ConceptMap in JSON.",
          oneOf: [text, { type: "array", items: text }]
        },
        accept: {
          description: "Relations of a FHIR ConceptMap that are taken besides equal and equivalent.",
          type: "array",
          items: { enum: [...acceptWords] }
        },
        table: {
          type: ["object", "null"],
          additionalProperties: {
            anyOf: [
              { type: ["string", "number", "null"] },
              closed<typeof words.conceptRowWords>({ value: { type: ["string", "number"] }, assume }, {
                required: ["value"]
              })
            ]
          }
        },
        unmapped: {
          oneOf: [
            { enum: unmappedModes },
            closed<typeof words.unmappedWords>({
              fixed: text,
              table: text,
              policy: { enum: unmappedModes },
              assume
            })
          ]
        },
        list: { enum: [...referenceListTypes] },
        send: { enum: sendWords },
        description: text
      })
    },
    function: {
      type: "object",
      additionalProperties: {
        oneOf: [
          text,
          closed<typeof words.functionWords>({
            parameters: { type: "array", items: text },
            path: text,
            over: { enum: functionInputs },
            description: text
          })
        ]
      }
    },
    grouping: closed<typeof words.groupingWords>({
      resource: resourceType,
      where: conditions,
      partOf: text,
      copies: { enum: copyRules },
      understood: paths,
      status: {
        type: "object",
        propertyNames: { enum: statusPlaces() },
        additionalProperties: { type: ["object", "null"], additionalProperties: { type: ["string", "null"] } }
      },
      rootIsEncounter: { enum: rootRoles },
      kind: text,
      patient: text,
      start: paths,
      end: paths,
      link: { type: "object", additionalProperties: paths },
      window: {
        type: "object",
        additionalProperties: closed<typeof words.windowWords>({
          enabled: { type: "boolean" },
          patient: paths,
          time: paths,
          before: duration,
          after: duration,
          several: { enum: severalVisits },
          assume,
          description: text
        }, { type: ["object", "null"] })
      },
      bundle: closed(Object.fromEntries(bundleTypes.map((type) => [
        type,
        closed<typeof words.bundleWords>({ enabled: { type: "boolean" }, assume, description: text }, {
          type: ["object", "null"]
        })
      ]))),
      patientScope: { type: "object", additionalProperties: text },
      description: text
    }),
    key: {
      type: "object",
      additionalProperties: {
        oneOf: [
          paths,
          closed<typeof words.keyWords>({ path: paths, mint: { type: ["string", "null"] }, description: text })
        ]
      }
    },
    visit: component("visit", visitFields, "The visit, section by section.", shared)
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "fhir2visit mapping",
    ...closed(properties),
    $defs: { told, added, ...Object.fromEntries(shared) }
  }
}
