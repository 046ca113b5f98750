import { resourceTypes } from "../fhirpath/Model.ts"
import { calendars } from "../source/tables/dateFormat.ts"
import { columnTypes } from "../source/tables/TableLayout.ts"
import type { Field } from "../visit/Field.ts"
import { referenceListTypes } from "../visit/Field.ts"
import { visitFields } from "../visit/fields.ts"
import { topLevelKeys } from "./check.ts"
import { sendWords } from "./checkConceptMaps.ts"
import { leafWords } from "./checkLeaf.ts"
import type { columnWords, formatWords, linkWords, sharedTableWords, tableWords } from "./checkTables.ts"
import { componentWords } from "./checkWords.ts"
import { acceptWords } from "./tables/conceptMapTable.ts"

type JsonSchema = Readonly<Record<string, unknown>>

const refer = (name: string): string => `#/$defs/${name}`

const text: JsonSchema = { type: "string" }
const path: JsonSchema = { type: ["string", "null"], description: "A FHIRPath expression." }
/** A length of time, as in `30 minutes`. */
const duration: JsonSchema = {
  anyOf: [{ const: 0 }, { type: "string", pattern: "^\\d{1,5}\\s*(minute|hour|day|week)s?$" }]
}
const paths: JsonSchema = {
  description: "A FHIRPath expression, or several of which the first that finds something wins.",
  oneOf: [path, { type: "array", items: text }]
}
const toldPaths: JsonSchema = {
  description: paths.description,
  oneOf: [path, { $ref: refer("told") }, { type: "array", items: { anyOf: [text, { $ref: refer("told") }] } }]
}
const conditions: JsonSchema = {
  description: "FHIRPath conditions that must all be true; named, so that an overlay can change one.",
  oneOf: [text, { type: "array", items: text }, { type: "object", additionalProperties: { type: ["string", "null"] } }]
}
const toldConditions: JsonSchema = {
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

const closed = (properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more
})

/** An expression that is told of when it counts. */
const told = closed({ path: text, warn: text })

