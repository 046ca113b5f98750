import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Elements, PathFault } from "../../fhirpath/FhirPath.ts"
import { evaluatePath, isPathFault, valuesOfPath } from "../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../maps.ts"
import { contentOf } from "../../source/records/compareRecords.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
import { assumed } from "../assumptions/assumed.ts"
import type { UnmappedCode, VisitDraft } from "../draft/VisitDraft.ts"
import { fieldText } from "../draft/VisitDraft.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import { isEnteredInError } from "../grouping/enteredInError.ts"
import { isSame } from "../grouping/GroupingReports.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import { isNumbered } from "../language/Statements.ts"
import type { MappingPlan, PathPlan, ValueRemark } from "../MappingPlan.ts"
import { keyFaultIn, pathFailed } from "../pathFailed.ts"
import { assumedByGrouping, assumedIn } from "./assumedIn.ts"
import { fillRow } from "./component.ts"
import { DoubtfulRecords } from "./DoubtfulRecords.ts"
import type { FieldContext } from "./FieldContext.ts"
import { recordsIn } from "./recordsIn.ts"
import { RowOrigins } from "./RowOrigins.ts"
import { unmappedCode } from "./translateCodes.ts"
import type { Candidate, Exclusion, PendingProblem, SectionRow, VisitContext } from "./VisitContext.ts"
import { sourceOf } from "./VisitContext.ts"
import { variablesAt, type VisitVariables } from "./visitVariables.ts"

export type { Exclusion } from "./VisitContext.ts"

/** The context for applying a mapping, in addition to the visit's records. There is one for each run. */
export interface ApplyContext {
  readonly plan: MappingPlan
  /** The scope of the run, which each visit narrows to itself. */
  readonly scope: EvaluationScope
  readonly ofPatient: (patient: SourceRecord, type: string) => ReadonlyArray<SourceRecord>
  /** IANA name of the facility's time zone: for times without an offset, and for sent times. */
  readonly zone: string
  /** `%facility` and `%system`. */
  readonly facility: FacilityCode | null
  readonly system: SystemCode | null
  /** Receives each record of the visit that a condition excludes from a section. */
  readonly excluded?: (exclusion: Exclusion) => void
  /** What its visits share, made for the first of them. */
  shared?: SharedByVisits
}

/**
 * Applies a mapping to the records of one visit. Fills the fields of the visit and of its rows, in the order of the specification.
 * It cannot fail: a failure in a field becomes a problem of the draft, so that all problems of a visit are reported at once.
 */
export const apply = (context: ApplyContext, group: VisitGroup): VisitDraft => {
  const { branches: [branch], name } = context.plan.visit
  const doubtful = new DoubtfulRecords(context.plan, sharedOf(context).clean, group, context.scope.anyTarget)
  const made = visitContext(context, group, doubtful)
  if (branch !== undefined) {
    const { visit: row, visitVariables: { visit: focus } } = made
    const variables = made.variablesAt([], 0)
    const root = { row, parent: null, name, branch, focus, variables, number: undefined, index: null, dropped: false }
    made.rows.push(root)
    fillRow(made, root)
  }
  return draftOf(group, made, doubtful)
}

const draftOf = (
  group: VisitGroup,
  made: VisitContext,
  doubtful: DoubtfulRecords
): VisitDraft => {
  const { visit } = made
  const rows = new RowOrigins(made, group.patient)
  const placed = ({ diagnostic, name, row }: PendingProblem): Diagnostic => ({
    ...diagnostic,
    field: fieldText([...rows.pathOf(row), ...(name === "" ? [] : [name])])
  })
  const used: VisitDraft["recordsIn"] = (known) => recordsIn(made, group, known)
  const { problems, uses } = assumedIn(made.pending, rows)
  const { unmappedCodes } = made
  return {
    root: group.root,
    visit,
    unmapped: [
      ...unmappedCodes.map(({ code, of }) =>
        of === undefined || code.display !== null ? code : { ...code, display: textSentBeside(code, of) }
      ),
      // A line may look up the same code as the grouping: it counts once.
      ...group.unmapped.filter((one) => !unmappedCodes.some(({ code }) => isSame(one, code)))
    ],
    provenanceOf: (path) => rows.provenanceOf(path),
    explainField: (path) => rows.explainField(path),
    recordsIn: used,
    problems: [
      ...group.problems,
      ...doubtful.problems(group),
      ...problems.map(placed)
    ],
    assumed: [
      ...uses.map(placed),
      ...assumedByGrouping(group, used).filter(({ assumption }) =>
        !uses.some(({ diagnostic }) => diagnostic.assumption === assumption)
      )
    ]
  }
}

