import { readFileSync, writeFileSync } from "node:fs"

/**
 * Writes `src/source/versions/otherVersions.json`: the resource types and elements of other FHIR versions that R4 and R4B do not have,
 * from the types of `@types/fhir`. `node tools/otherVersions.ts`; a test reports when it must be run again.
 */
export interface OtherVersions {
  /** Resource types by name, and the versions that have them: `"ProcedureRequest": "DSTU2 STU3"`. */
  readonly types: Readonly<Record<string, string>>
  /**
   * Elements by their path, and the versions that have them: `"Encounter.actualPeriod": "R5"`. A path with `()` at its end is an object in
   * R4 and a primitive in the other version. A path with `{}` is the reverse.
   */
  readonly elements: Readonly<Record<string, string>>
}

/** The other versions, and the file of their types. */
const others = [["DSTU2", "r2"], ["STU3", "r3"], ["R5", "r5"]] as const
type Version = (typeof others)[number][0]

interface Member {
  readonly type: string
  readonly isList: boolean
}
export type Types = ReadonlyMap<string, ReadonlyMap<string, Member>>

/** The elements of each type of a version: `r3`, `r5`. */
export const typesOf = (file: string): Types => {
  const text = readFileSync(`node_modules/@types/fhir/${file}.d.ts`, "utf8")
  const own = new Map<string, { readonly above: ReadonlyArray<string>; readonly members: Map<string, Member> }>()
  for (
    const [, name = "", above, body = ""] of text.matchAll(
      /export interface (\w+)(?: extends ([\w, ]+))? \{([\s\S]*?)\n\}/gu
    )
  ) {
    const members = new Map<string, Member>()
    for (const [, element = "", type = ""] of body.matchAll(/^ {2}(?:readonly )?(\w+)\??:\s*([^;]+);/gmu)) {
      const written = type.replace(/\s/gu, "").replace(/\|undefined$/u, "")
      members.set(element, { type: written.replace(/\[\]$/u, ""), isList: written.endsWith("[]") })
    }
    own.set(name, { above: above?.split(/,\s*/u) ?? [], members })
  }
  const all = (name: string): ReadonlyMap<string, Member> => {
    const found = own.get(name)
    return found === undefined ? new Map() : new Map([...found.above.flatMap((one) => [...all(one)]), ...found.members])
  }
  return new Map([...own.keys()].map((name) => [name, all(name)]))
}

const isResource = (types: Types, name: string): boolean =>
  types.get(name)?.get("resourceType")?.type.replaceAll("'", "") === name

const isPrimitive = (types: Types, type: string): boolean =>
  !types.has(type) && /^(?:string|number|boolean|\(?')/u.test(type)

/**
 * Types that do not identify a version. `Money` was a Quantity before R4, and some R4 sources still write it so. Extensions, contained
 * resources and common elements are in all versions.
 */
const ignoredTypes = new Set([
  "Money",
  "Extension",
  "Meta",
  "Narrative",
  "FhirResource",
  "Resource",
  "Element",
  "ElementDefinition"
])

/**
 * The only types of R5 that are listed: those that R4 has under another name. Records of really new types are not part of a visit, so an
 * R4 server may send them. All older types that R4 no longer has are listed.
 */
const renamedInR5 = new Set(["DeviceUsage", "RequestOrchestration"])

/** Elements that any type can have. */
const commonElements = new Set(["resourceType", "fhir_comments", "id", "extension", "modifierExtension"])

export const otherVersions = (): OtherVersions => {
  const r4 = typesOf("r4")
  const r4b = typesOf("r4b")
  const types: Record<string, Array<Version>> = {}
  const elements: Record<string, Array<Version>> = {}
  const add = (to: Record<string, Array<Version>>, key: string, version: Version): void => {
    const known = (to[key] ??= [])
    if (!known.includes(version)) known.push(version)
  }
  for (const [version, file] of others) {
    const theirs = typesOf(file)
    /** Compares a type with R4's. `within` holds the enclosing types, because a type can contain itself. */
    const compare = (
      path: string,
      [our, ourInR4B]: readonly [string, string],
      their: string,
      within: ReadonlyArray<string>
    ): void => {
      const [ours, ofR4B] = [r4.get(our), r4b.get(ourInR4B)]
      for (const [name, { type }] of theirs.get(their) ?? []) {
        if (name.startsWith("_") || commonElements.has(name)) continue
        const at = `${path}.${name}`
        const known = ours?.get(name)
        if (known === undefined) {
          if (!ofR4B?.has(name)) add(elements, at, version)
          continue
        }
        if (ignoredTypes.has(known.type) || ignoredTypes.has(type)) continue
        const [isOurs, isTheirs] = [isPrimitive(r4, known.type), isPrimitive(theirs, type)]
        if (isOurs && isTheirs) continue
        if (isOurs || isTheirs) {
          add(elements, `${at}${isTheirs ? "()" : "{}"}`, version)
          continue
        }
        const key = `${known.type} ${type}`
        if (!within.includes(key)) compare(at, [known.type, ofR4B?.get(name)?.type ?? ""], type, [...within, key])
      }
    }
    for (const name of theirs.keys()) {
      if (!isResource(theirs, name)) continue
      if (isResource(r4, name)) {
        if (!ignoredTypes.has(name) && name !== "Bundle" && name !== "Parameters") compare(name, [name, name], name, [])
      } else if (!isResource(r4b, name) && (version !== "R5" || renamedInR5.has(name))) add(types, name, version)
    }
  }
  return { types: sorted(types), elements: sorted(elements) }
}

const sorted = (lists: Readonly<Record<string, ReadonlyArray<string>>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(lists).toSorted(([one], [other]) => (one < other ? -1 : 1)).map((
      [key, list]
    ) => [key, list.join(" ")])
  )

export const otherVersionsFile = "src/source/versions/otherVersions.json"

/** Returns the file. Its elements are grouped by type, because a run reads those of few types. */
export const renderOtherVersions = (): string => {
  const { elements, types } = otherVersions()
  const byType: Record<string, Record<string, string>> = {}
  for (const [path, versions] of Object.entries(elements)) {
    const dot = path.indexOf(".")
    const group = byType[path.slice(0, dot)] ??= {}
    group[path.slice(dot + 1)] = versions
  }
  return `${JSON.stringify({ types, elements: byType }, null, 1)}\n`
}

if (process.argv[1]?.endsWith("otherVersions.ts") === true) writeFileSync(otherVersionsFile, renderOtherVersions())
