import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { atLevels, type Levels } from "../diagnostic/levels.ts"
import type { FinishedVisit } from "./convertPart.ts"
import type { CheckVisit, ConvertedVisit, CountedCode } from "./convertRecords.ts"
import { explainProblems } from "./draftProblems.ts"
import { UnmappedCodes } from "./UnmappedCodes.ts"

/** What is said of the visits of a run together, as they come by in their order. */
export class RunVisits {
  readonly #compare: CheckVisit
  readonly #unmapped = new UnmappedCodes()

  readonly #levels: Levels | undefined

  constructor(compare: CheckVisit, levels?: Levels) {
    this.#compare = compare
    this.#levels = levels
  }

  /** Compares a visit that may be sent with those before it, and counts its codes. */
  complete({ home, unmapped, visit, ...converted }: FinishedVisit): ConvertedVisit {
    const more = converted.ready ? atLevels(explainProblems(home, this.#compare(visit)), this.#levels) : []
    const ready = converted.ready && !more.some(isError)
    this.#unmapped.add(unmapped, ready)
    return more.length === 0 ? converted : { ...converted, ready, problems: [...converted.problems, ...more] }
  }

  unmapped(): ReadonlyArray<CountedCode> {
    return this.#unmapped.all()
  }
}

export const isError = (problem: Diagnostic): boolean => problem.severity === "error"