/** The text of a code that has none in the source: the name that is sent beside it, such as `diagnosis_name` beside `diagnosis_code`. */
const textSentBeside = ({ code, words }: UnmappedCode, { leaf, row }: Pick<FieldContext, "leaf" | "row">) => {
  // The name beside the code of a patient is that of a person.
  if (words === true || leaf.field.section === "patient") return null
  const text = leaf.name === "code"
    ? row.name ?? row.medicine_name
    : leaf.name.endsWith("_code")
    ? row[leaf.name.replace(/code$/u, "name")]
    : undefined
  return typeof text === "string" && text !== "" && text !== code ? text : null
}

/** The state of a visit before its first field is filled. */
const visitContext = (context: ApplyContext, group: VisitGroup, doubtful: DoubtfulRecords): VisitContext => {
  const { facility, plan, system, zone } = context
  const shared = sharedOf(context)
  const { encounters, patient, root } = group
  const { elementOf } = plan.fhirPath
  const unmappedCodes: VisitContext["unmappedCodes"] = []
  const unmapped: VisitContext["unmapped"] = (code, of) =>
    void unmappedCodes.push({ code, ...(of === undefined ? {} : { of }) })
  const reads: Array<SourceRecord> = []
  /** The assumptions that functions made in the latest evaluation. */
  const remarks: Array<ValueRemark> = []
  /** The codes that functions of the latest evaluation did not find in a concept map that rejects them. */
  const missing: Array<UnmappedCode> = []
  /** The warnings of the keys that the latest evaluation used. */
  const ofKeys: Array<Diagnostic> = []
  const ofVisit = (type: string): ReadonlyArray<SourceRecord> => group.records.get(type) ?? []
  const ofThePatient = (type: string): ReadonlyArray<SourceRecord> => {
    if (patient === undefined) return []
    const records = context.ofPatient(patient, type)
    return getOrMake(shared.hasCopies, records, () => hasCopies(records))
      ? withoutCopies(records, new Set(ofVisit(type)))
      : records
  }
  const scope: EvaluationScope = {
    ...context.scope,
    read: (record) => {
      reads.push(record)
      context.scope.read(record)
    },
    resolve: (reference, from) => {
      const record = context.scope.resolve(reference, from)
      return record === undefined || !doubtful.has(record) ? record : undefined
    },
    reverse: (target, element) => {
      const found = context.scope.reverse(target, element)
      return found.length === 0 ? found : found.filter((record) => !doubtful.has(record, "backwards"))
    },
    encounters,
    encounterOf: group.encounterOf,
    unmapped: (code) => {
      unmapped(code)
      if (code.blocking) missing.push(code)
    },
    assumed: (remark) => void remarks.push(remark),
    keyWarning: (warning) => void ofKeys.push(warning),
    begin: () => {
      const lists = [remarks, missing, ofKeys, unmappedCodes]
      const lengths = lists.map(({ length }) => length)
      return () => {
        for (const [at, list] of lists.entries()) list.length = lengths[at] ?? 0
      }
    },
    inVisit: (type) => withoutErrors(shared, ofVisit(type)),
    ofPatient: (type) => withoutErrors(shared, ofThePatient(type))
  }
  const visitVariables: VisitVariables = {
    visit: [elementOf(root)],
    patient: patient === undefined ? [] : [elementOf(patient)],
    encounters: encounters.map(elementOf),
    main: encounters.slice(0, 1).map(elementOf),
    facility: facility ?? [],
    system: system ?? []
  }
  const at = variablesAt(plan.constants)
  const pending: Array<PendingProblem> = []
  const problem: VisitContext["problem"] = (row, name, diagnostic) => void pending.push({ row, name, diagnostic })
  /** Discards the reports of the previous evaluation. It checks the length first, because setting it is slow even for an empty array. */
  const forget = (): void => {
    if (remarks.length > 0) remarks.length = 0
    if (missing.length > 0) missing.length = 0
    if (ofKeys.length > 0) ofKeys.length = 0
  }
  const reportedKeys = new Set<Diagnostic>()
  /** Reports a problem of a key. Many fields use the key of a visit: only the first of them reports it. */
  const keyProblem: VisitContext["problem"] = (row, name, diagnostic) => {
    if (reportedKeys.has(diagnostic)) return
    reportedKeys.add(diagnostic)
    problem(row, name, diagnostic)
  }
  /** Returns what a path found, or reports that it failed and returns nothing. */
  const orProblem = (
    path: PathPlan,
    result: Elements | PathFault,
    focus: Elements,
    row: SectionRow | null,
    name: string
  ): Elements => {
    for (const warning of ofKeys) keyProblem(row, name, warning)
    if (!isPathFault(result)) {
      for (const code of missing) {
        problem(row, name, {
          ...unmappedCode(plan.conceptMaps.get(code.table) ?? { name: code.table }, "reject", code),
          mapping: path.span,
          path: path.text,
          ...sourceOf(focus)
        })
      }
      for (const { assume, span } of result.length === 0 ? [] : remarks) {
        if (assume !== undefined) problem(row, name, { ...assumed(assume, span), path: path.text, ...sourceOf(focus) })
      }
      return result
    }
    const failed = pathFailed(path, result, sourceOf(focus))
    if (keyFaultIn(result.cause) === undefined) problem(row, name, failed)
    else keyProblem(row, name, failed)
    return []
  }
  return {
    plan,
    scope,
    visit: {},
    visitVariables,
    zone,
    time: plan.time,
    timestamps: shared.timestamps,
    variablesAt: (parent, rowIndex) => at(visitVariables, parent, rowIndex),
    rows: [],
    pending,
    unmappedCodes,
    reads,
    near: [root, ...encounters.slice(0, 1), ...(patient === undefined ? [] : [patient])],
    reportedKeys,
    lookups: [],
    farLookups: [],
    excluded: context.excluded,
    unmapped,
    problem,
    problemCount: () => pending.length,
    forget,
    hasReports: () => remarks.length > 0 || missing.length > 0 || ofKeys.length > 0,
    report: (path, found, focus, row, name) => void orProblem(path, found, focus, row, name),
    hasErrorSince: (count) => pending.slice(count).some(({ diagnostic }) => diagnostic.severity === "error"),
    evaluate: (path, focus, variables, row, name) => {
      forget()
      return orProblem(path, evaluatePath(path, focus, variables, scope), focus, row, name)
    },
    values: (path, focus, variables, row, name) => {
      forget()
      return orProblem(path, valuesOfPath(path, focus, variables, scope), focus, row, name)
    },
    inVisit: candidates(plan, ofVisit),
    ofPatient: candidates(plan, ofThePatient)
  }
}

