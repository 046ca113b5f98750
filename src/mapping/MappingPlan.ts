import type { Span } from "../diagnostic/Span.ts"
import type { CompiledPath, FhirPath } from "../fhirpath/FhirPath.ts"
import type { TableLayout } from "../source/tables/TableLayout.ts"
import type { Field } from "../visit/Field.ts"
import type { ReferenceList } from "../visit/values/ReferenceList.ts"
import type { ConceptMap } from "./codes/ConceptMap.ts"
import type { EvaluationScope } from "./functions/EvaluationScope.ts"
import type { GroupingPlan } from "./grouping/GroupingPlan.ts"
import type { StatementsPlan } from "./language/Statements.ts"

/** A decision of the mapping that the source does not force. */
export interface Assumption {
  readonly name: string
  /** What the mapping does, in one sentence. */
  readonly means: string
  /** The alternative, and the line that configures it. */
  readonly instead: string
  /** Who can decide about it. */
  readonly ask: "hospital" | "operator"
  /** The severity until the assumption is accepted. */
  readonly level: "warning" | "error"
  /** The location of its declaration. */
  readonly span: Span
  /** The lines that make the assumption. */
  readonly lines: ReadonlyArray<Span>
  /** Identifies this version of its lines, so that a change is detected. */
  readonly hash: string
  /** Why, by whom and when it was accepted; `isStale`: its lines have changed since, so it must be decided again. */
  readonly accepted?: { readonly why: string; readonly span: Span; readonly isStale: boolean }
}

/** Returns whether the assumption is accepted in its present form. */
export const isAccepted = ({ accepted }: Assumption): boolean => accepted !== undefined && !accepted.isStale

/** What a line reports when it takes effect: a warning with the mapping's own text, or an assumption. */
export interface Remark {
  readonly warn?: string
  readonly assume?: Assumption
}

/** A compiled expression of a mapping and its source location. Its remark is about a value it finds; a condition's, about an exclusion. */
export interface PathPlan extends CompiledPath<EvaluationScope>, Remark {
  readonly span: Span
  /** The codes that a condition looks up, if it does. */
  readonly lookUps?: ReadonlyArray<CodeLookUp>
}

/** The codes that a condition looks up in a concept map: for `code.mapped('vital_name')` those of `code`. */
interface CodeLookUp {
  readonly codes: CompiledPath<EvaluationScope>
  readonly conceptMap: string
}

/** A remark about a value that is written in the mapping, and the location of the value. */
export interface ValueRemark extends Remark {
  readonly span: Span
}

/** The severity of a missing value. */
export type Required = "error" | "warning" | "none"

/** A mapping as executed: expressions compiled, fields resolved, no more lookups by name. */
export interface MappingPlan {
  readonly name: string
  /** SHA-256 of the effective mapping: the same text has the same hash in any file or line. */
  readonly hash: string
  readonly fhirPath: FhirPath<EvaluationScope>
  readonly constants: Readonly<Record<string, unknown>>
  readonly grouping: GroupingPlan
  readonly keys: ReadonlyMap<string, KeyPlan>
  readonly conceptMaps: ReadonlyMap<string, ConceptMap>
  /** Every declared assumption, by name. */
  readonly assumptions: ReadonlyMap<string, Assumption>
  /** The tables of an extract that the mapping reads. */
  readonly tables: ReadonlyArray<TableLayout>
  readonly time: TimePlan
  /** How a source states outright what a record becomes; absent if the mapping does not use such statements. */
  readonly statements?: StatementsPlan
  readonly visit: ComponentPlan
  /** Types that a line reads as rows of a visit; an unassigned record of such a type is reported. */
  readonly visitTypes: ReadonlySet<string>
  readonly followed: FollowedLinks
}

/** How expressions go from record to record, except by references that records hold. */
export interface FollowedLinks {
  /** Elements that are followed backwards, such as `DiagnosticReport.result`; `undefined` if one is computed at run time. */
  readonly backwards: ReadonlySet<string> | undefined
  /** Those through which a record can reach its visit. */
  readonly backwardsToVisit: ReadonlySet<string>
  /** Element names that include all whose Reference is followed; `undefined` if it can be any. */
  readonly elements: ReadonlySet<string> | undefined
  /** Types that lines read. Records of other types only matter if one of these refers to them. `undefined`: any type. */
  readonly types: ReadonlySet<string> | undefined
  /** Types whose records are assigned to visits: those that lines read, and clinical ones that a visit reports as not used. `undefined`: any. */
  readonly assigned: ReadonlySet<string> | undefined
  /** A text that is not a Reference is followed as if it were one. */
  readonly texts: boolean
}

