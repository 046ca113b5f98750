import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Elements, PathFault, Variables } from "../../fhirpath/FhirPath.ts"
import { evaluatePath, isPathFault, valuesOfPath } from "../../fhirpath/FhirPath.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { assumedIn } from "../assumptions/assumedIn.ts"
import type { VisitVariables } from "../check/pathFocus.ts"
import { focusOn } from "../check/pathFocus.ts"
import type { UnmappedCode, VisitDraft } from "../draft/VisitDraft.ts"
import { fieldText } from "../draft/VisitDraft.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import { modifierProblem, type ModifierRules, type UnknownModifier, unknownModifier } from "../grouping/modifiers.ts"
import { unwatchedStatusProblem } from "../grouping/statusProblems.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import type { MappingPlan, PathPlan } from "../MappingPlan.ts"
import type { RowFields } from "./compileComponent.ts"
import { compileFields } from "./compileComponent.ts"
import type { FieldsOfPatient, MadeField } from "./PatientFields.ts"
import { PatientFields } from "./PatientFields.ts"
import { candidateOf, PatientRecords } from "./PatientRecords.ts"
import { recordsIn } from "./recordsIn.ts"
import { RowStories } from "./RowProvenance.ts"
import type { Candidate, Exclusion, MappingContext, PendingProblem, SectionRow, VisitContext } from "./VisitContext.ts"
import { sourceOf } from "./VisitContext.ts"
import { VisitWatch } from "./VisitWatch.ts"

export type { Exclusion } from "./VisitContext.ts"

/** What applying a mapping requires in addition to the visit's records; one for each run. */
export interface ApplyContext {
  readonly plan: MappingPlan
  readonly enter: (scope: EvaluationScope) => void
  /** The scope of the run, which each visit narrows to itself. */
  readonly scope: EvaluationScope
  readonly ofPatient: (patient: SourceRecord, type: string) => ReadonlyArray<SourceRecord>
  /** IANA name of the facility's time zone: for times without an offset, and for sent times. */
  readonly zone: string
  /** `%facility` and `%system`. */
  readonly facility: string | null
  readonly system: string | null
  /** Whether the run has several visits of a patient, so that shared fields are made once. */
  readonly hasMoreOf?: (patient: SourceRecord) => boolean
  /** Receives each record of the visit that a condition excludes from a section. */
  readonly refused?: (refusal: Exclusion) => void
}

/**
 * Applies a mapping to the records of one visit. It cannot fail: a failure in a field becomes a problem of the draft, so that all problems
 * of a visit are reported at once.
 */
export const apply = (context: ApplyContext, group: VisitGroup): VisitDraft => applyBatch(context, [group])[0]!

/**
 * Applies a mapping to the records of several visits, one field after the other for all of them. The code of all fields exceeds the
 * processor's caches; working field by field saves a twelfth of the whole run.
 */
export const applyBatch = (context: ApplyContext, groups: ReadonlyArray<VisitGroup>): ReadonlyArray<VisitDraft> => {
  if (context.hasMoreOf !== undefined) {
    ofRun(context).fields.begin(new Set(groups.flatMap(({ patient }) => patient ?? [])))
  }
  const begun = groups.map((group) => begin(context, group))
  const { fill, statedFor } = fieldsOf(context.plan)
  const stated = begun.map(({ focus }) => statedFor(focus))
  for (const fillField of fill) {
    for (let at = 0; at < begun.length; at++) {
      const { focus, making, variables } = begun[at]!
      context.enter(making.scope)
      fillField(making, making.visit, focus, variables, stated[at])
    }
  }
  return begun.map(({ end }) => end())
}

/** A visit whose fields are not yet filled. */
interface Begun {
  readonly making: VisitContext
  readonly focus: Elements
  readonly variables: Variables
  /** Returns the draft after the fields are filled. */
  readonly end: () => VisitDraft
}

