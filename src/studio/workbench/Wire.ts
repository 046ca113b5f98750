import type { Owner, ProblemCode } from "../../diagnostic/Problem.ts"

/** What the program tells the page: plain data, sent as JSON. */

/** A place in a file of the mapping; `file` counts in {@link MappingView.files}, and is -1 for a file that is not one of them. */
export interface SourceLocation {
  readonly file: number
  readonly name: string
  readonly line: number
  readonly column: number
  readonly endColumn: number
}

/** Where the bench stands. Sent anew with every change. */
export interface PageStatus {
  readonly phase: "reading" | "mapping" | "done"
  /** Records read so far. */
  readonly records: number
  /** Grows with every mapping that was applied; what was fetched under another number is old. */
  readonly made: number
  /** When this mapping was loaded, in milliseconds since 1970; 0 before there is one. */
  readonly madeAt: number
  /** The first visit, which can be asked for before there is a list. */
  readonly first: string | null
  /** Grows with every list of visits. */
  readonly listed: number
  readonly total: number
  /** Visits that were mapped so far. */
  readonly mapped: number
  readonly ready: number
  readonly rejected: number
  /** The counts before the last edit, where there was one. */
  readonly before: { readonly ready: number; readonly rejected: number } | null
  /** Visits that came out otherwise than before the last edit; `null` while that is not known. */
  readonly changed: number | null
  /** Why the mapping on disk is not used, drawn with its places; empty when it is. */
  readonly mistakes: ReadonlyArray<Mistake>
  readonly facility: string | null
  readonly mapping: string | null
}

/** A problem of the mapping's files, as `mapping check` draws it. */
export interface Mistake {
  readonly severity: "error" | "warning"
  readonly title: string
  readonly drawn: string
}

/** One visit in the list. */
export interface VisitLine {
  /** What it is asked for by. */
  readonly key: string
  readonly code: string | null
  readonly ready: boolean
  /** It came out otherwise than before the last edit. */
  readonly changed: boolean
  /** How many problems it has. */
  readonly count: number
  /** Indexes into {@link VisitList.problems}. */
  readonly problems: ReadonlyArray<number>
}

export interface VisitList {
  readonly listed: number
  readonly visits: ReadonlyArray<VisitLine>
  /** The problems that occur, the most frequent first, with the visits they are met in. */
  readonly problems: ReadonlyArray<{ readonly code: ProblemCode; readonly severity: string; readonly visits: number }>
  /** What belongs to no visit: of the input as a whole, and records that reached none; by kind. */
  readonly outside: ReadonlyArray<Mistake & { readonly count: number }>
}

/**
 * A line of a record as it is shown: depth, key, value (`null` opens a tree), and whether it was read; 2: it says what something is,
 * and is not data.
 */
export type SourceLine = readonly [depth: number, key: string, value: string | null, read: 0 | 1 | 2]

export interface RecordView {
  readonly reference: string
  readonly file: string
  readonly line: number
  /** No line of the mapping read this record for the visit. */
  readonly unread: boolean
  /** Sections that a condition keeps it out of. */
  readonly keptOut: ReadonlyArray<{ readonly section: string; readonly condition: string; readonly at: SourceLocation }>
  readonly lines: ReadonlyArray<SourceLine>
}

/** An element: which record, and which line of it. */
export type ElementRef = readonly [record: number, line: number]

/** Where a field came from. */
export interface FieldSummary {
  readonly by: "source" | "path" | "value" | "default" | "nothing"
  readonly specification: string
  readonly at: SourceLocation
  /** Other files that have a line for the field, which the one at `at` wins over. */
  readonly over: ReadonlyArray<SourceLocation>
  readonly paths: ReadonlyArray<
    { readonly text: string; readonly at: SourceLocation; readonly outcome: string; readonly found: number }
  >
  /** What the path that won found. */
  readonly found: ReadonlyArray<ElementRef>
  /** What was read besides on the way to the value: conditions, systems, units. */
  readonly looked: ReadonlyArray<ElementRef>
  readonly codes: ReadonlyArray<
    { readonly text: string; readonly map: string; readonly row: string | null; readonly at: SourceLocation | null }
  >
  readonly unit: string | null
  readonly minted: string | null
}

/** A line of the visit. `text` is the JSON of a value; `null` for what holds others. */
export interface FieldRow {
  readonly path: string
  readonly name: string
  readonly depth: number
  readonly text: string | null
  /** Rows of a list. */
  readonly rows: number | null
  /** Where the section or its row is written. */
  readonly at: SourceLocation | null
  /** The records that a row, or the row of a field, stands on. */
  readonly stands: ReadonlyArray<number>
  readonly tale: FieldSummary | null
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

/** One visit with its whole story. */
export interface VisitView {
  readonly made: number
  readonly key: string
  readonly code: string | null
  readonly ready: boolean
  readonly source: string
  readonly records: ReadonlyArray<RecordView>
  readonly fields: ReadonlyArray<FieldRow>
  readonly problems: ReadonlyArray<ProblemView>
}

/** The files of the mapping that made what is seen: the facility's own first. */
export interface MappingView {
  readonly made: number
  readonly files: ReadonlyArray<{ readonly name: string; readonly own: boolean; readonly text: string }>
  readonly warnings: ReadonlyArray<Mistake>
}
