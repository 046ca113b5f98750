import r4 from "fhirpath/fhir-context/r4"
import type { Element, Elements } from "../FhirPath.ts"
import { follow, type Form, mayBeType } from "./children.ts"
import type { EvaluateStep, Frame } from "./Frame.ts"
import type { TypeInfo } from "./Node.ts"
import { isNode, possibleType, rootNode, typeOf } from "./Node.ts"
import { none } from "./values.ts"

/** Follows a name. At the start of a path it can also be the type of the focus. */
export const member = (
  name: string,
  atRoot: 1 | 2 | undefined
): { readonly run: EvaluateStep; readonly values: EvaluateStep; readonly plain: EvaluateStep } => {
  const children = follow(name)
  const type = possibleType(name)
  const isType = atRoot !== undefined && mayBeType(name) ? remembered((of) => of.is(type, r4)) : undefined
  const from = (frame: Frame, element: Element, form: Form): Elements => {
    const node = isNode(element) ? element : rootNode(element)
    const stays =
      (node.path === name && (node.data as { readonly resourceType?: unknown } | null)?.resourceType === name) ||
      (isType !== undefined && isType(node) && (atRoot === 1 || isAtRoot(frame)))
    return stays ? [form === "values" ? node.data : node] : children(node, form)
  }
  const fromEach = (form: Form): EvaluateStep => (frame, input) => {
    if (input.length === 1) return from(frame, input[0], form)
    if (input.length === 0) return none
    const found: Array<Element> = []
    for (const element of input) for (const one of from(frame, element, form)) found.push(one)
    return found
  }
  return { run: fromEach("nodes"), values: fromEach("values"), plain: fromEach("plain") }
}

const isAtRoot = ({ index, root, self }: Frame): boolean =>
  index === undefined ? root === self : root[index] === self[0]

/** Represents the type of texts that the model does not define; no type has this name. */
const aText = Symbol("text")

/** Returns a memoized check of whether a type matches, by name. Elements outside the model are checked each time. */
export const remembered = (fits: (type: TypeInfo) => boolean): (element: Element) => boolean => {
  const known = new Map<string | symbol, boolean>()
  let last: string | symbol | undefined
  let lastFits = false
  return (element) => {
    const name = isNode(element)
      ? element.fhirNodeDataType ?? (typeof element.data === "string" ? aText : null)
      : typeof element === "string"
      ? aText
      : null
    if (name === null) return fits(typeOf(element))
    if (name === last) return lastFits
    let fit = known.get(name)
    if (fit === undefined) known.set(name, fit = fits(typeOf(element)))
    last = name
    lastFits = fit
    return fit
  }
}

/** Returns the elements that match. */
export const kept = (elements: Elements, fits: (element: Element) => boolean): Elements => {
  if (elements.length === 0) return none
  if (elements.length === 1) return fits(elements[0]) ? [elements[0]] : none
  return elements.filter(fits)
}