const begin = (context: ApplyContext, group: VisitGroup): Begun => {
  const { plan } = context
  const { elementOf } = plan.fhirPath
  const unmapped: Array<UnmappedCode> = []
  const { patient } = group
  const met = (code: UnmappedCode): void => {
    unmapped.push(code)
  }
  const reads: Array<SourceRecord> = []
  const memory = ofRun(context)
  const modified = new DoubtfulRecords(plan, memory.clean)
  const scope: EvaluationScope = {
    ...context.scope,
    read: (record) => {
      reads.push(record)
      context.scope.read(record)
    },
    resolve: (reference, from) => {
      const record = context.scope.resolve(reference, from)
      return record === undefined || !modified.has(record) ? record : undefined
    },
    reverse: (target, element) => {
      const found = context.scope.reverse(target, element)
      return found.length === 0 ? found : found.filter((record) => !modified.has(record))
    },
    encounters: group.encounters,
    encounterOf: group.encounterOf,
    unmapped: met,
    inVisit: (type) => group.records.get(type) ?? [],
    ofPatient: (type) => (patient === undefined ? [] : context.ofPatient(patient, type))
  }
  context.enter(scope)
  const visitVariables: VisitVariables = {
    visit: [elementOf(group.root)],
    patient: patient === undefined ? [] : [elementOf(patient)],
    encounters: group.encounters.map(elementOf),
    main: group.encounters.slice(0, 1).map(elementOf),
    facility: context.facility ?? [],
    system: context.system ?? []
  }
  const candidates = new Map<string, ReadonlyArray<Candidate>>()
  const visit: SectionRow = {}
  const fields = patient !== undefined && context.hasMoreOf?.(patient) === true
    ? memory.fields.of(patient)
    : undefined

  const makingWith = (surroundings: MappingContext): VisitContext => {
    const pending: Array<PendingProblem> = []
    const problem: VisitContext["problem"] = (row, name, diagnostic) => {
      pending.push({ row, name, diagnostic })
    }
    const orProblem = (
      path: PathPlan,
      result: Elements | PathFault,
      focus: Elements,
      row: SectionRow | null,
      name: string
    ): Elements => {
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
    const own: VisitContext = {
      ...surroundings,
      plan,
      visit,
      zone: context.zone,
      time: plan.time,
      stories: [],
      pending,
      reads,
      lookups: [],
      refused: context.refused,
      problem,
      told: () => pending.length,
      failedSince: (told) => pending.slice(told).some(({ diagnostic }) => diagnostic.severity === "error"),
      evaluate: (path, focus, variables, row, name) =>
        orProblem(path, evaluatePath(path, focus, variables), focus, row, name),
      values: (path, focus, variables, row, name) =>
        orProblem(path, valuesOfPath(path, focus, variables), focus, row, name),
      inVisit: (type) => {
        // Look up each time, so that a tracker receives it.
        const records = surroundings.scope.inVisit(type)
        let known = candidates.get(type)
        if (known === undefined) candidates.set(type, known = records.map((record) => candidateOf(plan, record)))
        return known
      },
      ofPatient: (branch, type, section) =>
        patient === undefined ? [] : memory.records.chosen(patient, branch, type, section, context.refused),
      onceForPatient: (_, __, variables, ___, make) => make(own, variables)
    }
    return own
  }

  const once = (fields: FieldsOfPatient): VisitContext["onceForPatient"] => {
    let watch: VisitWatch | undefined
    return (field, focus, variables, row, make) => {
      if (fields.needsVisit(field)) return make(making, variables)
      const known = fields.known(field, focus[0])
      if (known !== undefined) return taken(known, row)
      watch ??= new VisitWatch(plan.constants, visitVariables, scope, makingWith)
      context.enter(watch.scope)
      const met = modified.count
      const { made, needsVisit } = watch.make(row, variables, make)
      context.enter(scope)
      // Each visit reports the records that it must not use.
      fields.keep(field, focus[0], made, needsVisit || modified.count > met)
      return taken(made, row)
    }
  }

  /** A value made once is used in this visit too. */
  const taken = (made: MadeField, row: SectionRow): unknown => {
    for (const story of made.stories) making.stories.push(story.parent === made.row ? { ...story, parent: row } : story)
    for (const one of made.pending) making.pending.push(one.row === made.row ? { ...one, row } : one)
    for (const one of made.lookups) making.lookups.push(one.row === made.row ? { ...one, row } : one)
    made.unmapped.forEach(met)
    return made.value
  }

  const standing = focusOn(plan.constants)
  const making: VisitContext = {
    ...makingWith({
      scope,
      unmapped: met,
      standing: (parent, rowIndex) => standing(visitVariables, parent, rowIndex),
      within: (parent, around) => standing(visitVariables, parent, around.rowIndex)
    }),
    ...(fields === undefined ? {} : { onceForPatient: once(fields) })
  }

  const focus = visitVariables.visit as Elements
  const variables = making.standing([], 0)
  const { branches: [branch], name } = plan.visit
  if (branch !== undefined) {
    making.stories.push({ row: visit, parent: null, name, branch, focus, variables, index: null, dropped: false })
  }
  const end = (): VisitDraft => {
    const rows = new RowStories(making, patient)
    const placed = ({ diagnostic, name, row }: PendingProblem): Diagnostic => ({
      ...diagnostic,
      field: fieldText([...rows.pathOf(row), ...(name === "" ? [] : [name])])
    })
    return {
      root: group.root,
      visit,
      unmapped,
      provenanceOf: (path) => rows.provenanceOf(path),
      storyOf: (path) => {
        context.enter(scope)
        return rows.storyOf(path)
      },
      recordsIn: (known) => {
        context.enter({ ...scope, read: () => undefined, unmapped: () => undefined })
        return recordsIn(making, group, known)
      },
      problems: [
        ...group.problems,
        ...modified.problems(group),
        ...making.pending.filter(({ diagnostic }) => diagnostic.assumption === undefined).map(placed)
      ],
      assumed: assumedIn(making).map(placed)
    }
  }
  return { making, focus, variables, end }
}

/**
 * Records that a visit reaches by a reference and must not use, because a modifier changes their meaning. Also records
 * with a status that FHIR R4 does not define, which keep the visit from being sent.
 */
class DoubtfulRecords {
  readonly #rules: ModifierRules
  readonly #clean: Set<SourceRecord>
  readonly #known = new Map<SourceRecord, UnknownModifier | undefined>()
  readonly #doubts = new Map<SourceRecord, Diagnostic>()
  /** Number of times one was found. */
  count = 0

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
      if (this.#doubts.has(record)) this.count++
      return false
    }
    this.count++
    return true
  }

  /** The problems to report for each, without those that the group already reports. */
  problems({ problems, records, root }: VisitGroup): ReadonlyArray<Diagnostic> {
    if (this.count === 0) return []
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

const ofPlans = new WeakMap<MappingPlan, RowFields>()

/** The fields of a visit; compiled once for each plan. */
const fieldsOf = (plan: MappingPlan): RowFields => {
  let fields = ofPlans.get(plan)
  if (fields === undefined) {
    const { branches: [branch], name } = plan.visit
    fields = branch === undefined ? { statedFor: () => undefined, fill: [] } : compileFields(name, branch, plan)
    ofPlans.set(plan, fields)
  }
  return fields
}

interface RunMemory {
  readonly clean: Set<SourceRecord>
  readonly records: PatientRecords
  readonly fields: PatientFields
}

const ofRuns = new WeakMap<ApplyContext, RunMemory>()

/** What the visits of a run share. */
const ofRun = (context: ApplyContext): RunMemory => {
  let known = ofRuns.get(context)
  if (known === undefined) {
    known = {
      clean: new Set(),
      records: new PatientRecords(context.plan, context.ofPatient),
      fields: new PatientFields()
    }
    ofRuns.set(context, known)
  }
  return known
}
