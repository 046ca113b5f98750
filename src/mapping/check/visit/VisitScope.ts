import type { Model } from "../../../fhirpath/infer/Model.ts"
import type { Field } from "../../../visit/Field.ts"
import type { ReferenceLists } from "../../../visit/values/ReferenceList.ts"
import type { ConceptMap } from "../../codes/ConceptMap.ts"
import type { Syntax } from "../../language/MappingSyntax.ts"
import type { FieldPlan } from "../../MappingPlan.ts"
import type { CompilePath, UsedNames } from "../expressions/PathScope.ts"
import type { NamedUnits } from "./checkUnits.ts"

/** The context for reading `visit:`, the same for each of its components. */
export interface VisitScope {
  readonly model: Model
  readonly compile: CompilePath
  readonly conceptMaps: ReadonlyMap<string, ConceptMap>
  readonly constants: Readonly<Record<string, unknown>>
  readonly fields: ReadonlyArray<Field>
  readonly patientTypes: ReadonlySet<string>
  readonly used: UsedNames
  /** Collects the units that lines name. */
  readonly units: NamedUnits
  /** The standard data, if loaded. */
  readonly lists: ReferenceLists | undefined
  /** Texts are sent unchanged, without Unicode normalisation. */
  readonly asWritten: boolean
  /** Collects the types whose records in a visit are read. */
  readonly visitTypes: Set<string>
  readonly rootType: string
  /** Returns whether a file is the facility's own, not one that it extends. */
  readonly own: (file: string) => boolean
  /** The plans of lines about which nothing was reported: by line, field, and the types of the focus and its parent. */
  readonly checked: Map<Syntax, Map<Field, Map<string, FieldPlan>>>
}
