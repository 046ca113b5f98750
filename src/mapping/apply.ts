import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { SectionStory, Story } from "../draft/FieldStory.ts"
import type { FieldPath, Provenance, UnmappedCode, VisitDraft } from "../draft/VisitDraft.ts"
import { fieldText } from "../draft/VisitDraft.ts"
import type { Elements, Variables } from "../fhirpath/FhirPath.ts"
import { evaluatePath, isPathFault, recordOf, valueOf } from "../fhirpath/FhirPath.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import type { LeafContext } from "./applyLeaf.ts"
import { applyLeaf } from "./applyLeaf.ts"
import type { EvaluationScope } from "./functions/EvaluationScope.ts"
import type { BranchPlan, ComponentPlan, FieldPlan, MappingPlan, PathPlan } from "./MappingPlan.ts"
import { tellField } from "./tellField.ts"

/** What applying a mapping needs besides the visit's records; one for a run. */
export interface ApplyContext {
  readonly plan: MappingPlan
  readonly enter: (scope: EvaluationScope) => void
  /** The scope of the run, which each visit narrows to itself. */
  readonly scope: EvaluationScope
  readonly ofPatient: (patient: SourceRecord, type: string) => ReadonlyArray<SourceRecord>
  /** IANA name of the facility's time zone: for times without an offset, and for what is sent. */
  readonly zone: string
  /** `%facility` and `%system`. */
  readonly facility: string | null
  readonly system: string | null
}

type Row = Record<string, unknown>

/** Where a row of the draft came from; its place in the visit is known once its siblings are sorted. */
interface RowStory {
  readonly parent: Row | null
  readonly name: string
  readonly branch: BranchPlan
  readonly focus: Elements
  readonly variables: Variables
  index: number | null
}

interface PendingProblem {
  readonly row: Row | null
  readonly name: string
  readonly diagnostic: Diagnostic
}

/**
 * Applies a mapping to the records of one visit. It cannot fail: what goes wrong with a field rides along as a problem of the
 * draft, so that all problems of a visit are seen at once.
 */
