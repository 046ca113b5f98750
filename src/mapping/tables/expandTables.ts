import { Effect, Path } from "effect"
import type { Span } from "../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { fileKeys } from "../language/grammar/conceptMapGrammar.ts"
import { keysOf, readValues } from "../language/grammar/Kind.ts"
import type { Syntax, SyntaxEntry, SyntaxMap } from "../language/MappingSyntax.ts"
import { isNull } from "../language/MappingSyntax.ts"
import { mergeRows } from "../language/mergeConceptMaps.ts"
import { mergeSyntax } from "../language/mergeSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import { readTable } from "./readTable.ts"

/** A facility's code table, merged over the concept map with the same name. */
export interface NamedTable {
  readonly name: string
  readonly file: string
  /** Where the facility names it. */
  readonly span?: Span
  /** The file has a form that is not read, for example that of a spreadsheet. */
  readonly isUnread?: boolean
}

/** Receives rows, problems, and the texts that source locations are shown in. */
export interface TableScope {
  readonly reader: SyntaxReader
  readonly texts: Map<string, string>
}

/**
 * Returns the concept maps of a mapping file with the rows of their files. `file:` is removed, and each row of the file replaces
 * the inline row of the same code in `table:`. Paths are relative to the mapping file.
 */
export const expandFiles = Effect.fnUntraced(function*(mapping: SyntaxMap, { reader, texts }: TableScope) {
  const paths = yield* Path.Path
  const conceptMaps = mapping.entries.get("conceptMap")
  if (conceptMaps?.value.kind !== "map") return mapping
  const expanded = new Map(conceptMaps.value.entries)
  for (const [name, { key, value }] of conceptMaps.value.entries) {
    if (value.kind !== "map") continue
    const acceptEntry = value.entries.get("accept")
    const fileEntry = value.entries.get("file")
    if (fileEntry === undefined) {
      if (acceptEntry !== undefined) {
        reader.report("missing-key", acceptEntry.key, `\`accept\` of \`${name}\` is about a \`file\` that is not named`)
      }
      continue
    }
    const { accept = [], file: files = [] } = readValues(reader, fileKeys, value)
    let table: Syntax | undefined = value.entries.get("table")?.value
    for (const file of files) {
      const written = String(file.value)
      const path = paths.isAbsolute(written) ? written : paths.join(paths.dirname(file.span.file), written)
      const { problems, rows, text } = yield* readTable(path, file.span, accept)
      reader.problems.push(...problems)
      texts.set(path, text)
      table = onTop(table, rows)
    }
    const entries = new Map(value.entries)
    for (const word of keysOf(fileKeys)) entries.delete(word)
    if (table !== undefined) entries.set("table", { key: fileEntry.key, value: table })
    expanded.set(name, { key, value: { ...value, entries } })
  }
  return withConceptMaps(mapping, { key: conceptMaps.key, value: { ...conceptMaps.value, entries: expanded } })
})

/** Merges a facility's tables over the concept maps of an effective mapping. A table requires an existing concept map. */
export const addTables = Effect.fnUntraced(function*(
  mapping: SyntaxMap,
  tables: ReadonlyArray<NamedTable>,
  { reader, texts }: TableScope
) {
  const conceptMaps = mapping.entries.get("conceptMap")
  const known = conceptMaps?.value.kind === "map" ? conceptMaps.value.entries : new Map<string, SyntaxEntry>()
  const expanded = new Map(known)
  for (const { file, isUnread, name, span } of tables) {
    const place = span ?? { file, line: 1, column: 1, endColumn: 2 }
    if (isUnread === true) {
      reader.warn("unreadable-file", place, `the file \`${file}\` is not read: it is not CSV, JSON or YAML`, {
        help: [
          `if it is a code table, save it as CSV UTF-8 in this folder:  ${name}.csv`,
          "if it is not, move it to another folder"
        ]
      })
      continue
    }
    const conceptMap = expanded.get(name)
    if (conceptMap === undefined) {
      const near = suggest(name, known.keys())
      reader.report("unknown-concept-map", place, `the table \`${name}\` is for a concept map that does not exist`, {
        label: didYouMean(near),
        help: known.size === 0 ? [] : [`concept maps: ${[...known.keys()].join(", ")}`]
      })
      continue
    }
    const { problems, rows, text } = yield* readTable(file, place)
    reader.problems.push(...problems)
    texts.set(file, text)
    if (conceptMap.value.kind !== "map") continue
    const entries = new Map(conceptMap.value.entries)
    const below = entries.get("table")
    const merged = below?.value.kind === "map"
      ? mergeRows(conceptMap.value, below.value, rows)
      : onTop(below?.value, rows)
    entries.set("table", { key: below?.key ?? place, value: merged })
    expanded.set(name, { ...conceptMap, value: { ...conceptMap.value, entries } })
  }
  if (conceptMaps?.value.kind !== "map") return mapping
  return withConceptMaps(mapping, { key: conceptMaps.key, value: { ...conceptMaps.value, entries: expanded } })
})

/** Merges by code; an empty `table:` counts as absent. Any other value is left for the check to report. */
const onTop = (below: Syntax | undefined, rows: SyntaxMap): Syntax =>
  below === undefined || isNull(below)
    ? rows
    : below.kind === "map"
    ? mergeSyntax(below, rows)
    : below

const withConceptMaps = (mapping: SyntaxMap, conceptMaps: SyntaxEntry): SyntaxMap => ({
  ...mapping,
  entries: new Map([...mapping.entries, ["conceptMap", conceptMaps]])
})
