import { didYouMean, suggest } from "../diagnostic/suggest.ts"
import type { Model } from "../fhirpath/Model.ts"
import type { GroupingPath, GroupingPlan, TimeWindow } from "../grouping/GroupingPlan.ts"
import type { Syntax, SyntaxEntry, SyntaxMap, SyntaxScalar } from "./MappingSyntax.ts"
import type { CompilePath, Standing } from "./PathScope.ts"
import { anything, one as oneOf } from "./PathScope.ts"
import type { SyntaxReader } from "./SyntaxReader.ts"

const words = [
  "resource",
  "where",
  "partOf",
  "rootIsEncounter",
  "patient",
  "start",
  "end",
  "link",
  "document",
  "window",
  "patientScope",
  "description"
] as const

/** Reads `grouping:`: which encounters are a visit, and how other records reach them. */
export const checkGrouping = (
  reader: SyntaxReader,
  root: SyntaxMap,
  compile: CompilePath,
  { elementNames, elementOfPlace, isKindOf, isResourceType, linkTarget, noSuchType, resourceTypes, targetsOfElement }:
    Model
): GroupingPlan | undefined => {
  const entry = root.entries.get("grouping")
  if (entry === undefined) {
    return reader.report("missing-key", root.span, "the mapping does not say which records make a visit", undefined, [
      "add `grouping:`, or extend a mapping that has it"
    ])
  }
  const map = reader.names(entry.value, "`grouping`", words)
  if (map === undefined) return undefined
  const on = (type: string): Standing => ({ focus: type === "*" ? anything : oneOf(type), parent: anything })
  const known = (type: string, span: SyntaxScalar["span"]): boolean => {
    if (type === "*" || isResourceType(type)) return true
    const near = suggest(type, resourceTypes())
    reader.report(
      "unknown-element",
      span,
      noSuchType(type),
      didYouMean(near)
    )
    return false
  }
  /** A path that leads from a record of a type to a record of another. */
  const leads = (
    what: string,
    scalar: SyntaxScalar,
    type: string,
    to: ReadonlyArray<string>
  ): GroupingPath | undefined => {
    const checked = compile(scalar, on(type))
    if (checked === undefined) return undefined
    const { places, targets } = checked.found
    const found = [...places ?? []]
    const refers = (place: string): boolean =>
      place === "Reference" || place === "Element" || place === "Resource" || to.includes(place) ||
      isKindOf(place, "uri") ||
      linkTarget(place) !== undefined
    if (found.length > 0 && !found.some(refers)) {
      const references = elementNames(type).filter((name) => elementOfPlace(type, name)?.has("Reference") === true)
      reader.report(
        "wrong-type",
        scalar.span,
        `${what} refers to no record`,
        `finds ${found.slice(0, 3).join(" or ")}`,
        [
          references.length === 0 ? "end the path in a reference" : `elements that refer: ${references.join(", ")}`
        ]
      )
    } else if (
      targets !== undefined && found.every((place) => place === "Reference") && !to.some((one) => targets.has(one))
    ) {
      reader.report(
        "wrong-type",
        scalar.span,
        `${what} never refers to ${to.join(" or ")}`,
        `refers to ${[...targets].slice(0, 4).join(" or ")}`,
        adviceOn(type, to)
      )
    }
    return checked.plan
  }
  const adviceOn = (type: string, to: ReadonlyArray<string>): ReadonlyArray<string> => {
    const fitting = elementNames(type).filter((name) => targetsOfElement(type, name)?.some((one) => to.includes(one)))
    return fitting.length === 0 ? [] : [`elements that refer to ${to.join(" or ")}: ${fitting.join(", ")}`]
  }
  const typeEntry = map.entries.get("resource")
  const named = reader.text(typeEntry, "`resource`")
  const rootType = named !== undefined && known(named, typeEntry!.value.span) ? named : undefined
  const linkedByTables = rootType !== undefined && /^[a-z]/u.test(rootType)
  const one = (key: "partOf" | "patient"): GroupingPath | undefined => {
    const found = map.entries.get(key)
    // Rows of a table need not be part of each other.
    if (found === undefined && key === "partOf" && linkedByTables) return undefined
    const scalar = found?.value
    if (scalar === undefined || scalar.kind !== "scalar" || typeof scalar.value !== "string") {
      return reader.report("missing-key", scalar?.span ?? entry.key, `\`grouping\` needs a path for \`${key}\``)
    }
    const type = rootType ?? "Encounter"
    return linkedByTables
      ? compile(scalar, on(type))?.plan
      : leads(`\`${key}\``, scalar, type, key === "partOf" ? [type] : patients)
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
      reader.texts(value, `the link of ${type}`).flatMap((scalar) =>
        (linkedByTables || type === "*"
          ? compile(scalar, on(type))?.plan
          : leads(`the link of ${type}`, scalar, type, [rootType ?? "Encounter"])) ?? []
      )
    )
  }
  const patientScope = new Map<string, GroupingPath>()
  const scopeEntry = map.entries.get("patientScope")
  const scopeMap = scopeEntry === undefined ? undefined : reader.names(scopeEntry.value, "`patientScope`")
  for (const [type, { key, value }] of scopeMap?.entries ?? []) {
    if (!known(type, key)) continue
    const what = `the patient of ${type}`
    const scalar = reader.path(value, what, "a record that names its patient in several places:  a | b  in one path")
    const path = scalar === undefined
      ? undefined
      : linkedByTables
      ? compile(scalar, on(type))?.plan
      : leads(what, scalar, type, patients)
    if (path !== undefined) patientScope.set(type, path)
  }
  const where = reader.texts(map.entries.get("where")?.value, "`where`").flatMap((scalar) =>
    compile(scalar, on(rootType ?? "Encounter"), "condition")?.plan ?? []
  )
  const rootIsEncounter =
    reader.oneOf(map.entries.get("rootIsEncounter"), "`rootIsEncounter`", ["when-no-members", "always", "never"]) ??
      "when-no-members"
  const time = (what: string, syntax: Syntax | undefined, type: string): ReadonlyArray<GroupingPath> =>
    reader.texts(syntax, what).flatMap((scalar) => {
      const checked = compile(scalar, on(type))
      if (checked === undefined) return []
      const { places } = checked.found
      if (places !== null && places.size > 0 && ![...places].some((place) => times.has(place))) {
        reader.report(
          "wrong-type",
          scalar.span,
          `${what} is not a time`,
          `finds ${[...places].slice(0, 3).join(" or ")}`,
          [
            "end the path in a date, a time or a Period"
          ]
        )
      }
      return [checked.plan]
    })
  const start = time("`start`", map.entries.get("start")?.value, rootType ?? "Encounter")
  const end = time("`end`", map.entries.get("end")?.value, rootType ?? "Encounter")
  const windows = new Map<string, TimeWindow>()
  const windowEntry = map.entries.get("window")
  const windowMap = windowEntry === undefined ? undefined : reader.names(windowEntry.value, "`window`")
  for (const [type, { key, value }] of windowMap?.entries ?? []) {
    if (!known(type, key)) continue
    const window = checkWindow(reader, value, key, {
      patient: (syntax) =>
        reader.texts(syntax, `the patient of ${type}`).flatMap((scalar) => compile(scalar, on(type))?.plan ?? []),
      time: (syntax) => time(`the time of ${type}`, syntax, type)
    })
    if (window !== undefined) windows.set(type, window)
  }
  const document = reader.boolean(map.entries.get("document"), "`document`") ?? false
  if (rootType === undefined || patient === undefined || (partOf === undefined && !linkedByTables)) return undefined
  return {
    rootType,
    where,
    ...(partOf === undefined ? {} : { partOf }),
    rootIsEncounter,
    patient,
    start,
    end,
    links,
    windows,
    document,
    patientScope
  }
}

