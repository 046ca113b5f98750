import type { SyntaxNode } from "./syntax/SyntaxTree.ts"
import { syntaxTree, variableName } from "./syntax/SyntaxTree.ts"
import {
  alternativesOf,
  argumentsOf,
  literalTextOf,
  plainPathOf,
  stepNodesOf,
  unquoted,
  wrappers
} from "./syntax/treeParts.ts"

/** Questions about an expression that passed the checks, answered from its syntax tree. */

/** Returns whether a text is no expression, or the empty collection. */
export const isEmptyPath = (text: string): boolean => /^(?:\{\s*\})?$/u.test(text.trim())

/** Returns whether an expression always finds a value: a text, a constant, a truth value, or a choice between such values. */
export const alwaysFinds = (
  text: string,
  constants: Readonly<Record<string, unknown>>,
  /** Returns whether a text or a constant counts. */
  counts: (value: unknown) => boolean
): boolean => {
  const search = (node: SyntaxNode): boolean => {
    const [first, second] = node.children ?? []
    switch (node.type) {
      case "LiteralTerm":
        return first?.type !== "NullLiteral" && counts(literalTextOf({ type: "TermExpression", children: [node] }))
      case "ExternalConstantTerm": {
        const value = constants[variableName(node)]
        return value !== undefined && counts(value)
      }
      case "InvocationExpression":
        return second?.type === "FunctionInvocation" && truths.has(second.text ?? "")
      case "FunctionInvocation": {
        const [, then, otherwise] = node.text === "iif" ? argumentsOf(node) : []
        return then !== undefined && otherwise !== undefined && search(then) && search(otherwise)
      }
      default:
        return wrappers.has(node.type) && first !== undefined && search(first)
    }
  }
  return search(syntaxTree(text))
}

/** Returns the texts that each element must have one of, so that a condition is true: `status = 'final' or status = 'amended'`. */
export const requiredTextsOf = (text: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const required = new Map<string, ReadonlySet<string>>()
  const search = (node: SyntaxNode): void => {
    const alternatives = alternativesOf(node)
    if (alternatives !== undefined) {
      const texts = new Set(alternatives.texts)
      required.set(alternatives.key, required.get(alternatives.key)?.intersection(texts) ?? texts)
    } else if (node.type === "AndExpression" || wrappers.has(node.type)) node.children?.forEach(search)
  }
  search(syntaxTree(text))
  return required
}

const truths: ReadonlySet<string> = new Set(["exists", "empty", "count"])

/** A step of a path: an element, or the call of a function. */
export interface PathStep {
  readonly name: string
  /** For a call: each argument that is a text; `undefined` for any other. */
  readonly args?: ReadonlyArray<string | undefined>
}

/** Returns the steps of a path of elements and calls, such as `subject.resolve().name`; `undefined` for any other expression. */
export const pathStepsOf = (text: string): ReadonlyArray<PathStep> | undefined =>
  stepNodesOf(syntaxTree(text))?.map((node) =>
    node.type === "FunctionInvocation" ? callOf(node) : { name: unquoted(node.text ?? "") }
  )

const callOf = (node: SyntaxNode): Required<PathStep> => ({
  name: unquoted(node.text ?? ""),
  args: argumentsOf(node).map(literalTextOf)
})

/** A call of a function on elements: `component.code.mapped('exam_part')`. */
interface CallOnElements {
  readonly path: string
  readonly args: ReadonlyArray<string | undefined>
}

/**
 * Returns the calls of a function on elements of the focus, except those that `not()` negates. Arguments of other functions are not
 * searched, because they are evaluated on another focus.
 */
export const callsOnElements = (text: string, name: string): ReadonlyArray<CallOnElements> => {
  if (!text.includes(name)) return []
  const found: Array<CallOnElements> = []
  const search = (node: SyntaxNode): void => {
    const [first, second] = node.children ?? []
    if (node.type === "FunctionInvocation") {
      // Its arguments are evaluated on the focus of the call.
      if (unquoted(node.text ?? "") === "iif") argumentsOf(node).forEach(search)
    } else if (node.type === "InvocationExpression" && first !== undefined && second !== undefined) {
      const path = plainPathOf(first)
      if (path === undefined) { if (!isNegated(first, second)) search(first) }
      else if (second.type === "FunctionInvocation") {
        const call = callOf(second)
        if (call.name === name) found.push({ path, args: call.args })
      }
    } else node.children?.forEach(search)
  }
  search(syntaxTree(text))
  return found
}

