import { recordOf } from "../../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../../maps.ts"
import type { SourceRecord } from "../../../source/records/SourceRecord.ts"
import { isComponent } from "../../../visit/rules/Rule.ts"
import type { SectionProvenance, VisitProvenance } from "../../draft/FieldProvenance.ts"
import type { DraftPath, Provenance } from "../../draft/VisitDraft.ts"
import { statedFields } from "../../language/Statements.ts"
import type { BranchPlan, FieldPlan } from "../../MappingPlan.ts"
import type { RowProvenance, SectionRow, VisitContext } from "../scope/VisitContext.ts"
import { provenance, recordFact, systemsAsked } from "./provenance.ts"
import { reportField } from "./reportField.ts"

/** The provenance of the rows of a visit, computed on request. While the visit is made, each row only keeps its inputs. */
export class RowOrigins {
  readonly #context: VisitContext
  readonly #patient: SourceRecord | undefined
  #byRow: ReadonlyMap<object, RowProvenance> | undefined

  constructor(context: VisitContext, patient: SourceRecord | undefined) {
    this.#context = context
    this.#patient = patient
  }

  #of(row: object): RowProvenance | undefined {
    this.#byRow ??= byRow(this.#context.rows)
    return this.#byRow.get(row)
  }

  /**
   * The origin of a row that is in the visit; `undefined` if it is dropped, or a row around it is. It is not `undefined` if they are dropped
   * because field `name` of the row is empty: what emptied the field is the reason.
   */
  keptOf(row: SectionRow, name: string): RowProvenance | undefined {
    const made = this.#of(row)
    let empty = name
    for (let at = made; at !== undefined; at = at.parent === null ? undefined : this.#of(at.parent)) {
      if (at.dropped && at.lacks?.includes(empty) !== true) return undefined
      empty = at.name
    }
    return made
  }

  /** The path of a row in the visit. */
  pathOf(row: SectionRow | null): DraftPath {
    const made = row === null ? undefined : this.#of(row)
    if (made === undefined || made.parent === null) return []
    const above = this.pathOf(made.parent)
    return made.index === null || made.dropped ? [...above, made.name] : [...above, made.name, made.index]
  }

  /** The mapping line and the record that made the value at a path. */
  provenanceOf(path: DraftPath): Provenance | undefined {
    const { plan, visit } = this.#context
    let row: SectionRow = visit
    let last: { readonly field: FieldPlan; readonly around: RowProvenance } | undefined
    /** The rows on the path after the last field. */
    const within: Array<RowProvenance> = []
    let value: unknown = visit
    for (const step of path) {
      const around = typeof step === "string" ? this.#of(row) : undefined
      const field = around === undefined ? undefined : fieldsOf(around.branch).get(String(step))
      if (around !== undefined && field !== undefined) {
        last = { field, around }
        within.length = 0
      }
      value = isComponent(value) ? value[step] : undefined
      const made = isComponent(value) ? this.#of(value) : undefined
      if (made !== undefined && made.finding !== value) {
        row = made.row
        within.push(made)
      }
    }
    let found: Provenance | undefined
    if (last !== undefined) {
      const { around: { focus }, field } = last
      // A code that is not found is usually in a system with a different name.
      const systems = () => systemsAsked(field, plan.keys, recordOf(focus[0]), this.#patient)
      found = { ...provenance(field, focus), systems }
    }
    for (const { branch, focus } of within) {
      found = { ...(found ?? { required: "none" }), mapping: branch.span, ...recordFact(focus) }
    }
    return found
  }

  /** The complete provenance of a field or a section. */
  explainField(path: DraftPath): VisitProvenance | undefined {
    const { plan, visit } = this.#context
    const { statements } = plan
    let row: object = visit
    let last:
      | { readonly made: RowProvenance; readonly field: FieldPlan; readonly value: unknown; readonly at?: number }
      | undefined
    let value: unknown = visit
    for (const step of path) {
      if (!isComponent(value)) return undefined
      value = value[step]
      if (typeof step === "string") {
        const made = this.#of(row)
        // A finding of an examination has its name as the key.
        const field = made?.branch.fields.find(({ name }) => name === (made.finding === row ? "value" : step))
        if (made === undefined || field === undefined) return undefined
        last = { made, field, value }
      } else if (value === undefined) return undefined
      else if (last?.field.kind === "component") last = { ...last, value, at: step }
      if (isComponent(value) && this.#of(value) !== undefined) row = value
    }
    if (last === undefined) return undefined
    const { field, made } = last
    if (field.kind === "component") {
      const rows = field.shape === "strings" ? this.#textsOf(made, field.name, last.at) : this.#madeRows(last.value)
      return { kind: "section", name: field.name, mapping: field.span, rows: rows.map(originOf) }
    }
    const stated = statements === undefined ? undefined : statedFields(statements, made.name, made.focus)
    return reportField(field, made, last.value, stated?.has(field.name) === true, this.#context, plan.keys)
  }

  #madeRows(value: unknown): ReadonlyArray<RowProvenance> {
    return (Array.isArray(value) ? value : [value]).flatMap((row: SectionRow) => this.#of(row) ?? [])
  }

  /** The row of each text in a section of texts, or of one of them. */
  #textsOf({ row: parent }: RowProvenance, name: string, at: number | undefined): ReadonlyArray<RowProvenance> {
    const made = this.#context.rows.filter((one) => one.parent === parent && one.name === name && !one.dropped)
    const value = parent[name]
    const texts: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
    return (at === undefined ? texts : texts.slice(at, at + 1)).flatMap((text) =>
      made.find(({ row: { value } }) => Array.isArray(value) && value.includes(text)) ?? []
    )
  }
}

const originOf = ({ branch, focus }: RowProvenance): SectionProvenance["rows"][number] => {
  const records = new Set(focus.flatMap((element) => recordOf(element) ?? []))
  return {
    mapping: branch.span,
    branch: branch.name,
    records: [...records].map(({ origin }) => ({ source: origin.reference, origin }))
  }
}

const fieldsOfBranches = new WeakMap<BranchPlan, ReadonlyMap<string, FieldPlan>>()

const fieldsOf = (branch: BranchPlan): ReadonlyMap<string, FieldPlan> =>
  getOrMake(fieldsOfBranches, branch, namedFields)

const namedFields = (branch: BranchPlan): ReadonlyMap<string, FieldPlan> =>
  new Map(branch.fields.map((field) => [field.name, field]))

const byRow = (rows: ReadonlyArray<RowProvenance>): ReadonlyMap<SectionRow, RowProvenance> => {
  const found = new Map<SectionRow, RowProvenance>()
  for (const made of rows) {
    found.set(made.row, made)
    if (made.finding !== undefined) found.set(made.finding, made)
  }
  return found
}
