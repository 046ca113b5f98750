import type { SectionStory, Story } from "../draft/FieldStory.ts"
import type { FieldPath, Provenance } from "../draft/VisitDraft.ts"
import type { Elements } from "../fhirpath/FhirPath.ts"
import { recordOf } from "../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import type { Making, Row, RowStory } from "./Making.ts"
import type { FieldPlan } from "./MappingPlan.ts"
import { provenance, recordFact, systemsAsked } from "./provenance.ts"
import { statedFields } from "./Statements.ts"
import { tellField } from "./tellField.ts"

/** Where the rows of a visit came from, found out when it is asked for: while the visit is made each row only keeps its story. */
export class RowStories {
  readonly #making: Making
  readonly #patient: SourceRecord | undefined
  #byRow: ReadonlyMap<Row, RowStory> | undefined

  constructor(making: Making, patient: SourceRecord | undefined) {
    this.#making = making
    this.#patient = patient
  }

  #of(row: Row): RowStory | undefined {
    this.#byRow ??= byRow(this.#making.stories)
    return this.#byRow.get(row)
  }

  /** Where a row stands in the visit. */
  pathOf(row: Row | null): FieldPath {
    const story = row === null ? undefined : this.#of(row)
    if (story === undefined || story.parent === null) return []
    const above = this.pathOf(story.parent)
    return story.index === null || story.dropped ? [...above, story.name] : [...above, story.name, story.index]
  }

  /** Which line of the mapping and which record made the value at a path. */
  provenanceOf(path: FieldPath): Provenance | undefined {
    const { visit } = this.#making
    let row: Row = visit
    let last: Provenance | undefined
    let value: unknown = visit
    for (const step of path) {
      if (typeof step === "string") {
        const story = this.#of(row)
        const field = story?.branch.fields.find((one) => one.name === step)
        if (field !== undefined) last = { ...provenance(field, story!.focus), ...this.#systemsOf(field, story!.focus) }
      }
      value = typeof value === "object" && value !== null ? (value as Row)[step as never] : undefined
      const story = typeof value === "object" && value !== null ? this.#of(value as Row) : undefined
      if (story !== undefined && story.finding !== value) {
        row = story.row
        last = { ...(last ?? { required: "none" }), mapping: story.branch.span, ...recordFact(story.focus) }
      }
    }
    return last
  }

  /** A code that is not found is most often in a system of another name. */
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

  /** The whole story of a field or a section. */
  storyOf(path: FieldPath): Story | undefined {
    const { plan, visit } = this.#making
    const { statements } = plan
    let row: Row = visit
    let last: { readonly story: RowStory; readonly field: FieldPlan; readonly value: unknown } | undefined
    let value: unknown = visit
    for (const step of path) {
      if (typeof value !== "object" || value === null) return undefined
      value = (value as Row)[step as never]
      if (typeof step === "string") {
        const story = this.#of(row)
        // A finding of an examination has its name for a key.
        const field = story?.branch.fields.find(({ name }) => name === (story.finding === row ? "value" : step))
        if (story === undefined || field === undefined) return undefined
        last = { story, field, value }
      } else if (value === undefined) return undefined
      else if (last?.field.kind === "component") last = { ...last, value }
      if (typeof value === "object" && value !== null && this.#of(value as Row) !== undefined) row = value as Row
    }
    if (last === undefined) return undefined
    const { field, story } = last
    if (field.kind === "component") {
      return { kind: "section", name: field.name, mapping: field.span, rows: this.#rowsIn(last.value) }
    }
    const stated = statements === undefined ? undefined : statedFields(statements, story.name, story.focus)
    return tellField(field, story, last.value, stated?.has(field.name) === true, this.#making, plan.keys)
  }

  #rowsIn(value: unknown): SectionStory["rows"] {
    return (Array.isArray(value) ? value : [value]).flatMap((row: Row) => {
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

const byRow = (stories: ReadonlyArray<RowStory>): ReadonlyMap<Row, RowStory> => {
  const found = new Map<Row, RowStory>()
  for (const story of stories) {
    found.set(story.row, story)
    if (story.finding !== undefined) found.set(story.finding, story)
  }
  return found
}
