import { plural } from "../../diagnostic/count.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import type { Syntax, SyntaxEntry, SyntaxMap } from "../language/MappingSyntax.ts"
import { isNull, mappingEntriesOf } from "../language/MappingSyntax.ts"
import { replacesAll } from "../language/mergeOverlay.ts"
import { mergeSyntax } from "../language/mergeSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import { checkConditions } from "./visit/checkConditions.ts"

/**
 * Checks an overlay against the base's branches and conditions. A branch that the base lacks must bring rows of its own, because
 * otherwise it changes nothing. A condition, a constant and so on that is removed must exist in the base.
 */
export const checkOverlay = (reader: SyntaxReader, base: SyntaxMap, overlay: SyntaxMap): void => {
  for (const [section, { value }] of overlay.entries) {
    if (value.kind === "map" || (value.kind === "scalar" && value.unwritten !== undefined)) continue
    if (base.entries.get(section)?.value.kind !== "map" || section === "stated") continue
    reader.report("invalid-value", value.span, `\`${section}\` must be a map of names and values`, {
      help: ["remove it to keep what the mapping below has; to remove a single name, write  NAME: null"]
    })
  }
  constants(reader, base.entries.get("constant")?.value, overlay.entries.get("constant")?.value)
  for (const [section, what] of namedThings) {
    const [under, over] = [base, overlay].map(({ entries }) => entries.get(section)?.value)
    if (under !== undefined && over !== undefined) names(reader, under, over, what, isRemoved)
  }
  for (const [name, { value }] of mappingEntriesOf(overlay, "conceptMap")) {
    const [under, over] = [mappingEntriesOf(base, "conceptMap").get(name)?.value, value].map((map) =>
      map?.kind === "map" ? map.entries.get("table")?.value : undefined
    )
    if (under !== undefined && over !== undefined) names(reader, under, over, "row", isRemoved)
  }
  parameters(reader, base, overlay)
  below(reader, base, overlay)
}

/** What a section of a mapping names. */
const namedThings = [
  ["constant", "constant"],
  ["function", "function"],
  ["conceptMap", "concept map"],
  ["table", "table"],
  ["assumption", "assumption"]
] as const

/** A function that the lines of the base call keeps its number of parameters. */
const parameters = (reader: SyntaxReader, base: SyntaxMap, overlay: SyntaxMap): void => {
  for (const [name, { key, value }] of mappingEntriesOf(overlay, "function")) {
    const below = mappingEntriesOf(base, "function").get(name)?.value
    if (below === undefined || isNull(below) || isNull(value)) continue
    const [before, after] = [below, mergeSyntax(below, value)].map((written) => parametersOf(written))
    if (before?.length !== after?.length) reportParameters(reader, key, name, before ?? [])
  }
}

const parametersOf = (written: Syntax): ReadonlyArray<string> => {
  const list = written.kind === "map" ? written.entries.get("parameters")?.value : undefined
  return list?.kind === "list" ? list.items.map((item) => item.kind === "scalar" ? String(item.value) : "") : []
}

/** Reports a function that replaces an inherited one and has other parameters: each line that calls it would be wrong. */
export const reportParameters = (
  reader: SyntaxReader,
  key: Span,
  name: string,
  parameters: ReadonlyArray<string>
): void => {
  const count = parameters.length === 0 ? "no parameters" : plural(parameters.length, "parameter")
  const names = parameters.map((one) => one.replaceAll(" ", "_")).join(", ")
  const form = parameters.length === 0 ? "PATH" : `{parameters: [${names}], path: PATH}`
  reader.report("wrong-arguments", key, `the lines of the mapping below call \`${name}\` with ${count}`, {
    help: [`to replace it, write  ${name}: ${form}`, "to add a function of your own, give it another name"]
  })
}

const isRemoved = ({ value }: SyntaxEntry): boolean => isNull(value)

/** A constant keeps its type: text, number or truth value. */
const constants = (reader: SyntaxReader, base: Syntax | undefined, overlay: Syntax | undefined): void => {
  if (base?.kind !== "map" || overlay?.kind !== "map") return
  for (const [name, { value }] of overlay.entries) {
    const known = base.entries.get(name)?.value
    if (value.kind !== "scalar" || value.value === null || known?.kind !== "scalar" || known.value === null) continue
    const kind = typeof known.value
    if (typeof value.value === kind) continue
    reader.report(
      "invalid-value",
      value.span,
      `the constant \`${name}\` is ${kindOf(known.value)} in the mapping below`,
      { help: kind === "string" ? ["write it in quotes"] : [] }
    )
  }
}

const kindOf = (value: string | number | boolean): string =>
  typeof value === "string" ? "a text" : typeof value === "number" ? "a number" : "true or false"

const below = (reader: SyntaxReader, base: Syntax, overlay: Syntax): void => {
  if (base.kind !== "map" || overlay.kind !== "map" || replacesAll(base, overlay)) return
  for (const [key, entry] of overlay.entries) {
    const under = base.entries.get(key)?.value
    if (under === undefined) continue
    if (key === "unionAll") names(reader, under, entry.value, "branch", (found) => !bringsRows(found))
    if (key === "where") {
      names(reader, under, entry.value, "condition", isRemoved)
      // Rows from a different source have their own conditions.
      if (!hasRows(overlay)) checkConditions(reader, base.entries.get(key), entry)
    }
    below(reader, under, entry.value)
  }
}

const names = (
  reader: SyntaxReader,
  base: Syntax,
  overlay: Syntax,
  what: "branch" | "condition" | "row" | (typeof namedThings)[number][1],
  wrong: (entry: SyntaxEntry) => boolean
): void => {
  if (base.kind !== "map" || overlay.kind !== "map") return
  const known = [...base.entries.keys()]
  for (const [name, entry] of overlay.entries) {
    if (base.entries.has(name) || (what === "row" && base.entries.has(`*|${name}`))) continue
    const isWrong = wrong(entry)
    // Most rows of a code table are new: no name is looked for that is like theirs.
    if (!isWrong && what !== "condition") continue
    const near = suggest(name, known)
    if (!isWrong && near === undefined) continue
    const title = `the mapping below has no ${what} \`${name}\``
    const label = didYouMean(near)
    const help = [
      known.length > maxNames ? "fhir2visit mapping show  lists what it has" : `it has: ${known.join(", ")}`,
      ...(what === "branch"
        ? ["a branch of your own needs the source of its rows:  resource: …  or  forEach: …"]
        : [])
    ]
    // A branch that is switched off changes nothing: a warning. Any other would lack most of its fields: an error.
    if (what === "branch" && !isOff(entry)) reader.report("unknown-branch", entry.key, title, { label, help })
    else reader.warn("unknown-branch", entry.key, title, { label, help })
  }
}

/** More names in one message are not read. */
const maxNames = 60

const bringsRows = ({ value }: SyntaxEntry): boolean => value.kind === "map" && hasRows(value)

const hasRows = ({ entries }: SyntaxMap): boolean =>
  ["resource", "forEach", "forEachOrNull"].some((word) => entries.has(word))

const isOff = ({ value }: SyntaxEntry): boolean => {
  const enabled = value.kind === "map" ? value.entries.get("enabled")?.value : undefined
  return enabled?.kind === "scalar" && enabled.value === false
}
