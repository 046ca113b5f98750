import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { Elements, PathFault, Variables } from "../../../fhirpath/FhirPath.ts"
import { evaluatePath, isPathFault, valuesOfPath } from "../../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import { assumed } from "../../assumptions/assumed.ts"
import { unmappedCode } from "../../codes/unmappedCode.ts"
import type { UnmappedCode } from "../../draft/VisitDraft.ts"
import type { VisitGroup } from "../../grouping/VisitGroup.ts"
import { isNumbered } from "../../language/Statements.ts"
import type { MappingPlan, PathPlan, TimePlan } from "../../MappingPlan.ts"
import { keyFaultIn, pathFailed } from "../../pathFailed.ts"
import type { FieldContext } from "../fields/FieldContext.ts"
import type { OpenVisitScope } from "./OpenVisitScope.ts"
import type {
  Candidate,
  Exclusion,
  FilledField,
  PendingProblem,
  RowProvenance,
  SectionRow,
  VisitContext
} from "./VisitContext.ts"
import { sourceOf } from "./VisitContext.ts"
import type { VisitRecords } from "./VisitRecords.ts"
import type { FoundUnmappedCode, VisitReports } from "./VisitReports.ts"
import { type VariablesAt, variablesAt, type VisitVariables } from "./visitVariables.ts"

interface OpenVisitOptions extends Pick<VisitContext, "plan" | "zone" | "timestamps" | "visitVariables" | "excluded"> {
  readonly group: VisitGroup
  readonly records: VisitRecords
  readonly reports: VisitReports
  readonly scope: OpenVisitScope
}

/** A visit before its first field is filled, and while its fields are filled. */
export class OpenVisit implements VisitContext {
  readonly plan: MappingPlan
  readonly scope: OpenVisitScope
  readonly visit: SectionRow = {}
  readonly visitVariables: VisitVariables
  readonly zone: string
  readonly time: TimePlan
  readonly timestamps: Map<string, string>
  readonly rows: Array<RowProvenance> = []
  readonly pending: Array<PendingProblem> = []
  readonly unmappedCodes: Array<FoundUnmappedCode>
  readonly reads: Array<SourceRecord>
  readonly near: ReadonlyArray<SourceRecord>
  readonly reportedKeys = new Set<Diagnostic>()
  readonly lookups: Array<FilledField> = []
  readonly farLookups: Array<FilledField> = []
  readonly excluded: ((exclusion: Exclusion) => void) | undefined
  readonly #records: VisitRecords
  readonly #reports: VisitReports
  readonly #variablesAt: VariablesAt
  readonly #inVisit = new Map<string, ReadonlyArray<Candidate>>()
  readonly #ofPatient = new Map<string, ReadonlyArray<Candidate>>()

  constructor({ excluded, group, plan, records, reports, scope, timestamps, visitVariables, zone }: OpenVisitOptions) {
    const { encounters: [main], patient, root } = group
    this.plan = plan
    this.scope = scope
    this.visitVariables = visitVariables
    this.zone = zone
    this.time = plan.time
    this.timestamps = timestamps
    this.unmappedCodes = reports.unmappedCodes
    this.reads = reports.reads
    this.near = [root, ...(main === undefined ? [] : [main]), ...(patient === undefined ? [] : [patient])]
    this.excluded = excluded
    this.#records = records
    this.#reports = reports
    this.#variablesAt = variablesAt(plan.constants)
  }

  variablesAt(parent: Elements, rowIndex: unknown): Variables {
    return this.#variablesAt(this.visitVariables, parent, rowIndex)
  }

  unmapped(code: UnmappedCode, of?: Pick<FieldContext, "row" | "leaf">): void {
    this.unmappedCodes.push(of === undefined ? { code } : { code, of })
  }

  problem(row: SectionRow | null, name: string, diagnostic: Diagnostic): void {
    this.pending.push({ row, name, diagnostic })
  }

  problemCount(): number {
    return this.pending.length
  }

