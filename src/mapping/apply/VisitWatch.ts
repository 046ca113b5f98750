import type { Elements, Variables } from "../../fhirpath/FhirPath.ts"
import type { VisitVariables } from "../check/pathFocus.ts"
import { trackedFocus } from "../check/pathFocus.ts"
import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import type { MappingPlan } from "../MappingPlan.ts"
import type { MadeField } from "./PatientFields.ts"
import type { MakeField, MappingContext, SectionRow, VisitContext } from "./VisitContext.ts"

/** Makes fields and records whether each reads anything that can differ between the visits of a patient. */
export class VisitWatch {
  /** The scope that functions read meanwhile. */
  readonly scope: EvaluationScope
  readonly #making: VisitContext
  #asked = false
  readonly #unmapped: Array<UnmappedCode> = []
  /** The variables of the latest row, as given and as tracked. */
  #last: { readonly variables: Variables; readonly watched: Variables } | undefined

  constructor(
    constants: MappingPlan["constants"],
    visit: VisitVariables,
    scope: EvaluationScope,
    makingWith: (surroundings: MappingContext) => VisitContext
  ) {
    const requested = (): void => {
      this.#asked = true
    }
    const unmapped = (code: UnmappedCode): void => {
      this.#unmapped.push(code)
    }
    this.scope = {
      ...scope,
      unmapped,
      get encounters() {
        requested()
        return scope.encounters
      },
      encounterOf: (record) => {
        requested()
        return scope.encounterOf(record)
      },
      inVisit: (type) => {
        requested()
        return scope.inVisit(type)
      }
    }
    this.#making = makingWith({ scope: this.scope, unmapped, ...trackedFocus(constants, visit, requested) })
  }

  make(
    row: SectionRow,
    variables: Variables,
    make: MakeField
  ): { readonly made: MadeField; readonly needsVisit: boolean } {
    if (this.#last?.variables !== variables) {
      this.#last = { variables, watched: this.#making.standing(variables.parent as Elements, variables.rowIndex) }
    }
    this.#asked = false
    const value = make(this.#making, this.#last.watched)
    const { lookups, pending, stories } = this.#making
    return {
      made: {
        row,
        value,
        stories: taken(stories),
        pending: taken(pending),
        lookups: taken(lookups),
        unmapped: taken(this.#unmapped)
      },
      needsVisit: this.#asked
    }
  }
}

const nothing: ReadonlyArray<never> = []

/** Returns the items of an array and empties it. */
const taken = <A>(gathered: Array<A>): ReadonlyArray<A> => (gathered.length === 0 ? nothing : gathered.splice(0))
