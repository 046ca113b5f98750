import type { InferredType } from "../../fhirpath/infer/InferredType.ts"
import { anything, oneOf } from "../../fhirpath/infer/InferredType.ts"
import { componentKeys } from "../language/grammar/mappingGrammar.ts"
import type { SyntaxMap } from "../language/MappingSyntax.ts"
import { isNull } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import type { RowSource } from "../MappingPlan.ts"
import { notOfPatient, patientAdvice } from "./checkCalls.ts"
import { hint } from "./checkWords.ts"
import type { PathFocus } from "./PathScope.ts"
import type { VisitScope } from "./VisitScope.ts"

/** Reads where the rows of a branch come from, and the focus of their fields' paths. */
export const checkRows = (
  reader: SyntaxReader,
  map: SyntaxMap,
  scope: VisitScope,
  pathFocus: PathFocus
): { readonly rows: RowSource; readonly found: InferredType } => {
  const [given, other] = (["resource", "forEach", "forEachOrNull"] as const).flatMap((key) => {
    const entry = map.entries.get(key)
    // An overlay removes a key with `null`.
    return entry === undefined || isNull(entry.value) ? [] : [{ key, entry }]
  })
  if (given === undefined) return { rows: { from: "focus" }, found: pathFocus.focus }
  const { entry, key: first } = given
  if (other !== undefined) {
    reader.report(
      "invalid-value",
      other.entry.key,
      `rows come from \`${first}\` or from \`${other.key}\`, not both`
    )
  }
  if (first === "resource") {
    const types = reader.texts(entry.value, "`resource`").map((scalar) => {
      const type = String(scalar.value)
      if (!scope.model.isResourceType(type)) {
        const { noSuchType, resourceTypes } = scope.model
        reader.report("unknown-element", scalar.span, noSuchType(type), { label: hint(type, resourceTypes()) })
      }
      return type
    })
    if (entry.value.kind === "list" && entry.value.items.length === 0) {
      reader.report("invalid-value", entry.value.span, "`resource` names the types of the rows", {
        help: ["to have no rows:  enabled: false"]
      })
    }
    const { kind, default: preset } = componentKeys.scope
    const scopeEntry = map.entries.get("scope")
    const rowScope = (scopeEntry && kind.read(reader, scopeEntry, "`scope`")) ?? preset
    for (const scalar of rowScope === "visit" ? [] : reader.texts(entry.value, "`resource`")) {
      const type = String(scalar.value)
      if (!scope.model.isResourceType(type) || scope.patientTypes.has(type)) continue
      reader.report("wrong-arguments", scalar.span, notOfPatient(type), {
        help: patientAdvice(scope.patientTypes, type)
      })
    }
    if (rowScope === "visit") { for (const type of types) scope.visitTypes.add(type) }
    return {
      rows: { from: "resource", types, scope: rowScope },
      found: types.length > 0 && types.every(scope.model.isResourceType) ? oneOf(...types) : anything
    }
  }
  if (entry.value.kind !== "scalar") {
    reader.report("invalid-value", entry.value.span, `\`${first}\` is one path`, {
      help: ["for rows of several elements:  a | b  in one path, or a branch for each under  unionAll:"]
    })
    return { rows: { from: "focus" }, found: anything }
  }
  const [path] = reader.texts(entry.value, `\`${first}\``).flatMap((scalar) =>
    scope.compile(scalar, { focus: pathFocus.focus, parent: pathFocus.focus }) ?? []
  )
  return path === undefined
    ? { rows: { from: "focus" }, found: anything }
    : {
      rows: { from: "forEach", path: path.plan, orNull: first === "forEachOrNull" },
      found: { ...path.found, several: false }
    }
}
