import { getOrRemember } from "../../maps.ts"
import { type ModelElement, type TypeElements, typeElements, typeParents } from "../model/typeElements.ts"
import { conceptStatusOf } from "./conceptStatuses.ts"
import required from "./requiredCodes.json" with { type: "json" }

/**
 * The elements of the FHIR R4 model. A type path is a type (`Patient`, `HumanName`, `string`) or a path to a nested element
 * (`Patient.contact`); `null` means "unknown".
 */
export type TypePath = string

/** A table of an extract, as a type whose elements are its columns and links. */
interface TableType {
  readonly name: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
  readonly links: ReadonlyArray<{ readonly name: string; readonly table: string }>
  /** Columns that every row has. */
  readonly key?: ReadonlyArray<string>
}

/** The model of a mapping: FHIR R4, and the tables that the mapping declares. */
export interface Model {
  /** Identifies the tables; models with equal tables have the same name. */
  readonly name: string
  /** Returns the type paths of an element; `undefined` if the type has no such element. */
  readonly typesOfElement: (typePath: TypePath, name: string) => ReadonlySet<TypePath> | undefined
  /** Returns whether an element can repeat. */
  readonly repeats: (typePath: TypePath, name: string) => boolean
  /** Returns whether a type path is a primitive: it holds a text, number or boolean and has no elements of its own. */
  readonly isPrimitive: (typePath: TypePath) => boolean
  /** Returns the element names of a type path, for suggestions. */
  readonly elementNames: (typePath: TypePath) => ReadonlyArray<string>
  /** Returns the choice element of a name in JSON form: `valueQuantity` of `Observation` gives `value`. */
  readonly choiceElement: (
    typePath: TypePath,
    name: string
  ) => { readonly element: string; readonly type: string } | undefined
  readonly isType: (name: string) => boolean
  readonly typeNames: () => ReadonlyArray<string>
  /** Returns whether a name is a resource type or a table, which are the types of records. */
  readonly isResourceType: (name: string) => boolean
  readonly resourceTypes: () => ReadonlyArray<string>
  /** Returns whether a type path is a type or derived from it. */
  readonly isKindOf: (typePath: TypePath, type: string) => boolean
  /** Returns the permitted target types of a Reference at this path; `undefined` if any is permitted. */
  readonly referenceTargets: (path: string) => ReadonlyArray<string> | undefined
  /** Returns the permitted target types of a Reference in an element; `undefined` if any is permitted. */
  readonly targetsOfElement: (typePath: TypePath, name: string) => ReadonlyArray<string> | undefined
  /** Returns the codes that an element can hold; `undefined` if FHIR does not define them. */
  readonly codesOfElement: (typePath: TypePath, name: string) => ReadonlyArray<string> | undefined
  /** Returns whether every record or element with this type path has the element. */
  readonly isMandatory: (typePath: TypePath, name: string) => boolean
  /** Returns the table that a link refers to; `undefined` if the type path is not a link. */
  readonly linkTarget: (typePath: TypePath) => string | undefined
  /** Returns a sentence that no record type of this name exists. */
  readonly noSuchType: (name: string) => string
}

const mandatory: Readonly<Record<string, string>> = required.mandatory

const inline: ReadonlySet<string> = new Set(["BackboneElement", "Element"])

const lower = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

/** Converts `System.DateTime`, as in the type of an `id` or `url`, to `dateTime`. */
const ofSystem = (type: string): string => type.startsWith("System.") ? lower(type.slice("System.".length)) : type