  hasErrorSince(count: number): boolean {
    return this.pending.slice(count).some(({ diagnostic }) => diagnostic.severity === "error")
  }

  forget(): void {
    this.#reports.forget()
  }

  hasReports(): boolean {
    return !this.#reports.isEmpty
  }

  report(path: PathPlan, found: Elements, focus: Elements, row: SectionRow | null, name: string): void {
    this.#orProblem(path, found, focus, row, name)
  }

  evaluate(path: PathPlan, focus: Elements, variables: Variables, row: SectionRow | null, name: string): Elements {
    this.#reports.forget()
    return this.#orProblem(path, evaluatePath(path, focus, variables, this.scope), focus, row, name)
  }

  values(path: PathPlan, focus: Elements, variables: Variables, row: SectionRow | null, name: string): Elements {
    this.#reports.forget()
    return this.#orProblem(path, valuesOfPath(path, focus, variables, this.scope), focus, row, name)
  }

  inVisit(type: string): ReadonlyArray<Candidate> {
    return this.#candidates(this.#inVisit, type, this.#records.inVisit(type))
  }

  ofPatient(type: string): ReadonlyArray<Candidate> {
    return this.#candidates(this.#ofPatient, type, this.#records.ofPatient(type))
  }

  /** Returns the records of a type as candidates for rows; made once for each type. A coverage tracker has recorded that they were read. */
  #candidates(
    known: Map<string, ReadonlyArray<Candidate>>,
    type: string,
    records: ReadonlyArray<SourceRecord>
  ): ReadonlyArray<Candidate> {
    let candidates = known.get(type)
    if (candidates === undefined) {
      const found: Array<Candidate> = []
      for (const record of records) found.push(candidateOf(this.plan, record))
      known.set(type, candidates = found)
    }
    return candidates
  }

  /** Reports a problem of a key. Many fields use the key of a visit: only the first of them reports it. */
  #keyProblem(row: SectionRow | null, name: string, diagnostic: Diagnostic): void {
    if (this.reportedKeys.has(diagnostic)) return
    this.reportedKeys.add(diagnostic)
    this.problem(row, name, diagnostic)
  }

  /** Returns what a path found, or reports that it failed and returns nothing. */
  #orProblem(
    path: PathPlan,
    result: Elements | PathFault,
    focus: Elements,
    row: SectionRow | null,
    name: string
  ): Elements {
    if (isPathFault(result)) {
      this.#reportKeys(row, name)
      const failed = pathFailed(path, result, sourceOf(focus))
      if (keyFaultIn(result.cause) === undefined) this.problem(row, name, failed)
      else this.#keyProblem(row, name, failed)
      return []
    }
    if (!this.#reports.isEmpty) this.#reportFound(path, result, focus, row, name)
    return result
  }

  #reportKeys(row: SectionRow | null, name: string): void {
    for (const warning of this.#reports.ofKeys) this.#keyProblem(row, name, warning)
  }

  /** Reports what functions have reported in an evaluation that found something, or nothing. */
  #reportFound(path: PathPlan, found: Elements, focus: Elements, row: SectionRow | null, name: string): void {
    const { missing, remarks } = this.#reports
    this.#reportKeys(row, name)
    for (const code of missing) {
      this.problem(row, name, {
        ...unmappedCode(this.plan.conceptMaps.get(code.table) ?? { name: code.table }, "reject", code),
        mapping: path.span,
        path: path.text,
        ...sourceOf(focus)
      })
    }
    if (found.length === 0) return
    for (const { assume, span } of remarks) {
      if (assume !== undefined) {
        this.problem(row, name, { ...assumed(assume, span), path: path.text, ...sourceOf(focus) })
      }
    }
  }
}

const candidateOf = ({ fhirPath, statements }: MappingPlan, record: SourceRecord): Candidate => {
  const element = fhirPath.elementOf(record)
  return { record, focus: [element], numbered: statements !== undefined && isNumbered(statements, element) }
}
