import { isMoment } from "../syntax/literals.ts"
import { deepest, offsetOf, spanOf } from "../syntax/nodeSpans.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import { syntaxTree, variableName } from "../syntax/SyntaxTree.ts"
import { argumentsOf } from "../syntax/treeParts.ts"
import {
  findDifference,
  findMixedSum,
  findMovedDate,
  findMovedText,
  findNeverEqual,
  findSeveral,
  findTextAndDate,
  findTexts,
  isNumber,
  isText
} from "./compareKinds.ts"
import type { ComparedText, Side } from "./compareKinds.ts"
import { keepsInput, textOfEachElement, typeOfFunction } from "./functionTypes.ts"
import type {
  ModelFault,
  NeverEqual,
  SeveralCompared,
  TypeMisuse,
  TypeQuestion,
  UnknownCode
} from "./InferenceFaults.ts"
import type { InferenceContext, InferredType } from "./InferredType.ts"
import { anything, inferredTruth, joinFound, literalText, nothingInferred, oneOf } from "./InferredType.ts"
import type { Model, TypePath } from "./Model.ts"

/** The inferred type of an expression, and its errors against the model. */
interface Inferred extends InferredType {
  readonly faults: ReadonlyArray<ModelFault>
  readonly compared: ReadonlyArray<SeveralCompared>
  readonly neverEqual: ReadonlyArray<NeverEqual>
  readonly misused: ReadonlyArray<TypeMisuse>
  readonly unknownCodes: ReadonlyArray<UnknownCode>
  readonly typeTests: ReadonlyArray<TypeQuestion>
  /** Offsets of names that the model defines, and of names after an unknown type. */
  readonly known: ReadonlySet<number>
  readonly uncertain: ReadonlySet<number>
}

/**
 * Infers the type of an expression from the model of a mapping, and reports every unknown element or type name. A misspelt element is an
 * error here, although FHIRPath itself returns an empty result and no error.
 */
export const inferTypePaths = (text: string, context: InferenceContext): Inferred => {
  const inference = new TypeInference(text, context)
  const found = inference.infer(syntaxTree(text), context.focus, context.focus)
  const { compared, faults, known, misused, neverEqual, typeTests, unknownCodes, uncertain } = inference
  return { ...found, faults, compared, neverEqual, misused, typeTests, unknownCodes, known, uncertain }
}

/** Whether a name is the first of its path: only that one can be a type. */
type Step = "first" | "later"

/** Each method infers the type of a node whose path continues from `input`; `self` is the focus of the whole expression, `$this`. */
class TypeInference {
  readonly faults: Array<ModelFault> = []
  readonly compared: Array<SeveralCompared> = []
  readonly neverEqual: Array<NeverEqual> = []
  readonly misused: Array<TypeMisuse> = []
  readonly unknownCodes: Array<UnknownCode> = []
  readonly typeTests: Array<TypeQuestion> = []
  readonly known = new Set<number>()
  readonly uncertain = new Set<number>()
  readonly #text: string
  readonly #context: InferenceContext
  readonly #model: Model

  constructor(text: string, context: InferenceContext) {
    this.#text = text
    this.#context = context
    this.#model = context.model
  }

