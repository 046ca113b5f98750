import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import type { Syntax, SyntaxEntry, SyntaxMap } from "../language/MappingSyntax.ts"
import { isNull, mappingEntriesOf } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import type { UsedNames } from "./expressions/PathScope.ts"

const words = { constant: "constant", function: "function", key: "key", conceptMap: "concept map" } as const

/** Reports each name that an overlay removes and lines still use. */
export const checkTakenAway = (reader: SyntaxReader, root: SyntaxMap, used: UsedNames): void => {
  for (const word of ["constant", "function", "conceptMap"] as const) {
    for (const [name, { value }] of mappingEntriesOf(root, word)) {
      if (!isNull(value) || !used[`${word}s`].has(name)) continue
      reader.report("invalid-value", value.span, `the ${words[word]} \`${name}\` is removed, and lines use it`, {
        help: [
          "also change the lines that use it, or replace it; `fhir2visit mapping show` shows these lines"
        ]
      })
    }
  }
}

/** Warns about names that the facility's own files define and no line uses. */
export const checkUnusedNames = (
  reader: SyntaxReader,
  root: SyntaxMap,
  used: UsedNames,
  own: (file: string) => boolean
): void => {
  for (const word of ["constant", "function", "key", "conceptMap"] as const) {
    const names = mappingEntriesOf(root, word)
    for (const [name, { key, value }] of names) {
      // A key that is `null` finds nothing; any other `null` removes the name.
      if ((isNull(value) && word !== "key") || used[`${word}s`].has(name) || !own(key.file)) continue
      const near = suggest(name, [...names.keys()].filter((other) => used[`${word}s`].has(other)))
      reader.warn("unused-name", key, `no line uses the ${words[word]} \`${name}\``, {
        label: didYouMean(near),
        help: near === undefined ? ["remove it"] : []
      })
    }
  }
  for (const { value } of mappingEntriesOf(root, "table").values()) {
    const columns = value.kind === "map" ? mappingEntriesOf(value, "column") : new Map<string, SyntaxEntry>()
    const below = [...columns].filter(([, { key }]) => !own(key.file)).map(([name]) => name)
    for (const [name, { key, value }] of columns) {
      // Others can be read without a line, as the text of a code. A name that the file has is not misspelt.
      const isRead = !own(key.file) || used.words.has(name) || used.words.has("*") || !isRenamed(name, value)
      const near = isRead ? undefined : suggest(name, below)
      if (near === undefined) continue
      reader.warn("unused-name", key, `no line uses the column \`${name}\``, { label: didYouMean(near) })
    }
  }
}

/** Whether a column has another name in its file. */
const isRenamed = (name: string, column: Syntax): boolean => {
  const from = column.kind === "map" ? column.entries.get("from")?.value : undefined
  return from !== undefined && !(from.kind === "scalar" && lettersOf(String(from.value)) === lettersOf(name))
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")
