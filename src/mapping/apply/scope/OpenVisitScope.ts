import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import type { UnmappedCode } from "../../draft/VisitDraft.ts"
import type { EvaluationScope } from "../../functions/EvaluationScope.ts"
import type { VisitGroup } from "../../grouping/VisitGroup.ts"
import type { ValueRemark } from "../../MappingPlan.ts"
import type { DoubtfulRecords } from "./DoubtfulRecords.ts"
import type { VisitRecords } from "./VisitRecords.ts"
import type { VisitReports } from "./VisitReports.ts"

/** What a visit narrows the scope of its run to. */
interface ScopeOfVisit {
  readonly run: EvaluationScope
  readonly group: VisitGroup
  readonly doubtful: DoubtfulRecords
  readonly records: VisitRecords
}

/**
 * The scope of one visit: it finds only records that the visit may use. It is a class, and not an object of functions: V8 forgets the
 * optimized code of functions that are made for each visit.
 */
export class OpenVisitScope implements EvaluationScope {
  readonly zone: string
  readonly encounters: ReadonlyArray<SourceRecord>
  readonly encounterOf: EvaluationScope["encounterOf"]
  readonly anyTarget: EvaluationScope["anyTarget"]
  readonly anyReverse: EvaluationScope["anyReverse"]
  readonly keyOf: EvaluationScope["keyOf"]
  readonly conceptMap: EvaluationScope["conceptMap"]
  readonly #of: ScopeOfVisit
  readonly #reports: VisitReports | undefined
  /** What was found once for the visit, and what reports again what finding it has reported. */
  readonly #found = new Map<object, { readonly result: unknown; readonly repeat: (() => void) | undefined }>()

  /** `reports`: what receives what functions report (default: nothing does). */
  constructor(of: ScopeOfVisit, reports: VisitReports | undefined) {
    const { group: { encounterOf, encounters }, run: { anyReverse, anyTarget, conceptMap, keyOf, zone } } = of
    this.zone = zone
    this.encounters = encounters
    this.encounterOf = encounterOf
    this.anyTarget = anyTarget
    this.anyReverse = anyReverse
    this.keyOf = keyOf
    this.conceptMap = conceptMap
    this.#of = of
    this.#reports = reports
  }

  /** Returns the same scope for evaluations whose reports are of no interest. */
  silently(): OpenVisitScope {
    return new OpenVisitScope(this.#of, undefined)
  }

  resolve(reference: unknown, from: SourceRecord): SourceRecord | undefined {
    const { doubtful, run } = this.#of
    const record = run.resolve(reference, from)
    return record === undefined || !doubtful.has(record) ? record : undefined
  }

  reverse(target: SourceRecord, element: string): ReadonlyArray<SourceRecord> {
    const { doubtful, run } = this.#of
    const found = run.reverse(target, element)
    if (found.length === 0) return found
    const used: Array<SourceRecord> = []
    for (const record of found) if (!doubtful.has(record, "backwards")) used.push(record)
    return used
  }

  inVisit(type: string): ReadonlyArray<SourceRecord> {
    const { records } = this.#of
    return records.withoutErrors(records.inVisit(type))
  }

  ofPatient(type: string): ReadonlyArray<SourceRecord> {
    const { records } = this.#of
    return records.withoutErrors(records.ofPatient(type))
  }

  read(record: SourceRecord): void {
    if (this.#reports === undefined) return
    this.#reports.reads.push(record)
    this.#of.run.read(record)
  }

  unmapped(code: UnmappedCode): void {
    this.#reports?.unmappedCodes.push({ code })
    if (code.blocking) this.#reports?.missing.push(code)
  }

  assumed(remark: ValueRemark): void {
    this.#reports?.remarks.push(remark)
  }

  keyWarning(warning: Diagnostic): void {
    this.#reports?.ofKeys.push(warning)
  }

  once<A>(key: object, find: () => A): A {
    const known = this.#found.get(key)
    if (known !== undefined) {
      known.repeat?.()
      // A key always has a result of its type.
      return known.result as A
    }
    const since = this.#reports?.since()
    const result = find()
    this.#found.set(key, { result, repeat: since?.() })
    return result
  }

  begin(): () => void {
    return this.#reports?.begin() ?? nothing
  }
}

const nothing = (): void => undefined
