import type { Model } from "../../fhirpath/infer/Model.ts"
import type { Field } from "../../visit/Field.ts"
import type { ReferenceLists } from "../../visit/values/ReferenceList.ts"
import type { ConceptMap } from "../apply/ConceptMap.ts"
import type { NamedUnits } from "./checkUnits.ts"
import type { CompilePath, UsedNames } from "./PathScope.ts"

/** What is known while `visit:` is read, the same for each of its components. */
export interface VisitScope {
  readonly model: Model
  readonly compile: CompilePath
  readonly conceptMaps: ReadonlyMap<string, ConceptMap>
  readonly fields: ReadonlyArray<Field>
  readonly patientTypes: ReadonlySet<string>
  readonly used: UsedNames
  /** Gathers the units that lines name. */
  readonly units: NamedUnits
  /** The standard data that is at hand. */
  readonly lists: ReferenceLists | undefined
  readonly asWritten: boolean
  /** Gathers the types whose records of a visit are asked for. */
  readonly visitTypes: Set<string>
  /** The type a visit grows from. */
  readonly rootType: string
  /** Whether a file is the facility's own, and none that it extends. */
  readonly own: (file: string) => boolean
}