  infer(node: SyntaxNode, input: InferredType, self: InferredType): InferredType {
    const children = node.children ?? []
    const [first, second] = children
    switch (node.type) {
      case "EntireExpression":
      case "TermExpression":
      case "ParenthesizedTerm":
      case "SortDirectionArgument":
      case "PolarityExpression":
        return first === undefined ? nothingInferred : this.infer(first, input, self)
      case "InvocationTerm":
        return first === undefined
          ? anything
          : first.type === "MemberInvocation"
          ? this.#member(self, first, "first")
          : this.infer(first, self, self)
      case "InvocationExpression": {
        if (first === undefined || second === undefined) return anything
        const left = this.infer(first, input, self)
        return second.type === "MemberInvocation"
          ? this.#member(left, second, "later")
          : second.type === "FunctionInvocation"
          ? this.#call(left, second, self)
          : this.infer(second, left, self)
      }
      case "FunctionInvocation":
        return this.#call(self, node, self)
      case "MemberInvocation":
        return this.#member(input, node, "first")
      case "ThisInvocation":
        return self
      case "IndexInvocation":
      case "TotalInvocation":
        return integer
      case "IndexerExpression":
        if (second !== undefined) this.#checkIndex(second, self)
        return first === undefined ? anything : { ...this.infer(first, input, self), several: false }
      case "UnionExpression":
        return children.map((child) => this.infer(child, input, self)).reduce(joinFound, nothingInferred)
      case "TypeExpression": {
        if (first === undefined || second === undefined) return anything
        const left = this.infer(first, input, self)
        return node.text === "is" ? this.#testType(left, second) : this.#narrow(left, second)
      }
      case "ExternalConstantTerm":
        return this.#context.variables.get(variableName(node)) ?? anything
      case "LiteralTerm":
        return this.#literal(node, first)
      case "EqualityExpression":
      case "InequalityExpression":
      case "MembershipExpression":
        this.#compare(node, input, self)
        return inferredTruth
      case "AdditiveExpression":
        return this.#sum(node, input, self)
      case "MultiplicativeExpression":
        return this.#product(children, input, self)
      default:
        for (const child of children) this.infer(child, input, self)
        return logical.has(node.type) ? inferredTruth : anything
    }
  }

