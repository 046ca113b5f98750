import type { Span } from "../../diagnostic/Span.ts"
import type { FieldPlan, MappingPlan } from "../MappingPlan.ts"

/** Returns the line of a mapping that fills a field (`patient.occupation`), or the line of the nearest enclosing component. */
export const findLine = ({ visit }: MappingPlan, field: string): Span => {
  let at: FieldPlan = visit
  let span: Span = visit.span
  for (const name of field === "" ? [] : field.split(".")) {
    const next: FieldPlan | undefined = at.kind === "leaf"
      ? undefined
      : at.branches.flatMap((branch) => branch.fields).find((inner) => inner.name === name)
    if (next === undefined) break
    at = next
    span = next.span
  }
  return at.kind === "leaf" ? (at.paths[0]?.span ?? span) : span
}
