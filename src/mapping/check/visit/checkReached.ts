import { alwaysFinds } from "../../../fhirpath/pathSteps.ts"
import { hasRow } from "../../codes/ConceptMap.ts"
import type { SyntaxEntry } from "../../language/MappingSyntax.ts"
import type { Expression, SyntaxReader } from "../../language/SyntaxReader.ts"
import type { LeafPlan } from "../../MappingPlan.ts"

/** Warns about a path, or a default, that is never used: a path before it always finds a value, or is the same. */
export const checkReached = (
  reader: SyntaxReader,
  paths: ReadonlyArray<Expression>,
  { conceptMap, name, unit }: LeafPlan,
  fallback: SyntaxEntry | undefined,
  constants: Readonly<Record<string, unknown>>
): void => {
  const texts = paths.map(({ path }) => String(path.value))
  for (const [at, { assume, path }] of paths.entries()) {
    const first = texts.indexOf(String(path.value))
    // Two assumptions about one path are two doubts about its value.
    if (first === at || (assume !== undefined && paths[first]?.assume !== undefined)) continue
    reader.warn("invalid-value", path.span, `this path of \`${name}\` is never used: it is the same as one before it`, {
      help: ["remove one of the two, or correct it"]
    })
  }
  const isSent = (text: unknown): boolean =>
    text !== "" && (conceptMap === undefined || conceptMap.unmapped.mode === "fixed" ||
      conceptMap.unmapped.mode === "provided" || hasRow(conceptMap, text))
  const at = unit === undefined ? texts.findIndex((text) => alwaysFinds(text, constants, isSent)) : -1
  const span = paths[at]?.path.span
  if (span === undefined) return
  // A default of the mapping below can be left over.
  const hasDefault = fallback !== undefined && fallback.key.file === span.file
  const isLast = at === paths.length - 1
  if (isLast && !hasDefault) return
  reader.warn("invalid-value", span, `${isLast ? "the default" : "a path"} of \`${name}\` is never used`, {
    label: "this always finds a value",
    help: [isLast ? "remove one of the two" : "write this path after those that can find nothing"]
  })
}
