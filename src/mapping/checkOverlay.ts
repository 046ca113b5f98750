import { suggest } from "../diagnostic/suggest.ts"
import type { Syntax, SyntaxEntry } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

/**
 * What an overlay says about the base's branches and conditions: a branch that is not there and brings no rows of its own
 * changes nothing, and a condition that is taken away must have been there.
 */
export const checkOverlay = (reader: SyntaxReader, base: Syntax, overlay: Syntax): void => {
  if (base.kind !== "map" || overlay.kind !== "map") return
  for (const [key, entry] of overlay.entries) {
    const below = base.entries.get(key)?.value
    if (below === undefined) continue
    if (key === "unionAll") names(reader, below, entry.value, "branch", (found) => !bringsRows(found))
    if (key === "where") names(reader, below, entry.value, "condition", isNull)
    checkOverlay(reader, below, entry.value)
  }
}

const names = (
  reader: SyntaxReader,
  base: Syntax,
  overlay: Syntax,
  what: "branch" | "condition",
  wrong: (entry: SyntaxEntry) => boolean
): void => {
  if (base.kind !== "map" || overlay.kind !== "map") return
  const known = [...base.entries.keys()]
  for (const [name, entry] of overlay.entries) {
    if (base.entries.has(name)) continue
    const near = suggest(name, known)
    if (!wrong(entry) && (what === "branch" || near === undefined)) continue
    reader.warn(
      "unknown-branch",
      entry.key,
      `the mapping below has no ${what} \`${name}\``,
      near === undefined ? undefined : `did you mean \`${near}\`?`,
      [
        `it has: ${known.join(", ")}`,
        ...(what === "branch"
          ? ["a branch of your own says where its rows come from:  resource: …  or  forEach: …"]
          : [])
      ]
    )
  }
}

const bringsRows = ({ value }: SyntaxEntry): boolean =>
  value.kind === "map" && ["resource", "forEach", "forEachOrNull"].some((word) => value.entries.has(word))

const isNull = ({ value }: SyntaxEntry): boolean => value.kind === "scalar" && value.value === null
