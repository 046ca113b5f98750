import type { Syntax, SyntaxMap } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import { componentWords } from "../language/words.ts"

interface Branch {
  readonly name: string
  readonly says: SyntaxMap
}

/**
 * A path beside `unionAll` is that of every branch without its own; where all have their own it is never asked. An overlay that is written
 * without a look at the branches of its base is told so; what a base says is replaced by branches of an overlay and needs no word.
 */
export const checkUnasked = (
  reader: SyntaxReader,
  shared: SyntaxMap,
  union: SyntaxMap,
  /** Whether a file is the facility's own, and none that it extends. */
  own: (file: string) => boolean
): void => {
  const branches = [...union.entries].flatMap(([name, { value }]): ReadonlyArray<Branch> =>
    value.kind === "map" && !isFalse(value.entries.get("enabled")?.value) ? [{ name, says: value }] : []
  )
  if (branches.length > 0) checkFields(reader, shared, branches, own)
}

const checkFields = (
  reader: SyntaxReader,
  shared: SyntaxMap,
  branches: ReadonlyArray<Branch>,
  own: (file: string) => boolean
): void => {
  for (const [field, { value }] of shared.entries) {
    if ((componentWords as ReadonlyArray<string>).includes(field)) continue
    const stated = branches.flatMap(({ name, says }) => {
      const entry = says.entries.get(field)
      return entry === undefined ? [] : [{ name, value: entry.value }]
    })
    if (stated.length < branches.length) continue
    const path = pathOf(value)
    if (path !== undefined) {
      const { file } = path.span
      if (!own(file) || !stated.every(({ value }) => saysItself(value) && value.span.file !== file)) continue
      reader.warn(
        "invalid-value",
        path.span,
        `the path of \`${field}\` is never asked: every branch has its own`,
        undefined,
        [
          `branches: ${branches.map(({ name }) => `\`${name}\``).join(", ")}`,
          `write it in those it is meant for:  unionAll: {${branches[0]!.name}: {… ${field}: …}}`
        ]
      )
    } else if (value.kind === "map") {
      const within = stated.flatMap(({ name, value }) => (value.kind === "map" ? [{ name, says: value }] : []))
      if (within.length === branches.length) checkFields(reader, value, within, own)
    }
  }
}

/** The path of a field, in its short form or its long one. */
const pathOf = (syntax: Syntax): Syntax | undefined => {
  if (syntax.kind === "map") return syntax.entries.get("path")?.value
  return syntax.kind === "list" || typeof syntax.value === "string" ? syntax : undefined
}

const saysItself = (syntax: Syntax): boolean =>
  syntax.kind === "map" ? syntax.entries.has("path") || syntax.entries.has("value") : true

const isFalse = (syntax: Syntax | undefined): boolean => syntax?.kind === "scalar" && syntax.value === false
