import type { Owner, ProblemCode } from "../../../diagnostic/Problem.ts"
import type { ConvertedState } from "../../../submission/status/sendingOutcomes.ts"

/** The data that the program sends to the page as JSON. */

/** A source location in the mapping; `file` is -1 for a file that {@link MappingView.files} does not have. */
export interface SourceLocation {
  readonly file: number
  readonly name: string
  readonly line: number
  readonly column: number
  readonly endColumn: number
}

/** The state of the workbench. Sent again with every change. */
export interface PageStatus extends Readonly<Record<ConvertedState, number>> {
  readonly phase: "reading" | "mapping" | "done"
  /** Records read so far. */
  readonly records: number
  /** Increases with every mapping that is applied. Data fetched under another number is stale. */
  readonly made: number
  /** When this mapping was loaded, in milliseconds since 1970; 0 before the first one. */
  readonly madeAt: number
  /** The first visit, which can be requested before the list is available. */
  readonly first: string | null
  /** Increases with every list of visits. */
  readonly listed: number
  readonly total: number
  /** Number of visits mapped so far. */
  readonly mapped: number
  /** The files that have edits which are not saved. */
  readonly edited: ReadonlyArray<string>
  /** Increases with each edit, undo, and save. A status with a smaller number than their response is stale. */
  readonly revision: number
  /** Increases when a text of the mapping changes. */
  readonly texts: number
  /** The counts before the edits that are not saved; without these, before the last change on disk. */
  readonly before: Readonly<Record<ConvertedState, number>> | null
  /** Number of visits that differ from those that `before` counts; `null` while it is unknown. */
  readonly changed: number | null
  /** Why the mapping on disk is not used, with source locations; empty if it is used. */
  readonly mistakes: ReadonlyArray<Mistake>
  readonly facility: string | null
  readonly mapping: string | null
}

/** A problem of the mapping's files, as `mapping check` formats it. */
export interface Mistake {
  readonly severity: "error" | "warning"
  readonly title: string
  readonly drawn: string
  readonly at: SourceLocation | null
}

export interface VisitLine {
  /** The key by which the visit is requested. */
  readonly key: string
  readonly code: string | null
  /** The day of its admission, `2026-03-02`; as the main record has it until the visit is converted. */
  readonly day: string | null
  readonly ward: string | null
  /** `null` until the visit is converted. */
  readonly state: ConvertedState | null
  /** The visit differs from the one before the last edit. */
  readonly changed: boolean
  readonly count: number
  /** Indexes into {@link VisitList.problems}. */
  readonly problems: ReadonlyArray<number>
}

export interface VisitList {
  readonly listed: number
  readonly visits: ReadonlyArray<VisitLine>
  /** The problems that occur, the most frequent first, with the number of visits that have each. */
  readonly problems: ReadonlyArray<
    { readonly code: ProblemCode; readonly severity: string; readonly visits: number; readonly meaning: string }
  >
  /** Problems outside any visit, by kind: those of the whole input and of unassigned records. */
  readonly outside: ReadonlyArray<Mistake & { readonly count: number }>
}

/**
 * One displayed line of a record: depth, key, value (`null` starts a subtree), and whether it was read. The value 2 marks a line that
 * states a type and is not data.
 */
export type SourceLine = readonly [depth: number, key: string, value: string | null, read: 0 | 1 | 2]

export interface RecordView {
  readonly reference: string
  readonly file: string
  readonly line: number
  /** No line of the mapping read this record for the visit. */
  readonly unread: boolean
  /** Sections whose condition excludes the record. */
  readonly excludedBy: ReadonlyArray<
    { readonly section: string; readonly condition: string; readonly at: SourceLocation }
  >
  readonly lines: ReadonlyArray<SourceLine>
}

/** An element: its record, and its line in the record. */
export type ElementRef = readonly [record: number, line: number]

export interface FieldSummary {
  readonly by: "source" | "path" | "value" | "default" | "nothing"
  readonly specification: string
  readonly at: SourceLocation
  /** Other files that have a line for the field, which the line at `at` overrides. */
  readonly over: ReadonlyArray<SourceLocation>
  readonly paths: ReadonlyArray<
    { readonly text: string; readonly at: SourceLocation; readonly outcome: string; readonly found: number }
  >
  /** The elements that the winning path selected. */
  readonly found: ReadonlyArray<ElementRef>
  /** Other elements that were read to obtain the value: conditions, systems, units. */
  readonly looked: ReadonlyArray<ElementRef>
  readonly codes: ReadonlyArray<
    { readonly text: string; readonly map: string; readonly row: string | null; readonly at: SourceLocation | null }
  >
  readonly unit: string | null
  readonly minted: string | null
}

