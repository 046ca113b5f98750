import type { Model, Place } from "./Model.ts"
import type { SyntaxNode } from "./SyntaxTree.ts"
import { syntaxTree } from "./SyntaxTree.ts"

/** What an expression can find: places of the model, or `null` when it cannot be told. */
export type Places = ReadonlySet<Place> | null

/** What an expression can find, and whether the model says that it may be several at once. */
export interface Found {
  readonly places: Places
  readonly several: boolean
}

/** An operand of a comparison that may be several values: then `=` is not true, and `<` fails. */
export interface SeveralCompared {
  readonly offset: number
  readonly length: number
  readonly operator: string
}

/** A name in an expression that the model does not have. */
export interface ModelFault {
  readonly offset: number
  readonly length: number
  readonly message: string
  /** Names it could have been. */
  readonly candidates: ReadonlyArray<string>
  /** What to write instead, when it is known for sure. */
  readonly instead?: string
}

/** What is known before an expression is looked at. */
export interface Surroundings {
  readonly model: Model
  readonly focus: Found
  readonly variables: ReadonlyMap<string, Found>
  /** What a function of the mapping language gives. `literal` is its first argument, when that is a text. */
  readonly functionResult: (name: string, input: Found, literal: string | undefined) => Found
}

const keepsInput: ReadonlySet<string> = new Set(
  "where first last tail take skip distinct single exclude intersect subsetOf sort repeat defineVariable".split(" ")
)
const textResult: Places = new Set(["string"])
const nothing: Found = { places: new Set(), several: false }
const anything: Found = { places: null, several: false }
const comparisons: ReadonlySet<string> = new Set(["EqualityExpression", "InequalityExpression"])

/**
 * Follows an expression through the model of a mapping: what it can find, and every element or type name that cannot be there. A
 * misspelt element is a fault here, although FHIRPath itself would find nothing and say nothing.
 */