export const apply = (context: ApplyContext, group: VisitGroup): VisitDraft => {
  const { plan } = context
  const elementOf = plan.fhirPath.elementOf
  const { patient } = group
  const scope: EvaluationScope = {
    ...context.scope,
    encounters: group.encounters,
    inVisit: (type) => group.records.get(type) ?? [],
    ofPatient: (type) => (patient === undefined ? [] : context.ofPatient(patient, type))
  }
  context.enter(scope)
  for (const encounter of [group.root, ...group.encounters]) scope.read(encounter)
  if (patient !== undefined) scope.read(patient)
  const variables: Variables = Object.assign(Object.create(plan.constants), {
    visit: [elementOf(group.root)],
    patient: patient === undefined ? [] : [elementOf(patient)],
    encounters: group.encounters.map(elementOf),
    main: group.encounters.slice(0, 1).map(elementOf),
    facility: context.facility ?? [],
    system: context.system ?? [],
    parent: [],
    rowIndex: 0
  })
  const stories = new Map<Row, RowStory>()
  const pending: Array<PendingProblem> = []
  const dropped = new Set<Row>()
  const unmapped: Array<UnmappedCode> = []

  const problem = (row: Row | null, name: string, diagnostic: Diagnostic): void => {
    pending.push({ row, name, diagnostic })
  }

  const evaluate = (path: PathPlan, focus: Elements, scoped: Variables, row: Row | null, name: string): Elements => {
    const result = evaluatePath(path, focus, scoped)
    if (!isPathFault(result)) return result
    problem(row, name, {
      code: "path-failed",
      severity: "error",
      title: "this path failed on a record",
      label: result.message,
      mapping: path.span,
      path: path.text,
      ...sourceOf(focus)
    })
    return []
  }

  const rowsOf = (
    component: ComponentPlan,
    branch: BranchPlan,
    focus: Elements,
    scoped: Variables,
    parent: Row | null
  ): ReadonlyArray<Elements> => {
    const { rows } = branch
    const keep = (element: Elements): boolean =>
      branch.where.every((path) => {
        const result = evaluate(path, element, scoped, parent, component.name)
        return result.length === 1 && valueOf(result[0]) === true
      })
    const found: Array<Elements> = []
    if (rows.from === "focus") {
      if (keep(focus)) found.push(focus)
    } else if (rows.from === "forEach") {
      for (const element of evaluate(rows.path, focus, scoped, parent, component.name)) {
        if (keep([element])) found.push([element])
      }
      if (found.length === 0 && rows.orNull) found.push([])
    } else {
      for (const type of rows.types) {
        for (const record of rows.scope === "visit" ? scope.inVisit(type) : scope.ofPatient(type)) {
          const element = [elementOf(record)]
          if (!keep(element)) continue
          scope.read(record)
          found.push(element)
        }
      }
    }
    return branch.groupBy.length === 0 ? found : grouped(component, branch, found, scoped, parent)
  }

  const grouped = (
    component: ComponentPlan,
    branch: BranchPlan,
    rows: ReadonlyArray<Elements>,
    scoped: Variables,
    parent: Row | null
  ): ReadonlyArray<Elements> => {
    const groups = new Map<string, Array<unknown>>()
    for (const row of rows) {
      const key = JSON.stringify(
        branch.groupBy.map((path) =>
          evaluate(path, row, scoped, parent, component.name).map((element) => String(valueOf(element)))
        )
      )
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [...row])
      else group.push(...row)
    }
    return [...groups.values()]
  }

  const leafContext: LeafContext = {
    zone: context.zone,
    time: plan.time,
    unmapped: (code) => {
      unmapped.push(code)
    },
    problem,
    told: () => pending.length,
    evaluate
  }

  const fill = (row: Row, fields: ReadonlyArray<FieldPlan>, focus: Elements, scoped: Variables): void => {
    for (const field of fields) {
      if (field.kind === "leaf") {
        const value = applyLeaf(field, focus, scoped, row, leafContext)
        if (value !== undefined) row[field.name] = value
      } else {
        const value = component(field, focus, scoped, row)
        if (value !== undefined) row[field.name] = value
      }
    }
  }

  const component = (plan: ComponentPlan, focus: Elements, scoped: Variables, parent: Row): unknown => {
    const rows: Array<Row> = []
    const around: Variables = Object.assign(Object.create(scoped), { parent: focus })
    for (const branch of plan.branches) {
      rowsOf(plan, branch, focus, around, parent).forEach((rowFocus, rowIndex) => {
        const row: Row = {}
        const inner: Variables = Object.assign(Object.create(around), { rowIndex })
        stories.set(row, { parent, name: plan.name, branch, focus: rowFocus, variables: inner, index: null })
        fill(row, branch.fields, rowFocus, inner)
        if (branch.needs.every((name) => row[name] !== null && row[name] !== undefined && row[name] !== "")) {
          rows.push(row)
        } else dropRow(row)
      })
    }
    const ordered = plan.orderBy.length === 0 ? rows : rows.toSorted(rowOrder(plan.orderBy))
    const kept = plan.takeFirst ? ordered.slice(0, 1) : ordered
    switch (plan.shape) {
      case "object":
        return kept[0] ?? null
      case "strings":
        return kept.flatMap((row) => (Array.isArray(row.value) ? row.value : []))
      case "examination":
        return kept.map((row) => ({ [String(row.key)]: row.value }))
      case "list":
        kept.forEach((row, index) => {
          stories.get(row)!.index = index
        })
        return kept
    }
  }

  // What went wrong in a row that is left out is still told, at the place of its component.
  const dropRow = (row: Row): void => {
    dropped.add(row)
  }

  const visit: Row = {}
  const [branch] = plan.visit.branches
  if (branch !== undefined) {
    const focus = variables.visit as Elements
    stories.set(visit, { parent: null, name: "", branch, focus, variables, index: null })
    fill(visit, branch.fields, variables.visit as Elements, variables)
  }

  const pathOf = (row: Row | null): FieldPath => {
    const story = row === null ? undefined : stories.get(row)
    if (story === undefined || story.parent === null) return []
    const above = pathOf(story.parent)
    return story.index === null || dropped.has(row!) ? [...above, story.name] : [...above, story.name, story.index]
  }

  const provenanceOf = (path: FieldPath): Provenance | undefined => {
    let row: Row = visit
    let last: Provenance | undefined
    let value: unknown = visit
    for (const step of path) {
      if (typeof step === "string") {
        const story = stories.get(row)
        const field = story?.branch.fields.find((one) => one.name === step)
        if (field !== undefined) last = provenance(field, story!.focus)
      }
      value = typeof value === "object" && value !== null ? (value as Row)[step as never] : undefined
      if (typeof value === "object" && value !== null && stories.has(value as Row)) {
        row = value as Row
        const story = stories.get(row)!
        last = { ...(last ?? { required: "none" }), mapping: story.branch.span, ...recordFact(story.focus) }
      }
    }
    return last
  }

  const storyOf = (path: FieldPath): Story | undefined => {
    context.enter(scope)
    let row: Row = visit
    let found: Story | undefined
    let value: unknown = visit
    for (const step of path) {
      if (typeof value !== "object" || value === null) return undefined
      value = (value as Row)[step as never]
      if (typeof step === "string") {
        const story = stories.get(row)
        const field = story?.branch.fields.find((one) => one.name === step)
        if (story === undefined || field === undefined) return undefined
        found = field.kind === "leaf"
          ? tellField(field, story.focus, story.variables, value, leafContext, plan.keys)
          : { kind: "section", name: field.name, mapping: field.span, rows: rowStories(value) }
      } else if (value === undefined) return undefined
      else if (found?.kind === "section") found = { ...found, rows: rowStories(value) }
      if (typeof value === "object" && value !== null && stories.has(value as Row)) row = value as Row
    }
    return found
  }

  const rowStories = (value: unknown): SectionStory["rows"] =>
    (Array.isArray(value) ? value : [value]).flatMap((row: Row) => {
      const story = stories.get(row)
      if (story === undefined) return []
      const records = new Set(story.focus.flatMap((element) => recordOf(element) ?? []))
      return [{
        mapping: story.branch.span,
        branch: story.branch.name,
        records: [...records].map(({ origin }) => ({ source: origin.reference, origin }))
      }]
    })

  return {
    root: group.root,
    visit,
    unmapped,
    provenanceOf,
    storyOf,
    problems: [
      ...group.problems,
      ...pending.map(({ row, name, diagnostic }) => ({ ...diagnostic, field: fieldText([...pathOf(row), name]) }))
    ]
  }
}

