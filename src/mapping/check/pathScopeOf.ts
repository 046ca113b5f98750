import type { InferredType } from "../../fhirpath/infer/InferredType.ts"
import { anything, oneOf } from "../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../fhirpath/infer/Model.ts"
import { withTables } from "../../fhirpath/infer/Model.ts"
import type { TableLayout } from "../../source/tables/TableLayout.ts"
import type { Field } from "../../visit/Field.ts"
import type { ConceptMap } from "../codes/ConceptMap.ts"
import type { LanguageFunction } from "../functions/LanguageFunction.ts"
import type { SyntaxMap } from "../language/MappingSyntax.ts"
import { isNull, mappingEntriesOf } from "../language/MappingSyntax.ts"
import { neededKeys } from "./checkKeys.ts"
import { type ConceptMapResults, FunctionBodies } from "./expressions/checkBodies.ts"
import { languageVariables } from "./expressions/checkFunctions.ts"
import type { PathScope, UsedNames } from "./expressions/PathScope.ts"
import { TypeTests } from "./expressions/TypeTests.ts"

/** The parts of a mapping that are read before any expression. */
interface Definitions {
  readonly constants: Readonly<Record<string, unknown>>
  readonly conceptMaps: ReadonlyMap<string, ConceptMap>
  readonly functions: ReadonlyMap<string, LanguageFunction>
  readonly tables: ReadonlyArray<TableLayout>
  readonly fields: ReadonlyArray<Field>
}

/** Returns the names that a mapping's expressions can use; function bodies are not followed yet. */
export const pathScopeOf = (
  root: SyntaxMap,
  { conceptMaps, constants, fields, functions, tables }: Definitions
): PathScope => {
  const model = withTables(tables.map(tableType))
  const rootType = rootTypeOf(root, model)
  const results = resultsOf(conceptMaps)
  return {
    model,
    rootType,
    patient: patientOf(root, rootType, model),
    functions,
    bodies: new FunctionBodies([], results, "unfollowed"),
    lists: new Set(listNames(fields)),
    // An invalid constant or concept map is reported at its declaration; lines that use it get no error of their own.
    variables: new Set<string>([...languageVariables, ...Object.keys(constants), ...namesIn(root, "constant")]),
    keys: new Set(namesIn(root, "key")),
    patientTypes: patientTypesOf(root),
    conceptMaps: new Set([...conceptMaps.keys(), ...namesIn(root, "conceptMap")]),
    results,
    used: usedWithoutSaying(conceptMaps),
    typeTests: new TypeTests()
  }
}

/** Returns the values that each concept map can give. The rows do not show all of them: a facility adds others with its next codes. */
const resultsOf = (conceptMaps: ReadonlyMap<string, ConceptMap>): ConceptMapResults =>
  new Map([...conceptMaps].flatMap(([name, { rows, sendsCodes, standard, values }]) => {
    if (values !== undefined) return [[name, new Set(values)] as const]
    const isShort = standard !== undefined && standard.values.size <= maxResults
    return isShort && sendsCodes === undefined ? [[name, standard.values.union(new Set(rows.values()))] as const] : []
  }))

/** Longer lists are not written in a message. */
const maxResults = 60

/** Names that count as used although no line has them. */
const usedWithoutSaying = (conceptMaps: ReadonlyMap<string, ConceptMap>): UsedNames => ({
  constants: new Set(),
  functions: new Set(),
  keys: new Set(neededKeys),
  // Links that the functions naming people always follow.
  backwards: new Set(["PractitionerRole.practitioner"]),
  followsTexts: new Set(),
  types: new Set(alwaysRead),
  words: new Set(alwaysFollowed),
  conceptMaps: new Set(
    [...conceptMaps.values()].flatMap(({ unmapped }) => unmapped.mode === "other-map" ? [unmapped.name] : [])
  )
})

/** Types that functions and the grouping always read: people, places, and what leads a document to its encounter. */
const alwaysRead =
  "Patient Practitioner PractitionerRole RelatedPerson Person Group Organization Location Medication Device Composition"
    .split(" ")

/** Elements followed without an expression: a record's patient, a document's encounter, a role's practitioner, a visit's location. */
const alwaysFollowed = "subject patient encounter practitioner organization location serviceProvider".split(" ")

const namesIn = (root: SyntaxMap, section: string): ReadonlyArray<string> => [...mappingEntriesOf(root, section).keys()]

const patientTypesOf = (root: SyntaxMap): ReadonlySet<string> => {
  const grouping = root.entries.get("grouping")?.value
  const entries = grouping?.kind === "map" ? mappingEntriesOf(grouping, "patientScope") : []
  return new Set([...entries].flatMap(([type, { value }]) => (isNull(value) ? [] : [type])))
}

/** Returns the lists among fields, at any depth. */
const listNames = (fields: ReadonlyArray<Field>): ReadonlyArray<string> =>
  fields.flatMap((field) => [...(field.kind === "list" ? [field.name] : []), ...listNames(field.fields ?? [])])

const rootTypeOf = (root: SyntaxMap, { isResourceType }: Model): string => {
  const grouping = root.entries.get("grouping")?.value
  const type = grouping?.kind === "map" ? grouping.entries.get("resource")?.value : undefined
  return type?.kind === "scalar" && typeof type.value === "string" && isResourceType(type.value)
    ? type.value
    : "Encounter"
}

/** Returns the type of `%patient`: a FHIR Patient, or the row that the root's link leads to. */
const patientOf = (root: SyntaxMap, rootType: string, { isResourceType, linkTarget }: Model): InferredType => {
  if (/^[A-Z]/u.test(rootType) || !isResourceType(rootType)) return oneOf("Patient")
  const grouping = root.entries.get("grouping")?.value
  const path = grouping?.kind === "map" ? grouping.entries.get("patient")?.value : undefined
  const text = path?.kind === "scalar" ? String(path.value) : ""
  const table = text === "$this" ? rootType : linkTarget(`${rootType}.${text}`)
  return table === undefined ? anything : oneOf(table)
}

/** FHIR's names for the types of columns. */
const primitives = {
  text: "string",
  integer: "integer",
  decimal: "decimal",
  boolean: "boolean",
  date: "date",
  timestamp: "dateTime"
} as const

const tableType = ({ columns, key, links, name }: TableLayout) => ({
  name,
  columns: [
    ...columns.map((column) => ({ name: column.name, type: primitives[column.type] })),
    ...(key.length > 0 && !columns.some((column) => column.name === "id") ? [{ name: "id", type: "string" }] : [])
  ],
  links,
  key
})
