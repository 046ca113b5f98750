import type { Span } from "../../../diagnostic/Span.ts"
import type { ModelFault } from "../../../fhirpath/infer/InferenceFaults.ts"
import type { FoundCall, InferenceContext, InferredType } from "../../../fhirpath/infer/InferredType.ts"
import { anything } from "../../../fhirpath/infer/InferredType.ts"
import { inferTypePaths } from "../../../fhirpath/infer/inferTypePaths.ts"
import { getOrMake } from "../../../maps.ts"
import type { SyntaxScalar } from "../../language/MappingSyntax.ts"

/** A function of the mapping. Its body is an expression; its focus is the input of the call. */
export interface FunctionBody {
  readonly name: string
  readonly parameters: ReadonlyArray<string>
  readonly path: SyntaxScalar
  readonly over: "item" | "collection"
}

/** A name in a body that no input of the function has. */
interface BodyFault {
  readonly path: SyntaxScalar
  readonly fault: ModelFault
  /** The first line that calls the function with such an input, and the number of such lines. */
  readonly call: Span
  readonly calls: number
  /** Other lines call the function on an input whose type cannot be inferred. */
  readonly uncertain: boolean
}

type Variables = InferenceContext["variables"]

/** Follows calls into the bodies of a mapping's functions. Holds their errors until every line is checked. */
export class FunctionBodies {
  readonly #bodies: ReadonlyMap<string, FunctionBody>
  readonly #seen = new Map<FunctionBody, Seen>()
  /** Most lines call a function with an input that another line has too. */
  readonly #inferred = new Map<string, InferredBody>()
  /** Found in the bodies that the body being followed calls. */
  #within: Array<BodyNames> = []
  readonly #above: Array<string> = []

  constructor(bodies: ReadonlyArray<FunctionBody>) {
    this.#bodies = new Map(bodies.map((body) => [body.name, body]))
  }

  /** Infers the result type of a call; `undefined` if the mapping does not define the function. */
  result(
    call: FoundCall,
    place: Span,
    context: Omit<InferenceContext, "focus" | "functionResult">,
    functionResult: (call: FoundCall) => InferredType
  ): InferredType | undefined {
    const body = this.#bodies.get(call.name)
    // Recursion is reported elsewhere.
    if (body === undefined || this.#above.includes(body.name)) return undefined
    const focus = body.over === "item" ? { ...call.input, several: false } : call.input
    const variables: Variables = new Map([
      ...context.variables,
      ...body.parameters.map((name, index) => [name, call.args[index] ?? anything] as const)
    ])
    const key = [body.name, keyOf(focus), ...call.args.map(keyOf), keyOf(variables.get("parent") ?? anything)].join("|")
    let inferred = this.#inferred.get(key)
    if (inferred === undefined) {
      const around = this.#within
      this.#within = []
      this.#above.push(body.name)
      const { faults, known, uncertain, ...found } = inferTypePaths(String(body.path.value), {
        ...context,
        focus,
        variables,
        functionResult
      })
      this.#above.pop()
      inferred = { found, names: [...this.#within, { body, faults, known, uncertain }] }
      this.#within = around
      this.#inferred.set(key, inferred)
    }
    const { found, names } = inferred
    if (this.#above.length > 0) this.#within.push(...names)
    else for (const one of names) this.#note(one, place)
    return { ...found, several: found.several || (body.over === "item" && call.input.several) }
  }

  /** Returns names that are wrong in every call whose input type is known. */
  faults(): ReadonlyArray<BodyFault> {
    return [...this.#seen].flatMap(([{ path }, { faults, known, uncertain }]) =>
      [...faults.values()].filter(({ fault }) => !known.has(fault.offset)).map(({ calls, fault, first }) => ({
        path,
        fault,
        call: first,
        calls: calls.size,
        uncertain: uncertain.has(fault.offset)
      }))
    )
  }

  #note({ body, faults, known, uncertain }: BodyNames, place: Span): void {
    const seen = getOrMake(this.#seen, body, () => ({ faults: new Map(), known: new Set(), uncertain: new Set() }))
    for (const offset of known) seen.known.add(offset)
    for (const offset of uncertain) seen.uncertain.add(offset)
    for (const fault of faults) {
      getOrMake(seen.faults, fault.offset, () => ({ fault, first: place, calls: new Set() }))
        .calls.add(`${place.file}:${place.line}:${place.column}`)
    }
  }
}

/** The names in a body: those that the input has not, those that it has, and those that cannot be judged. */
interface BodyNames {
  readonly body: FunctionBody
  readonly faults: ReadonlyArray<ModelFault>
  readonly known: ReadonlySet<number>
  readonly uncertain: ReadonlySet<number>
}

interface InferredBody {
  readonly found: InferredType
  /** The names in the body, and in the bodies that it calls. */
  readonly names: ReadonlyArray<BodyNames>
}

const keyOf = ({ codes, typePaths, several, targets, timed }: InferredType): string =>
  [typePaths, targets, codes].map((some) => (some ? [...some].join(" ") : "")).join(";") +
  `${typePaths === null}${several}${timed === true}`

interface Seen {
  /** By offset: a fault, the first line with such a call, and all of them. */
  readonly faults: Map<number, { readonly fault: ModelFault; readonly first: Span; readonly calls: Set<string> }>
  readonly known: Set<number>
  readonly uncertain: Set<number>
}
