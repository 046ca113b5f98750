import type { PathFunction } from "../../fhirpath/FhirPath.ts"
import type { FoundCall, InferredType } from "../../fhirpath/infer/InferredType.ts"
import type { Model } from "../../fhirpath/infer/Model.ts"
import type { EvaluationScope } from "./EvaluationScope.ts"

/** A function that paths of a mapping can call, with everything that the check knows about it. */
export interface LanguageFunction extends PathFunction<EvaluationScope> {
  /** What its first argument names: the check looks it up. */
  readonly names?: NamedThing
  /** Returns what a call finds; without it, the rest of a path after a call is not checked. */
  readonly gives?: (call: FoundCall, model: Model) => InferredType
  /** It needs something that refers to a record. `name`: or that has a name of its own for the record. */
  readonly takes?: "reference" | "name"
  /** It gives values of the concept map that its first argument names. */
  readonly isTranslation?: true
  /** It goes from a reference to its target record. */
  readonly follows?: true
  /** It reads the visit, so it finds nothing before there is one. */
  readonly readsVisit?: true
  /** Returns what it reads, by its first argument: types of records, elements that are followed backwards, and other names. `*`: any. */
  readonly reads?: (argument: string) => Reads
  /** A mapping can have its own function of this name. */
  readonly replaceable?: true
}

interface Reads {
  readonly types?: ReadonlyArray<string>
  readonly backwards?: ReadonlyArray<string>
  readonly words?: ReadonlyArray<string>
}

type NamedThing =
  | "key"
  | "conceptMap"
  /** A resource type or a table. */
  | "type"
  /** A type whose records belong to a patient. */
  | "typeOfPatient"
  /** A list of the visit. */
  | "list"
  /** Codes with spaces between them. */
  | "codes"
  /** A code system. */
  | "system"
  /** An element by which records of a type refer to others: `Observation.partOf`. */
  | "element"
  | "timeOfDay"
