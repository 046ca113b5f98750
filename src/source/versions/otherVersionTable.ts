import { type OtherVersion, otherVersionNames } from "./FhirVersion.ts"
import table from "./otherVersions.json" with { type: "json" }

/** The versions that have a type or an element that R4 lacks. */
export type Versions = ReadonlyArray<OtherVersion>

/** What distinguishes other versions from R4 at an element, and below it. */
export interface ElementVersions {
  /** R4 lacks the element. */
  readonly element?: Versions
  /** R4 has it as an object, these versions as a text or a number. */
  readonly asText?: Versions
  /** R4 has it as a text or a number, these versions as an object. */
  readonly asObject?: Versions
  readonly below?: ReadonlyMap<string, ElementVersions>
}

const versionsOf = (list: string): Versions => {
  const names = new Set(list.split(" "))
  return otherVersionNames.filter((version) => names.has(version))
}

/** Resource types that R4 and R4B lack, and the versions that have them. */
export const otherTypes: ReadonlyMap<string, Versions> = new Map(
  Object.entries(table.types).map(([type, list]) => [type, versionsOf(list)])
)

/** {@link ElementVersions} while the table is read. */
interface MutableElementVersions {
  element?: Versions
  asText?: Versions
  asObject?: Versions
  below?: Map<string, MutableElementVersions>
}

let known: ReadonlyMap<string, ElementVersions> | undefined

/** Returns the elements of an R4 resource type that distinguish other versions from R4. */
export const elementVersions = (type: string): ElementVersions | undefined => {
  known ??= readTable()
  return known.get(type)
}

const readTable = (): ReadonlyMap<string, ElementVersions> => {
  const types = new Map<string, MutableElementVersions>()
  for (const [path, list] of Object.entries(table.elements)) {
    const form = path.endsWith("()") ? "asText" : path.endsWith("{}") ? "asObject" : "element"
    const names = (form === "element" ? path : path.slice(0, -2)).split(".")
    let at = types
    for (const [index, name] of names.entries()) {
      let next = at.get(name)
      if (next === undefined) at.set(name, next = {})
      if (index === names.length - 1) next[form] = versionsOf(list)
      else at = next.below ??= new Map()
    }
  }
  return types
}
