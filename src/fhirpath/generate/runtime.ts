import { jsonObjectOf } from "../../json/JsonObject.ts"
import { elementSteps, extensionsWith, follow, mayBeType } from "../evaluate/children.ts"
import { askedFunction, plainFunctions } from "../evaluate/functions.ts"
import { dataOf, elementsOf, isNode, Node, rootNode } from "../evaluate/Node.ts"
import { operatorOf } from "../evaluate/operators.ts"
import { searchList } from "../evaluate/searchList.ts"
import { type TypeTest, typeTest } from "../evaluate/types.ts"
import { equalWhenKnown, logical, no, none, yes } from "../evaluate/values.ts"
import type { Element, Elements, Variables, ZoneScope } from "../FhirPath.ts"
import { canRead } from "./regular.ts"

/** Thrown by generated code that finds a case which only the closures decide. */
const odd: unique symbol = Symbol("odd")

const fail = (): never => {
  // One object made beforehand: the closures evaluate the expression again, and report what is wrong.
  throw odd
}

/** What an operand of a logical operator is: true, false, or `undefined` if it is empty. */
type Truth = boolean | undefined

const truthOf = (element: Element): Truth => {
  const value = isNode(element) ? element.data : element
  return value === null || value === undefined ? undefined : value !== false
}

const truthOfAll = (elements: Elements): Truth => {
  const value = logical(elements)
  return value === "several" ? fail() : value === "nothing" ? undefined : value
}

/** Returns the boolean in a result of an operator; `undefined` if it is empty. */
const truthIn = (result: Elements): Truth => result.length === 0 ? undefined : result[0] === true

const equals = operatorOf("=")

const equal = (one: Element, other: Element, scope: ZoneScope): Truth => {
  const known = equalWhenKnown(one, other, scope)
  return known === undefined ? truthIn(equals.apply([one], [other], scope)) : known === "uncertain" ? undefined : known
}

/** Returns the text that an operand of `&` is. */
const textOfAll = (elements: Elements): string => {
  if (elements.length === 0) return ""
  const value = elements.length > 1 ? undefined : isNode(elements[0]) ? elements[0].data : elements[0]
  return value === null ? "" : typeof value === "string" ? value : fail()
}

/** Returns the values of a variable as elements. */
const elementsIn = (value: unknown): Elements => elementsOf(Array.isArray(value) ? value : [value])

/** Returns the value of an element. One that has none, such as a date with only a companion, is left to the definition. */
const valueOf = (element: Element): unknown => {
  const value = isNode(element) ? element.data : element
  return value === undefined ? fail() : value
}

/** Returns the values of the elements of a list; `undefined` if it is empty. */
const valuesOf = (elements: Elements): ReadonlyArray<unknown> | undefined =>
  elements.length === 0 ? undefined : elements.some(isNode) ? elements.map(valueOf) : elements

/** Returns a function that follows a name from any element. */
const from = (name: string, atRoot: 1 | 2 | undefined): (element: Element) => Elements => {
  const children = follow(name)
  const isType: TypeTest | undefined = atRoot !== undefined && mayBeType(name) ? typeTest("is", [name]) : undefined
  return (element) => {
    const node = isNode(element) ? element : rootNode(element)
    // A record can be named by its type, as in `visits.code`.
    if (node.path === name && jsonObjectOf(node.data).resourceType === name) return [node]
    if (isType?.(node) === true) return atRoot === 1 ? [node] : fail()
    return children(node, "nodes")
  }
}

const extensionsOf = (element: Element, url: string): Elements =>
  extensionsWith(isNode(element) ? element : rootNode(element), url) ?? fail()

/** Returns whether a variable holds only elements of one type, of which code can read some elements. */
const areOf = (
  path: string,
  elements: Elements,
  read: ReadonlySet<string>,
  canReadOne: (node: Node, read: ReadonlySet<string>) => boolean
): boolean => elements.every((one) => isNode(one) && one.path === path && canReadOne(one, read))

/** Returns a function that finds a regular choice in an element; `null` if it has none. */
const choice = (path: string, name: string): (node: Node) => Node | null => {
  const types = new Map(elementSteps(path, name).ranked.map((step) => [step.key, step]))
  return (node) => {
    const data = jsonObjectOf(node.data)
    for (const key in data) {
      const step = types.get(key)
      if (step !== undefined) return new Node(node, data[key], data[step.companion], step.path, step.type, name, null)
    }
    return null
  }
}

/** Returns a standard function on evaluated operands, and the library's. */
const standard = (
  name: string,
  count: number
): {
  readonly plainly: (input: Elements, args: ReadonlyArray<Elements>, scope: ZoneScope) => Elements | undefined
  readonly slowly: (input: Elements, args: ReadonlyArray<Elements>) => Elements
} => {
  const plain = plainFunctions.get(name)
  return {
    plainly: plain?.arities.includes(count) === true ? plain.plainly : () => undefined,
    slowly: askedFunction(name, count)
  }
}

/** Calls a function that reads only the visit. */
const once = <A>(
  run: (focus: Elements, variables: Variables, scope: ZoneScope) => A,
  variables: Variables,
  scope: ZoneScope
): A => {
  const find = (): A => run(none, variables, scope)
  return scope.once === undefined ? find() : scope.once(run, find)
}

/** What the text of a function can name. */
export const runtime = {
  Node,
  areOf,
  canRead,
  choice,
  dataOf,
  elementsIn,
  equal,
  extensionsWith: extensionsOf,
  fail,
  from,
  no,
  none,
  once,
  searchList,
  standard,
  textOfAll,
  truthIn,
  truthOf,
  truthOfAll,
  valueOf,
  valuesOf,
  yes
}