  #member(input: InferredType, node: SyntaxNode, step: Step): InferredType {
    const { typesOfElement, isKindOf, isPrimitive, targetsOfElement } = this.#model
    if (input.typePaths === null) {
      this.uncertain.add(this.#offsetOf(node))
      return anything
    }
    const name = nameOf(node)
    const typePaths = [...input.typePaths]
    if (step === "first" && typePaths.some((typePath) => isKindOf(typePath, name))) {
      this.known.add(this.#offsetOf(node))
      return input
    }
    const found = new Set<TypePath>()
    const targetTypes = new Set<string>()
    let any = typePaths.length === 0
    let reported = true
    for (const typePath of typePaths) {
      // The model contains `birthDate.value`, but the result is already the value.
      const next = isPrimitive(typePath) && name === "value" ? undefined : typesOfElement(typePath, name)
      if (next === undefined) continue
      any = true
      for (const at of next) found.add(at)
      if (!next.has("Reference")) continue
      const targets = targetsOfElement(typePath, name)
      if (targets === undefined) reported = false
      for (const target of targets ?? []) targetTypes.add(target)
    }
    if (!any) return this.#noElement(input, node, step)
    this.known.add(this.#offsetOf(node))
    // The codes of a concept are those of its codings.
    const codes = conceptElements.has(name) && typePaths.every((typePath) => conceptTypes.has(typePath))
      ? [input.codes && [...input.codes]]
      : typePaths.map((typePath) => this.#model.codesOfElement(typePath, name))
    const isTimed = found.size > 0 && [...found].every((typePath) => timedTypes.has(typePath))
    return {
      typePaths: found,
      several: input.several || typePaths.some((typePath) => this.#model.repeats(typePath, name)),
      ...(reported && targetTypes.size > 0 ? { targets: targetTypes } : {}),
      ...(codes.every((some) => some !== undefined) ? { codes: new Set(codes.flat()) } : {}),
      ...(isTimed && !typePaths.some(isRow) ? { timed: true } : {}),
      ...(isTimed && typePaths.every(isRow) ? { isDateColumn: true } : {})
    }
  }

  #noElement(input: InferredType, node: SyntaxNode, step: Step): InferredType {
    const name = nameOf(node)
    const typePaths = [...(input.typePaths ?? [])]
    const choice = typePaths.map((typePath) => this.#model.choiceElement(typePath, name)).find((found) =>
      found !== undefined
    )
    const where = typePaths.length > 3 ? `${typePaths.slice(0, 3).join(", ")} …` : typePaths.join(" or ")
    this.faults.push({
      offset: this.#offsetOf(node),
      length: node.length ?? name.length,
      message: `${where} has no element \`${name}\``,
      candidates: typePaths.flatMap(this.#model.elementNames),
      ...(choice === undefined ? {} : { instead: `${choice.element}.ofType(${choice.type})` }),
      ...(step === "first" && input === this.#context.focus ? { first: true } : {})
    })
    return anything
  }

  #narrow(input: InferredType, node: SyntaxNode): InferredType {
    const type = typeSpecifier(node)
    if (!this.#model.isType(type)) {
      return this.#noType(node, `FHIR R4 has no type \`${type}\``, this.#model.typeNames())
    }
    const narrowed: InferredType = {
      typePaths: new Set([type]),
      several: input.several,
      ...(input.targets === undefined ? {} : { targets: input.targets }),
      ...(timedTypes.has(type) ? { timed: true } : {})
    }
    if (input.typePaths === null || this.#mayBe(input.typePaths, type)) return narrowed
    return this.#noType(node, `this is never of type \`${type}\``, [...input.typePaths])
  }

  /** Notes a test of a type. Primitives are not judged: FHIRPath converts some of them into others. What has no known type can have any. */
  #testType({ typePaths }: InferredType, node: SyntaxNode): InferredType {
    const type = typeSpecifier(node)
    this.#narrow(anything, node)
    if (!this.#model.isType(type) || typePaths?.size === 0) return inferredTruth
    const isJudged = typePaths !== null &&
      (!this.#model.isPrimitive(type) || ![...typePaths].some(this.#model.isPrimitive))
    this.typeTests.push({
      ...spanOf(this.#text, node),
      type,
      typePaths: [...typePaths ?? []],
      isPossible: !isJudged || this.#mayBe(typePaths, type)
    })
    return inferredTruth
  }

  #noType(node: SyntaxNode, message: string, candidates: ReadonlyArray<string>): InferredType {
    const { length } = typeSpecifier(node)
    this.faults.push({ offset: this.#offsetOf(deepest(node)), length, message, candidates })
    return anything
  }

  #mayBe(typePaths: ReadonlySet<TypePath>, type: string): boolean {
    const { isKindOf } = this.#model
    return [...typePaths].some((typePath) =>
      isKindOf(typePath, type) || isKindOf(type, typePath) || typePath === "Resource"
    )
  }

  #call(input: InferredType, node: SyntaxNode, self: InferredType): InferredType {
    const name = node.text ?? ""
    const args = argumentsOf(node)
    const each: InferredType = { ...input, several: false }
    switch (name) {
      case "ofType":
      case "as":
        return args[0] === undefined ? anything : this.#narrow(input, args[0])
      case "is":
        return args[0] === undefined ? inferredTruth : this.#testType(input, args[0])
      case "select": {
        if (args[0] === undefined) return anything
        const found = this.infer(args[0], each, each)
        return { ...found, several: input.several || found.several }
      }
      case "repeat":
        if (args[0] !== undefined) this.infer(args[0], each, each)
        return { typePaths: null, several: true }
      case "iif":
        return this.#iif(args, input)
      case "union":
      case "combine":
        return joinFound(input, args[0] === undefined ? nothingInferred : this.infer(args[0], self, self))
      case "coalesce":
        return args.map((argument) => this.infer(argument, self, self)).reduce(joinFound, nothingInferred)
      case "extension":
        // An extension can repeat, but one selected by its URL rarely does.
        return { typePaths: new Set(["Extension"]), several: input.several }
      case "children":
      case "descendants":
      case "aggregate":
        return anything
      default:
        return this.#plainCall(name, input, node, self)
    }
  }

  /** Infers a call that evaluates its arguments once, or on each element of its input. */
  #plainCall(name: string, input: InferredType, node: SyntaxNode, self: InferredType): InferredType {
    const args = argumentsOf(node)
    const each: InferredType = { ...input, several: false }
    const focus = lambdas.has(name) ? each : self
    const given = args.map((argument) => this.infer(argument, focus, focus))
    const literal = args[0]?.children?.[0]?.children?.[0]
    if (name === "first" || name === "last" || name === "single") return each
    if (name === "take" && literal?.type === "NumberLiteral" && literal.text === "1") return each
    if (name === "where" && args[0] !== undefined) {
      return isByUrl(args[0], input) ? each : this.#asked(args[0], input) ?? nothingInferred
    }
    if (keepsInput.has(name)) return input
    const type = typeOfFunction.get(name)
    if (type !== undefined) return timedTypes.has(type) ? { ...oneOf(type), timed: true } : oneOf(type)
    if (textOfEachElement.has(name)) return { ...oneText, several: input.several }
    if (literal?.type === "StringLiteral" && this.#context.takesCodes(name)) {
      this.#judge(this.#codesIn(literal, args[0], input))
    }
    return this.#context.functionResult({
      name,
      input,
      args: given,
      offset: this.#offsetOf(node),
      length: node.length ?? name.length,
      ...(literal?.type === "StringLiteral" ? { literal: literal.text?.slice(1, -1) ?? "" } : {})
    })
  }

  /** Returns the codes without a system in a text such as `active http://hospital.example/status|done`. */
  #codesIn(literal: SyntaxNode, argument: SyntaxNode | undefined, input: InferredType): ReadonlyArray<ComparedText> {
    const { offset } = spanOf(this.#text, argument ?? literal)
    return Array.from((literal.text ?? "").matchAll(/(?<=[\s'])[^\s'|]+(?=[\s'])/gu), ({ 0: written, index }) => ({
      offset: offset + index,
      length: written.length,
      code: written,
      with: input
    }))
  }

  /** Returns the type of an input if a type condition is true, `$this is Quantity`; `undefined` if it never is. */
  #asked(condition: SyntaxNode, input: InferredType): InferredType | undefined {
    const [subject, specifier] = condition.children ?? []
    if (condition.type !== "TypeExpression" || condition.text !== "is") return input
    if (subject?.children?.[0]?.children?.[0]?.type !== "ThisInvocation") return input
    const type = specifier === undefined ? "" : typeSpecifier(specifier)
    if (!this.#model.isType(type)) return input
    return input.typePaths === null || this.#mayBe(input.typePaths, type)
      ? { ...input, typePaths: new Set([type]) }
      : undefined
  }

  #iif([condition, then, otherwise]: ReadonlyArray<SyntaxNode>, input: InferredType): InferredType {
    if (condition === undefined) return nothingInferred
    this.infer(condition, input, input)
    const where = this.#asked(condition, input)
    const first = then === undefined || where === undefined ? nothingInferred : this.infer(then, where, where)
    return otherwise === undefined ? first : joinFound(first, this.infer(otherwise, input, input))
  }

  #literal(node: SyntaxNode, literal: SyntaxNode | undefined): InferredType {
    switch (literal?.type) {
      case "NullLiteral":
        return nothingInferred
      case "StringLiteral": {
        const text = literal.text?.slice(1, -1) ?? ""
        return text.includes("\\") ? oneText : literalText(text, spanOf(this.#text, node))
      }
      case "BooleanLiteral":
        return inferredTruth
      case "NumberLiteral":
        return decimal
      case "DateLiteral":
      case "DateTimeLiteral":
        if (!isMoment(literal.text ?? "")) this.#misuse(node, "date", new Set())
        return anything
      default:
        return anything
    }
  }

  #checkIndex(index: SyntaxNode, self: InferredType): void {
    const { typePaths } = this.infer(index, self, self)
    if (
      typePaths === null || typePaths.size === 0 || [...typePaths].some((typePath) => isNumber(typePath, this.#model))
    ) return
    this.#misuse(index, "index", typePaths)
  }

  #compare(node: SyntaxNode, input: InferredType, self: InferredType): void {
    const text = this.#text
    const operator = node.text ?? "="
    const sides = this.#sides(node, input, self)
    if (operator === "=" || operator === "!=" || operator === "in") this.#judge(findTexts(text, sides))
    const neverEqual = findNeverEqual(text, operator, sides, this.#model)
    const textual = findTextAndDate(text, sides, this.#model)
    if (textual !== undefined) this.misused.push(textual)
    else if (neverEqual !== undefined) this.neverEqual.push(neverEqual)
    else if (node.type !== "MembershipExpression") this.compared.push(...findSeveral(text, operator, sides))
  }

  /** Notes texts that are never equal to what they are compared with. Others are known, or uncertain. */
  #judge(texts: ReadonlyArray<ComparedText>): void {
    for (const { code, length, offset, with: { codes, isOwn } } of texts) {
      if (codes === undefined || codes.size === 0) this.uncertain.add(offset)
      else if (codes.has(code)) this.known.add(offset)
      else this.unknownCodes.push({ offset, length, code, codes: [...codes], isOwn: isOwn === true })
    }
  }

  /** `+`, `-` and `&`. */
  #sum(node: SyntaxNode, input: InferredType, self: InferredType): InferredType {
    const sides = this.#sides(node, input, self)
    const mixed = findMixedSum(this.#text, node.text, sides, this.#model) ??
      findMovedText(this.#text, node.text, sides, this.#model) ??
      findMovedDate(this.#text, node.text, sides, this.#model) ??
      findDifference(this.#text, node.text, sides, this.#model)
    if (mixed !== undefined) {
      this.misused.push(mixed)
      return anything
    }
    return node.text === "&" || sides.every(({ found }) => isText(found, this.#model)) ? oneText : anything
  }

  /** `*`, `/`, `div` and `mod`. */
  #product(factors: ReadonlyArray<SyntaxNode>, input: InferredType, self: InferredType): InferredType {
    for (const factor of factors) {
      const { typePaths } = this.infer(factor, input, self)
      if (typePaths === null || typePaths.size === 0) continue
      const counts = (typePath: TypePath) =>
        isNumber(typePath, this.#model) || typePath === "Quantity" || typePath === "Element"
      if ([...typePaths].some(counts)) continue
      this.#misuse(factor, "number", typePaths)
      break
    }
    return anything
  }

  #sides(node: SyntaxNode, input: InferredType, self: InferredType): ReadonlyArray<Side> {
    return (node.children ?? []).map((operand) => ({ operand, found: this.infer(operand, input, self) }))
  }

  #misuse(node: SyntaxNode, kind: TypeMisuse["kind"], typePaths: ReadonlySet<TypePath>): void {
    this.misused.push({ ...spanOf(this.#text, node), kind, typePaths: [...typePaths] })
  }

  #offsetOf(node: SyntaxNode): number {
    return offsetOf(this.#text, node)
  }
}

const timedTypes: ReadonlySet<string> = new Set(["date", "dateTime", "instant", "time"])
const conceptTypes: ReadonlySet<string> = new Set(["CodeableConcept", "Coding"])
const conceptElements: ReadonlySet<string> = new Set(["coding", "code"])
const logical: ReadonlySet<string> = new Set(["OrExpression", "AndExpression", "ImpliesExpression"])

/** Functions whose argument is evaluated on each element of their input. */
const lambdas: ReadonlySet<string> = new Set(["where", "all", "exists", "sort"])

const oneText: InferredType = oneOf("string")
const integer: InferredType = oneOf("integer")
const decimal: InferredType = oneOf("decimal")

const nameOf = (node: SyntaxNode): string => (node.text ?? node.children?.[0]?.text ?? "").replace(/^`|`$/gu, "")

const typeSpecifier = (node: SyntaxNode): string =>
  (node.text ?? "").replace(/^(FHIR|System)\./u, "").replaceAll("`", "")

/** Tables and their rows have lower-case names. */
const isRow = (typePath: TypePath): boolean => /^[a-z]/u.test(typePath)

/** Returns true for `extension.where(url = …)`, an alternative form of `extension(…)`. */
const isByUrl = (condition: SyntaxNode, { typePaths }: InferredType): boolean =>
  typePaths?.size === 1 && typePaths.has("Extension") && condition.type === "EqualityExpression" &&
  (condition.children ?? []).some((side) => side.children?.[0]?.children?.[0]?.text === "url")
