import type { Elements } from "../../fhirpath/FhirPath.ts"
import { recordOf } from "../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { reportField } from "../check/reportField.ts"
import type { SectionProvenance, VisitProvenance } from "../draft/FieldProvenance.ts"
import type { DraftPath, Provenance } from "../draft/VisitDraft.ts"
import { statedFields } from "../language/Statements.ts"
import type { FieldPlan } from "../MappingPlan.ts"
import { provenance, recordFact, systemsAsked } from "./provenance.ts"
import type { RowProvenance, SectionRow, VisitContext } from "./VisitContext.ts"

/** The provenance of the rows of a visit, computed on request. While the visit is made, each row only keeps its inputs. */
export class RowStories {
  readonly #making: VisitContext
  readonly #patient: SourceRecord | undefined
  #byRow: ReadonlyMap<SectionRow, RowProvenance> | undefined

  constructor(making: VisitContext, patient: SourceRecord | undefined) {
    this.#making = making
    this.#patient = patient
  }

  #of(row: SectionRow): RowProvenance | undefined {
    this.#byRow ??= byRow(this.#making.rows)
    return this.#byRow.get(row)
  }

  /** The path of a row in the visit. */
  pathOf(row: SectionRow | null): DraftPath {
    const story = row === null ? undefined : this.#of(row)
    if (story === undefined || story.parent === null) return []
    const above = this.pathOf(story.parent)
    return story.index === null || story.dropped ? [...above, story.name] : [...above, story.name, story.index]
  }

  /** The mapping line and the record that made the value at a path. */
  provenanceOf(path: DraftPath): Provenance | undefined {
    const { visit } = this.#making
    let row: SectionRow = visit
    let last: Provenance | undefined
    let value: unknown = visit
    for (const step of path) {
      if (typeof step === "string") {
        const story = this.#of(row)
        const field = story?.branch.fields.find((one) => one.name === step)
        if (field !== undefined) last = { ...provenance(field, story!.focus), ...this.#systemsOf(field, story!.focus) }
      }
      value = typeof value === "object" && value !== null ? (value as SectionRow)[step as never] : undefined
      const story = typeof value === "object" && value !== null ? this.#of(value as SectionRow) : undefined
      if (story !== undefined && story.finding !== value) {
        row = story.row
        last = { ...(last ?? { required: "none" }), mapping: story.branch.span, ...recordFact(story.focus) }
      }
    }
    return last
  }

  /** A code that is not found is usually in a system with a different name. */
  #systemsOf(field: FieldPlan, focus: Elements): Pick<Provenance, "systems"> {
    const { plan } = this.#making
    const texts = field.kind === "leaf" ? field.paths.map(({ text }) => text) : []
    for (const text of texts) {
      const key = /keyOf\('(\w+)'\)/u.exec(text)?.[1]
      const paths = key === undefined ? [text] : (plan.keys.get(key)?.paths ?? []).map((path) => path.text)
      const record = text.startsWith("%patient") ? this.#patient : recordOf(focus[0])
      for (const path of paths) {
        const found = systemsAsked(path, record?.resource)
        if (found !== undefined) return { systems: found }
      }
    }
    return {}
  }

  /** The complete provenance of a field or a section. */
  storyOf(path: DraftPath): VisitProvenance | undefined {
    const { plan, visit } = this.#making
    const { statements } = plan
    let row: SectionRow = visit
    let last: { readonly story: RowProvenance; readonly field: FieldPlan; readonly value: unknown } | undefined
    let value: unknown = visit
    for (const step of path) {
      if (typeof value !== "object" || value === null) return undefined
      value = (value as SectionRow)[step as never]
      if (typeof step === "string") {
        const story = this.#of(row)
        // A finding of an examination has its name as the key.
        const field = story?.branch.fields.find(({ name }) => name === (story.finding === row ? "value" : step))
        if (story === undefined || field === undefined) return undefined
        last = { story, field, value }
      } else if (value === undefined) return undefined
      else if (last?.field.kind === "component") last = { ...last, value }
      if (typeof value === "object" && value !== null && this.#of(value as SectionRow) !== undefined) {
        row = value as SectionRow
      }
    }
    if (last === undefined) return undefined
    const { field, story } = last
    if (field.kind === "component") {
      return { kind: "section", name: field.name, mapping: field.span, rows: this.#rowsIn(last.value) }
    }
    const stated = statements === undefined ? undefined : statedFields(statements, story.name, story.focus)
    return reportField(field, story, last.value, stated?.has(field.name) === true, this.#making, plan.keys)
  }

  #rowsIn(value: unknown): SectionProvenance["rows"] {
    return (Array.isArray(value) ? value : [value]).flatMap((row: SectionRow) => {
      const story = this.#of(row)
      if (story === undefined) return []
      const records = new Set(story.focus.flatMap((element) => recordOf(element) ?? []))
      return [{
        mapping: story.branch.span,
        branch: story.branch.name,
        records: [...records].map(({ origin }) => ({ source: origin.reference, origin }))
      }]
    })
  }
}

const byRow = (stories: ReadonlyArray<RowProvenance>): ReadonlyMap<SectionRow, RowProvenance> => {
  const found = new Map<SectionRow, RowProvenance>()
  for (const story of stories) {
    found.set(story.row, story)
    if (story.finding !== undefined) found.set(story.finding, story)
  }
  return found
}
