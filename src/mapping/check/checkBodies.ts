import type { Span } from "../../diagnostic/Span.ts"
import type { FoundCall, InferenceContext, InferredType } from "../../fhirpath/infer/InferredType.ts"
import { anything } from "../../fhirpath/infer/InferredType.ts"
import { inferTypePaths } from "../../fhirpath/infer/inferTypePaths.ts"
import type { ModelFault } from "../../fhirpath/infer/PlaceFaults.ts"
import type { SyntaxScalar } from "../language/MappingSyntax.ts"

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
  readonly untold: boolean
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
    surroundings: Omit<InferenceContext, "focus" | "functionResult">,
    functionResult: (call: FoundCall) => InferredType
  ): InferredType | undefined {
    const body = this.#bodies.get(call.name)
    // Recursion is reported elsewhere.
    if (body === undefined || this.#above.includes(body.name)) return undefined
    const focus = body.over === "item" ? { ...call.input, several: false } : call.input
    const variables: Variables = new Map([
      ...surroundings.variables,
      ...body.parameters.map((name, index) => [name, call.args[index] ?? anything] as const)
    ])
    const key = [body.name, keyOf(focus), ...call.args.map(keyOf), keyOf(variables.get("parent") ?? anything)].join("|")
    let inferred = this.#inferred.get(key)
    if (inferred === undefined) {
      const around = this.#within
      this.#within = []
      this.#above.push(body.name)
      const { faults, known, untold, ...found } = inferTypePaths(String(body.path.value), {
        ...surroundings,
        focus,
        variables,
        functionResult
      })
      this.#above.pop()
      inferred = { found, names: [...this.#within, { body, faults, known, untold }] }
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
    return [...this.#seen].flatMap(([{ path }, { faults, known, untold }]) =>
      [...faults.values()].filter(({ fault }) => !known.has(fault.offset)).map(({ calls, fault }) => {
        const [call] = calls.values()
        return { path, fault, call: call!, calls: calls.size, untold: untold.has(fault.offset) }
      })
    )
  }

  #note({ body, faults, known, untold }: BodyNames, place: Span): void {
    let seen = this.#seen.get(body)
    if (seen === undefined) this.#seen.set(body, seen = { faults: new Map(), known: new Set(), untold: new Set() })
    for (const offset of known) seen.known.add(offset)
    for (const offset of untold) seen.untold.add(offset)
    for (const fault of faults) {
      let met = seen.faults.get(fault.offset)
      if (met === undefined) seen.faults.set(fault.offset, met = { fault, calls: new Map() })
      met.calls.set(`${place.file}:${place.line}:${place.column}`, place)
    }
  }
}

/** The names in a body: those that the input has not, those that it has, and those that cannot be judged. */
interface BodyNames {
  readonly body: FunctionBody
  readonly faults: ReadonlyArray<ModelFault>
  readonly known: ReadonlySet<number>
  readonly untold: ReadonlySet<number>
}

interface InferredBody {
  readonly found: InferredType
  /** Of the body, and of the bodies that it calls. */
  readonly names: ReadonlyArray<BodyNames>
}

const keyOf = ({ codes, places, several, targets, timed }: InferredType): string =>
  [places, targets, codes].map((some) => (some ? [...some].join(" ") : "")).join(";") +
  `${places === null}${several}${timed === true}`

interface Seen {
  readonly faults: Map<number, { readonly fault: ModelFault; readonly calls: Map<string, Span> }>
  readonly known: Set<number>
  readonly untold: Set<number>
}
