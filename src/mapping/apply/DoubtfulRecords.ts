import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { modifierProblem, type ModifierRules, type UnknownModifier, unknownModifier } from "../grouping/modifiers.ts"
import { unwatchedStatusProblem } from "../grouping/statusProblems.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import type { MappingPlan } from "../MappingPlan.ts"

/**
 * Records that a visit reaches by a reference and must not use, because a modifier changes their meaning. Also records
 * with a status that FHIR R4 does not define, which keep the visit from being sent.
 */
export class DoubtfulRecords {
  readonly #rules: ModifierRules
  readonly #clean: Set<SourceRecord>
  readonly #known = new Map<SourceRecord, UnknownModifier | undefined>()
  readonly #doubts = new Map<SourceRecord, Diagnostic>()
  #count = 0

  /** `clean`: the records of the run that are known not to be doubtful. */
  constructor({ followed: { elements }, grouping: { understood } }: MappingPlan, clean: Set<SourceRecord>) {
    this.#rules = { elements, understood }
    this.#clean = clean
  }

  /** Returns true if a record must not be used. */
  has(record: SourceRecord): boolean {
    if (this.#clean.has(record)) return false
    let modifier = this.#known.get(record)
    if (modifier === undefined && !this.#known.has(record)) {
      this.#known.set(record, modifier = unknownModifier(record, this.#rules))
      const doubt = modifier === undefined ? unwatchedStatusProblem(record) : undefined
      if (doubt !== undefined) this.#doubts.set(record, doubt)
      else if (modifier === undefined) this.#clean.add(record)
    }
    if (modifier === undefined) {
      if (this.#doubts.has(record)) this.#count++
      return false
    }
    this.#count++
    return true
  }

  /** The problems to report for each, without those that the group already reports. */
  problems({ problems, records, root }: VisitGroup): ReadonlyArray<Diagnostic> {
    if (this.#count === 0) return []
    const doubts = [...this.#doubts].flatMap(([record, doubt]) =>
      record === root || records.get(record.resource.resourceType)?.includes(record) === true ||
        problems.some(({ code, origin }) => code === doubt.code && origin === record.origin)
        ? []
        : doubt
    )
    const reported = new Set(problems.filter(({ code }) => code === "unknown-modifier").map(({ origin }) => origin))
    const left = [...this.#known].flatMap(([record, modifier]) =>
      modifier === undefined || reported.has(record.origin) ? [] : modifierProblem(record, modifier, "warning")
    )
    return [...doubts, ...left]
  }
}
