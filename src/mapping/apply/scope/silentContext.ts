import { type Elements, evaluatePath, isPathFault, type PathFault, valuesOfPath } from "../../../fhirpath/FhirPath.ts"
import type { LeafContext } from "../fields/FieldContext.ts"
import type { OpenVisitScope } from "./OpenVisitScope.ts"
import type { VisitContext } from "./VisitContext.ts"

/** Returns a context that evaluates paths of a visit's fields again, and reports nothing. A path that fails finds nothing. */
export const silentContext = ({ time, timestamps, zone }: VisitContext, scope: OpenVisitScope): LeafContext => ({
  zone,
  time,
  timestamps,
  problem: () => undefined,
  problemCount: () => 0,
  hasErrorSince: () => false,
  unmapped: () => undefined,
  evaluate: (path, focus, variables) => orNothing(evaluatePath(path, focus, variables, scope)),
  values: (path, focus, variables) => orNothing(valuesOfPath(path, focus, variables, scope))
})

const orNothing = (result: Elements | PathFault): Elements => (isPathFault(result) ? [] : result)
