import fhirpath from "fhirpath"
import type { Place } from "./Model.ts"
import { choiceElement, elementNames, elementOfPlace, isKindOf, isType, typeNames } from "./Model.ts"

/** What an expression can find: places of the model, or `null` when it cannot be told. */
export type Places = ReadonlySet<Place> | null

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
  readonly focus: Places
  readonly variables: ReadonlyMap<string, Places>
  /** What a function of the mapping language gives. `literal` is its first argument, when that is a text. */
  readonly functionResult: (name: string, input: Places, literal: string | undefined) => Places
}

interface SyntaxNode {
  readonly type: string
  readonly text?: string
  readonly start?: { readonly line: number; readonly column: number }
  readonly length?: number
  readonly children?: ReadonlyArray<SyntaxNode>
}

const keepsInput: ReadonlySet<string> = new Set(
  "where first last tail take skip distinct single exclude intersect subsetOf sort repeat defineVariable".split(" ")
)
const textResult: Places = new Set(["string"])

/**
 * Follows an expression through the FHIR R4 model: what it can find, and every element or type name that cannot be there. A
 * misspelt element is a fault here, although FHIRPath itself would find nothing and say nothing.
 */
export const inferPlaces = (
  text: string,
  surroundings: Surroundings
): { readonly places: Places; readonly faults: ReadonlyArray<ModelFault> } => {
  const faults: Array<ModelFault> = []
  const offsetOf = (node: SyntaxNode): number => {
    let start = 0
    for (let line = 1; line < (node.start?.line ?? 1); line++) start = text.indexOf("\n", start) + 1
    return start + (node.start?.column ?? 1) - 1
  }
  const nameOf = (node: SyntaxNode): string => (node.text ?? node.children?.[0]?.text ?? "").replace(/^`|`$/gu, "")
  const typeSpecifier = (node: SyntaxNode): string =>
    (node.text ?? "").replace(/^(FHIR|System)\./u, "").replaceAll("`", "")

  const member = (input: Places, node: SyntaxNode, atRoot: boolean): Places => {
    if (input === null) return null
    const name = nameOf(node)
    if (atRoot && [...input].some((place) => isKindOf(place, name))) return input
    const found = new Set<Place>()
    let any = input.size === 0
    for (const place of input) {
      const targets = elementOfPlace(place, name)
      if (targets !== undefined) {
        any = true
        for (const target of targets) found.add(target)
      }
    }
    if (any) return found
    const places = [...input]
    const choice = places.map((place) => choiceElement(place, name)).find((one) => one !== undefined)
    const where = places.length > 3 ? `${places.slice(0, 3).join(", ")} …` : places.join(" or ")
    faults.push({
      offset: offsetOf(node),
      length: node.length ?? name.length,
      message: `${where} has no element \`${name}\``,
      candidates: places.flatMap(elementNames),
      ...(choice === undefined ? {} : { instead: `${choice.element}.ofType(${choice.type})` })
    })
    return null
  }

  const narrow = (input: Places, node: SyntaxNode): Places => {
    const type = typeSpecifier(node)
    if (!isType(type)) {
      faults.push({
        offset: offsetOf(deepest(node)),
        length: type.length,
        message: `FHIR R4 has no type \`${type}\``,
        candidates: typeNames()
      })
      return null
    }
    if (input === null) return new Set([type])
    if ([...input].some((place) => isKindOf(place, type) || isKindOf(type, place) || place === "Resource")) {
      return new Set([type])
    }
    faults.push({
      offset: offsetOf(deepest(node)),
      length: type.length,
      message: `this is never of type \`${type}\``,
      candidates: [...input]
    })
    return null
  }

  const join = (
    one: Places,
    other: Places
  ): Places => (one === null || other === null ? null : new Set([...one, ...other]))

  const parameters = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
    node.children?.[0]?.children?.find((child) => child.type === "ParamList")?.children ?? []

  const call = (input: Places, node: SyntaxNode, self: Places): Places => {
    const name = node.text ?? ""
    const args = parameters(node)
    switch (name) {
      case "ofType":
      case "as":
        return args[0] === undefined ? null : narrow(input, args[0])
      case "is":
        if (args[0] !== undefined) narrow(null, args[0])
        return new Set(["boolean"])
      case "select":
      case "repeat":
        return args[0] === undefined
          ? null
          : (name === "repeat" ? (infer(args[0], input, input), null) : infer(args[0], input, input))
      case "iif": {
        const branches = args.map((argument) => infer(argument, input, input))
        return branches.slice(1).reduce(join, new Set())
      }
      case "union":
      case "combine":
        return join(input, args[0] === undefined ? new Set() : infer(args[0], self, self))
      case "coalesce":
        return args.map((argument) => infer(argument, self, self)).reduce(join, new Set())
      case "extension":
        return new Set(["Extension"])
      case "children":
      case "descendants":
      case "aggregate":
        return null
      default: {
        const lambda = name === "where" || name === "all" || name === "exists" || name === "sort"
        for (const argument of args) infer(argument, lambda ? input : self, lambda ? input : self)
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

  const infer = (node: SyntaxNode, input: Places, self: Places): Places => {
    const children = node.children ?? []
    const [first, second] = children
    switch (node.type) {
      case "EntireExpression":
      case "TermExpression":
      case "ParenthesizedTerm":
      case "SortDirectionArgument":
      case "PolarityExpression":
        return first === undefined ? new Set() : infer(first, input, self)
      case "InvocationTerm":
        return first === undefined
          ? null
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
        return new Set(["integer"])
      case "IndexerExpression":
        if (second !== undefined) infer(second, self, self)
        return infer(first!, input, self)
      case "UnionExpression":
        return children.map((child) => infer(child, input, self)).reduce(join, new Set())
      case "TypeExpression": {
        const left = infer(first!, input, self)
        if (node.text === "is") {
          narrow(null, second!)
          return new Set(["boolean"])
        }
        return narrow(left, second!)
      }
      case "ExternalConstantTerm":
        return surroundings.variables.get(node.text ?? "") ?? null
      case "LiteralTerm":
        return first?.type === "NullLiteral" ? new Set() : first?.type === "StringLiteral" ? textResult : null
      default:
        for (const child of children) infer(child, input, self)
        return null
    }
  }
  const tree = fhirpath.parse(text) as SyntaxNode
  return { places: infer(tree, surroundings.focus, surroundings.focus), faults }
}

const deepest = (
  node: SyntaxNode
): SyntaxNode => (node.start !== undefined || node.children?.[0] === undefined ? node : deepest(node.children[0]))
