import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { FinishedVisit } from "./convertPart.ts"
import type { CheckVisit, ConvertedVisit, CountedCode } from "./convertRecords.ts"
import { explainProblems } from "./draftProblems.ts"
import { UnmappedCodes } from "./UnmappedCodes.ts"

/** What is said of the visits of a run together, as they come by in their order. */
export class RunVisits {
  readonly #compare: CheckVisit
  readonly #unmapped = new UnmappedCodes()

  constructor(compare: CheckVisit) {
    this.#compare = compare
  }

  /** Compares a visit that may be sent with those before it, and counts its codes. */
  complete({ home, unmapped, visit, ...converted }: FinishedVisit): ConvertedVisit {
    const more = converted.ready ? explainProblems(home, this.#compare(visit)) : []
    const ready = converted.ready && !more.some(isError)
    this.#unmapped.add(unmapped, ready)
    return more.length === 0 ? converted : { ...converted, ready, problems: [...converted.problems, ...more] }
  }

  unmapped(): ReadonlyArray<CountedCode> {
    return this.#unmapped.all()
  }
}

export const isError = (problem: Diagnostic): boolean => problem.severity === "error"
