import type { PathFunction } from "../../fhirpath/FhirPath.ts"
import type { InferredType } from "../../fhirpath/infer/InferredType.ts"
import { anything } from "../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../fhirpath/infer/Model.ts"
import type { SyntaxScalar } from "../language/MappingSyntax.ts"
import type { PathPlan } from "../MappingPlan.ts"
import type { FunctionBodies } from "./checkBodies.ts"
import type { Outside } from "./checkOutside.ts"

/** Names that expressions may use, known before any expression is compiled. */
export interface PathScope {
  readonly model: Model
  /** What a visit grows from, `%visit`: a resource type or a table. */
  readonly rootType: string
  /** What `%patient` is. */
  readonly patient: InferredType
  readonly functions: ReadonlyMap<string, PathFunction>
  /** The functions that the mapping defines. */
  readonly bodies: FunctionBodies
  readonly variables: ReadonlySet<string>
  /** The lists of the visit, whose rows a source can state. */
  readonly lists: ReadonlySet<string>
  readonly keys: ReadonlySet<string>
  /** Types of records that belong to a patient. */
  readonly patientTypes: ReadonlySet<string>
  readonly conceptMaps: ReadonlySet<string>
  readonly used: UsedNames
  /** Where no visit is known yet: what is found there depends on a record alone. */
  readonly outside?: Outside
}

/** Names that some line of the mapping uses. */
export interface UsedNames {
  readonly constants: Set<string>
  readonly functions: Set<string>
  readonly keys: Set<string>
  readonly conceptMaps: Set<string>
  /** Elements that are followed backwards; `*` when which they are is not written. */
  readonly backwards: Set<string>
  /** Functions that follow a text which is no Reference. */
  readonly followsTexts: Set<string>
  /** Types whose records expressions ask for by their name; `*` when which they are is not written. */
  readonly types: Set<string>
  /** Names in expressions, of whatever: a Reference is followed only where its element is among them; `*` when it may be any. */
  readonly words: Set<string>
}

/** What an expression stands on. */
export interface PathFocus {
  readonly focus: InferredType
  readonly parent: InferredType
}

/** Standing anywhere: what is found there cannot be told. */
export const anywhere: PathFocus = { focus: anything, parent: anything }

/** A path that passed every check, and what it can find. */
export interface CheckedPath {
  readonly plan: PathPlan
  readonly found: InferredType
}

/** Checks an expression that stands on something. */
export type CompilePath = (scalar: SyntaxScalar, standing: PathFocus, use?: PathUse) => CheckedPath | undefined

/** A condition is true or false; anything else is looked at by whoever takes it. */
export type PathUse = "condition"
