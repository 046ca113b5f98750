import { suggest } from "../diagnostic/suggest.ts"
import { isResourceType, resourceTypes } from "../fhirpath/Model.ts"
import type { GroupingPath, GroupingPlan } from "../grouping/GroupingPlan.ts"
import type { CompilePath, Standing } from "./checkPaths.ts"
import { anything, one as oneOf } from "./checkPaths.ts"
import type { SyntaxMap, SyntaxScalar } from "./MappingSyntax.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

const words = [
  "resource",
  "where",
  "partOf",
  "rootIsEncounter",
  "patient",
  "link",
  "document",
  "patientScope",
  "description"
] as const

/** Reads `grouping:`: which encounters are a visit, and how other records reach them. */
export const checkGrouping = (
  reader: SyntaxReader,
  root: SyntaxMap,
  compile: CompilePath
): GroupingPlan | undefined => {
  const entry = root.entries.get("grouping")
  if (entry === undefined) {
    return reader.report("missing-key", root.span, "the mapping does not say which records make a visit", undefined, [
      "add `grouping:`, or extend a mapping that has it"
    ])
  }
  const map = reader.map(entry.value, "`grouping`", words)
  if (map === undefined) return undefined
  const on = (type: string): Standing => ({ focus: type === "*" ? anything : oneOf(type), parent: anything })
  const known = (type: string, span: SyntaxScalar["span"]): boolean => {
    if (type === "*" || isResourceType(type)) return true
    const near = suggest(type, resourceTypes())
    reader.report(
      "unknown-element",
      span,
      `FHIR R4 has no resource type \`${type}\``,
      near === undefined ? undefined : `did you mean \`${near}\`?`
    )
    return false
  }
  const rootType = reader.text(map.entries.get("resource"), "`resource`")
  const one = (key: "partOf" | "patient"): GroupingPath | undefined => {
    const found = map.entries.get(key)
    const scalar = found?.value
    if (scalar === undefined || scalar.kind !== "scalar" || typeof scalar.value !== "string") {
      return reader.report("missing-key", scalar?.span ?? entry.key, `\`grouping\` needs a path for \`${key}\``)
    }
    return compile(scalar, on(rootType ?? "Encounter"))?.plan
  }
  if (rootType === undefined && !map.entries.has("resource")) {
    reader.report("missing-key", entry.key, "`grouping` needs the `resource` that can be a visit")
  }
  const partOf = one("partOf")
  const patient = one("patient")
  const links = new Map<string, ReadonlyArray<GroupingPath>>()
  const linkEntry = map.entries.get("link")
  const linkMap = linkEntry === undefined ? undefined : reader.map(linkEntry.value, "`link`")
  for (const [type, { key, value }] of linkMap?.entries ?? []) {
    if (!known(type, key)) continue
    links.set(
      type,
      reader.texts(value, `the link of ${type}`).flatMap((scalar) => compile(scalar, on(type))?.plan ?? [])
    )
  }
  const patientScope = new Map<string, GroupingPath>()
  const scopeEntry = map.entries.get("patientScope")
  const scopeMap = scopeEntry === undefined ? undefined : reader.map(scopeEntry.value, "`patientScope`")
  for (const [type, { key, value }] of scopeMap?.entries ?? []) {
    if (!known(type, key)) continue
    const [path] = reader.texts(value, `the patient of ${type}`).flatMap((scalar) =>
      compile(scalar, on(type))?.plan ?? []
    )
    if (path !== undefined) patientScope.set(type, path)
  }
  const where = reader.texts(map.entries.get("where")?.value, "`where`").flatMap((scalar) =>
    compile(scalar, on(rootType ?? "Encounter"))?.plan ?? []
  )
  const rootIsEncounter =
    reader.oneOf(map.entries.get("rootIsEncounter"), "`rootIsEncounter`", ["when-no-members", "always", "never"]) ??
      "when-no-members"
  const document = reader.boolean(map.entries.get("document"), "`document`") ?? false
  if (rootType === undefined || partOf === undefined || patient === undefined) return undefined
  return { rootType, where, partOf, rootIsEncounter, patient, links, document, patientScope }
}
