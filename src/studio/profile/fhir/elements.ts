import { AtLeastThree } from "../../../diagnostic/AtLeastThree.ts"
import { choiceElement, type TypePath, typesOfElement } from "../../../fhirpath/infer/Model.ts"
import { getOrMake } from "../../../maps.ts"

/** The kinds of elements that a profile distinguishes. */
type ElementKind =
  | "concept"
  | "coding"
  | "code"
  | "identifier"
  | "reference"
  | "date"
  | "text"
  | "skipped"
  | "other"

/** One element of a type that occurs: how many records have it, and its children. */
export interface ElementNode {
  /** Its FHIRPath, from the type on: `Observation.value.ofType(Quantity).unit`. */
  readonly path: string
  readonly name: string
  readonly kind: ElementKind
  /** The FHIR type; `null` where R4 has no such element. */
  readonly place: TypePath | null
  readonly children: Map<string, ElementNode>
  readonly met: AtLeastThree
  records: number
  /** The number of the last record it was counted for. */
  last: number
}

/** Maximum number of distinct elements; an export has hundreds. */
const elementLimit = 20_000

/** The elements of every type, as they occur. */
export class ElementCounts {
  readonly #types = new Map<string, ElementNode>()
  #count = 0
  /** The number of elements beyond the limit. */
  beyond = 0

  /** The top of a type. */
  type(name: string): ElementNode {
    return getOrMake(this.#types, name, () => nodeOf(name, name, name, "other"))
  }

  types(): ReadonlyMap<string, ElementNode> {
    return this.#types
  }

  /** An element of a node by its name in JSON; `undefined` when there are too many. */
  child(node: ElementNode, key: string): ElementNode | undefined {
    const known = node.children.get(key)
    if (known !== undefined) return known
    return this.#keep(node, key, () => {
      const name = key.startsWith("_") ? key.slice(1) : key
      const { path, place } = elementIn(node, name)
      return nodeOf(path, name, place, key.startsWith("_") ? "other" : kindOf(node, name, place))
    })
  }

  /** The extension of a node with an address. */
  extension(node: ElementNode, url: string): ElementNode | undefined {
    const key = `extension ${url}`
    return node.children.get(key) ??
      this.#keep(node, key, () => nodeOf(`${node.path}.extension('${url}')`, url, "Extension", "other"))
  }

  #keep(node: ElementNode, key: string, make: () => ElementNode): ElementNode | undefined {
    if (this.#count >= elementLimit) {
      this.beyond++
      return undefined
    }
    this.#count++
    const made = make()
    node.children.set(key, made)
    return made
  }
}

const nodeOf = (path: string, name: string, place: TypePath | null, kind: ElementKind): ElementNode => ({
  path,
  name,
  kind,
  place,
  children: new Map(),
  met: new AtLeastThree(),
  records: 0,
  last: -1
})

const elementIn = (node: ElementNode, name: string): { readonly path: string; readonly place: TypePath | null } => {
  const plain = `${node.path}.${name}`
  if (node.place === null) return { path: plain, place: null }
  const places = typesOfElement(node.place, name)
  if (places !== undefined) return { path: plain, place: [...places][0] ?? null }
  const choice = choiceElement(node.place, name)
  return choice === undefined
    ? { path: plain, place: null }
    : { path: `${node.path}.${choice.element}.ofType(${choice.type})`, place: choice.type }
}

const kinds: Readonly<Record<string, ElementKind>> = {
  CodeableConcept: "concept",
  Coding: "coding",
  code: "code",
  Identifier: "identifier",
  Reference: "reference",
  date: "date",
  dateTime: "date",
  instant: "date",
  Narrative: "skipped",
  string: "text",
  markdown: "text"
}

const kindOf = (node: ElementNode, name: string, place: TypePath | null): ElementKind => {
  if (name === "contained" || name === "resourceType" || name === "id") return "skipped"
  if (place === null) return "other"
  const kind = kinds[place]
  return kind === undefined || (kind === "code" && node.place === "Quantity") ? "other" : kind
}
