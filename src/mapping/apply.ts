import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import type { SectionStory, Story } from "../draft/FieldStory.ts"
import type { FieldPath, Provenance, UnmappedCode, VisitDraft } from "../draft/VisitDraft.ts"
import { fieldText } from "../draft/VisitDraft.ts"
import type { Element, Elements, Variables } from "../fhirpath/FhirPath.ts"
import { evaluatePath, isPathFault, recordOf, textOf, valueOf } from "../fhirpath/FhirPath.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import type { SourceRecord } from "../source/SourceRecord.ts"
import type { LeafContext } from "./applyLeaf.ts"
import { applyLeaf } from "./applyLeaf.ts"
import type { EvaluationScope } from "./functions/EvaluationScope.ts"
import type { BranchPlan, ComponentPlan, FieldPlan, MappingPlan, PathPlan } from "./MappingPlan.ts"
import { provenance, recordFact, systemsAsked } from "./provenance.ts"
import { rowOrder } from "./rowOrder.ts"
import { isNumbered, partNumber, rowNumber, statedFields } from "./Statements.ts"
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
  /** Is told of each record of the visit that a condition keeps out of a section. */
  readonly refused?: (refusal: Refusal) => void
}

/** A record that a line reads and a condition of it keeps out. */
export interface Refusal {
  readonly record: SourceRecord
  /** The section it is no row of: `laboratories`. */
  readonly section: string
  readonly condition: PathPlan
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

/** What a row stands on, and the number the source gives it. */
interface FoundRow {
  readonly focus: Elements
  readonly number: number | undefined
}

/** The variables that are the same wherever one stands in a visit. */
type VisitVariables = Readonly<Record<"visit" | "patient" | "encounters" | "main" | "facility" | "system", unknown>>

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
  const unmapped: Array<UnmappedCode> = []
  const { patient } = group
  const scope: EvaluationScope = {
    ...context.scope,
    encounters: group.encounters,
    encounterOf: group.encounterOf,
    unmapped: (code) => {
      unmapped.push(code)
    },
    inVisit: (type) => group.records.get(type) ?? [],
    ofPatient: (type) => (patient === undefined ? [] : context.ofPatient(patient, type))
  }
  context.enter(scope)
  for (const encounter of [group.root, ...group.encounters]) scope.read(encounter)
  if (patient !== undefined) scope.read(patient)
  const visitVariables: VisitVariables = {
    visit: [elementOf(group.root)],
    patient: patient === undefined ? [] : [elementOf(patient)],
    encounters: group.encounters.map(elementOf),
    main: group.encounters.slice(0, 1).map(elementOf),
    facility: context.facility ?? [],
    system: context.system ?? []
  }
  const variables = standing(plan.constants, visitVariables, [], 0)
  const elements = new Map<string, ReadonlyArray<readonly [SourceRecord, Element]>>()
  const elementsOf = (type: string): ReadonlyArray<readonly [SourceRecord, Element]> => {
    let known = elements.get(type)
    if (known === undefined) {
      elements.set(type, known = scope.inVisit(type).map((record) => [record, elementOf(record)] as const))
    }
    return known
  }
  const { statements } = plan
  const visit: Row = {}
  const stories = new Map<Row, RowStory>()
  /** Findings of an examination, and the rows with `key` and `value` that they were. */
  const findings = new Map<Row, Row>()
  const pending: Array<PendingProblem> = []
  const dropped = new Set<Row>()

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
  ): ReadonlyArray<FoundRow> => {
    const { rows } = branch
    const refusing = (element: Elements): PathPlan | undefined =>
      branch.where.find((path) => {
        const result = evaluate(path, element, scoped, parent, component.name)
        return result.length !== 1 || valueOf(result[0]) !== true
      })
    const keep = (element: Elements): boolean => refusing(element) === undefined
    const found: Array<FoundRow> = []
    const numberOf = (element: Element): number | undefined =>
      statements === undefined ? undefined : rowNumber(statements, component.name, element)
    // What the source numbers for one list of the visit is a row of no other.
    const elsewhere = (element: Element, number: number | undefined): boolean =>
      statements !== undefined && number === undefined && parent === visit && isNumbered(statements, element)
    if (rows.from === "focus") {
      if (keep(focus)) found.push({ focus, number: undefined })
    } else if (rows.from === "forEach") {
      for (const element of evaluate(rows.path, focus, scoped, parent, component.name)) {
        const number = numberOf(element)
        if (!elsewhere(element, number) && keep([element])) found.push({ focus: [element], number })
      }
      if (found.length === 0 && rows.orNull) found.push({ focus: [], number: undefined })
    } else {
      for (const type of rows.types) {
        const candidates = rows.scope === "visit"
          ? elementsOf(type)
          : scope.ofPatient(type).map((record) => [record, elementOf(record)] as const)
        for (const [record, element] of candidates) {
          const number = numberOf(element)
          if (elsewhere(element, number)) continue
          if (number !== undefined && rows.scope === "patient" && !scope.inVisit(type).includes(record)) continue
          const condition = refusing([element])
          if (condition !== undefined) {
            context.refused?.({ record, section: component.name, condition })
            continue
          }
          scope.read(record)
          found.push({ focus: [element], number })
        }
      }
    }
    return branch.groupBy.length === 0 ? found : grouped(component, branch, found, scoped, parent)
  }

  const grouped = (
    component: ComponentPlan,
    branch: BranchPlan,
    rows: ReadonlyArray<FoundRow>,
    scoped: Variables,
    parent: Row | null
  ): ReadonlyArray<FoundRow> => {
    const groups = new Map<string | number, { readonly focus: Array<Element>; readonly number: number | undefined }>()
    for (const { focus, number } of rows) {
      const key = number ?? JSON.stringify(
        branch.groupBy.map((path) => evaluate(path, focus, scoped, parent, component.name).map(keyText))
      )
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { focus: [...focus], number })
      else group.focus.push(...focus)
    }
    for (const { focus, number } of groups.values()) {
      if (statements === undefined || number === undefined) continue
      const part = new Map(focus.map((element) => [element, partNumber(statements, component.name, element)]))
      focus.sort((one, other) => part.get(one)! - part.get(other)!)
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

  const fill = (row: Row, name: string, fields: ReadonlyArray<FieldPlan>, focus: Elements, scoped: Variables): void => {
    const stated = statements === undefined ? undefined : statedFields(statements, name, focus)
    for (const field of fields) {
      const said = stated?.get(field.name)
      if (field.kind === "leaf") {
        const value = applyLeaf(field, focus, scoped, row, leafContext, said)
        if (value !== undefined) row[field.name] = value
      } else {
        const value = said !== undefined && said.length === 0
          ? field.shape === "object" ? null : []
          : component(field, focus, scoped, row)
        if (value !== undefined) row[field.name] = value
      }
    }
  }

  const component = (plan: ComponentPlan, focus: Elements, scoped: Variables, parent: Row): unknown => {
    const rows: Array<Row> = []
    const places = new Map<Row, number>()
    const around = standing(context.plan.constants, visitVariables, focus, scoped.rowIndex)
    for (const branch of plan.branches) {
      rowsOf(plan, branch, focus, around, parent).forEach(({ focus: rowFocus, number }, rowIndex) => {
        const row: Row = {}
        const inner = standing(context.plan.constants, visitVariables, focus, rowIndex)
        stories.set(row, { parent, name: plan.name, branch, focus: rowFocus, variables: inner, index: null })
        fill(row, plan.name, branch.fields, rowFocus, inner)
        // A row the source numbers, or that stands on such a record, is complete as it is and in its place.
        const place = number ??
          (statements !== undefined && isNumbered(statements, rowFocus[0]) ? rows.length + 1 : undefined)
        if (place !== undefined) places.set(row, place)
        const lacks = place !== undefined
          ? undefined
          : branch.needs.find((name) => row[name] === null || row[name] === undefined || row[name] === "")
        if (lacks === undefined) rows.push(row)
        else dropRow(row, plan, branch, lacks, rowFocus)
      })
    }
    const byFields = plan.orderBy.length === 0 ? rows : rows.toSorted(rowOrder(plan.orderBy, pathValues(plan, parent)))
    const ordered = places.size === 0
      ? byFields
      : [
        ...rows.filter((row) => places.has(row)).toSorted((one, other) => places.get(one)! - places.get(other)!),
        ...byFields.filter((row) => !places.has(row))
      ]
    const kept = plan.takeFirst ? ordered.slice(0, 1) : ordered
    switch (plan.shape) {
      case "object":
        return kept[0] ?? null
      case "strings":
        return kept.flatMap((row) => (Array.isArray(row.value) ? row.value : []))
      case "examination":
        return kept.map((row) => {
          const finding = { [String(row.key)]: row.value }
          findings.set(finding, row)
          return finding
        })
      case "list":
        kept.forEach((row, index) => {
          stories.get(row)!.index = index
        })
        return kept
    }
  }

  /** What the paths of an order find on a row; asked once for each. */
  const pathValues = (plan: ComponentPlan, parent: Row) => {
    const known = new Map<Row, ReadonlyArray<string>>()
    return (row: Row, index: number): string => {
      let values = known.get(row)
      if (values === undefined) {
        const { branch, focus, variables } = stories.get(row)!
        values = branch.orderPaths.map((path) => {
          const found = path === undefined ? [] : evaluate(path, focus, variables, parent, plan.name)
          return found.length === 0 ? "" : keyText(found[0])
        })
        known.set(row, values)
      }
      return values[index] ?? ""
    }
  }

  // What went wrong in a row that is left out is still told, at the place of its component; if nothing did, that it is left out.
  const dropRow = (row: Row, plan: ComponentPlan, branch: BranchPlan, lacks: string, focus: Elements): void => {
    dropped.add(row)
    if (pending.some((one) => one.row === row)) return
    const field = branch.fields.find(({ name }) => name === lacks)
    const paths = field?.kind === "leaf" ? field.paths : []
    problem(row, lacks, {
      code: "no-value",
      severity: "warning",
      title: `a row of \`${plan.name}\` is left out: it has no \`${lacks}\``,
      mapping: paths[0]?.span ?? field?.span ?? branch.span,
      ...(paths.length === 0 ? {} : { path: paths.map(({ text }) => text).join(", else ") }),
      ...sourceOf(focus),
      help: [`where such rows are not meant, say so in a condition:  where: {NAME: PATH}`]
    })
  }

  const [branch] = plan.visit.branches
  if (branch !== undefined) {
    const focus = variables.visit as Elements
    stories.set(visit, { parent: null, name: plan.visit.name, branch, focus, variables, index: null })
    fill(visit, plan.visit.name, branch.fields, focus, variables)
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
        if (field !== undefined) last = { ...provenance(field, story!.focus), ...systemsOf(field, story!.focus) }
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

  /** A code that is not found is most often in a system of another name. */
  const systemsOf = (field: FieldPlan, focus: Elements): Pick<Provenance, "systems"> => {
    const texts = field.kind === "leaf" ? field.paths.map(({ text }) => text) : []
    for (const text of texts) {
      const key = /keyOf\('(\w+)'\)/u.exec(text)?.[1]
      const paths = key === undefined ? [text] : (plan.keys.get(key)?.paths ?? []).map((path) => path.text)
      const record = text.startsWith("%patient") ? patient : recordOf(focus[0])
      for (const path of paths) {
        const found = systemsAsked(path, record?.resource)
        if (found !== undefined) return { systems: found }
      }
    }
    return {}
  }

  const storyOf = (path: FieldPath): Story | undefined => {
    context.enter(scope)
    let row: Row = visit
    let last: { readonly story: RowStory; readonly field: FieldPlan; readonly value: unknown } | undefined
    let value: unknown = visit
    for (const step of path) {
      if (typeof value !== "object" || value === null) return undefined
      value = (value as Row)[step as never]
      if (typeof step === "string") {
        const finding = findings.get(row)
        const story = stories.get(finding ?? row)
        const field = story?.branch.fields.find(({ name }) => name === (finding === undefined ? step : "value"))
        if (story === undefined || field === undefined) return undefined
        last = { story, field, value }
      } else if (value === undefined) return undefined
      else if (last?.field.kind === "component") last = { ...last, value }
      if (stories.has(value as Row) || findings.has(value as Row)) row = value as Row
    }
    if (last === undefined) return undefined
    const { field, story } = last
    if (field.kind === "component") {
      return { kind: "section", name: field.name, mapping: field.span, rows: rowStories(last.value) }
    }
    const stated = statements === undefined ? undefined : statedFields(statements, story.name, story.focus)
    return tellField(field, story, last.value, stated?.has(field.name) === true, leafContext, plan.keys)
  }

  const rowStories = (value: unknown): SectionStory["rows"] =>
    (Array.isArray(value) ? value : [value]).flatMap((row: Row) => {
      const story = stories.get(findings.get(row) ?? row)
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

/** The variables where a row stands. All have one shape, and the constants behind it: what is looked up most is found fastest. */
const standing = (
  constants: MappingPlan["constants"],
  { encounters, facility, main, patient, system, visit }: VisitVariables,
  parent: Elements,
  rowIndex: unknown
): Variables => {
  const variables = Object.create(constants) as Record<string, unknown>
  variables.visit = visit
  variables.patient = patient
  variables.encounters = encounters
  variables.main = main
  variables.facility = facility
  variables.system = system
  variables.parent = parent
  variables.rowIndex = rowIndex
  return variables
}

/** The record a focus stands in, as a diagnostic names it. */
export const sourceOf = (focus: Elements): Pick<Diagnostic, "source" | "origin"> => {
  const record = recordOf(focus[0])
  return record === undefined ? {} : { source: record.origin.reference, origin: record.origin }
}

/** What tells one group from another: the text of a value, or its JSON where it has none. */
const keyText = (element: Element): string => {
  const value = valueOf(element)
  return textOf(value) ?? JSON.stringify(value)
}
