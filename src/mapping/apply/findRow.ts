import type { Span } from "../../diagnostic/Span.ts"
import type { Syntax } from "../language/MappingSyntax.ts"

/** The source location of a concept-map row in the effective mapping. */
export const findRow = (mapping: Syntax, map: string, row: string): Span | undefined => {
  let at: Syntax | undefined = mapping
  for (const key of ["conceptMap", map, "table"]) at = at?.kind === "map" ? at.entries.get(key)?.value : undefined
  return at?.kind === "map" ? at.entries.get(row)?.key : undefined
}
