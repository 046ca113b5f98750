import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { PathPlan } from "../../MappingPlan.ts"
import { sourceOf } from "../scope/VisitContext.ts"
import type { FieldContext } from "./FieldContext.ts"

/** Reports a problem of a field. */
type FieldReport = (
  diagnostic: Pick<Diagnostic, "code" | "severity" | "title"> & Partial<Diagnostic>
) => undefined

/**
 * Reports a problem of the field that is being filled, with the record in its focus and the path that found the value. It is made only if
 * there is something to report.
 */
export const reportOn = ({ context, focus, leaf, row }: FieldContext, path?: PathPlan): FieldReport => (diagnostic) => {
  context.problem(row, leaf.name, {
    mapping: path?.span ?? leaf.span,
    ...(path === undefined ? {} : { path: path.text }),
    ...sourceOf(focus),
    ...diagnostic
  })
  return undefined
}