const make = (
  elementsOf: (typePath: TypePath) => TypeElements,
  parents: Readonly<Record<string, string>>,
  types: ReadonlyArray<TableType>
): Model => {
  const rows = new Set(types.map(({ name }) => name))
  const links = new Map<string, string>(
    types.flatMap(({ links, name }) => links.map((link) => [`${name}.${link.name}`, link.table] as const))
  )
  /** Choice types are listed as in element names: `String`, `DateTime`. */
  const typeOfChoice = (
    name: string
  ): string => (name in parents && !(lower(name) in parents)
    ? name
    : lower(name) in parents
    ? lower(name)
    : name)

  /** Returns the type and all its base types. */
  const lineage = (typePath: TypePath): ReadonlyArray<string> => {
    const found = [typePath]
    if (typePath.includes(".")) found.push("BackboneElement", "Element")
    for (let type = parents[typePath]; type !== undefined; type = parents[type]) found.push(type)
    return found
  }

  const known = new Map<string, ReadonlySet<TypePath> | undefined>()

  const typesOfElement = (typePath: TypePath, name: string): ReadonlySet<TypePath> | undefined => {
    const key = `${typePath}.${name}`
    if (known.has(key)) return known.get(key)
    const found = find(typePath, name)
    known.set(key, found)
    return found
  }

  const find = (typePath: TypePath, name: string): ReadonlySet<TypePath> | undefined => {
    // `valueQuantity` is JSON; FHIRPath's element is `value`.
    if (/[a-z][A-Z]/u.test(name) && choiceElement(typePath, name) !== undefined) return undefined
    for (const type of lineage(typePath)) {
      const { choices, elsewhere, plain } = elementsOf(type)
      const other = elsewhere.get(name)
      if (other !== undefined) return new Set([other])
      const choice = choices.get(name)
      if (choice !== undefined) return new Set(choice.map(typeOfChoice))
      const target = plain.get(name)?.type
      if (target !== undefined) return new Set([inline.has(target) ? `${type}.${name}` : ofSystem(target)])
    }
    return undefined
  }

  const repeats = (typePath: TypePath, name: string): boolean =>
    lineage(typePath).some((type) => elementsOf(type).plain.get(name)?.repeats === true)

  const isPrimitive = (typePath: TypePath): boolean => /^[a-z]\w*$/u.test(typePath) && !rows.has(typePath)

  const elementNames = (typePath: TypePath): ReadonlyArray<string> => {
    const names = new Set<string>()
    for (const type of lineage(typePath)) {
      const { choices, elsewhere, plain } = elementsOf(type)
      for (const name of [...plain.keys(), ...choices.keys(), ...elsewhere.keys()]) {
        // The model contains `valueQuantity` in addition to `value`, but it is not an element.
        if (typesOfElement(typePath, name) !== undefined) names.add(name)
      }
    }
    return [...names]
  }

  const choiceElement = (
    typePath: TypePath,
    name: string
  ): { readonly element: string; readonly type: string } | undefined => {
    for (const type of lineage(typePath)) {
      for (const [element, types] of elementsOf(type).choices) {
        const choice = types.find((one) => name === element + one)
        if (choice !== undefined) return { element, type: typeOfChoice(choice) }
      }
    }
    return undefined
  }

  const isType = (name: string): boolean => name in parents || name === "Resource" || name === "Element"

  const typeNames = (): ReadonlyArray<string> => Object.keys(parents)

  const isResourceType = (name: string): boolean =>
    lineage(name).includes("DomainResource") || name === "Bundle" || name === "Binary" || name === "Parameters" ||
    rows.has(name)

  const resourceTypes = (): ReadonlyArray<string> => Object.keys(parents).filter(isResourceType)

  const isKindOf = (typePath: TypePath, type: string): boolean => lineage(typePath).includes(type)

  const referenceTargets = (path: string): ReadonlyArray<string> | undefined => {
    const dot = path.lastIndexOf(".")
    return elementsOf(path.slice(0, Math.max(dot, 0))).plain.get(path.slice(dot + 1))?.targets
  }

  const targetsOfElement = (typePath: TypePath, name: string): ReadonlyArray<string> | undefined => {
    for (const type of lineage(typePath)) {
      const targets = referenceTargets(`${type}.${name}`) ?? referenceTargets(`${type}.${name}Reference`)
      if (targets !== undefined) return targets.includes("Resource") ? undefined : targets
    }
    return undefined
  }

  const codeLists = new Map<string, ReadonlyArray<string> | undefined>()

  const codesOfElement = (typePath: TypePath, name: string): ReadonlyArray<string> | undefined => {
    const key = `${typePath}.${name}`
    if (codeLists.has(key)) return codeLists.get(key)
    const elements: Readonly<Record<string, number>> = required.elements
    const list = lineage(typePath).map((type) => elements[`${type}.${name}`]).find((found) => found !== undefined)
    const codes = list === undefined ? conceptStatusOf(typePath, name)?.codes : required.lists[list]?.split(" ")
    codeLists.set(key, codes)
    return codes
  }

  const keys = new Map(types.map(({ key = [], name }) => [name, new Set(key)] as const))
  const isMandatory = (typePath: TypePath, name: string): boolean =>
    keys.get(typePath)?.has(name) === true ||
    lineage(typePath).some((type) => mandatory[type]?.split(" ").includes(name) === true)

  return {
    name: JSON.stringify(types),
    isMandatory,
    codesOfElement,
    typesOfElement,
    repeats,
    isPrimitive,
    elementNames,
    choiceElement,
    isType,
    typeNames,
    isResourceType,
    resourceTypes,
    isKindOf,
    referenceTargets,
    targetsOfElement,
    linkTarget: (typePath) => links.get(typePath),
    noSuchType: (name) =>
      rows.size > 0 && /^[a-z]/u.test(name)
        ? `no table is called \`${name}\``
        : `FHIR R4 has no resource type \`${name}\``
  }
}

/** The FHIR R4 model without tables. */
export const r4Model: Model = make(typeElements, typeParents, [])

/** The base type of table rows; it has no elements of its own. */
const rowType = "Row"

const models = new Map<string, Model>()

/**
 * Returns the FHIR R4 model with the tables of a mapping. A table with the name of a type adds to its elements. Mappings with the same
 * tables share a model, and what was inferred with it.
 */
export const withTables = (types: ReadonlyArray<TableType>): Model =>
  types.length === 0 ? r4Model : getOrRemember(models, JSON.stringify(types), () => modelWith(types), 10)

const modelWith = (types: ReadonlyArray<TableType>): Model => {
  const added = new Map<string, Map<string, ModelElement>>()
  const add = (typePath: string, name: string, type: string): void => {
    const elements = added.get(typePath) ?? new Map(typeElements(typePath).plain)
    added.set(
      typePath,
      elements.set(name, { ...elements.get(name), type, repeats: elements.get(name)?.repeats === true })
    )
  }
  for (const { columns, name } of types) for (const column of columns) add(name, column.name, column.type)
  for (const { links, name } of types) {
    for (const link of links) {
      add(name, link.name, "BackboneElement")
      add(`${name}.${link.name}`, "reference", "string")
    }
  }
  return make(
    (typePath) => {
      const found = typeElements(typePath)
      const plain = added.get(typePath)
      return plain === undefined ? found : { ...found, plain }
    },
    { ...typeParents, ...Object.fromEntries(types.map(({ name }) => [name, rowType])) },
    types
  )
}

export const { choiceElement, typesOfElement, isType, referenceTargets, resourceTypes } = r4Model
