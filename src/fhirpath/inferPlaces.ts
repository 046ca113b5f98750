import type { Found, Places, Surroundings } from "./Found.ts"
import { isMoment, literalsOf } from "./literals.ts"
import type { Place } from "./Model.ts"
import type { Misused, ModelFault, NeverEqual, SeveralCompared, UnknownCode } from "./PlaceFaults.ts"
import type { SyntaxNode } from "./SyntaxTree.ts"
import { offsetIn, syntaxTree, variableName } from "./SyntaxTree.ts"

const keepsInput: ReadonlySet<string> = new Set(
  "where first last tail take skip distinct single exclude intersect subsetOf sort repeat defineVariable".split(" ")
)
const timedTypes: ReadonlySet<string> = new Set(["date", "dateTime", "instant", "time"])
const textResult: Places = new Set(["string"])
const nothing: Found = { places: new Set(), several: false }
const anything: Found = { places: null, several: false }
const truth: Found = { places: new Set(["boolean"]), several: false }
const comparisons: ReadonlySet<string> = new Set(["EqualityExpression", "InequalityExpression"])
const logical: ReadonlySet<string> = new Set(["OrExpression", "AndExpression", "ImpliesExpression"])

const typeOfFunction: ReadonlyMap<string, string> = new Map([
  ...("exists empty all not allTrue anyTrue allFalse anyFalse subsetOf supersetOf isDistinct contains startsWith endsWith matches " +
    "matchesFull hasValue convertsToBoolean convertsToInteger convertsToDecimal convertsToString convertsToDate " +
    "convertsToDateTime convertsToTime convertsToQuantity toBoolean").split(" ").map((name) =>
      [name, "boolean"] as const
    ),
  ...["count", "length", "indexOf", "lastIndexOf", "toInteger"].map((name) => [name, "integer"] as const),
  ["toDecimal", "decimal"],
  ["toDate", "date"],
  ["toDateTime", "dateTime"]
])

/**
 * Follows an expression through the model of a mapping: what it can find, and every element or type name that cannot be there. A
 * misspelt element is a fault here, although FHIRPath itself would find nothing and say nothing.
 */
