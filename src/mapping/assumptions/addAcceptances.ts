import { Effect } from "effect"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { keysOf } from "../language/grammar/Kind.ts"
import { assumptionFileKeys } from "../language/grammar/mappingGrammar.ts"
import type { SyntaxEntry, SyntaxMap } from "../language/MappingSyntax.ts"
import { mergeSyntax } from "../language/mergeSyntax.ts"
import { parseYaml } from "../language/parseYaml.ts"
import type { TableScope } from "../tables/expandTables.ts"

/** Adds the acceptances of the facility's own file, `assumptions.yaml`, to those of an effective mapping. */
export const addAcceptances = Effect.fnUntraced(function*(
  mapping: SyntaxMap,
  file: string | undefined,
  { reader, texts }: TableScope
) {
  if (file === undefined) return mapping
  const read = yield* readTextFile(file)
  const span = { file, line: 1, column: 1, endColumn: 2 }
  if (read._tag === "Unreadable") {
    reader.report("unreadable-file", span, `the file \`${file}\` cannot be read: ${read.why}`)
    return mapping
  }
  const { text } = read
  texts.set(file, text)
  const { problems, syntax } = parseYaml(file, text)
  reader.problems.push(...problems)
  if (syntax === undefined) return mapping
  const over = reader.map(syntax, "a file of assumptions", keysOf(assumptionFileKeys))?.entries.get("accept")
  const below = mapping.entries.get("accept")
  if (over === undefined) return mapping
  const merged: SyntaxEntry = below === undefined
    ? over
    : { key: over.key, value: mergeSyntax(below.value, over.value) }
  return { ...mapping, entries: new Map([...mapping.entries, ["accept", merged]]) }
})