/** What a patient may be. */
const patients = ["Patient"]

const times: ReadonlySet<string> = new Set(["date", "dateTime", "instant", "Period", "string", "Element", "Resource"])
const windowWords = ["enabled", "patient", "time", "before", "after", "several", "description"] as const

interface WindowPaths {
  readonly patient: (syntax: Syntax | undefined) => ReadonlyArray<GroupingPath>
  readonly time: (syntax: Syntax | undefined) => ReadonlyArray<GroupingPath>
}

/** Reads how records of one type are placed by patient and time; `undefined` where the window is closed. */
const checkWindow = (
  reader: SyntaxReader,
  syntax: Syntax,
  key: SyntaxScalar["span"],
  paths: WindowPaths
): TimeWindow | undefined => {
  if (syntax.kind === "scalar" && typeof syntax.value === "boolean") {
    return reader.report("invalid-value", syntax.span, "a window is a map of names and values", undefined, [
      `write  {enabled: ${syntax.value}}`
    ])
  }
  const map = reader.names(syntax, "a window", windowWords)
  if (map === undefined) return undefined
  const patient = paths.patient(map.entries.get("patient")?.value)
  const time = paths.time(map.entries.get("time")?.value)
  const before = readDuration(reader, map.entries.get("before"), "`before`")
  const after = readDuration(reader, map.entries.get("after"), "`after`")
  const several = reader.oneOf(map.entries.get("several"), "`several`", ["reject", "nearest"]) ?? "reject"
  const enabled = reader.boolean(map.entries.get("enabled"), "`enabled`") ?? true
  for (const word of ["patient", "time"] as const) {
    if (!map.entries.has(word)) {
      reader.report("missing-key", key, `a window needs a path for \`${word}\``, undefined, [
        word === "time"
          ? "say when such a record happened, for example  time: recordedDate"
          : "say how such a record names its patient, for example  patient: subject"
      ])
    }
  }
  return enabled ? { span: key, patient, time, before, after, several } : undefined
}

/** A length of time in milliseconds: `30 minutes`, `2 hours`, `1 day`. */
const readDuration = (reader: SyntaxReader, entry: SyntaxEntry | undefined, what: string): number => {
  if (entry === undefined) return 0
  const { value } = entry
  if (value.kind === "scalar" && value.value === 0) return 0
  const text = value.kind === "scalar" && typeof value.value === "string" ? value.value.trim() : ""
  const parts = /^(\d{1,5})\s*(minute|hour|day|week)s?$/u.exec(text)
  if (parts !== null) return Number(parts[1]) * units[parts[2] as keyof typeof units]
  reader.report("invalid-value", value.span, `${what} is not a length of time`, undefined, [
    "write a number and a unit: 30 minutes, 2 hours, 1 day, 1 week"
  ])
  return 0
}

const units = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 }
