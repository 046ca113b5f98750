import type { Span } from "../../../diagnostic/Span.ts"
import type { FunctionInput } from "../../../fhirpath/FhirPath.ts"
import { firstArgumentsOf, functionsCalledIn } from "../../../fhirpath/FhirPath.ts"
import type { ModelFault, TypeQuestion, UnknownCode } from "../../../fhirpath/infer/InferenceFaults.ts"
import type { FoundCall, InferenceContext, InferredType } from "../../../fhirpath/infer/InferredType.ts"
import { anything, oneOf } from "../../../fhirpath/infer/InferredType.ts"
import { inferTypePaths } from "../../../fhirpath/infer/inferTypePaths.ts"
import { getOrMake } from "../../../maps.ts"
import type { SyntaxScalar } from "../../language/MappingSyntax.ts"
import { keptInferences, keyOfType, shortFor } from "./keptInferences.ts"
import { TypeTests } from "./TypeTests.ts"

/** A function of the mapping. Its body is an expression; its focus is the input of the call. */
export interface FunctionBody {
  readonly name: string
  readonly parameters: ReadonlyArray<string>
  readonly path: SyntaxScalar
  readonly over: FunctionInput
}

/** The values that concept maps can give, by their names; without those that can give others. */
export type ConceptMapResults = ReadonlyMap<string, ReadonlySet<string>>

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

/** The focus of functions that are evaluated once for a visit, as a type without elements. */
export const visitFocus = "the visit"

const focusOf = ({ over }: FunctionBody, { input }: FoundCall): InferredType =>
  over === "visit" ? oneOf(visitFocus) : over === "item" ? { ...input, several: false } : input

/** Follows calls into the bodies of a mapping's functions. Holds their errors until every line is checked. */
export class FunctionBodies {
  readonly #bodies: ReadonlyMap<string, FunctionBody>
  readonly #isFollowed: boolean
  readonly #results: ConceptMapResults
  readonly #versions = new Map<string, string | null>()
  /** By text. `null` is not kept: a function that is being looked at counts as calling itself. */
  readonly #versionsIn = new Map<string, string>()
  readonly #versionsOfResults = new Map<string, string>()
  readonly #seen = new Map<string, Seen>()
  /** The tests of types in each function. */
  readonly #typeTests = new Map<string, TypeTests>()
  /** Names without faults that were noted: it does not matter by which line. */
  readonly #noted = new WeakSet<BodyNames>()
  /** Found in the bodies that the body being followed calls. */
  #within: Within = { names: [], followsTexts: new Set() }
  readonly #above: Array<string> = []

  /** `unfollowed`: the functions have errors, so the types of their results are unknown. */
  constructor(bodies: ReadonlyArray<FunctionBody>, results: ConceptMapResults, unfollowed?: "unfollowed") {
    this.#bodies = new Map(bodies.map((body) => [body.name, body]))
    this.#results = results
    this.#isFollowed = unfollowed === undefined
  }

  /** Returns whether the mapping defines the function. */
  defines(name: string): boolean {
    return this.#bodies.has(name)
  }

