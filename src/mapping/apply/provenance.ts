import type { Elements } from "../../fhirpath/FhirPath.ts"
import { recordOf } from "../../fhirpath/FhirPath.ts"
import { callWithVariable } from "../../fhirpath/pathSteps.ts"
import { jsonObjectOf, jsonObjectsIn } from "../../json/JsonObject.ts"
import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { FoundSystems, Provenance } from "../draft/VisitDraft.ts"
import type { FieldPlan } from "../MappingPlan.ts"

/** The mapping line that fills a field, and the record in its focus. */
export const provenance = (field: FieldPlan, focus: Elements): Provenance => ({
  ...getOrMake(lines, field, () => lineOf(field)),
  ...recordFact(focus)
})

/** The mapping line of a field. */
type MappingLine = Pick<Provenance, "mapping" | "path" | "required">

const lines = new WeakMap<FieldPlan, MappingLine>()

const lineOf = (field: FieldPlan): MappingLine => {
  if (field.kind === "component") return { mapping: field.span, required: "none" }
  const [path] = field.paths
  return {
    mapping: path?.span ?? field.span,
    required: field.required,
    ...(path === undefined ? {} : { path: field.paths.map((one) => one.text).join(", otherwise ") })
  }
}

/** The calls in paths that use a constant as a system. */
const calls = new Map<string, ReturnType<typeof callOf>>()

const callOf = (path: string) => callWithVariable(path, ["identifierIn", "conceptCode"]) ?? null

/** The constant that a path uses as a system, and the systems that the record has at that path. */
export const systemsAsked = (
  path: string,
  resource: SourceRecord["resource"] | undefined
): FoundSystems | undefined => {
  const asked = getOrMake(calls, path, () => callOf(path))
  if (asked === null || resource === undefined) return undefined
  const { name, variable: constant } = asked
  const { code, identifier } = resource
  const listed = name === "identifierIn" ? identifier : jsonObjectOf(code).coding
  const systems = jsonObjectsIn(listed).flatMap(({ system }) => typeof system === "string" ? [system] : [])
  return systems.length === 0 ? undefined : {
    of: name === "identifierIn" ? "identifier" : "coding",
    constant,
    found: [...new Set(systems)]
  }
}

/** The record of a focus. */
export const recordFact = (focus: Elements): { readonly record?: SourceRecord } => {
  const record = recordOf(focus[0])
  return record === undefined ? {} : { record }
}