export const inferPlaces = (text: string, surroundings: Surroundings): Found & {
  readonly faults: ReadonlyArray<ModelFault>
  readonly compared: ReadonlyArray<SeveralCompared>
  readonly neverEqual: ReadonlyArray<NeverEqual>
  readonly misused: ReadonlyArray<Misused>
  readonly unknownCodes: ReadonlyArray<UnknownCode>
  /** Where names stand that the model has, and where names stand on what cannot be told. */
  readonly known: ReadonlySet<number>
  readonly untold: ReadonlySet<number>
} => {
  const {
    choiceElement,
    codesOfElement,
    elementNames,
    elementOfPlace,
    isKindOf,
    isPrimitive,
    isType,
    repeats,
    targetsOfElement,
    typeNames
  } = surroundings.model
  const faults: Array<ModelFault> = []
  const compared: Array<SeveralCompared> = []
  const neverEqual: Array<NeverEqual> = []
  const misused: Array<Misused> = []
  const unknownCodes: Array<UnknownCode> = []
  const known = new Set<number>()
  const untold = new Set<number>()
  const offsetOf = ({ start }: SyntaxNode): number => start === undefined ? 0 : offsetIn(text, start.line, start.column)
  const nameOf = (node: SyntaxNode): string => (node.text ?? node.children?.[0]?.text ?? "").replace(/^`|`$/gu, "")
  const typeSpecifier = (node: SyntaxNode): string =>
    (node.text ?? "").replace(/^(FHIR|System)\./u, "").replaceAll("`", "")

  const member = (input: Found, node: SyntaxNode, atRoot: boolean): Found => {
    if (input.places === null) {
      untold.add(offsetOf(node))
      return anything
    }
    const name = nameOf(node)
    const places = [...input.places]
    if (atRoot && places.some((place) => isKindOf(place, name))) {
      known.add(offsetOf(node))
      return input
    }
    const found = new Set<Place>()
    const named = new Set<string>()
    let any = places.length === 0
    let told = true
    for (const place of places) {
      // The model writes `birthDate.value`; what is found is the value already.
      const next = isPrimitive(place) && name === "value" ? undefined : elementOfPlace(place, name)
      if (next === undefined) continue
      any = true
      for (const one of next) found.add(one)
      if (!next.has("Reference")) continue
      const targets = targetsOfElement(place, name)
      if (targets === undefined) told = false
      for (const target of targets ?? []) named.add(target)
    }
    if (any) {
      known.add(offsetOf(node))
      const several = input.several || places.some((place) => repeats(place, name))
      const codes = places.map((place) => codesOfElement(place, name))
      return {
        places: found,
        several,
        ...(told && named.size > 0 ? { targets: named } : {}),
        ...(codes.every((some) => some !== undefined) ? { codes: new Set(codes.flat()) } : {}),
        ...(found.size > 0 && [...found].every((place) => timedTypes.has(place)) && !places.some(isRow)
          ? { timed: true }
          : {})
      }
    }
    const choice = places.map((place) => choiceElement(place, name)).find((one) => one !== undefined)
    const where = places.length > 3 ? `${places.slice(0, 3).join(", ")} …` : places.join(" or ")
    faults.push({
      offset: offsetOf(node),
      length: node.length ?? name.length,
      message: `${where} has no element \`${name}\``,
      candidates: places.flatMap(elementNames),
      ...(choice === undefined ? {} : { instead: `${choice.element}.ofType(${choice.type})` }),
      ...(atRoot && input === surroundings.focus ? { first: true } : {})
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
    const narrowed: Found = {
      places: new Set([type]),
      several: input.several,
      ...(input.targets === undefined ? {} : { targets: input.targets }),
      ...(timedTypes.has(type) ? { timed: true } : {})
    }
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

  const isRow = (place: Place): boolean => /^[a-z]/u.test(place)

  const join = (one: Found, other: Found): Found => ({
    places: one.places === null || other.places === null ? null : new Set([...one.places, ...other.places]),
    several: one.several || other.several,
    ...joinTargets(one, other),
    ...(one.codes === undefined || other.codes === undefined ? {} : { codes: one.codes.union(other.codes) }),
    ...(one.timed === true && other.timed === true ? { timed: true } : {})
  })

  const parameters = (node: SyntaxNode): ReadonlyArray<SyntaxNode> =>
    node.children?.[0]?.children?.find((child) => child.type === "ParamList")?.children ?? []

  const call = (input: Found, node: SyntaxNode, self: Found): Found => {
    const name = node.text ?? ""
    const args = parameters(node)
    const each: Found = { ...input, several: false }
    switch (name) {
      case "ofType":
      case "as":
        return args[0] === undefined ? anything : narrow(input, args[0])
      case "is":
        if (args[0] !== undefined) narrow(anything, args[0])
        return truth
      case "select": {
        if (args[0] === undefined) return anything
        const found = infer(args[0], each, each)
        return { ...found, several: input.several || found.several }
      }
      case "repeat":
        if (args[0] !== undefined) infer(args[0], each, each)
        return { places: null, several: true }
      case "iif":
        return iif(args, input)
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
        const given = args.map((argument) => infer(argument, lambda ? each : self, lambda ? each : self))
        const literal = args[0]?.children?.[0]?.children?.[0]
        if (name === "first" || name === "last" || name === "single") return each
        if (name === "take" && literal?.type === "NumberLiteral" && literal.text === "1") return each
        if (name === "where" && args[0] !== undefined) {
          return isByUrl(args[0], input) ? each : asked(args[0], input) ?? nothing
        }
        if (keepsInput.has(name)) return input
        const type = typeOfFunction.get(name)
        if (type !== undefined) return { places: new Set([type]), several: false }
        return surroundings.functionResult({
          name,
          input,
          args: given,
          offset: offsetOf(node),
          length: node.length ?? name.length,
          ...(literal?.type === "StringLiteral" ? { literal: literal.text!.slice(1, -1) } : {})
        })
      }
    }
  }

  /** What an input is where a condition that asks for its type is true, `$this is Quantity`; `undefined` when it never is. */
  const asked = (condition: SyntaxNode, input: Found): Found | undefined => {
    const [subject, specifier] = condition.children ?? []
    if (condition.type !== "TypeExpression" || condition.text !== "is") return input
    if (subject?.children?.[0]?.children?.[0]?.type !== "ThisInvocation") return input
    const type = typeSpecifier(specifier!)
    if (!isType(type)) return input
    const narrowed: Found = { ...input, places: new Set([type]) }
    if (input.places === null) return narrowed
    const mayBe = [...input.places].some((place) =>
      isKindOf(place, type) || isKindOf(type, place) || place === "Resource"
    )
    return mayBe ? narrowed : undefined
  }

  /** `extension.where(url = …)`, which is another way to write `extension(…)`. */
  const isByUrl = (condition: SyntaxNode, { places }: Found): boolean =>
    places?.size === 1 && places.has("Extension") && condition.type === "EqualityExpression" &&
    (condition.children ?? []).some((side) => side.children?.[0]?.children?.[0]?.text === "url")

  const iif = ([condition, then, otherwise]: ReadonlyArray<SyntaxNode>, input: Found): Found => {
    if (condition === undefined) return nothing
    infer(condition, input, input)
    const where = asked(condition, input)
    const one = then === undefined || where === undefined ? nothing : infer(then, where, where)
    return otherwise === undefined ? one : join(one, infer(otherwise, input, input))
  }

  const isText = ({ places }: Found): boolean =>
    places !== null && places.size > 0 &&
    [...places].every((place) => isKindOf(place, "string") || isKindOf(place, "uri"))

  /** What has elements of its own, or is a number or truth value: no text is equal to it. */
  const isNeverText = ({ places }: Found): boolean =>
    places !== null && places.size > 0 &&
    [...places].every((place) =>
      place === "boolean" || isKindOf(place, "decimal") || isKindOf(place, "integer") ||
      (!isPrimitive(place) && place !== "Element" && place !== "Resource" && place !== "DomainResource")
    )

  const isNumber = (place: Place): boolean => isKindOf(place, "decimal") || isKindOf(place, "integer")

  const spanOf = (node: SyntaxNode): { readonly offset: number; readonly length: number } => {
    const spans = leavesOf(node).map((leaf) => [offsetOf(leaf), offsetOf(leaf) + (leaf.length ?? 1)] as const)
    const offset = Math.min(...spans.map(([from]) => from))
    let end = Math.max(...spans.map(([, to]) => to))
    // Brackets have no places of their own: neither those of a call without arguments, nor the one that closes a call.
    end += /^\(\s*\)/u.exec(text.slice(end))?.[0].length ?? 0
    const count = (bracket: string): number => text.slice(offset, end).split(bracket).length
    while (text[end] === ")" && count("(") > count(")")) end++
    return { offset, length: end - offset }
  }

  const compare = (node: SyntaxNode, input: Found, self: Found): void => {
    const operator = node.text ?? "="
    const operands = (node.children ?? []).map((operand) => ({ operand, found: infer(operand, input, self) }))
    if (operator === "=" || operator === "!=" || operator === "in") {
      operands.forEach(({ found: { codes } }, at) => {
        const other = operands[1 - at]
        if (codes === undefined || other === undefined) return
        for (const { node, text: code } of literalsOf(other.operand)) {
          if (!codes.has(code)) unknownCodes.push({ ...spanOf(node), code, codes: [...codes] })
        }
      })
    }
    const other = operands.find(({ found }) => found.timed === true || isNeverText(found))
    const textual = operands.find(({ found }) => isText(found))
    if (other !== undefined && textual !== undefined) {
      const places = [...other.found.places ?? []]
      neverEqual.push({ ...spanOf(other.operand), operator, places, other: spanOf(textual.operand) })
      return
    }
    if (!comparisons.has(node.type)) return
    for (const { found, operand } of operands) if (found.several) compared.push({ ...spanOf(operand), operator })
  }

  /** `+`, `-` and `&`: a number and a text go together only as texts. */
  const joined = (node: SyntaxNode, input: Found, self: Found): Found => {
    const operands = (node.children ?? []).map((operand) => ({ operand, found: infer(operand, input, self) }))
    const number = operands.find(({ found: { places } }) =>
      places !== null && places.size > 0 && [...places].every(isNumber)
    )
    const isJoin = node.text === "&"
    if (number !== undefined && operands.some(({ found }) => isText(found))) {
      misused.push({
        ...spanOf(number.operand),
        kind: isJoin ? "text" : "sum",
        places: [...number.found.places!]
      })
      return anything
    }
    return isJoin || operands.every(({ found }) => isText(found)) ? { places: textResult, several: false } : anything
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
        if (second !== undefined) {
          const { places } = infer(second, self, self)
          if (places !== null && places.size > 0 && ![...places].some((place) => isNumber(place))) {
            misused.push({ ...spanOf(second), kind: "index", places: [...places] })
          }
        }
        return { ...infer(first!, input, self), several: false }
      case "UnionExpression":
        return children.map((child) => infer(child, input, self)).reduce(join, nothing)
      case "TypeExpression": {
        const left = infer(first!, input, self)
        if (node.text === "is") {
          narrow(anything, second!)
          return truth
        }
        return narrow(left, second!)
      }
      case "ExternalConstantTerm":
        return surroundings.variables.get(variableName(node)) ?? anything
      case "LiteralTerm":
        switch (first?.type) {
          case "NullLiteral":
            return nothing
          case "StringLiteral":
            return { places: textResult, several: false }
          case "BooleanLiteral":
            return truth
          case "NumberLiteral":
            return { places: new Set(["decimal"]), several: false }
          case "DateLiteral":
          case "DateTimeLiteral":
            if (!isMoment(first.text ?? "")) misused.push({ ...spanOf(node), kind: "date", places: [] })
            return anything
          default:
            return anything
        }
      default:
        if (comparisons.has(node.type) || node.type === "MembershipExpression") {
          compare(node, input, self)
          return truth
        }
        if (node.type === "AdditiveExpression") return joined(node, input, self)
        for (const child of children) {
          const { places } = infer(child, input, self)
          if (node.type !== "MultiplicativeExpression" || places === null || places.size === 0) continue
          if (![...places].some((place) => isNumber(place) || place === "Quantity" || place === "Element")) {
            misused.push({ ...spanOf(child), kind: "number", places: [...places] })
            return anything
          }
        }
        return logical.has(node.type) ? truth : anything
    }
  }
  return {
    ...infer(syntaxTree(text), surroundings.focus, surroundings.focus),
    faults,
    compared,
    neverEqual,
    misused,
    unknownCodes,
    known,
    untold
  }
}

/** Of two lists together; nothing, unless the model says of each reference in them. */
const joinTargets = (one: Found, other: Found): { readonly targets?: ReadonlySet<string> } => {
  const told = [one, other].every(({ places, targets }) => targets !== undefined || places?.has("Reference") === false)
  return told ? { targets: new Set([...(one.targets ?? []), ...(other.targets ?? [])]) } : {}
}

const deepest = (
  node: SyntaxNode
): SyntaxNode => (node.start !== undefined || node.children?.[0] === undefined ? node : deepest(node.children[0]))

/** The nodes of a tree that have a place in the text. */
const leavesOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => [
  ...(node.start === undefined ? [] : [node]),
  ...(node.children ?? []).flatMap(leavesOf)
]