  /** Infers the result type of a call; `undefined` if the mapping does not define the function. */
  result(
    call: FoundCall,
    context: Omit<InferenceContext, "focus" | "functionResult">,
    functionResult: (call: FoundCall) => InferredType
  ): InferredBody | undefined {
    const body = this.#bodies.get(call.name)
    // Recursion is reported elsewhere.
    if (body === undefined || !this.#isFollowed || this.#above.includes(body.name)) return undefined
    const focus = focusOf(body, call)
    const variables: InferenceContext["variables"] = new Map([
      ...context.variables,
      ...body.parameters.map((name, index) => [name, call.args[index] ?? anything] as const)
    ])
    const infer = (): InferredBody => {
      const around = this.#within
      this.#within = { names: [], followsTexts: new Set() }
      this.#above.push(body.name)
      const { faults, known, typeTests, uncertain, unknownCodes, ...found } = inferTypePaths(
        String(body.path.value),
        {
          ...context,
          focus,
          variables,
          functionResult
        }
      )
      this.#above.pop()
      const { followsTexts, names } = this.#within
      this.#within = around
      const own = { name: body.name, faults, known, typeTests, uncertain, unknownCodes }
      return { found, names: [...names, own], followsTexts }
    }
    // Most lines call a function with an input that another line has too, also one of an earlier check.
    const version = this.versionOf(body.name)
    const inferred = version === null
      ? infer()
      : getOrMake(
        keptInferences(context.model).bodies,
        [version, ...[focus, ...call.args, ...variables.values()].map(keyOfType)].join("|"),
        infer
      )
    if (this.#above.length > 0) {
      this.#within.names.push(...inferred.names)
      for (const name of inferred.followsTexts) this.#within.followsTexts.add(name)
    }
    const { found } = inferred
    return { ...inferred, found: { ...found, several: found.several || (body.over === "item" && call.input.several) } }
  }

  /** Notes that a body that is being followed calls a function that follows texts. */
  followsText(name: string): void {
    this.#within.followsTexts.add(name)
  }

  /**
   * Returns a text that identifies the body of a function and those that it calls. Functions of the same name with the same bodies have the
   * same text, in any mapping. Empty if the mapping does not define the function, and `null` if it calls itself.
   */
  versionOf(name: string): string | null {
    const body = this.#bodies.get(name)
    if (body === undefined) return ""
    const before = this.#versions.get(name)
    if (before !== undefined) return before
    this.#versions.set(name, null)
    const { over, parameters, path } = body
    const text = String(path.value)
    const called = this.versionsIn(text)
    const version = called === null ? null : shortFor([name, over, ...parameters, text, called].join("\u0000"))
    this.#versions.set(name, version)
    return version
  }

  /**
   * Returns the versions of all functions that a text calls, whether they are followed, and what its concept maps give. Returns `null` if
   * one of the functions calls itself.
   */
  versionsIn(text: string): string | null {
    const known = this.#versionsIn.get(text)
    if (known !== undefined) return known
    const versions = functionsCalledIn(text).map((name) => this.versionOf(name))
    if (versions.includes(null)) return null
    const given = firstArgumentsOf(text, "translated").map((name) => this.#versionOfResults(name))
    const short = shortFor(`${this.#isFollowed}|${versions.join()}|${given.join()}`)
    this.#versionsIn.set(text, short)
    return short
  }

  /** Returns a text that identifies the values that a concept map can give. */
  #versionOfResults(conceptMap: string): string {
    return getOrMake(
      this.#versionsOfResults,
      conceptMap,
      (name) => shortFor(JSON.stringify([...this.#results.get(name) ?? []]))
    )
  }

  /** Returns names that are wrong in every call whose input type is known. */
  faults(): ReadonlyArray<BodyFault> {
    return [...this.#seen].flatMap(([name, { faults, known, uncertain }]) => {
      const path = this.#bodies.get(name)?.path
      return path === undefined ? [] : [...faults.values()].filter(({ fault }) => !known.has(fault.offset))
        .map(({ calls, fault, first }) => ({
          path,
          fault,
          call: first,
          calls: calls.size,
          uncertain: uncertain.has(fault.offset)
        }))
    })
  }

  /**
   * Returns codes that are wrong in every call of the facility's own functions. Those of a shipped mapping can be right in a section that the
   * facility disables.
   */
  unknownCodes(
    own: (file: string) => boolean
  ): ReadonlyArray<readonly [path: SyntaxScalar, codes: ReadonlyArray<UnknownCode>]> {
    return [...this.#seen].flatMap(([name, { codes, known, uncertain }]) => {
      const path = this.#bodies.get(name)?.path
      return path === undefined || !own(path.span.file)
        ? []
        : [[path, [...codes.values()].filter(({ offset }) => !known.has(offset) && !uncertain.has(offset))]]
    })
  }

  /** Returns the tests of the functions that test types, but never one that a caller has. A function for several types can have fewer callers. */
  futileTypeTests(): ReadonlyArray<TypeTests> {
    return [...this.#typeTests.values()].filter((tests) => !tests.isAnyPossible())
  }

  /** Notes what a call from a line of the mapping has found in bodies. */
  note(names: ReadonlyArray<BodyNames>, placeOf: () => Span): void {
    for (const one of names) {
      const { faults, known, name, typeTests, uncertain, unknownCodes } = one
      if (this.#noted.has(one)) continue
      if (faults.length === 0) this.#noted.add(one)
      const seen = getOrMake(this.#seen, name, () => ({
        faults: new Map(),
        codes: new Map(),
        known: new Set(),
        uncertain: new Set()
      }))
      const path = this.#bodies.get(name)?.path
      if (path !== undefined) getOrMake(this.#typeTests, name, () => new TypeTests()).note(path, typeTests)
      for (const code of unknownCodes) seen.codes.set(code.offset, code)
      for (const offset of known) seen.known.add(offset)
      for (const offset of uncertain) seen.uncertain.add(offset)
      if (faults.length === 0) continue
      const place = placeOf()
      for (const fault of faults) {
        getOrMake(seen.faults, fault.offset, () => ({ fault, first: place, calls: new Set() }))
          .calls.add(`${place.file}:${place.line}:${place.column}`)
      }
    }
  }
}

/** The names in a body: those that the input has not, those that it has, and those that cannot be judged; and the types that it tests. */
export interface BodyNames {
  /** The function. */
  readonly name: string
  readonly faults: ReadonlyArray<ModelFault>
  readonly known: ReadonlySet<number>
  readonly typeTests: ReadonlyArray<TypeQuestion>
  readonly uncertain: ReadonlySet<number>
  readonly unknownCodes: ReadonlyArray<UnknownCode>
}

/** What is found by following a call into a body, and into the bodies that it calls. */
export interface InferredBody {
  readonly found: InferredType
  readonly names: ReadonlyArray<BodyNames>
  /** The functions that follow a text that is not a Reference. */
  readonly followsTexts: ReadonlySet<string>
}

interface Within {
  readonly names: Array<BodyNames>
  readonly followsTexts: Set<string>
}

interface Seen {
  /** By offset: a fault, the first line with such a call, and all of them. */
  readonly faults: Map<number, { readonly fault: ModelFault; readonly first: Span; readonly calls: Set<string> }>
  readonly codes: Map<number, UnknownCode>
  readonly known: Set<number>
  readonly uncertain: Set<number>
}
