import type { Field } from "../../visit/Field.ts"
import type { SyntaxMap } from "../language/MappingSyntax.ts"

/** Describes what is missing from a mapping without `extends` that most likely forgot it. */
export const gapsOf = (root: SyntaxMap, fields: ReadonlyArray<Field>): string | undefined => {
  const absent = ["grouping", "key", "visit"].filter((section) => !root.entries.has(section))
  const visit = root.entries.get("visit")?.value
  const needed = fields.filter(({ optional }) => !optional)
  const stated = visit?.kind === "map" ? needed.filter(({ name }) => visit.entries.has(name)).length : needed.length
  if (absent.length > 1) return `the mapping has no ${absent.map((section) => `\`${section}\``).join(", ")}`
  return stated * 2 < needed.length
    ? `the mapping declares ${stated} of the ${needed.length} fields of a visit`
    : undefined
}
