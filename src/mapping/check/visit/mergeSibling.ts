import type { Field } from "../../../visit/Field.ts"
import type { SyntaxEntry, SyntaxMap } from "../../language/MappingSyntax.ts"
import { mergeSyntax } from "../../language/mergeSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import { checkConditions } from "./checkConditions.ts"
import { hint } from "./checkWords.ts"

/** `sameAs: outpatients` starts a component with its sibling's entries; its own are merged over them, as an overlay's are. */
export const mergeSibling = (
  reader: SyntaxReader,
  map: SyntaxMap,
  name: string,
  fields: ReadonlyArray<Field>
): SyntaxEntry | "reported" | undefined => {
  const entry = map.entries.get(name)
  if (entry === undefined || entry.value.kind !== "map") return entry
  const same = entry.value.entries.get("sameAs")
  const sibling = reader.text(same, "`sameAs`")
  if (same === undefined || sibling === undefined) return entry
  const below = map.entries.get(sibling)
  if (sibling === name || (below?.value.kind === "map" && below.value.entries.has("sameAs"))) {
    const what = sibling === name
      ? `\`${name}\` is the same as itself`
      : `\`${sibling}\` is itself the same as another section`
    reader.report("invalid-value", same.value.span, what, {
      help: ["name a section that does not use `sameAs` itself"]
    })
    return "reported"
  }
  if (below === undefined || below.value.kind !== "map") {
    reader.report("invalid-value", same.value.span, `\`sameAs\` needs \`${sibling}\` next to \`${name}\``, {
      label: hint(sibling, [...map.entries.keys()])
    })
    return "reported"
  }
  const componentOf = (field: string): string | undefined => fields.find((one) => one.name === field)?.component
  if (componentOf(sibling) !== componentOf(name)) {
    const alike = fields.filter((one) => one.name !== name && one.component === componentOf(name))
    reader.report(
      "invalid-value",
      same.value.span,
      `\`${name}\` cannot be the same as \`${sibling}\`: it has other fields`,
      { help: alike.length === 0 ? [] : [`these have the same: ${alike.map((one) => one.name).join(", ")}`] }
    )
    return "reported"
  }
  checkConditions(reader, below.value.entries.get("where"), entry.value.entries.get("where"))
  return { key: entry.key, value: mergeSyntax(below.value, entry.value) }
}