const provenance = (field: FieldPlan, focus: Elements): Provenance => {
  const record = recordFact(focus)
  if (field.kind === "component") return { mapping: field.span, required: "none", ...record }
  const [path] = field.paths
  return {
    mapping: path?.span ?? field.span,
    required: field.required,
    ...(path === undefined ? {} : { path: field.paths.map((one) => one.text).join(", else ") }),
    ...record
  }
}

const recordFact = (focus: Elements): { readonly record?: SourceRecord } => {
  const record = recordOf(focus[0])
  return record === undefined ? {} : { record }
}

/** The record a focus stands in, as a diagnostic names it. */
export const sourceOf = (focus: Elements): Pick<Diagnostic, "source" | "origin"> => {
  const record = recordOf(focus[0])
  return record === undefined ? {} : { source: record.origin.reference, origin: record.origin }
}

const rowOrder = (orderBy: ComponentPlan["orderBy"]) => (one: Row, other: Row): number => {
  for (const { name, descending, ranks } of orderBy) {
    const a = ranks === undefined ? one[name] : (ranks.get(String(one[name])) ?? ranks.size)
    const b = ranks === undefined ? other[name] : (ranks.get(String(other[name])) ?? ranks.size)
    const order = a === b || (a == null && b == null) ? 0 : a == null ? 1 : b == null ? -1 : compare(a, b)
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

const compare = (a: unknown, b: unknown): number => {
  if (typeof a === "number" && typeof b === "number") return a - b
  const one = String(a)
  const other = String(b)
  return one < other ? -1 : one > other ? 1 : 0
}
