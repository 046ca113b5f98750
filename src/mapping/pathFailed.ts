import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { PathFault } from "../fhirpath/FhirPath.ts"
import { KeyFault } from "./functions/KeyFault.ts"
import type { PathPlan } from "./MappingPlan.ts"

/** Reports a path that failed on a record. If it uses a key that failed, the key's path is the one to correct. */
export const pathFailed = (
  { span, text }: Pick<PathPlan, "span" | "text">,
  { cause, message }: PathFault,
  record: Pick<Diagnostic, "source" | "origin">
): Diagnostic =>
  keyFaultIn(cause)?.problem ?? {
    code: "path-failed",
    severity: "error",
    title: "this path failed on a record",
    label: message,
    mapping: span,
    path: text,
    ...record
  }

/** The error in a key that caused another error, which may be wrapped in others. */
export const keyFaultIn = (cause: unknown): KeyFault | undefined => {
  for (let one = cause; one instanceof Error; one = one.cause) if (one instanceof KeyFault) return one
  return undefined
}
