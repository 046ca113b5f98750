import type { SyntaxEntry } from "../../language/MappingSyntax.ts"
import { isNull } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

/**
 * Checks an overlay's `where` against the base's. Named conditions merge by name. If only one side has names, the overlay would replace
 * the base's conditions, and rows that the base excludes would be sent.
 */
export const checkConditions = (
  reader: SyntaxReader,
  below: SyntaxEntry | undefined,
  over: SyntaxEntry | undefined
): void => {
  if (below === undefined || over === undefined || isNull(below.value) || isNull(over.value)) return
  const [unnamed, named] = below.value.kind === "map" ? [over, below] : [below, over]
  if (named.value.kind !== "map" || unnamed.value.kind === "map") return
  const names = [...named.value.entries.keys()]
  reader.report(
    "invalid-value",
    unnamed.value.span,
    "do not mix named and unnamed conditions",
    {
      help: ["give it a name, so that it applies in addition to them:  where: {NAME: PATH}"],
      labels: [{ span: named.key, text: `named: ${names.join(", ")}` }]
    }
  )
}
