import { plural } from "../../diagnostic/count.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { suggest } from "../../diagnostic/suggest.ts"
import { type Relation, relations } from "../language/grammar/relations.ts"
import type { Syntax, SyntaxMap } from "../language/MappingSyntax.ts"
import { jsonSyntax } from "./jsonSyntax.ts"
import { type PlacedText, TableReader, type TableRows } from "./TableRows.ts"

/**
 * Reads a FHIR ConceptMap in JSON, R4 or R5, as a code table: `source|code` to the target's code. A target that is not equal or
 * equivalent is omitted, unless `accept` lists its relation.
 */
export const readConceptMapTable = (file: string, text: string, accept: ReadonlyArray<string>): TableRows => {
  const reader = new TableReader(file)
  const syntax = jsonSyntax(file, text)
  if ("code" in syntax) {
    reader.problems.push(syntax)
    return reader.done()
  }
  if (textAt(syntax, "resourceType")?.text !== "ConceptMap") {
    reader.report("invalid-value", syntax.span, "the file is not a FHIR ConceptMap", {
      help: ["a code table is a CSV file, or a ConceptMap in JSON"]
    })
    return reader.done()
  }
  if (itemsOf(syntax, "group").length === 0) {
    const keys = syntax.kind === "map" ? [...syntax.entries] : []
    const wrong = keys.find(([key]) => key !== "group" && suggest(key, ["group"]) !== undefined)
    if (wrong === undefined) reader.warn("invalid-value", syntax.span, "the ConceptMap has no `group`, and no rows")
    else {
      reader.report("unknown-key", wrong[1].key, `a ConceptMap has no \`${wrong[0]}\``, {
        label: "did you mean `group`?"
      })
    }
    return reader.done()
  }
  const accepted = new Set<Relation>(["equivalent", ...accept.flatMap((word) => relations.get(word) ?? [])])
  const droppedTargets = new Map<string, { readonly span: Span; count: number }>()
  for (const group of itemsOf(syntax, "group")) {
    // A version after the system does not change which codes it identifies.
    const system = textAt(group, "source")?.text.replace(/\|.*$/u, "") ?? ""
    for (const element of itemsOf(group, "element")) {
      const code = textAt(element, "code")
      if (code === undefined) {
        reader.report("invalid-value", element.span, "an element of the ConceptMap has no `code`")
        continue
      }
      for (const target of itemsOf(element, "target")) {
        const word = textAt(target, "equivalence") ?? textAt(target, "relationship")
        if (word === undefined) {
          reader.report("invalid-value", target.span, "a target of the ConceptMap has no relationship to the source", {
            help: ["R4 uses `equivalence`, R5 uses `relationship`"]
          })
          continue
        }
        const relation = relations.get(word.text)
        if (relation === undefined) {
          reader.report("invalid-value", word.span, `a ConceptMap knows no relation \`${word.text}\``)
        } else if (!accepted.has(relation)) {
          const known = droppedTargets.get(word.text)
          if (known !== undefined) known.count++
          else if (relation !== "none") droppedTargets.set(word.text, { span: word.span, count: 1 })
        } else {
          const value = textAt(target, "code")
          if (value === undefined) {
            reader.report("invalid-value", target.span, "a target of the ConceptMap has no `code`")
          } else reader.row(system, code, value)
        }
      }
    }
    const unmapped = group.entries.get("unmapped")
    if (unmapped !== undefined) {
      reader.warn("unknown-key", unmapped.key, "`unmapped` of a ConceptMap is not used", {
        help: ["declare in the mapping what happens to an unmapped code:  unmapped: reject"]
      })
    }
  }
  for (const [word, { count, span }] of droppedTargets) {
    reader.warn(
      "invalid-value",
      span,
      `${plural(count, "target")} that the ConceptMap calls \`${word}\` ${count === 1 ? "is" : "are"} dropped`,
      { label: "the first", help: [`to take them:  accept: [${word}]`] }
    )
  }
  return reader.done()
}

const textAt = (syntax: Syntax, key: string): PlacedText | undefined => {
  const value = syntax.kind === "map" ? syntax.entries.get(key)?.value : undefined
  return value?.kind === "scalar" && typeof value.value === "string" && value.value !== ""
    ? { text: value.value, span: value.span }
    : undefined
}

const itemsOf = (map: Syntax, key: string): ReadonlyArray<SyntaxMap> => {
  const list = map.kind === "map" ? map.entries.get(key)?.value : undefined
  return list?.kind === "list" ? list.items.filter((item) => item.kind === "map") : []
}
