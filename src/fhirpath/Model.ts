import r4 from "fhirpath/fhir-context/r4"

/**
 * What the FHIR R4 model says of elements. A place is a type (`Patient`, `HumanName`, `string`) or a path to a nested element
 * (`Patient.contact`); `null` stands for "cannot be told".
 */
export type Place = string

interface ModelTables {
  readonly path2Type: Readonly<Record<string, string>>
  readonly choiceTypePaths: Readonly<Record<string, ReadonlyArray<string>>>
  readonly pathsDefinedElsewhere: Readonly<Record<string, string>>
  readonly type2Parent: Readonly<Record<string, string>>
  readonly path2RefType: Readonly<Record<string, ReadonlyArray<string>>>
  readonly path2Repeating: Readonly<Record<string, boolean>>
}

const tables = r4 as unknown as ModelTables

const inline: ReadonlySet<string> = new Set(["BackboneElement", "Element"])

const lower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

/** Choice types are listed as they stand in element names: `String`, `DateTime`. */
const typeOfChoice = (
  name: string
): string => (name in tables.type2Parent && !(lower(name) in tables.type2Parent)
  ? name
  : lower(name) in tables.type2Parent
  ? lower(name)
  : name)

/** The type and all it is derived from. */
const lineage = (place: Place): ReadonlyArray<string> => {
  const found = [place]
  if (place.includes(".")) found.push("BackboneElement", "Element")
  for (let type = tables.type2Parent[place]; type !== undefined; type = tables.type2Parent[type]) found.push(type)
  return found
}

const known = new Map<string, ReadonlySet<Place> | undefined>()

/** Where an element of a place leads; `undefined` when the place has no such element. */
export const elementOfPlace = (place: Place, name: string): ReadonlySet<Place> | undefined => {
  const key = `${place}.${name}`
  if (known.has(key)) return known.get(key)
  const found = find(place, name)
  known.set(key, found)
  return found
}

const find = (place: Place, name: string): ReadonlySet<Place> | undefined => {
  // `valueQuantity` is JSON; FHIRPath's element is `value`.
  if (/[a-z][A-Z]/u.test(name) && choiceElement(place, name) !== undefined) return undefined
  for (const type of lineage(place)) {
    const path = `${type}.${name}`
    const elsewhere = tables.pathsDefinedElsewhere[path]
    if (elsewhere !== undefined) return new Set([elsewhere])
    const choice = tables.choiceTypePaths[path]
    if (choice !== undefined) return new Set(choice.map(typeOfChoice))
    const target = tables.path2Type[path]
    if (target !== undefined) return new Set([inline.has(target) ? path : target.replace(/^System\./u, "")])
  }
  return undefined
}

/** Whether an element of a place may be there more than once. */
export const repeats = (place: Place, name: string): boolean =>
  lineage(place).some((type) => tables.path2Repeating[`${type}.${name}`] === true)

/** Whether a place is a primitive: it holds a text, a number or a truth value and no elements of its own. */
export const isPrimitive = (place: Place): boolean => /^[a-z]\w*$/u.test(place)

/** The elements a place has, for suggestions. */
export const elementNames = (place: Place): ReadonlyArray<string> => {
  const names = new Set<string>()
  for (const type of lineage(place)) {
    const prefix = `${type}.`
    for (
      const path of [
        ...Object.keys(tables.path2Type),
        ...Object.keys(tables.choiceTypePaths),
        ...Object.keys(tables.pathsDefinedElsewhere)
      ]
    ) {
      if (path.startsWith(prefix) && !path.slice(prefix.length).includes(".")) names.add(path.slice(prefix.length))
    }
  }
  return [...names]
}

/** The element a choice type belongs to, when a name is its JSON form: `valueQuantity` of `Observation` gives `value`. */
export const choiceElement = (
  place: Place,
  name: string
): { readonly element: string; readonly type: string } | undefined => {
  for (const type of lineage(place)) {
    for (const [path, types] of Object.entries(tables.choiceTypePaths)) {
      if (!path.startsWith(`${type}.`)) continue
      const element = path.slice(type.length + 1)
      if (element.includes(".")) continue
      const choice = types.find((one) => name === element + one)
      if (choice !== undefined) return { element, type: typeOfChoice(choice) }
    }
  }
  return undefined
}

/** Whether the model has a type of this name. */
export const isType = (name: string): boolean => name in tables.type2Parent || name === "Resource" || name === "Element"

export const typeNames = (): ReadonlyArray<string> => Object.keys(tables.type2Parent)

/** Resource types: what a record can be. */
export const isResourceType = (name: string): boolean =>
  lineage(name).includes("DomainResource") || name === "Bundle" || name === "Binary" || name === "Parameters"

export const resourceTypes = (): ReadonlyArray<string> => Object.keys(tables.type2Parent).filter(isResourceType)

/** Whether one place is another or derived from it. */
export const isKindOf = (place: Place, type: string): boolean => lineage(place).includes(type)

/** The types a Reference at this path may name; `undefined` when any may. */
export const referenceTargets = (path: string): ReadonlyArray<string> | undefined => tables.path2RefType[path]
