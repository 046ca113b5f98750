import type { Span } from "../../../diagnostic/Span.ts"
import { isComponentKey, isFieldKey } from "../../language/grammar/mappingGrammar.ts"
import type { Syntax, SyntaxMap } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

interface Branch {
  readonly name: string
  readonly fields: SyntaxMap
}

/**
 * A path next to `unionAll` applies to every branch without its own; if all branches have their own, it is never evaluated. Warns if an
 * overlay sets such a path without regard to the base's branches. If an overlay's branches replace the base's path, there is no warning.
 */
export const checkUnasked = (
  reader: SyntaxReader,
  shared: SyntaxMap,
  union: SyntaxMap,
  /** Returns whether a file is the facility's own, not one that it extends. */
  own: (file: string) => boolean
): void => {
  const branches = [...union.entries].flatMap(([name, { value }]): ReadonlyArray<Branch> =>
    value.kind === "map" && !isFalse(value.entries.get("enabled")?.value) ? [{ name, fields: value }] : []
  )
  checkFields(reader, shared, branches, own)
}

const checkFields = (
  reader: SyntaxReader,
  shared: SyntaxMap,
  branches: ReadonlyArray<Branch>,
  own: (file: string) => boolean
): void => {
  if (branches.length === 0) return
  for (const [field, { value }] of shared.entries) {
    if (isComponentKey(field)) continue
    const stated = branches.flatMap(({ fields, name }) => {
      const entry = fields.entries.get(field)
      return entry === undefined ? [] : [{ name, value: entry.value }]
    })
    if (stated.length < branches.length) continue
    const fixed = value.kind === "map" && [...value.entries.keys()].every(isFieldKey)
      ? value.entries.get("value")
      : undefined
    // A path of a branch in its long form takes over a value that is written for all branches.
    if (fixed !== undefined && stated.every(({ value }) => value.kind !== "map" || value.entries.has("value"))) {
      if (own(fixed.key.file) && stated.every(({ value }) => value.span.file !== fixed.key.file)) {
        warnOfUnused(reader, fixed.value.span, `the value of \`${field}\` is never sent`, field, branches)
      }
      continue
    }
    const path = pathOf(value)
    if (path !== undefined) {
      const { file } = path.span
      if (!own(file) || !stated.every(({ value }) => hasOwnSource(value) && value.span.file !== file)) continue
      warnOfUnused(reader, path.span, `the path of \`${field}\` is never evaluated`, field, branches)
    } else if (value.kind === "map") {
      const within = stated.flatMap(({ name, value }) => (value.kind === "map" ? [{ name, fields: value }] : []))
      if (within.length === branches.length) checkFields(reader, value, within, own)
    }
  }
}

const warnOfUnused = (
  reader: SyntaxReader,
  span: Span,
  says: string,
  field: string,
  branches: ReadonlyArray<Branch>
): void => {
  reader.warn("invalid-value", span, `${says}: every branch has its own`, {
    help: [
      `branches: ${branches.map(({ name }) => `\`${name}\``).join(", ")}`,
      `write it in the branches that need it:  unionAll: {${branches[0]?.name}: {… ${field}: …}}`
    ]
  })
}

/** Returns the path of a field, in short or long form. */
const pathOf = (syntax: Syntax): Syntax | undefined => {
  if (syntax.kind === "map") return syntax.entries.get("path")?.value
  return syntax.kind === "list" || typeof syntax.value === "string" ? syntax : undefined
}

/** Returns whether a field has a path or a value of its own. */
const hasOwnSource = (syntax: Syntax): boolean =>
  syntax.kind === "map" ? syntax.entries.has("path") || syntax.entries.has("value") : true

const isFalse = (syntax: Syntax | undefined): boolean => syntax?.kind === "scalar" && syntax.value === false
