import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { atLevels, type Levels } from "../diagnostic/levels.ts"
import type { CompareVisit } from "../visit/rules/uniqueInRun.ts"
import type { CodesData } from "./accounts/UnmappedCodes.ts"
import { UnmappedCodes } from "./accounts/UnmappedCodes.ts"
import { RunCurrencies } from "./checks/currencies.ts"
import { explainProblems } from "./checks/draftProblems.ts"
import type { ConvertedVisit, CountedCode } from "./Conversion.ts"
import type { FinishedVisit } from "./convertPartition.ts"

/** Settings of a run for checks across its visits. */
export interface RunVisitsOptions {
  /** Severities for warnings. */
  readonly levels?: Levels | undefined
  /** The currencies allowed for invoices (default: the currency of the first invoice). */
  readonly currencies?: ReadonlyArray<string> | undefined
}

const none: ReadonlyArray<never> = []

/** Checks across the visits of a run, which arrive in order. */
export class RunVisits {
  readonly #compare: CompareVisit
  readonly #unmapped = new UnmappedCodes()

  readonly #levels: Levels | undefined
  readonly #currencies: RunCurrencies

  constructor(compare: CompareVisit, { currencies, levels }: RunVisitsOptions) {
    this.#compare = compare
    this.#levels = levels
    this.#currencies = new RunCurrencies(currencies)
  }

  /**
   * Compares a visit that may be sent with earlier visits, and counts its codes. `position`: in a part, its position in the order of
   * the whole run.
   */
  complete({ converted, currencies, draft, unmapped, visit }: FinishedVisit, position?: number): ConvertedVisit {
    const money = converted.ready ? this.#currencies.check(currencies) : none
    const between = converted.ready
      ? this.#compare(
        visit,
        converted.origin,
        (problems) => !atLevels([...problems, ...money], this.#levels).some(isError)
      )
      : none
    const found = [...between, ...money]
    const more = found.length === 0 ? none : atLevels(explainProblems(draft, found), this.#levels)
    const ready = converted.ready && !more.some(isError)
    if (ready) this.#currencies.add(currencies)
    this.#unmapped.add(unmapped, ready, converted.patientCode, position)
    if (more.length === 0 && position === undefined) return converted
    return {
      ...converted,
      ready,
      problems: more.length === 0 ? converted.problems : [...converted.problems, ...more],
      ...(position === undefined ? {} : { position })
    }
  }

  /** Counts that are complete only when all parts of a run are added. */
  partCounts(): { readonly codes: CodesData; readonly currency: string | null } {
    return { codes: this.#unmapped.data(), currency: this.#currencies.first ?? null }
  }

  unmapped(): ReadonlyArray<CountedCode> {
    return this.#unmapped.all()
  }
}

export const isError = (problem: Pick<Diagnostic, "severity">): boolean => problem.severity === "error"
