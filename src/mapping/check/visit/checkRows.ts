import type { InferredType } from "../../../fhirpath/infer/InferredType.ts"
import { anything, oneOf } from "../../../fhirpath/infer/InferredType.ts"
import { getExisting } from "../../../maps.ts"
import { readKey } from "../../language/grammar/Kind.ts"
import { componentKeys, rowWords } from "../../language/grammar/mappingGrammar.ts"
import type { SyntaxMap } from "../../language/MappingSyntax.ts"
import { isNull } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { RowSource } from "../../MappingPlan.ts"
import { notOfPatient, patientAdvice } from "../expressions/checkCalls.ts"
import type { PathFocus } from "../expressions/PathScope.ts"
import { hint } from "./checkWords.ts"
import type { VisitScope } from "./VisitScope.ts"

/** Reads where the rows of a branch come from, and the focus of their fields' paths. */
export const checkRows = (
  reader: SyntaxReader,
  map: SyntaxMap,
  scope: VisitScope,
  pathFocus: PathFocus
): { readonly rows: RowSource; readonly found: InferredType } => {
  const [first, other] = rowWords.filter((key) => {
    const entry = map.entries.get(key)
    // An overlay removes a key with `null`.
    return entry !== undefined && !isNull(entry.value)
  })
  if (first === undefined) return { rows: { from: "focus" }, found: pathFocus.focus }
  if (other !== undefined) {
    const { key } = getExisting(map.entries, other)
    reader.report("invalid-value", key, `rows come from \`${first}\` or from \`${other}\`, not both`)
  }
  if (first === "resource") {
    const written = readKey(reader, componentKeys, first, map) ?? []
    const rowScope = readKey(reader, componentKeys, "scope", map)
    const { isResourceType, noSuchType, resourceTypes } = scope.model
    const types = written.map(({ span, value }) => {
      const type = String(value)
      if (!isResourceType(type)) {
        reader.report("unknown-element", span, noSuchType(type), { label: hint(type, resourceTypes()) })
      } else if (rowScope === "patient" && !scope.patientTypes.has(type)) {
        reader.report("wrong-arguments", span, notOfPatient(type), { help: patientAdvice(scope.patientTypes, type) })
      }
      return type
    })
    if (rowScope === "visit") { for (const type of types) scope.visitTypes.add(type) }
    return {
      rows: { from: "resource", types, scope: rowScope },
      found: types.length > 0 && types.every(isResourceType) ? oneOf(...types) : anything
    }
  }
  const written = readKey(reader, componentKeys, first, map)
  const path = written && scope.compile(written, { focus: pathFocus.focus, parent: pathFocus.focus })
  return path === undefined
    ? { rows: { from: "focus" }, found: anything }
    : {
      rows: { from: "forEach", path: path.plan, orNull: first === "forEachOrNull" },
      found: { ...path.found, several: false }
    }
}