/** Functions find no record that was entered in error. Conditions of lines exclude it, so that the coverage can explain why. */
const withoutErrors = (
  { valid }: SharedByVisits,
  records: ReadonlyArray<SourceRecord>
): ReadonlyArray<SourceRecord> =>
  records.length === 0
    ? records
    : getOrMake(
      valid,
      records,
      () => (records.some(isEnteredInError) ? records.filter((record) => !isEnteredInError(record)) : records)
    )

/** Returns true if some of the records of a patient are the same, each in the visit of its document. They follow each other. */
const hasCopies = (records: ReadonlyArray<SourceRecord>): boolean =>
  records.some((record, index) => {
    const before = records[index - 1]
    return before !== undefined && before.bundle?.key !== record.bundle?.key &&
      before.origin.reference === record.origin.reference && sameAs(before) === sameAs(record)
  })

/** Leaves one of several records that are the same: the one that is in the visit, or else the first. */
const withoutCopies = (
  records: ReadonlyArray<SourceRecord>,
  inVisit: ReadonlySet<SourceRecord>
): ReadonlyArray<SourceRecord> => {
  const used = new Map(
    Array.from(
      Map.groupBy(records, sameAs),
      ([key, same]) => [key, (same.find((record) => inVisit.has(record)) ?? same[0])?.bundle?.key] as const
    )
  )
  // Records without a name in one Bundle can be distinct, although they are equal.
  return records.filter((record) => used.get(sameAs(record)) === record.bundle?.key)
}

const sameAs = ({ origin, resource }: SourceRecord): string => `${origin.reference} ${contentOf(resource)}`

/** Returns the records of a type as candidates for rows; made once for each type. */
const candidates = (
  plan: MappingPlan,
  records: (type: string) => ReadonlyArray<SourceRecord>
): VisitContext["inVisit"] => {
  const known = new Map<string, ReadonlyArray<Candidate>>()
  return (type) => {
    // Evaluated each time, so that a coverage tracker records the read.
    const some = records(type)
    return getOrMake(known, type, () => some.map((record) => candidateOf(plan, record)))
  }
}

const candidateOf = ({ fhirPath, statements }: MappingPlan, record: SourceRecord): Candidate => {
  const element = fhirPath.elementOf(record)
  return { record, focus: [element], numbered: statements !== undefined && isNumbered(statements, element) }
}

/** What the visits of a run share. */
interface SharedByVisits {
  /** The records that only a visit of another patient must not use, with their patients. */
  readonly clean: Map<SourceRecord, SourceRecord | null>
  readonly timestamps: Map<string, string>
  /** Whether some of the records in a list are the same. */
  readonly hasCopies: Map<ReadonlyArray<SourceRecord>, boolean>
  /** The lists of records without those entered in error. */
  readonly valid: Map<ReadonlyArray<SourceRecord>, ReadonlyArray<SourceRecord>>
}

const sharedOf = (context: ApplyContext): SharedByVisits =>
  context.shared ??= { clean: new Map(), timestamps: new Map(), hasCopies: new Map(), valid: new Map() }
