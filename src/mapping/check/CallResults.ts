import type { Span } from "../../diagnostic/Span.ts"
import type { FoundCall, InferenceContext, InferredType } from "../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../fhirpath/infer/Model.ts"
import type { SyntaxScalar } from "../language/MappingSyntax.ts"
import { spanWithin } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import type { PathScope } from "./PathScope.ts"
import { resultOf, withAll } from "./resultOf.ts"

/** Follows the calls of one expression into the functions of the language and of the mapping, and tells what they cannot stand on. */
export class CallResults {
  readonly #reader: SyntaxReader
  readonly #scalar: SyntaxScalar
  readonly #scope: PathScope
  readonly #surroundings: Omit<InferenceContext, "focus" | "functionResult">
  /** Where the call of a body stands that is being followed. */
  #place: Span | undefined

  constructor(
    reader: SyntaxReader,
    scalar: SyntaxScalar,
    scope: PathScope,
    surroundings: Omit<InferenceContext, "focus" | "functionResult">
  ) {
    this.#reader = reader
    this.#scalar = scalar
    this.#scope = scope
    this.#surroundings = surroundings
  }

  /** What a call gives. */
  readonly resultOf = (call: FoundCall): InferredType => {
    const { bodies, model, used } = this.#scope
    const isOutermost = this.#place === undefined
    if (isOutermost) this.#checkInput(call)
    if (followsTexts(call)) used.followsTexts.add(call.name)
    this.#place ??= this.#spanOf(call)
    const found = bodies.result(call, this.#place, this.#surroundings, this.resultOf)
    if (isOutermost) this.#place = undefined
    return found ?? resultOf(call, model)
  }

  /** What is wrong within a body is told where the body stands. */
  #checkInput(call: FoundCall): void {
    const { model } = this.#scope
    const { input, name } = call
    if (name === "resolve" && refersToNothing(input, model)) {
      this.#tellNoReference(call)
    } else if (naming.has(name) && namesNobody(input, model)) {
      this.#tellNoReference(call, input.places!.has("HumanName") ? ["a name as one text:  .humanName()"] : [])
    } else if (name === "withAll") {
      this.#checkElements(call)
    }
  }

  #tellNoReference(call: FoundCall, help: ReadonlyArray<string> = []): void {
    const label = `stands on ${[...call.input.places!].slice(0, 3).join(" or ")}`
    this.#reader.report("wrong-type", this.#spanOf(call), `\`${call.name}()\` follows references`, label, help)
  }

  /** The elements that `withAll` names are some record's. */
  #checkElements(call: FoundCall): void {
    const { model } = this.#scope
    for (const name of call.literal?.split(/\s+/u) ?? []) {
      const all = withAll(call.input.places, call.literal, model)
      if (all === null || [...all].some((one) => model.elementOfPlace(one, name) !== undefined)) continue
      const title = `${[...all].slice(0, 3).join(" or ")} has no element \`${name}\``
      this.#reader.report("unknown-element", this.#spanOf(call), title)
    }
  }

  #spanOf({ length, offset }: FoundCall): Span {
    return spanWithin(this.#scalar, offset, length)
  }
}

/** What has elements of its own and is neither a reference nor a record. */
const refersToNothing = ({ places }: InferredType, { isPrimitive, isResourceType, linkTarget }: Model): boolean =>
  places !== null && places.size > 0 &&
  [...places].every((place) =>
    !["Reference", "Element", "Resource", "DomainResource"].includes(place) && !isPrimitive(place) &&
    !isResourceType(place) && linkTarget(place) === undefined
  )

/** Functions that name whoever a reference leads to. */
const naming: ReadonlySet<string> = new Set(["who", "whoTitle", "whoPhone"])

/** What is neither a reference nor a record, and has no words of its own for what it refers to. */
const namesNobody = ({ places }: InferredType, model: Model): boolean =>
  places !== null && places.size > 0 &&
  [...places].every((place) =>
    (model.isPrimitive(place) && model.linkTarget(place) === undefined) ||
    (refersToNothing({ places: new Set([place]), several: false }, model) &&
      model.elementOfPlace(place, "display") === undefined)
  )

/** Functions that go from a reference to the record it names. */
const following: ReadonlySet<string> = new Set(["resolve", "reverseResolve", "getReferenceKey", "keyOf"])
const textTypes: ReadonlySet<string> = new Set("string uri url canonical code id oid uuid markdown".split(" "))

/** Whether a call follows a text that is no Reference. */
const followsTexts = ({ input: { places }, name }: FoundCall): boolean =>
  following.has(name) && places?.has("Reference") === false && [...places].some((one) => textTypes.has(one))
