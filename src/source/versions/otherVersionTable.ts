import { getOrMake } from "../../maps.ts"
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

/** The table has thousands of lists, and few that differ. */
const lists = new Map<string, Versions>()

const versionsOf = (list: string): Versions =>
  getOrMake(lists, list, () => {
    const names = list.split(" ")
    return otherVersionNames.filter((version) => names.includes(version))
  })

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

const known = new Map<string, ElementVersions | undefined>()

const elements: Readonly<Record<string, Readonly<Record<string, string>>>> = table.elements

/** Returns the elements of an R4 resource type that distinguish other versions from R4. They are read when the type is first used. */
export const elementVersions = (type: string): ElementVersions | undefined => {
  if (!known.has(type)) {
    const written = Object.hasOwn(elements, type) ? elements[type] : undefined
    known.set(type, written === undefined ? undefined : readElements(written))
  }
  return known.get(type)
}

const readElements = (written: Readonly<Record<string, string>>): ElementVersions => {
  const whole: MutableElementVersions = {}
  for (const [path, list] of Object.entries(written)) {
    const form = path.endsWith("()") ? "asText" : path.endsWith("{}") ? "asObject" : "element"
    let at = whole
    for (const name of (form === "element" ? path : path.slice(0, -2)).split(".")) {
      at = getOrMake(at.below ??= new Map(), name, () => ({}))
    }
    at[form] = versionsOf(list)
  }
  return whole
}
