import type { Span } from "../diagnostic/Span.ts"
import type { CompiledPath, FhirPath } from "../fhirpath/FhirPath.ts"
import type { TableLayout } from "../source/tables/TableLayout.ts"
import type { Field } from "../visit/Field.ts"
import type { ReferenceList } from "../visit/values/ReferenceList.ts"
import type { ConceptMap } from "./apply/ConceptMap.ts"
import type { GroupingPlan } from "./grouping/GroupingPlan.ts"
import type { StatementsPlan } from "./language/Statements.ts"

/** A decision of the mapping that the source does not force. */
export interface Assumption {
  readonly name: string
  /** What is done, in a sentence. */
  readonly means: string
  /** What could be done instead, and the line that does it. */
  readonly instead: string
  /** Who can decide about it. */
  readonly ask: "hospital" | "operator"
  /** How it is reported while nobody has accepted it. */
  readonly level: "warning" | "error"
  /** Where it is declared. */
  readonly span: Span
  /** Where it is made. */
  readonly lines: ReadonlyArray<Span>
  /** Tells its lines from those of another version of the mapping. */
  readonly hash: string
  /** Why, by whom and when it was accepted; `isStale`: its lines have changed since, so that it is to be decided again. */
  readonly accepted?: { readonly why: string; readonly span: Span; readonly isStale: boolean }
}

/** Somebody has accepted it, as it is made now. */
export const isAccepted = ({ accepted }: Assumption): boolean => accepted !== undefined && !accepted.isStale

/** What a line reports when it counts: words of its own, as a warning, or an assumption. */
export interface Remark {
  readonly warn?: string
  readonly assume?: Assumption
}

/** An expression of a mapping, compiled, and where it is written. Its remark is about a value that it finds; that of a condition, about what it excludes. */
export interface PathPlan extends CompiledPath, Remark {
  readonly span: Span
}

/** A remark about a value that is written in the mapping, and the place of the value. */
export interface ValueRemark extends Remark {
  readonly span: Span
}

/** How much a missing value matters. */
export type Required = "error" | "warning" | "none"

/** A mapping as executed: expressions compiled, fields resolved, nothing left to look up by name. */
export interface MappingPlan {
  readonly name: string
  /** SHA-256 of the effective mapping: the same text gives the same hash, wherever it stands. */
  readonly hash: string
  readonly fhirPath: FhirPath
  readonly constants: Readonly<Record<string, unknown>>
  readonly grouping: GroupingPlan
  readonly keys: ReadonlyMap<string, KeyPlan>
  readonly conceptMaps: ReadonlyMap<string, ConceptMap>
  /** Every assumption that is declared, by its name. */
  readonly assumptions: ReadonlyMap<string, Assumption>
  /** The tables of an extract that the mapping reads. */
  readonly tables: ReadonlyArray<TableLayout>
  readonly time: TimePlan
  /** How a source says outright what a record is to become; missing when the mapping does not listen. */
  readonly statements?: StatementsPlan
  readonly visit: ComponentPlan
  /** Types that some line reads as rows of a visit; a record of such a type that belongs to no visit is reported. */
  readonly visitTypes: ReadonlySet<string>
  readonly followed: FollowedLinks
}

/** How expressions go from record to record, other than by references that records hold. */
export interface FollowedLinks {
  /** Elements that are followed backwards, `DiagnosticReport.result`; `undefined` when one is only known while data flows. */
  readonly backwards: ReadonlySet<string> | undefined
  /** Those of them by which a record may reach its visit. */
  readonly backwardsToVisit: ReadonlySet<string>
  /** Names of elements, those of all whose Reference is followed among them; `undefined` when it may be any. */
  readonly elements: ReadonlySet<string> | undefined
  /** Types that lines read; records of others only count where one of these refers to them. `undefined`: it may be any. */
  readonly types: ReadonlySet<string> | undefined
  /** A text that is no Reference is followed as if it were one. */
  readonly texts: boolean
}

