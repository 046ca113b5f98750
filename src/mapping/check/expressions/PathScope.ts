import type { InferredType } from "../../../fhirpath/infer/InferredType.ts"
import { anything } from "../../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../../fhirpath/infer/Model.ts"
import type { LanguageFunction } from "../../functions/LanguageFunction.ts"
import type { SyntaxScalar } from "../../language/MappingSyntax.ts"
import type { PathPlan } from "../../MappingPlan.ts"
import type { ConceptMapResults, FunctionBodies } from "./checkBodies.ts"
import type { Outside } from "./checkOutside.ts"
import type { TypeTests } from "./TypeTests.ts"

/** Names that expressions can use, known before any expression is compiled. */
export interface PathScope {
  readonly model: Model
  /** The type of a visit's root, `%visit`: a resource type or a table. */
  readonly rootType: string
  readonly patient: InferredType
  readonly functions: ReadonlyMap<string, LanguageFunction>
  /** The functions that the mapping defines. */
  readonly bodies: FunctionBodies
  readonly variables: ReadonlySet<string>
  /** The lists of the visit, whose section rows a source can state. */
  readonly lists: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  /** Types of records that belong to a patient. */
  readonly patientTypes: ReadonlySet<string>
  readonly conceptMaps: ReadonlySet<string>
  readonly results: ConceptMapResults
  readonly used: UsedNames
  /** Collects the tests of types in lines. */
  readonly typeTests: TypeTests
  /** Set for expressions that are evaluated before any visit is known: their results depend only on a record. */
  readonly outside?: Outside
}

/** Names that at least one line of the mapping uses. */
export interface UsedNames {
  readonly constants: Set<string>
  readonly functions: Set<string>
  readonly keys: Set<string>
  readonly conceptMaps: Set<string>
  /** Elements that are followed backwards; `*` if they are computed. */
  readonly backwards: Set<string>
  /** Functions that follow a text that is not a Reference. */
  readonly followsTexts: Set<string>
  /** Types whose records expressions request by name; `*` if the name is computed. */
  readonly types: Set<string>
  /** All names in expressions. A Reference is followed only if its element is among them; `*` if it can be any. */
  readonly words: Set<string>
}

export const nothingUsed = (): UsedNames => ({
  constants: new Set(),
  functions: new Set(),
  keys: new Set(),
  conceptMaps: new Set(),
  backwards: new Set(),
  followsTexts: new Set(),
  types: new Set(),
  words: new Set()
})

/** Adds names to those that are used. */
export const noteUsed = (all: UsedNames, more: UsedNames): void => {
  for (const kind of usedKinds) if (more[kind].size > 0) { for (const name of more[kind]) all[kind].add(name) }
}

// `Object.keys` does not return the types of names.
const usedKinds = Object.keys(nothingUsed()) as ReadonlyArray<keyof UsedNames>

/** The focus of an expression and its parent, as inferred types. */
export interface PathFocus {
  readonly focus: InferredType
  readonly parent: InferredType
}

/** An unknown focus: the type of the result cannot be inferred. */
export const anywhere: PathFocus = { focus: anything, parent: anything }

/** An expression that passed every check, and the types it can find. */
export interface CheckedPath {
  readonly plan: PathPlan
  readonly found: InferredType
}

/** Checks an expression on its focus. */
export type CompilePath = (scalar: SyntaxScalar, pathFocus: PathFocus, use?: PathUse) => CheckedPath | undefined

/** A condition must be true or false; the caller checks every other use. */
export type PathUse = "condition"
