import type { ResourceNode } from "fhirpath"
import type { Node } from "../evaluate/Node.ts"
import { loadLibrary } from "./loadLibrary.ts"

/** A compiled expression on the library's elements. */
export type EvaluateInside = (focus: ReadonlyArray<unknown>, variables: object) => ReadonlyArray<unknown>

/** How the library makes all children of one name. */
interface ChildrenByName {
  readonly make: EvaluateInside
  /** The children of a parent that are left over, because they were made with one that was needed. */
  readonly spare: WeakMap<ResourceNode, Array<unknown>>
}

/**
 * Makes the library's nodes. Their class is private, so the library itself makes each one, as the result of an expression. Each call returns
 * another node, so that every element has its own.
 */
export class LibraryNodes {
  readonly #compiled: (text: string) => EvaluateInside
  readonly #children = new Map<string, ChildrenByName>()

  constructor(compiled: (text: string) => EvaluateInside) {
    this.#compiled = compiled
  }

  /**
   * Returns the node of a value outside a resource. An expression returns a resource as a node. It returns any other value as a node if it
   * is the name of the value's type: `String`.
   */
  outermost(data: unknown): ResourceNode {
    const [made] = this.#compiled("$this")([data], {})
    if (isLibraryNode(made)) return made
    const [type = ""] = loadLibrary().fhirpath.types([data])
    const [typed] = this.#compiled(type.replace("System.", ""))([data], {})
    if (isLibraryNode(typed)) return typed
    throw new Error(`The library makes no node of a ${type}`)
  }

  /** Returns the node of a child; its parent and its companion are those of the library. */
  inside(parent: unknown, companion: unknown, child: Node): ResourceNode {
    const made = isLibraryNode(parent)
      ? this.#takeChild(parent, companion, child) ?? this.#extension(parent, child)
      : undefined
    if (made === undefined) throw new Error(`The library finds no element '${child.propName}'`)
    return made
  }

  #takeChild(parent: ResourceNode, companion: unknown, child: Node): ResourceNode | undefined {
    const { make, spare } = this.#childrenOf(child)
    const left = spare.get(parent)
    const known = left === undefined ? undefined : take(left, companion, child)
    if (known !== undefined) return known
    const made = [...make([parent], {})]
    const taken = take(made, companion, child)
    if (made.length > 0) spare.set(parent, made)
    return taken
  }

  #childrenOf({ propName }: Node): ChildrenByName {
    // Every node with a parent has a name.
    const name = propName ?? ""
    let children = this.#children.get(name)
    if (children === undefined) {
      // After `$this`, the name is not that of a type.
      const make = this.#compiled(`$this.${quotedName(name)}`)
      this.#children.set(name, children = { make, spare: new WeakMap() })
    }
    return children
  }

  /** Some nodes are only results of the function `extension`: it gives them a type even if their parent has none. */
  #extension(parent: ResourceNode, { data, index, propName }: Node): ResourceNode | undefined {
    if (propName !== "extension") return undefined
    // Only the closures of this function make such an element, for an object with this URL.
    const { url } = data as { readonly url: string }
    return this.#compiled("$this.extension(%url)")([parent], { url })
      .find((one): one is ResourceNode => isLibraryNode(one) && one.index === index)
  }
}

/** Returns whether a value of the library is a node: `valData` returns the data of nodes, and all other values unchanged. */
export const isLibraryNode = (value: unknown): value is ResourceNode =>
  !Object.is(loadLibrary().fhirpath.util.valData(value), value)

/** Removes the node from a list that is at the same place as an element. */
const take = (nodes: Array<unknown>, companion: unknown, element: Node): ResourceNode | undefined => {
  const at = nodes.findIndex((one) => isAtPlace(one, companion, element))
  const taken = at === -1 ? undefined : nodes.splice(at, 1)[0]
  return isLibraryNode(taken) ? taken : undefined
}

const isAtPlace = (one: unknown, companion: unknown, { fhirNodeDataType, index, path }: Node): boolean =>
  isLibraryNode(one) && one.index === index && one.path === path && one.fhirNodeDataType === fhirNodeDataType &&
  one._data === companion

const quotedName = (name: string): string => `\`${name.replaceAll(/[\\`]/gu, "\\$&")}\``