export const inferPlaces = (text: string, surroundings: Surroundings): Found & {
  readonly faults: ReadonlyArray<ModelFault>
  readonly compared: ReadonlyArray<SeveralCompared>
} => {
  const { choiceElement, elementNames, elementOfPlace, isKindOf, isType, repeats, typeNames } = surroundings.model
  const faults: Array<ModelFault> = []
  const compared: Array<SeveralCompared> = []
  const offsetOf = (node: SyntaxNode): number => {
    let start = 0
    for (let line = 1; line < (node.start?.line ?? 1); line++) start = text.indexOf("\n", start) + 1
    return start + (node.start?.column ?? 1) - 1
  }
  const nameOf = (node: SyntaxNode): string => (node.text ?? node.children?.[0]?.text ?? "").replace(/^`|`$/gu, "")
  const typeSpecifier = (node: SyntaxNode): string =>
    (node.text ?? "").replace(/^(FHIR|System)\./u, "").replaceAll("`", "")

  const member = (input: Found, node: SyntaxNode, atRoot: boolean): Found => {
    if (input.places === null) return anything
    const name = nameOf(node)
    const places = [...input.places]
    if (atRoot && places.some((place) => isKindOf(place, name))) return input
    const found = new Set<Place>()
    let any = places.length === 0
    for (const place of places) {
      const targets = elementOfPlace(place, name)
      if (targets !== undefined) {
        any = true
        for (const target of targets) found.add(target)
      }
    }
    if (any) return { places: found, several: input.several || places.some((place) => repeats(place, name)) }
    const choice = places.map((place) => choiceElement(place, name)).find((one) => one !== undefined)
    const where = places.length > 3 ? `${places.slice(0, 3).join(", ")} …` : places.join(" or ")
    faults.push({
      offset: offsetOf(node),
      length: node.length ?? name.length,
      message: `${where} has no element \`${name}\``,
      candidates: places.flatMap(elementNames),
      ...(choice === undefined ? {} : { instead: `${choice.element}.ofType(${choice.type})` })
    })
    return anything
  }

  const narrow = (input: Found, node: SyntaxNode): Found => {
    const type = typeSpecifier(node)
    if (!isType(type)) {
      faults.push({
        offset: offsetOf(deepest(node)),
        length: type.length,
        message: `FHIR R4 has no type \`${type}\``,
        candidates: typeNames()
      })
      return anything
    }
    const narrowed: Found = { places: new Set([type]), several: input.several }
    if (input.places === null) return narrowed
    const places = [...input.places]
    if (places.some((place) => isKindOf(place, type) || isKindOf(type, place) || place === "Resource")) return narrowed
    faults.push({
      offset: offsetOf(deepest(node)),
      length: type.length,
      message: `this is never of type \`${type}\``,
      candidates: places
    })
    return anything
  }

  const join = (one: Found, other: Found): Found => ({
    places: one.places === null || other.places === null ? null : new Set([...one.places, ...other.places]),
    several: one.several || other.several
  })

  const parameters = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
    node.children?.[0]?.children?.find((child) => child.type === "ParamList")?.children ?? []

  const call = (input: Found, node: SyntaxNode, self: Found): Found => {
    const name = node.text ?? ""
    const args = parameters(node)
    const each: Found = { places: input.places, several: false }
    switch (name) {
      case "ofType":
      case "as":
        return args[0] === undefined ? anything : narrow(input, args[0])
      case "is":
        if (args[0] !== undefined) narrow(anything, args[0])
        return { places: new Set(["boolean"]), several: false }
      case "select": {
        if (args[0] === undefined) return anything
        const found = infer(args[0], each, each)
        return { places: found.places, several: input.several || found.several }
      }
      case "repeat":
        if (args[0] !== undefined) infer(args[0], each, each)
        return { places: null, several: true }
      case "iif":
        return args.map((argument) => infer(argument, input, input)).slice(1).reduce(join, nothing)
      case "union":
      case "combine":
        return join(input, args[0] === undefined ? nothing : infer(args[0], self, self))
      case "coalesce":
        return args.map((argument) => infer(argument, self, self)).reduce(join, nothing)
      case "extension":
        // An extension could repeat; one that is asked for by its URL hardly ever does.
        return { places: new Set(["Extension"]), several: input.several }
      case "children":
      case "descendants":
      case "aggregate":
        return anything
      default: {
        const lambda = name === "where" || name === "all" || name === "exists" || name === "sort"
        for (const argument of args) infer(argument, lambda ? each : self, lambda ? each : self)
        if (name === "first" || name === "last" || name === "single") return each
        if (keepsInput.has(name)) return input
        const literal = args[0]?.children?.[0]?.children?.[0]
        return surroundings.functionResult(
          name,
          input,
          literal?.type === "StringLiteral" ? literal.text?.slice(1, -1) : undefined
        )
      }
    }
  }

  const compare = (node: SyntaxNode, input: Found, self: Found): void => {
    for (const operand of node.children ?? []) {
      if (!infer(operand, input, self).several) continue
      const spans = leavesOf(operand).map((leaf) => [offsetOf(leaf), offsetOf(leaf) + (leaf.length ?? 1)] as const)
      const offset = Math.min(...spans.map(([from]) => from))
      compared.push({ offset, length: Math.max(...spans.map(([, to]) => to)) - offset, operator: node.text ?? "=" })
    }
  }

  const infer = (node: SyntaxNode, input: Found, self: Found): Found => {
    const children = node.children ?? []
    const [first, second] = children
    switch (node.type) {
      case "EntireExpression":
      case "TermExpression":
      case "ParenthesizedTerm":
      case "SortDirectionArgument":
      case "PolarityExpression":
        return first === undefined ? nothing : infer(first, input, self)
      case "InvocationTerm":
        return first === undefined
          ? anything
          : first.type === "MemberInvocation"
          ? member(self, first, true)
          : infer(first, self, self)
      case "InvocationExpression": {
        const left = infer(first!, input, self)
        return second!.type === "MemberInvocation"
          ? member(left, second!, false)
          : second!.type === "FunctionInvocation"
          ? call(left, second!, self)
          : infer(second!, left, self)
      }
      case "FunctionInvocation":
        return call(self, node, self)
      case "MemberInvocation":
        return member(input, node, true)
      case "ThisInvocation":
        return self
      case "IndexInvocation":
      case "TotalInvocation":
        return { places: new Set(["integer"]), several: false }
      case "IndexerExpression":
        if (second !== undefined) infer(second, self, self)
        return { places: infer(first!, input, self).places, several: false }
      case "UnionExpression":
        return children.map((child) => infer(child, input, self)).reduce(join, nothing)
      case "TypeExpression": {
        const left = infer(first!, input, self)
        if (node.text === "is") {
          narrow(anything, second!)
          return { places: new Set(["boolean"]), several: false }
        }
        return narrow(left, second!)
      }
      case "ExternalConstantTerm":
        return surroundings.variables.get(node.text ?? "") ?? anything
      case "LiteralTerm":
        return first?.type === "NullLiteral"
          ? nothing
          : first?.type === "StringLiteral"
          ? { places: textResult, several: false }
          : anything
      default:
        if (comparisons.has(node.type)) compare(node, input, self)
        else for (const child of children) infer(child, input, self)
        return anything
    }
  }
  return { ...infer(syntaxTree(text), surroundings.focus, surroundings.focus), faults, compared }
}

const deepest = (
  node: SyntaxNode
): SyntaxNode => (node.start !== undefined || node.children?.[0] === undefined ? node : deepest(node.children[0]))

/** The nodes of a tree that have a place in the text. */
const leavesOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => [
  ...(node.start === undefined ? [] : [node]),
  ...(node.children ?? []).flatMap(leavesOf)
]
