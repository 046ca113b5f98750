import { SchemaAST } from "effect"
import type { Field } from "./Field.ts"
import { factsKey, type FieldFacts, sectionKey } from "./FieldSchema.ts"
import { Visit } from "./Visit.ts"

/**
 * Returns the fields of a component in the specification's order, read from the annotations of its schema. The schemas are the only
 * declaration; this is another view of them.
 */
const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<Field> => {
  if (!SchemaAST.isObjects(ast)) throw new Error("a component of the Visit is a struct")
  const section = String(ast.annotations?.[sectionKey])
  // FieldSchema annotates every field with its facts.
  return ast.propertySignatures.map(({ name, type }) =>
    fieldOf(String(name), section, type.context?.annotations?.[factsKey] as FieldFacts)
  )
}

const fieldOf = (name: string, section: string, { of, ...facts }: FieldFacts): Field => ({
  name,
  ...facts,
  section,
  ...(of === undefined ? {} : { component: String(of.ast.annotations?.identifier), fields: fieldsOf(of.ast) })
})

/** Every field of the Visit (§2.4 to §2.6) as a tree, in the specification's order. */
export const visitFields: ReadonlyArray<Field> = fieldsOf(Visit.ast)

/** Returns the path of a field in the tree, by name and without indexes: `vital_signs.observations.value`. */
export type FieldPath = string

const byPath: ReadonlyMap<FieldPath, Field> = (() => {
  const found = new Map<FieldPath, Field>()
  const walk = (fields: ReadonlyArray<Field>, prefix: string): void => {
    for (const field of fields) {
      found.set(prefix + field.name, field)
      if (field.fields !== undefined) walk(field.fields, `${prefix}${field.name}.`)
    }
  }
  walk(visitFields, "")
  return found
})()

/** Returns the field at a path such as `vital_signs.observations.value`; `undefined` if the specification has none there. */
export const fieldAt = (path: FieldPath): Field | undefined => byPath.get(path)

/** Returns the field of a value's path, without indexes and keys inside a leaf: `["vital_signs", 3, "recorded_by"]`. */
export const fieldOfValue = (path: ReadonlyArray<string | number>): Field | undefined =>
  byPath.get(path.filter((part) => typeof part === "string").join("."))

/** The names of all fields, and the words in them. */
const names: ReadonlySet<string> = new Set(Array.from(byPath.values(), ({ name }) => name))
const words: ReadonlySet<string> = new Set(Array.from(names, (name) => name.split("_")).flat())

/** Whether a field of the specification, here or elsewhere, has the name. */
export const isFieldName = (name: string): boolean => names.has(name)

/**
 * Whether a key is made only of words of the specification's names, as in `birth_date` and `visitType`. Any other key may be data, such as the
 * name of a person.
 */
export const isMadeOfFieldWords = (key: string): boolean =>
  key.replace(/([a-z])(?=[A-Z])/gu, "$1_").toLowerCase().split("_").every((word) => words.has(word))

/** The paths of all fields, parents before their children, in the specification's order. */
export const fieldPaths: ReadonlyArray<FieldPath> = [...byPath.keys()]
