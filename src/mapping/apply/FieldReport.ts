import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { PathPlan } from "../MappingPlan.ts"
import type { FieldContext } from "./FieldContext.ts"
import { sourceOf } from "./VisitContext.ts"

/** Tells a problem of a field. */
export type FieldReport = (
  diagnostic: Pick<Diagnostic, "code" | "severity" | "title"> & Partial<Diagnostic>
) => undefined

/**
 * Tells a problem of the field that is being filled, with the record that it stands on, and the path that found what is told of. It is
 * made only where there is something to tell.
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

/** A value as it is drawn for a person who asks for values, and for nobody else. */
export const shown = (text: string): string => (text.length <= 200 ? text : `${text.slice(0, 199)}…`)
