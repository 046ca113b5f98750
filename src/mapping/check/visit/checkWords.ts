import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import type { Field } from "../../../visit/Field.ts"
import { visitFields } from "../../../visit/fields.ts"
import { keysOf } from "../../language/grammar/Kind.ts"
import { componentKeys, fieldKeys, isComponentKey } from "../../language/grammar/mappingGrammar.ts"
import type { Syntax, SyntaxMap } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { ComponentPlan } from "../../MappingPlan.ts"

/** The target of a mapping component: a component of the specification, or the visit itself. */
export interface Target {
  readonly name: string
  readonly field: Field | null
  readonly fields: ReadonlyArray<Field>
  readonly shape: ComponentPlan["shape"]
}

/** Suggests a known name for an unknown one. */
export const hint = (name: string, names: ReadonlyArray<string>): string | undefined => didYouMean(suggest(name, names))

export const nameOf = (target: Target): string => (target.field === null ? "the visit" : `\`${target.name}\``)

/** The section of each field, for a field in the wrong section. Names in several sections are omitted. */
const homes: ReadonlyMap<string, string> = (() => {
  const found = new Map<string, string>()
  const several = new Set<string>()
  const look = (fields: ReadonlyArray<Field>, path: string): void => {
    for (const field of fields) {
      if (found.has(field.name)) several.add(field.name)
      found.set(field.name, path === "" ? "the visit itself" : `\`${path}\``)
      look(field.fields ?? [], path === "" ? field.name : `${path}.${field.name}`)
    }
  }
  look(visitFields, "")
  for (const name of several) found.delete(name)
  return found
})()

/** Checks that every key of a component is a keyword of the language or a field. */
export const checkWords = (reader: SyntaxReader, map: SyntaxMap, target: Target): void => {
  const known = target.fields.map((field) => field.name)
  for (const [key, entry] of map.entries) {
    if (known.includes(key) || isComponentKey(key)) continue
    reader.report("unknown-field", entry.key, `${nameOf(target)} has no field \`${key}\``, {
      label: hint(key, [...known, ...keysOf(componentKeys)]),
      help: [
        `fields: ${known.join(", ")}${target.field === null ? "" : `  (specification ${target.field.section})`}`,
        `keys: ${keysOf(componentKeys).join(", ")}`,
        ...(homes.has(key) ? [`it is a field of ${homes.get(key)}`] : [])
      ]
    })
  }
}

/** Checks the keys of a component that is switched off. It is not used, but a misspelt key is still an error. */
export const checkUnused = (reader: SyntaxReader, syntax: Syntax, target: Target): void => {
  if (syntax.kind !== "map") return
  checkWords(reader, syntax, target)
  const branches = syntax.entries.get("unionAll")?.value
  if (branches?.kind === "map") {
    for (const { value } of branches.entries.values()) {
      checkUnused(reader, value, target)
    }
  }
  for (const field of target.fields) {
    const inner = syntax.entries.get(field.name)?.value
    if (inner?.kind !== "map") continue
    const { fields = [], kind } = field
    if ((kind === "object" && fields.length > 0) || kind === "list") {
      checkUnused(reader, inner, { name: field.name, field, fields, shape: kind })
    } else if (kind !== "strings" && kind !== "examination") {
      reader.map(inner, `the field \`${field.name}\``, keysOf(fieldKeys))
    }
  }
}