/** A line of the visit. `text` is the JSON of a value; `null` for an object or a list. */
export interface FieldRow {
  readonly path: string
  readonly name: string
  readonly depth: number
  readonly text: string | null
  /** The number of rows of a list. */
  readonly rows: number | null
  /** The source location of the section or of its row. */
  readonly at: SourceLocation | null
  /** The records that a row, or the row of a field, comes from. */
  readonly records: ReadonlyArray<number>
  readonly summary: FieldSummary | null
}

export interface ProblemView {
  readonly code: ProblemCode
  readonly severity: "error" | "warning"
  readonly title: string
  readonly label: string | null
  readonly value: string | null
  readonly field: string | null
  readonly at: SourceLocation | null
  readonly path: string | null
  readonly source: string | null
  readonly record: number | null
  readonly facts: ReadonlyArray<readonly [string, string]>
  readonly help: ReadonlyArray<string>
  readonly meaning: string
  readonly owner: Owner
}

/** One visit with its full provenance. */
export interface VisitView {
  readonly made: number
  readonly key: string
  readonly code: string | null
  readonly state: ConvertedState
  readonly source: string
  readonly records: ReadonlyArray<RecordView>
  readonly fields: ReadonlyArray<FieldRow>
  readonly problems: ReadonlyArray<ProblemView>
}

/** The files of the mapping by their shown names, the facility's own first, with the edits that are not saved. */
export interface MappingView {
  readonly texts: number
  /** The revision that these texts were read under. */
  readonly revision: number
  readonly files: ReadonlyArray<{ readonly name: string; readonly editable: boolean; readonly text: string }>
  readonly warnings: ReadonlyArray<Mistake>
  /** The names that a mapping line can use, by the key that takes them. */
  readonly names: Readonly<Record<"conceptMap" | "constant" | "function" | "assume", ReadonlyArray<string>>>
}

/** A value that contains the searched text. */
export interface ValueHit {
  readonly value: string
  /** Where it is: `Patient.address.text`, or a field of the visit. */
  readonly where: string
  /** The visits that have it, as indexes into {@link VisitList.visits}. */
  readonly visits: ReadonlyArray<number>
}

/** What the edit changes over all visits. */
export interface PlanView {
  /** Visits that are the same, byte for byte and problem for problem. */
  readonly same: number
  /** Visits that only one of the two mappings makes. */
  readonly appeared: number
  readonly gone: number
  readonly becameReady: number
  readonly becameRejected: number
  /** The fields that differ, those of most visits first. */
  readonly fields: ReadonlyArray<FieldChange>
  /** The problems that more or fewer visits have. */
  readonly problems: ReadonlyArray<
    { readonly code: ProblemCode; readonly severity: string; readonly before: number; readonly after: number }
  >
}

export interface FieldChange {
  /** `discharged_at`, `soaps.plan`: without the row. */
  readonly field: string
  /** As indexes into {@link VisitList.visits}. */
  readonly visits: ReadonlyArray<number>
  readonly becameReady: number
  readonly becameRejected: number
  /** The changes that most visits have, as JSON; `null` where there is no value. */
  readonly examples: ReadonlyArray<
    { readonly before: string | null; readonly after: string | null; readonly visits: number }
  >
}

/** An unmapped code, or a row that was accepted in the workbench. */
export interface CodeView {
  readonly table: string
  readonly system: string
  readonly code: string
  readonly display: string
  readonly visits: number
  /** Visits that are rejected for it. */
  readonly blocked: number
  /** The nearest values, the best first, with a score from 0 to 1. */
  readonly suggestions: ReadonlyArray<{ readonly value: string; readonly score: number }>
  /** The accepted value; empty if the code is unmapped. */
  readonly value: string
  /** The user who accepted it, and when; empty if the file does not have it. */
  readonly acceptedBy: string
}

/** A row that a user accepts for an unmapped code. */
export type AcceptedCode = Pick<CodeView, "table" | "system" | "code" | "display" | "value">

/** A visit as a page with one case. */
export interface CaseView {
  readonly text: string
  /** Problems that only the visit or only its case has, because a replaced text meant something to the mapping. */
  readonly differing: ReadonlyArray<string>
  /** Why it cannot be kept; `null` if it can. */
  readonly why: string | null
}

/** The file that a case was written to, or why it was not. */
export type KeptCase = { readonly file: string } | { readonly problem: string }
