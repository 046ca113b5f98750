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

/** A path below an element, and the versions that have what is there. */
type WrittenPath = readonly [path: string, versions: string]

/** An element of the table. The paths below it are read on first use: most never are. */
class TableElement implements ElementVersions {
  element?: Versions
  asText?: Versions
  asObject?: Versions
  readonly paths: Array<WrittenPath> = []
  #below: ReadonlyMap<string, ElementVersions> | undefined

  get below(): ReadonlyMap<string, ElementVersions> {
    return this.#below ??= elementsOf(this.paths)
  }
}

/** Returns the elements at the beginning of some paths. */
const elementsOf = (paths: ReadonlyArray<WrittenPath>): ReadonlyMap<string, ElementVersions> => {
  const found = new Map<string, TableElement>()
  for (const [path, versions] of paths) {
    const point = path.indexOf(".")
    const isLast = point === -1
    const form = !isLast || !/[)}]$/u.test(path) ? "element" : path.endsWith("()") ? "asText" : "asObject"
    const name = isLast ? (form === "element" ? path : path.slice(0, -2)) : path.slice(0, point)
    const one = getOrMake(found, name, () => new TableElement())
    if (isLast) one[form] = versionsOf(versions)
    else one.paths.push([path.slice(point + 1), versions])
  }
  return found
}

const known = new Map<string, ElementVersions | undefined>()

const elements: Readonly<Record<string, Readonly<Record<string, string>>>> = table.elements

/** Returns the elements of an R4 resource type that distinguish other versions from R4. They are read when the type is first used. */
export const elementVersions = (type: string): ElementVersions | undefined => {
  if (!known.has(type)) {
    const written = Object.hasOwn(elements, type) ? elements[type] : undefined
    known.set(type, written === undefined ? undefined : { below: elementsOf(Object.entries(written)) })
  }
  return known.get(type)
}
