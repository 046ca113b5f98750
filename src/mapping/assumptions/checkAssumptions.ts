import type { Span } from "../../diagnostic/Span.ts"
import { defineOrTake, didYouMean, suggest } from "../../diagnostic/suggest.ts"
import type { Assumption } from "../MappingPlan.ts"
import type { Syntax, SyntaxEntry, SyntaxMap } from "../MappingSyntax.ts"
import type { SyntaxReader } from "../SyntaxReader.ts"
import { assumptionAsks, assumptionLevels, assumptionWords } from "../words.ts"

/**
 * Reads `assumption:`, the decisions of the mapping that the source does not force. Every name that a line uses must be declared, and what
 * the files of the facility declare some line must use.
 */
export const checkAssumptions = (
  reader: SyntaxReader,
  root: SyntaxMap,
  /** Tells the facility's own files from those that they extend. */
  own: (file: string) => boolean
): ReadonlyMap<string, Assumption> => {
  const declared = new Map<string, Assumption>()
  const entry = root.entries.get("assumption")
  const map = entry === undefined ? undefined : reader.names(entry.value, "`assumption`")
  for (const [name, one] of map?.entries ?? []) declared.set(name, readAssumption(reader, name, one))
  const used = new Set<string>()
  for (const section of ["visit", "conceptMap"]) {
    const syntax = root.entries.get(section)?.value
    if (syntax !== undefined) {
      findUses(syntax, (name, span) => {
        used.add(name)
        if (declared.has(name)) return
        const near = suggest(name, [...declared.keys()])
        reader.report(
          "unknown-assumption",
          span,
          `no assumption is called \`${name}\``,
          didYouMean(near),
          defineOrTake(near, "assumption", declared.keys())
        )
      })
    }
  }
  for (const [name, { key }] of map?.entries ?? []) {
    if (used.has(name) || !own(key.file)) continue
    const near = suggest(name, [...used].filter((other) => !map!.entries.has(other)))
    reader.warn("unused-name", key, `no line uses the assumption \`${name}\``, didYouMean(near), ["remove it"])
  }
  return declared
}

const readAssumption = (reader: SyntaxReader, name: string, { key, value }: SyntaxEntry): Assumption => {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name)) {
    reader.report("invalid-value", key, `\`${name}\` cannot be the name of an assumption`, undefined, [
      "small letters and digits, with - between words:  surname-is-last-word"
    ])
  }
  const what = `the assumption \`${name}\``
  const map = reader.names(value, what, assumptionWords)
  const sentence = (word: "means" | "instead"): string => {
    const entry = map?.entries.get(word)
    if (entry === undefined && map !== undefined) {
      reader.report("missing-key", key, `${what} needs \`${word}\``, undefined, [
        word === "means"
          ? "say in a sentence what is done"
          : "say in a sentence what could be done instead, with the line that does it"
      ])
    }
    return reader.text(entry, `\`${word}\``) ?? ""
  }
  return {
    name,
    means: sentence("means"),
    instead: sentence("instead"),
    ask: reader.oneOf(map?.entries.get("ask"), "`ask`", assumptionAsks) ?? "hospital",
    level: reader.oneOf(map?.entries.get("level"), "`level`", assumptionLevels) ?? "warning",
    span: key
  }
}

/** Every `assume: NAME`. A concept map may have a code of that name: its row is no use. */
const findUses = (syntax: Syntax, found: (name: string, span: Span) => void): void => {
  if (syntax.kind === "list") { for (const item of syntax.items) findUses(item, found) }
  if (syntax.kind !== "map") return
  for (const [word, { value }] of syntax.entries) {
    if (word === "assume" && value.kind === "scalar" && typeof value.value === "string") found(value.value, value.span)
    else findUses(value, found)
  }
}
