import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
import type { UnmappedCode, VisitDraft } from "../draft/VisitDraft.ts"
import { fieldText } from "../draft/VisitDraft.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import { isSame } from "../grouping/GroupingReports.ts"
import type { VisitGroup } from "../grouping/VisitGroup.ts"
import type { MappingPlan } from "../MappingPlan.ts"
import { fillRow } from "./component.ts"
import type { FieldContext } from "./fields/FieldContext.ts"
import { assumedByGrouping, assumedIn } from "./origins/assumedIn.ts"
import { recordsIn } from "./origins/recordsIn.ts"
import { RowOrigins } from "./origins/RowOrigins.ts"
import { DoubtfulRecords } from "./scope/DoubtfulRecords.ts"
import { OpenVisit } from "./scope/OpenVisit.ts"
import { OpenVisitScope } from "./scope/OpenVisitScope.ts"
import type { Exclusion, PendingProblem } from "./scope/VisitContext.ts"
import { type KnownLists, type OfPatient, VisitRecords } from "./scope/VisitRecords.ts"
import { VisitReports } from "./scope/VisitReports.ts"
import type { VisitVariables } from "./scope/visitVariables.ts"

export type { Exclusion } from "./scope/VisitContext.ts"

/** The context for applying a mapping, in addition to the visit's records. There is one for each run. */
export interface ApplyContext {
  readonly plan: MappingPlan
  /** The scope of the run, which each visit narrows to itself. */
  readonly scope: EvaluationScope
  readonly ofPatient: OfPatient
  /** IANA name of the facility's time zone: for times without an offset, and for sent times. */
  readonly zone: string
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
  const made = openVisit(context, group, doubtful)
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
  made: OpenVisit,
  doubtful: DoubtfulRecords
): VisitDraft => {
  const { visit } = made
  const rows = new RowOrigins(made, group.patient)
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
      ...placed(problems, rows)
    ],
    assumed: [
      ...placed(uses, rows),
      ...assumedByGrouping(group, used).filter(({ assumption }) =>
        !uses.some(({ diagnostic }) => diagnostic.assumption === assumption)
      )
    ]
  }
}

/** Returns problems with the fields that they are about. */
const placed = (pending: ReadonlyArray<PendingProblem>, rows: RowOrigins): ReadonlyArray<Diagnostic> => {
  const problems: Array<Diagnostic> = []
  for (const { diagnostic, name, row } of pending) {
    const path = rows.pathOf(row)
    problems.push({ ...diagnostic, field: fieldText(name === "" ? path : [...path, name]) })
  }
  return problems
}

/** The text of a code that has none in the source: the name that is sent next to it, such as `diagnosis_name` next to `diagnosis_code`. */
const textSentBeside = ({ code, words }: UnmappedCode, { leaf, row }: Pick<FieldContext, "leaf" | "row">) => {
  // The name next to the code of a patient is that of a person.
  if (words === true || leaf.field.section === "patient") return null
  const text = leaf.name === "code"
    ? row.name ?? row.medicine_name
    : leaf.name.endsWith("_code")
    ? row[leaf.name.replace(/code$/u, "name")]
    : undefined
  return typeof text === "string" && text !== "" && text !== code ? text : null
}

/** Opens a visit, whose fields are not filled yet. */
const openVisit = (context: ApplyContext, group: VisitGroup, doubtful: DoubtfulRecords): OpenVisit => {
  const { excluded, facility, plan, scope: run, system, zone } = context
  const shared = sharedOf(context)
  const { encounters, patient, root } = group
  const { elementOf } = plan.fhirPath
  const records = new VisitRecords(group, context.ofPatient, shared)
  const reports = new VisitReports()
  const visitVariables: VisitVariables = {
    visit: [elementOf(root)],
    patient: patient === undefined ? [] : [elementOf(patient)],
    encounters: encounters.map(elementOf),
    main: encounters.slice(0, 1).map(elementOf),
    facility: facility ?? [],
    system: system ?? []
  }
  return new OpenVisit({
    plan,
    group,
    records,
    reports,
    scope: new OpenVisitScope({ run, group, doubtful, records }, reports),
    visitVariables,
    zone,
    timestamps: shared.timestamps,
    excluded
  })
}

/** What the visits of a run share. */
interface SharedByVisits extends KnownLists {
  /** The records that only a visit of another patient must not use, with their patients. */
  readonly clean: Map<SourceRecord, SourceRecord | null>
  readonly timestamps: Map<string, string>
}

const sharedOf = (context: ApplyContext): SharedByVisits =>
  context.shared ??= { clean: new Map(), timestamps: new Map(), hasCopies: new Map(), valid: new Map() }
