import type { Element, Elements } from "../FhirPath.ts"
import { follow, type Form, mayBeType } from "./children.ts"
import type { EvaluateStep, Frame } from "./Frame.ts"
import { isNode, rootNode } from "./Node.ts"
import { type TypeTest, typeTest } from "./types.ts"
import { none } from "./values.ts"

/** Follows a name. At the start of a path it can also be the type of the focus. */
export const member = (
  name: string,
  atRoot: 1 | 2 | undefined
): { readonly run: EvaluateStep; readonly values: EvaluateStep; readonly plain: EvaluateStep } => {
  const children = follow(name)
  const mayBe = atRoot !== undefined && mayBeType(name)
  let isType: TypeTest | undefined
  const from = (frame: Frame, element: Element, form: Form): Elements => {
    const node = isNode(element) ? element : rootNode(element)
    // The data is JSON of any form; only an object has a `resourceType`.
    const stays =
      (node.path === name && (node.data as { readonly resourceType?: unknown } | null)?.resourceType === name) ||
      (mayBe && (isType ??= typeTest("is", [name]) ?? isNever)(node) && (atRoot === 1 || isAtRoot(frame)))
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

const isNever: TypeTest = () => false

const isAtRoot = ({ index, root, self }: Frame): boolean =>
  index === undefined ? root === self : root[index] === self[0]

/** Returns the elements that match. */
export const kept = (elements: Elements, fits: (element: Element) => boolean): Elements => {
  if (elements.length === 0) return none
  if (elements.length === 1) return fits(elements[0]) ? [elements[0]] : none
  return elements.filter(fits)
}
