import type { Elements } from "../../../fhirpath/FhirPath.ts"
import { firstArgumentOf, recordOf } from "../../../fhirpath/FhirPath.ts"
import { beginsWithVariable, callWithVariable, elementsBefore } from "../../../fhirpath/pathSteps.ts"
import { jsonObjectOf, jsonObjectsIn } from "../../../json/JsonObject.ts"
import { getOrMake } from "../../../maps.ts"
import { withoutAbsent } from "../../../objects.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import type { FoundSystems, Provenance } from "../../draft/VisitDraft.ts"
import type { FieldPlan, MappingPlan } from "../../MappingPlan.ts"

/** The mapping line that fills a field, and the record in its focus. */
export const provenance = (field: FieldPlan, focus: Elements): Provenance => ({
  ...getOrMake(lines, field, () => lineOf(field)),
  ...recordFact(focus)
})

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

/** A call in a path of a field that uses a constant as a system. */
interface SystemCall extends NonNullable<ReturnType<typeof callWithVariable<"identifierIn" | "conceptCode">>> {
  /** The path begins with the patient of the visit. */
  readonly isOfPatient: boolean
  /** The record of the focus, or the patient, has the identifiers or codes. */
  readonly isOwn: boolean
  readonly key?: string
}

const callsOfFields = new WeakMap<FieldPlan, ReadonlyArray<SystemCall>>()

const callsOf = (field: FieldPlan, keys: MappingPlan["keys"]): ReadonlyArray<SystemCall> =>
  (field.kind === "leaf" ? field.paths : []).flatMap(({ text }) => {
    const isOfPatient = beginsWithVariable(text, "patient")
    const key = firstArgumentOf(text, "keyOf")
    const paths = key === undefined ? [text] : (keys.get(key)?.paths ?? []).map((path) => path.text)
    return paths.flatMap((path) => {
      const call = callWithVariable(path, ["identifierIn", "conceptCode"])
      // After another step, the identifiers are those of another record, such as the hospital that a referral names.
      const isOwn = isOfPatient || call?.name !== "identifierIn" || elementsBefore(path, "identifierIn").length === 0
      return call === undefined ? [] : { ...call, isOfPatient, isOwn, ...withoutAbsent({ key }) }
    })
  })

/** The constant that the paths of a field use as a system, and the systems that the record has there. They are unknown if it is another record. */
export const systemsAsked = (
  field: FieldPlan,
  keys: MappingPlan["keys"],
  record: SourceRecord | undefined,
  patient: SourceRecord | undefined
): FoundSystems | undefined => {
  const calls = getOrMake(callsOfFields, field, () => callsOf(field, keys))
  for (const { isOfPatient, isOwn, key, name, variable: constant } of calls) {
    if (!isOwn) continue
    const resource = (isOfPatient ? patient : record)?.resource
    if (resource === undefined) continue
    const { code, identifier } = resource
    const listed = name === "identifierIn" ? identifier : jsonObjectOf(code).coding
    const systems = jsonObjectsIn(listed).flatMap(({ system }) => typeof system === "string" ? [system] : [])
    if (systems.length === 0) continue
    return {
      of: name === "identifierIn" ? "identifier" : "coding",
      constant,
      found: [...new Set(systems)],
      ...withoutAbsent({ key })
    }
  }
  const other = calls.find(({ isOwn }) => !isOwn)
  return other === undefined ? undefined : { of: "identifier", constant: other.variable, found: [] }
}

export const recordFact = (focus: Elements): { readonly record?: SourceRecord } => {
  const record = recordOf(focus[0])
  return record === undefined ? {} : { record }
}