/** Returns whether a step negates the call before it. `(a or b).not()` negates no single call. */
const isNegated = (before: SyntaxNode, step: SyntaxNode): boolean =>
  step.type === "FunctionInvocation" && unquoted(step.text ?? "") === "not" &&
  before.children?.at(-1)?.type === "FunctionInvocation"

/** Returns whether an expression reads an element of what it is evaluated on, not only one of that name elsewhere. */
export const readsOwn = (text: string, element: string): boolean => {
  const search = (node: SyntaxNode): boolean => {
    const [first, second] = node.children ?? []
    if (node.type === "MemberInvocation") return unquoted(node.text ?? "") === element
    if (node.type !== "InvocationExpression" || first === undefined || second === undefined) {
      return node.children?.some(search) === true
    }
    return search(first) || (isThis(first) && search(second))
  }
  return search(syntaxTree(text))
}

const isThis = (node: SyntaxNode): boolean =>
  node.type === "ThisInvocation" ||
  (wrappers.has(node.type) && node.children?.length === 1 && node.children.every(isThis))

/** Returns the first call of one of the functions whose argument begins with a variable. */
export const callWithVariable = <Name extends string>(
  text: string,
  names: ReadonlyArray<Name>
): { readonly name: Name; readonly variable: string } | undefined => {
  const search = (node: SyntaxNode): ReturnType<typeof callWithVariable<Name>> => {
    const name = node.type === "FunctionInvocation" ? names.find((one) => one === node.text) : undefined
    const variable = name === undefined ? undefined : leadingVariableOf(argumentsOf(node)[0])
    if (name !== undefined && variable !== undefined) return { name, variable }
    for (const child of node.children ?? []) {
      const found = search(child)
      if (found !== undefined) return found
    }
    return undefined
  }
  return search(syntaxTree(text))
}

/** Returns whether an expression begins with a variable: `%patient.identifier`. */
export const beginsWithVariable = (text: string, variable: string): boolean =>
  leadingVariableOf(syntaxTree(text)) === variable

const leadingVariableOf = (node: SyntaxNode | undefined): string | undefined =>
  node === undefined || node.type === "ExternalConstantTerm"
    ? node && variableName(node)
    : leadingVariableOf(node.children?.[0])

/** Returns the elements before each call of a function, wherever it is: for `a.where(b.c.exists())` and `exists` it is `b.c`. */
export const elementsBefore = (text: string, name: string): ReadonlyArray<string> => {
  const search = (node: SyntaxNode): ReadonlyArray<string> => {
    const { children = [], type } = node
    const [first, second] = children
    const isCall = type === "InvocationExpression" && second?.type === "FunctionInvocation" && second.text === name
    return [...(isCall && first !== undefined ? [lastNamesOf(first).join(".")] : []), ...children.flatMap(search)]
  }
  return search(syntaxTree(text))
}

/** Returns the names of all elements of an expression. */
export const namedElements = (text: string): ReadonlyArray<string> => {
  const search = (node: SyntaxNode): ReadonlyArray<string> => [
    ...(node.type === "MemberInvocation" ? [unquoted(node.text ?? "")] : []),
    ...(node.children ?? []).flatMap(search)
  ]
  return search(syntaxTree(text))
}

/** Returns the names of elements at the end of a path. */
const lastNamesOf = (node: SyntaxNode): ReadonlyArray<string> => {
  const [first, second] = node.children ?? []
  switch (node.type) {
    case "TermExpression":
    case "InvocationTerm":
      return first === undefined ? [] : lastNamesOf(first)
    case "MemberInvocation":
      return [node.text ?? ""]
    case "InvocationExpression":
      return first === undefined || second?.type !== "MemberInvocation"
        ? []
        : [...lastNamesOf(first), second.text ?? ""]
    default:
      return []
  }
}