const leafProperties: Readonly<Record<(typeof leafWords)[number], JsonSchema>> = {
  path: toldPaths,
  value: { ...literal, description: "Sent as it stands." },
  conceptMap: { type: ["string", "null"], description: "The concept map that gives the service's value." },
  unit: {
    description: "The UCUM unit to send.",
    oneOf: [
      { type: ["string", "null"] },
      closed({
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
  default: {
    anyOf: [
      literal,
      closed({ value: literal, warn: { type: "string", description: "Told in these words where it is sent." } }, {
        required: ["value"]
      })
    ],
    description: "Sent when no path finds anything."
  },
  required: { enum: ["error", "warning", "none"] },
  empty: { enum: ["", null], description: "Sent when there is no value, where it is not what the specification says." },
  join: { type: "string", description: "Joins several values into one text." },
  take: { const: "first" },
  description: text
}

const leaf = (field: Field, shared: Shared): JsonSchema => ({
  description: `${field.description} (${field.section})`,
  ...share(shared, "field", {
    oneOf: [
      path,
      { type: "array", items: { anyOf: [text, { $ref: refer("told") }] } },
      closed(leafProperties)
    ]
  })
})

const rowProperties: Readonly<Record<(typeof componentWords)[number], JsonSchema>> = {
  sameAs: { type: "string", description: "Begins with everything a sibling says." },
  resource: {
    description: "One row for each record of the type.",
    oneOf: [{ $ref: refer("resourceType") }, { type: "array", items: { $ref: refer("resourceType") } }]
  },
  scope: { enum: ["visit", "patient"] },
  forEach: { type: "string", description: "One row for each element the path finds." },
  forEachOrNull: { type: "string", description: "One row for each element, and one empty row when there is none." },
  unionAll: { type: "object", description: "Named branches, whose rows follow each other." },
  where: toldConditions,
  groupBy: { type: "array", items: text },
  orderBy: {
    type: "array",
    items: {
      oneOf: [text, closed({ field: text, conceptMap: text }), closed({ path: text, descending: { type: "boolean" } })]
    }
  },
  onePer: {
    type: "array",
    items: text,
    description: "Of rows with the same values of these fields the last is kept."
  },
  take: { enum: ["first", "all"] },
  needs: {
    type: "array",
    items: { oneOf: [text, { type: "array", items: text }] },
    description: "A row without these fields is left out; of fields in a list of their own one is enough."
  },
  enabled: { type: "boolean" },
  description: text
}

/** What several places have, by its name: each is written once, under `$defs`. */
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

/** A component has the name of its place: those of one name in two places need not have the same fields. */
const fieldSchema = (field: Field, above: string, shared: Shared): JsonSchema => {
  const name = `${above}.${field.name}`
  switch (field.kind) {
    case "object":
    case "list":
      // Of an object whose form the specification does not show a source gives the whole.
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

const columnProperties: Readonly<Record<(typeof columnWords)[number], JsonSchema>> = {
  type: { enum: columnTypes },
  from: {
    description: "What the header calls the column, or its number; several are joined by a blank.",
    oneOf: [{ type: ["string", "integer"] }, { type: "array", items: { type: ["string", "integer"] } }]
  },
  format: dateFormat,
  calendar,
  decimal: { enum: [".", ","] },
  group: sign,
  true: wordList,
  false: wordList,
  null: wordList,
  trim: { type: "boolean" },
  optional: { type: "boolean", description: "A header may be without it." },
  description: text
}

const formatProperties: Readonly<Record<(typeof formatWords)[number], JsonSchema>> = {
  timestamp: dateFormat,
  date: dateFormat,
  calendar,
  decimal: { enum: [".", ","] },
  group: sign,
  true: wordList,
  false: wordList
}

const sharedProperties: Readonly<Record<(typeof sharedTableWords)[number], JsonSchema>> = {
  encoding: { type: "string", description: "utf-8, windows-874, windows-1252, utf-16le …" },
  delimiter: { type: "string", description: "A sign, or comma, semicolon, tab, pipe." },
  quote: { type: ["string", "null"] },
  escape: sign,
  header: { type: ["boolean", "integer"], description: "Whether a row names the columns, or which." },
  format: closed(formatProperties),
  null: { ...wordList, description: "Words that mean no value." },
  trim: { type: "boolean", description: "Blanks at the ends of cells are left out; true unless said." },
  formulaGuard: { type: "boolean", description: "An apostrophe before a formula sign is taken away." },
  optional: { type: "boolean", description: "Headers may be without columns." },
  fileOptional: { type: "boolean", description: "There may be no file of the table." },
  description: text
}

const linkProperties: Readonly<Record<(typeof linkWords)[number], JsonSchema>> = {
  table: text,
  on: { ...wordList, description: "The columns that hold the key of the other table." },
  description: text
}

const columnName: JsonSchema = { oneOf: [{ enum: [...columnTypes, null] }, closed(columnProperties)] }

const tableProperties: Readonly<Record<(typeof tableWords)[number], JsonSchema>> = {
  file: { description: "File names, with * and ?.", oneOf: [text, { type: "array", items: text }] },
  key: { ...wordList, description: "The columns that tell one row from another." },
  order: { ...text, description: "The column by which rows without a key stand in order." },
  column: { oneOf: [{ type: "array", items: text }, { type: "object", additionalProperties: columnName }] },
  link: {
    type: "object",
    additionalProperties: { oneOf: [{ type: ["string", "null"] }, closed(linkProperties)] }
  },
  ...sharedProperties
}

/** JSON Schema (draft 2020-12) of a mapping file, for editors: completion, descriptions, unknown words underlined. */
export const mappingSchema = (): JsonSchema => {
  const shared: Shared = new Map()
  const resourceType = share(shared, "resourceType", recordType)
  const properties: Readonly<Record<(typeof topLevelKeys)[number], JsonSchema>> = {
    mapping: { type: "string", description: "The mapping's name." },
    description: text,
    extends: {
      description: "Shipped mappings by name, others by file.",
      oneOf: [text, { type: "array", items: text }]
    },
    fhirVersion: { enum: ["4.0.1"] },
    time: closed({
      partialTimestamp: { enum: ["reject", "start-of-day", "midday"] },
      partialDate: { enum: ["reject", "blank", "first-day"] },
      missingOffset: { enum: ["zone", "local", "reject"] }
    }),
    text: closed({ normalise: { enum: ["NFC", "none"] } }),
    stated: {
      description: "How a source says outright what a record is to become: beginnings of extension addresses.",
      oneOf: [{ type: "null" }, closed({ row: text, part: text, field: text })]
    },
    table: {
      type: "object",
      description: "The tables of an extract in CSV.",
      properties: { "*": closed(sharedProperties, { description: "What is said for all tables." }) },
      additionalProperties: closed(tableProperties, { type: ["object", "null"] })
    },
    constant: { type: "object", additionalProperties: literal },
    conceptMap: {
      type: "object",
      additionalProperties: closed({
        file: {
          description: "Files of code tables beside the mapping: CSV, or a FHIR ConceptMap in JSON.",
          oneOf: [text, { type: "array", items: text }]
        },
        accept: {
          description: "Relations of a FHIR ConceptMap that are taken besides equal and equivalent.",
          type: "array",
          items: { enum: [...acceptWords] }
        },
        table: { type: ["object", "null"], additionalProperties: { type: ["string", "number", "null"] } },
        unmapped: { oneOf: [{ enum: ["reject", "warn", "skip", "provided"] }, closed({ fixed: text, table: text })] },
        list: { enum: [...referenceListTypes] },
        send: { enum: [...sendWords] },
        description: text
      })
    },
    function: {
      type: "object",
      additionalProperties: {
        oneOf: [
          text,
          closed({
            parameters: { type: "array", items: text },
            path: text,
            over: { enum: ["item", "collection"] },
            description: text
          })
        ]
      }
    },
    grouping: closed({
      resource: resourceType,
      where: conditions,
      partOf: text,
      rootIsEncounter: { enum: ["when-no-members", "always", "never"] },
      patient: text,
      start: paths,
      end: paths,
      link: { type: "object", additionalProperties: paths },
      window: {
        type: "object",
        additionalProperties: closed({
          enabled: { type: "boolean" },
          patient: paths,
          time: paths,
          before: duration,
          after: duration,
          several: { enum: ["reject", "nearest"] },
          description: text
        }, { type: ["object", "null"] })
      },
      document: { type: "boolean" },
      patientScope: { type: "object", additionalProperties: text },
      description: text
    }),
    key: {
      type: "object",
      additionalProperties: {
        oneOf: [paths, closed({ path: paths, mint: { type: ["string", "null"] }, description: text })]
      }
    },
    visit: component("visit", visitFields, "The visit, section by section.", shared)
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "fhir2visit mapping",
    ...closed(properties),
    $defs: { told, ...Object.fromEntries(shared) }
  }
}
