import type { Span } from "../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { isPathFault, parsePath } from "../../fhirpath/FhirPath.ts"
import { memberNames } from "../../objects.ts"
import type { Syntax, SyntaxEntry, SyntaxMap } from "../language/MappingSyntax.ts"
import { isNull, mappingEntriesOf } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import { noteUsed, nothingUsed, type UsedNames } from "./expressions/PathScope.ts"

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

/** Returns the names that lines use, also through the functions that they call. */
export const usedByLines = (lines: UsedNames, inBodies: ReadonlyMap<string, UsedNames>): UsedNames => {
  const used = nothingUsed()
  noteUsed(used, lines)
  // A set that grows while it is iterated: functions that functions call are added.
  for (const name of used.functions) {
    const names = inBodies.get(name)
    if (names !== undefined) noteUsed(used, names)
  }
  return used
}

/** Warns about names that the facility's own files define and no line uses. */
export const checkUnusedNames = (
  reader: SyntaxReader,
  root: SyntaxMap,
  used: UsedNames,
  inBodies: ReadonlyMap<string, UsedNames>,
  own: (file: string) => boolean
): void => {
  for (const word of memberNames(words)) {
    const names = mappingEntriesOf(root, word)
    for (const [name, { key, value }] of names) {
      // A key that is `null` finds nothing; any other `null` removes the name.
      if ((isNull(value) && word !== "key") || used[`${word}s`].has(name) || !own(key.file)) continue
      const near = suggest(name, [...names.keys()].filter((other) => used[`${word}s`].has(other)))
      const callers = [...inBodies].filter(([, body]) => body[`${word}s`].has(name)).map(([caller]) => `\`${caller}\``)
      reader.warn("unused-name", key, `no line uses the ${words[word]} \`${name}\``, {
        label: didYouMean(near),
        help: [
          ...(near === undefined && callers.length === 0 ? ["remove it"] : []),
          ...(callers.length === 0 ? [] : [`only functions that no line calls use it: ${callers.join(", ")}`]),
          ...(word === "function" ? ["elements and codes in its path are checked only where a line calls it"] : [])
        ]
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

/** Warns about parameters that the path of a function does not use. A function that replaces an inherited one keeps all of its parameters. */
export const checkUnusedParameters = (
  reader: SyntaxReader,
  root: SyntaxMap,
  replaces: (name: string, key: Span) => boolean
): void => {
  for (const [name, { key, value }] of mappingEntriesOf(root, "function")) {
    const [parameters, path] = ["parameters", "path"].map((word) =>
      value.kind === "map" ? value.entries.get(word)?.value : undefined
    )
    if (parameters?.kind !== "list" || path?.kind !== "scalar" || replaces(name, key)) continue
    const names = parsePath(String(path.value))
    if (isPathFault(names)) continue
    const used = new Set(names.variables.map((variable) => variable.name))
    for (const item of parameters.items) {
      if (item.kind !== "scalar" || used.has(String(item.value))) continue
      reader.warn(
        "unused-name",
        item.span,
        `the path of the function \`${name}\` does not use the parameter \`${item.value}\``,
        { help: [`use it as  %${item.value}  or remove it here and in the lines that call  ${name}()`] }
      )
    }
  }
}

/** Whether a column has another name in its file. */
const isRenamed = (name: string, column: Syntax): boolean => {
  const from = column.kind === "map" ? column.entries.get("from")?.value : undefined
  return from !== undefined && !(from.kind === "scalar" && lettersOf(String(from.value)) === lettersOf(name))
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")
