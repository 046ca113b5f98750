import type { Span } from "../../../diagnostic/Span.ts"
import type { FoundCall, InferenceContext, InferredType } from "../../../fhirpath/infer/InferredType.ts"
import { anything } from "../../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../../fhirpath/infer/Model.ts"
import type { LanguageFunction } from "../../functions/LanguageFunction.ts"
import { inputWithTargets, withTargets } from "../../functions/results.ts"
import type { SyntaxScalar } from "../../language/MappingSyntax.ts"
import { spanWithin } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"
import type { KeptInference } from "./keptInferences.ts"
import type { PathScope } from "./PathScope.ts"

/** Follows the calls of an expression into functions of the language and the mapping. Reports inputs that a function cannot use. */
export class CallResults {
  readonly #reader: SyntaxReader
  readonly #scalar: SyntaxScalar
  readonly #scope: PathScope
  readonly #context: Omit<InferenceContext, "focus" | "functionResult">
  /** A function body is being followed. */
  #isWithin = false
  /** What the calls of the expression have found in bodies. */
  readonly calls: Array<KeptInference["calls"][number]> = []

  constructor(
    reader: SyntaxReader,
    scalar: SyntaxScalar,
    scope: PathScope,
    context: Omit<InferenceContext, "focus" | "functionResult">
  ) {
    this.#reader = reader
    this.#scalar = scalar
    this.#scope = scope
    this.#context = context
  }

  /** Infers the result type of a call. */
  readonly resultOf = (call: FoundCall): InferredType => {
    const { bodies, functions, model, results, used } = this.#scope
    const declared = functions.get(call.name)
    const isOutermost = !this.#isWithin
    if (isOutermost) this.#checkInput(call, declared)
    if (declared?.follows === true && hasTexts(call)) {
      if (isOutermost) used.followsTexts.add(call.name)
      else bodies.followsText(call.name)
    }
    this.#isWithin = true
    const inferred = bodies.result(call, this.#context, this.resultOf)
    if (isOutermost) this.#isWithin = false
    if (isOutermost && inferred !== undefined) {
      const { length, offset } = call
      this.calls.push({ at: { length, offset }, names: inferred.names })
      for (const name of inferred.followsTexts) used.followsTexts.add(name)
    }
    if (inferred !== undefined) {
      const { found } = inferred
      return found.literals === undefined ? found : { ...found, literals: atCall(call, found.literals) }
    }
    const found = declared?.gives?.(call, model) ?? anything
    const codes = declared?.isTranslation === true ? results.get(call.literal ?? "") : undefined
    return codes === undefined ? found : { ...found, codes, isOwn: true }
  }

  /** Checks the input of a call. An error within a body is reported at the body. */
  #checkInput(call: FoundCall, declared: LanguageFunction | undefined): void {
    const { model } = this.#scope
    const { input } = call
    if (declared?.takes === "reference" && refersToNothing(input, model)) {
      this.#reportNoReference(call)
    } else if (declared?.takes === "name" && namesNobody(input, model)) {
      this.#reportNoReference(
        call,
        input.typePaths?.has("HumanName") === true ? ["a name as one text:  .humanName()"] : undefined
      )
    } else if (declared?.gives === inputWithTargets) {
      this.#checkElements(call)
    }
  }

  #reportNoReference(
    call: FoundCall,
    help: ReadonlyArray<string> = ["start at an element of the type Reference, such as  subject  or  encounter"]
  ): void {
    const label = `starts at ${[...call.input.typePaths ?? []].slice(0, 3).join(" or ")}`
    this.#reader.report("wrong-type", this.#spanOf(call), `\`${call.name}()\` follows references`, { label, help })
  }

  /** Checks that each element that is followed exists on a type that it can reach. */
  #checkElements(call: FoundCall): void {
    const { model } = this.#scope
    for (const name of call.literal?.split(/\s+/u) ?? []) {
      const all = withTargets(call.input.typePaths, call.literal, model)
      if (all === null || [...all].some((one) => model.typesOfElement(one, name) !== undefined)) continue
      const title = `${[...all].slice(0, 3).join(" or ")} has no element \`${name}\``
      this.#reader.report("unknown-element", this.#spanOf(call), title)
    }
  }

  #spanOf({ length, offset }: FoundCall): Span {
    return spanWithin(this.#scalar, offset, length)
  }
}

/** Places texts in the body of a function at a call. */
const atCall = (
  { length, offset }: FoundCall,
  literals: NonNullable<InferredType["literals"]>
): InferredType["literals"] & {} => new Map([...literals.keys()].map((text) => [text, { offset, length }]))

/** Returns whether a type has elements of its own and is neither a reference nor a record. */
const refersToNothing = ({ typePaths }: InferredType, { isPrimitive, isResourceType, linkTarget }: Model): boolean =>
  typePaths !== null && typePaths.size > 0 &&
  [...typePaths].every((typePath) =>
    !["Reference", "Element", "Resource", "DomainResource"].includes(typePath) && !isPrimitive(typePath) &&
    !isResourceType(typePath) && linkTarget(typePath) === undefined
  )

/** Returns whether a type is neither a reference nor a record, and has no text of its own for what it refers to. */
const namesNobody = ({ typePaths }: InferredType, model: Model): boolean =>
  typePaths !== null && typePaths.size > 0 &&
  [...typePaths].every((typePath) =>
    (model.isPrimitive(typePath) && model.linkTarget(typePath) === undefined) ||
    (refersToNothing({ typePaths: new Set([typePath]), several: false }, model) &&
      model.typesOfElement(typePath, "display") === undefined)
  )

const textTypes: ReadonlySet<string> = new Set("string uri url canonical code id oid uuid markdown".split(" "))

/** Returns whether the input of a call can be a text that is not a Reference. */
const hasTexts = ({ input: { typePaths } }: FoundCall): boolean =>
  typePaths?.has("Reference") === false && [...typePaths].some((one) => textTypes.has(one))
