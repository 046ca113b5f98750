import { getOrMake } from "../../maps.ts"
import model from "./elements.json" with { type: "json" }

/** An element of a type in the FHIR R4 model. */
export interface ModelElement {
  readonly type: string
  readonly repeats: boolean
  /** The permitted target types of a reference. */
  readonly targets?: ReadonlyArray<string>
}

/** The elements of one type path, by name. A name is in one of the three maps. */
export interface TypeElements {
  /** The elements by their names in JSON: `valueQuantity`, not `value`. */
  readonly plain: ReadonlyMap<string, ModelElement>
  /** The types of choices, spelled as in names: `String`, `Quantity`. */
  readonly choices: ReadonlyMap<string, ReadonlyArray<string>>
  /** The type paths that define the content of other elements. */
  readonly elsewhere: ReadonlyMap<string, string>
}

const written: Readonly<Record<string, string>> = model.elements

export const typeParents: Readonly<Record<string, string>> = model.parents

const none: TypeElements = { plain: new Map(), choices: new Map(), elsewhere: new Map() }

const known = new Map<string, TypeElements>()

/** Returns the elements of a type path. They are read when the type is first used, because a run uses few of them. */
export const typeElements = (typePath: string): TypeElements =>
  getOrMake(known, typePath, () => {
    const text = Object.hasOwn(written, typePath) ? written[typePath] : undefined
    return text === undefined ? none : read(text)
  })

const read = (text: string): TypeElements => {
  const plain = new Map<string, ModelElement>()
  const choices = new Map<string, ReadonlyArray<string>>()
  const elsewhere = new Map<string, string>()
  for (const one of text.split(" ")) {
    const [, name = "", sign, rest = ""] = /^(\w+)([:=@])(.*)$/u.exec(one) ?? []
    if (sign === "=") choices.set(name, rest.split("|"))
    else if (sign === "@") elsewhere.set(name, rest)
    else {
      const [type = "", list] = rest.split(">")
      const targets = list === undefined ? undefined : targetsAt(Number(list))
      const repeats = type.endsWith("*")
      plain.set(name, {
        type: repeats ? type.slice(0, -1) : type,
        repeats,
        ...(targets === undefined ? {} : { targets })
      })
    }
  }
  return { plain, choices, elsewhere }
}

/** Some references have an empty list. */
const targetsAt = (list: number): ReadonlyArray<string> | undefined =>
  model.targets[list]?.split(" ").filter((type) => type !== "")

/** Splits a path such as `Observation.code` into the elements of its type path and a name. */
const within = (path: string): readonly [elements: TypeElements, name: string] => {
  const dot = path.lastIndexOf(".")
  return [dot < 0 ? none : typeElements(path.slice(0, dot)), path.slice(dot + 1)]
}

export const elementAt = (path: string): ModelElement | undefined => {
  const [{ plain }, name] = within(path)
  return plain.get(name)
}

/** Returns the types of the choice at a path, spelled as in names. */
export const choiceAt = (path: string): ReadonlyArray<string> | undefined => {
  const [{ choices }, name] = within(path)
  return choices.get(name)
}

/** Returns the path that defines the content of the element at a path: usually itself. */
export const definitionOf = (path: string): string => {
  const [{ elsewhere }, name] = within(path)
  return elsewhere.get(name) ?? path
}

/** Returns whether two types are equal, or the first is derived from the second. */
export const isDerivedFrom = (type: string, other: string): boolean => {
  for (let one: string | undefined = type; one !== undefined; one = typeParents[one]) if (one === other) return true
  return false
}

let types: ReadonlySet<string> | undefined

export const typeNames = (): ReadonlySet<string> => types ??= new Set(Object.entries(typeParents).flat())
