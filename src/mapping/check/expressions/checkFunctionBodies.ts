import { plural } from "../../../diagnostic/count.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { MappingPlan } from "../../MappingPlan.ts"
import type { FunctionBodies, FunctionBody } from "./checkBodies.ts"
import { checkPath } from "./checkPaths.ts"
import type { PathScope, UsedNames } from "./PathScope.ts"
import { anywhere, nothingUsed } from "./PathScope.ts"
import { reportElement } from "./reportElement.ts"
import { reportUnknownCodes } from "./reportTypeErrors.ts"

/** Checks the bodies of functions without their calls, for any input. Returns the names that each of them uses. */
export const checkFunctionBodies = (
  reader: SyntaxReader,
  bodies: ReadonlyArray<FunctionBody>,
  scope: PathScope,
  fhirPath: MappingPlan["fhirPath"]
): ReadonlyMap<string, UsedNames> =>
  new Map(bodies.map(({ name, parameters, path }) => {
    const used = nothingUsed()
    const inner = { ...scope, variables: new Set([...scope.variables, ...parameters]), used }
    checkPath(reader, path, inner, fhirPath, anywhere)
    return [name, used]
  }))

/** Reports errors in bodies that depend on the lines that call them, or on the functions that they call. */
export const reportBodyFaults = (
  reader: SyntaxReader,
  bodies: FunctionBodies,
  scope: PathScope,
  own: (file: string) => boolean
): void => {
  for (const [path, codes] of bodies.unknownCodes(own)) reportUnknownCodes(reader, path, codes)
  for (const { call, calls, fault, path, uncertain } of bodies.faults()) {
    const others = calls === 1 ? "" : `, and in ${plural(calls - 1, "other place")}`
    reportElement(reader, path, fault, scope, {
      severity: uncertain ? "warning" : "error",
      label: { span: call, text: `called here${others}` }
    })
  }
}