/** The policy for dates and times that are less precise than the field requires. */
export interface TimePlan {
  /** A date without a time, in a timestamp. */
  readonly partialTimestamp: "reject" | "start-of-day" | "midday"
  /** The same for the end of something: `discharged_at`, `ended_at`, `updated_at`. FHIR includes the last day of a Period. */
  readonly partialEnd: "end-of-day" | TimePlan["partialTimestamp"]
  /** A year or a month, in a date. */
  readonly partialDate: "reject" | "blank" | "first-day"
  /** A time without an offset: read in the facility's zone with a report (`zone`), read so without one (`local`), or rejected. */
  readonly missingOffset: "zone" | "local" | "reject"
}

/** A business identifier: the paths that find it, and how it is generated if the source has none. */
export interface KeyPlan {
  readonly name: string
  readonly span: Span
  readonly paths: ReadonlyArray<PathPlan>
  readonly mint?: string
}

export type RowSource =
  /** One row: the focus of the enclosing component. */
  | { readonly from: "focus" }
  | { readonly from: "forEach"; readonly path: PathPlan; readonly orNull: boolean }
  | { readonly from: "resource"; readonly types: ReadonlyArray<string>; readonly scope: "visit" | "patient" }

/** One source of rows for a component. */
export interface BranchPlan {
  readonly name: string | null
  readonly span: Span
  readonly rows: RowSource
  readonly where: ReadonlyArray<PathPlan>
  /** The assumption that each of its rows makes. */
  readonly assume?: Assumption
  readonly groupBy: ReadonlyArray<PathPlan>
  /** For an order by path: the path for each item of the component's `orderBy`. */
  readonly orderPaths: ReadonlyArray<PathPlan | undefined>
  /** Required fields: a row without them is dropped. */
  readonly needs: ReadonlyArray<ReadonlyArray<string>>
  /** In the specification's order. */
  readonly fields: ReadonlyArray<FieldPlan>
}

/**
 * A component of the visit, or a list of them. `shape`: `list` and `object` are as in the specification. `strings` is a list
 * of the leaf `value`. `examination` is a list of single-key objects made of the leaves `key` and `value`.
 */
export interface ComponentPlan {
  readonly kind: "component"
  readonly name: string
  readonly field: Field | null
  readonly span: Span
  readonly shape: "list" | "object" | "strings" | "examination"
  readonly branches: ReadonlyArray<BranchPlan>
  readonly orderBy: ReadonlyArray<RowOrder>
  /** Fields whose combination of values is unique: the last row with each combination is sent. */
  readonly onePer: ReadonlyArray<string>
  readonly takeFirst: boolean
}

/** The order of rows by a field, with the ranks of its values if given, or by a path that each branch compiles. */
export interface RowOrder {
  /** `undefined`: a path. */
  readonly name: string | undefined
  readonly descending: boolean
  readonly ranks?: ReadonlyMap<string, number>
}

/** A field with one value (or an array of strings). */
export interface LeafPlan {
  readonly kind: "leaf"
  readonly name: string
  readonly field: Field
  readonly span: Span
  /** In order; the first path that finds a value is used. */
  readonly paths: ReadonlyArray<PathPlan>
  /** A value written in the mapping; it takes precedence over paths. */
  readonly literal?: string | number | boolean
  readonly literalRemark?: ValueRemark
  readonly conceptMap?: ConceptMap
  readonly unit?: UnitPlan
  readonly fallback?: string | number | boolean
  readonly fallbackRemark?: ValueRemark
  readonly required: Required
  /** What is sent when there is no value, if it differs from the specification's rule for the field. */
  readonly empty?: "" | null
  /** Joins several values into one text. */
  readonly join?: string
  /** If there are several values, the first is sent without a report. */
  readonly takeFirst: boolean
  /** Texts are sent unchanged, even if letters are in decomposed form. */
  readonly asWritten?: boolean
  /** The list of standard data that decides the form of a sent code. */
  readonly listed?: ReferenceList
}

export interface UnitPlan {
  /** The UCUM unit to send, or a concept map from `of` to it. */
  readonly to: string | { readonly conceptMap: ConceptMap; readonly of: PathPlan }
  /** The unit of a number, if the source has it in another element; a Quantity has its own. */
  readonly from?: PathPlan
  /** Decimal places kept after a conversion. */
  readonly round: number
  /** Maps spellings of units that are not UCUM (`mmHg`, `DEG C`) to UCUM. */
  readonly spelling?: ConceptMap
  /** Molar mass in g/mol, for conversions between amount and mass of a substance. */
  readonly molarMass?: number
}

export type FieldPlan = ComponentPlan | LeafPlan