/** What is done with dates and times that say less than the field needs. */
export interface TimePlan {
  /** A date without a time, in a timestamp. */
  readonly partialTimestamp: "reject" | "start-of-day" | "midday"
  /** The same where something ends: `discharged_at`, `ended_at`, `updated_at`. FHIR includes the last day of a Period. */
  readonly partialEnd: "end-of-day" | TimePlan["partialTimestamp"]
  /** A year or a month, in a date. */
  readonly partialDate: "reject" | "blank" | "first-day"
  /** A time without an offset is read in the facility's zone, and told (`zone`) or not (`local`); or refused. */
  readonly missingOffset: "zone" | "local" | "reject"
}

/** A business identifier: the paths that find it, and how it is minted where the source has none. */
export interface KeyPlan {
  readonly name: string
  readonly span: Span
  readonly paths: ReadonlyArray<PathPlan>
  readonly mint?: string
}

export type RowSource =
  /** One row: the focus of the component around it. */
  | { readonly from: "focus" }
  | { readonly from: "forEach"; readonly path: PathPlan; readonly orNull: boolean }
  | { readonly from: "resource"; readonly types: ReadonlyArray<string>; readonly scope: "visit" | "patient" }

/** One source of rows for a component. */
export interface BranchPlan {
  readonly name: string | null
  readonly span: Span
  readonly rows: RowSource
  readonly where: ReadonlyArray<PathPlan>
  /** Each row of it is an assumption. */
  readonly assume?: Assumption
  readonly groupBy: ReadonlyArray<PathPlan>
  /** Where rows are ordered by paths rather than by fields: the path for each item of the component's `orderBy`. */
  readonly orderPaths: ReadonlyArray<PathPlan | undefined>
  /** Fields without which a row is left out. */
  readonly needs: ReadonlyArray<ReadonlyArray<string>>
  /** In the specification's order. */
  readonly fields: ReadonlyArray<FieldPlan>
}

/**
 * A component of the visit, or a list of them. `shape`: `list` and `object` as the specification has it; `strings` is a list
 * of the leaf `value`; `examination` a list of single-key objects made of the leaves `key` and `value`.
 */
export interface ComponentPlan {
  readonly kind: "component"
  readonly name: string
  readonly field: Field | null
  readonly span: Span
  readonly shape: "list" | "object" | "strings" | "examination"
  readonly branches: ReadonlyArray<BranchPlan>
  readonly orderBy: ReadonlyArray<RowOrder>
  /** Fields of which each combination of values has one row, the last. */
  readonly onePer: ReadonlyArray<string>
  readonly takeFirst: boolean
}

/** Rows in the order of a field, by the ranks of its values where they are given; or of a path, which each branch compiles for itself. */
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
  /** In order; the first that finds a value wins. */
  readonly paths: ReadonlyArray<PathPlan>
  /** A value written in the mapping; wins over paths. */
  readonly literal?: string | number | boolean
  readonly literalRemark?: ValueRemark
  readonly conceptMap?: ConceptMap
  readonly unit?: UnitPlan
  readonly fallback?: string | number | boolean
  readonly fallbackRemark?: ValueRemark
  readonly required: Required
  /** What is sent when there is no value, where it is not what the specification says of the field. */
  readonly empty?: "" | null
  /** Joins several values into one text. */
  readonly join?: string
  /** Several values: take the first and say nothing. */
  readonly takeFirst: boolean
  /** Texts are sent as they are written, also where letters are written in parts. */
  readonly asWritten?: boolean
  /** The list of the standard data whose form a code is sent in. */
  readonly listed?: ReferenceList
}

export interface UnitPlan {
  /** The UCUM unit to send, or a concept map from `of` to it. */
  readonly to: string | { readonly conceptMap: ConceptMap; readonly of: PathPlan }
  /** The unit that a number is in, where it stands beside it; a Quantity brings its own. */
  readonly from?: PathPlan
  /** Decimals kept after a conversion. */
  readonly round: number
  /** Spellings of units that are not UCUM (`mmHg`, `DEG C`) to UCUM. */
  readonly spelling?: ConceptMap
  /** Grams in a mole, for conversions between amount and mass of a substance. */
  readonly molarMass?: number
}

export type FieldPlan = ComponentPlan | LeafPlan
