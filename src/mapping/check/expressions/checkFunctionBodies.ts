import { plural } from "../../../diagnostic/count.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { MappingPlan } from "../../MappingPlan.ts"
import type { FunctionBodies, FunctionBody } from "./checkBodies.ts"
import { checkPath } from "./checkPaths.ts"
import type { PathScope } from "./PathScope.ts"
import { anywhere } from "./PathScope.ts"
import { reportElement } from "./reportElement.ts"
import { reportUnknownCodes } from "./reportTypeErrors.ts"

/** Checks the bodies of functions without their calls, for any input. */
export const checkFunctionBodies = (
  reader: SyntaxReader,
  bodies: ReadonlyArray<FunctionBody>,
  scope: PathScope,
  fhirPath: MappingPlan["fhirPath"]
): void => {
  for (const { parameters, path } of bodies) {
    const inner = { ...scope, variables: new Set([...scope.variables, ...parameters]) }
    checkPath(reader, path, inner, fhirPath, anywhere)
  }
}

/** Reports errors in bodies that depend on the lines that call them, or on the functions that they call. */
export const reportBodyFaults = (
  reader: SyntaxReader,
  bodies: FunctionBodies,
  scope: PathScope
): void => {
  for (const [path, codes] of bodies.unknownCodes()) reportUnknownCodes(reader, path, codes)
  for (const { call, calls, fault, path, uncertain } of bodies.faults()) {
    const others = calls === 1 ? "" : `, and in ${plural(calls - 1, "other place")}`
    reportElement(reader, path, fault, scope, {
      severity: uncertain ? "warning" : "error",
      label: { span: call, text: `called here${others}` }
    })
  }
}
