import { at } from "../../../at.ts"
import type { ElementRef, FieldRow, SourceLocation, VisitView } from "./Wire.ts"

/** The selected item: a field of the visit, a line of a record, or a line of the mapping. */
export type Selection =
  | { readonly kind: "field"; readonly path: string }
  | { readonly kind: "element"; readonly element: ElementRef }
  | { readonly kind: "line"; readonly file: string; readonly line: number }

/** What a selection highlights in the other panes. */
export interface Lit {
  readonly fields: ReadonlySet<string>
  /** Source locations in the mapping: the line in effect, and the lines that it overrides. */
  readonly places: ReadonlyArray<SourceLocation>
  readonly over: ReadonlyArray<SourceLocation>
  readonly found: ReadonlyArray<ElementRef>
  readonly looked: ReadonlyArray<ElementRef>
  /** Records that section rows come from. */
  readonly records: ReadonlySet<number>
}

const nothing: Lit = { fields: new Set(), places: [], over: [], found: [], looked: [], records: new Set() }

/** Follows the provenance between source, mapping and visit from the selected item. */
export const followReference = (visit: VisitView | undefined, selection: Selection | undefined): Lit => {
  if (visit === undefined || selection === undefined) return nothing
  switch (selection.kind) {
    case "field": {
      const row = visit.fields.find(({ path }) => path === selection.path)
      return row === undefined ? nothing : lightFields(visit, [row])
    }
    case "line":
      return {
        ...lightFields(visit, visit.fields.filter((row) => writtenAt(row, selection.file, selection.line))),
        places: [{ file: 0, name: selection.file, line: selection.line, column: 1, endColumn: 1 }]
      }
    case "element": {
      const { made, read } = readersOf(visit, selection.element)
      return { ...lightFields(visit, [...made, ...read]), found: [selection.element], looked: [], records: new Set() }
    }
  }
}

export const writtenAt = ({ at, summary }: FieldRow, file: string, line: number): boolean =>
  [at, summary?.at, ...(summary?.paths ?? []).map((path) => path.at)].some((place) =>
    place?.name === file && place.line === line
  )

const lightFields = (visit: VisitView, rows: ReadonlyArray<FieldRow>): Lit => ({
  fields: new Set(rows.map(({ path }) => path)),
  places: rows.flatMap((row) => sourceLocationOf(visit, row) ?? []),
  over: rows.flatMap(({ summary }) => summary?.over ?? []),
  found: rows.flatMap(({ summary }) => summary?.found ?? []),
  looked: rows.flatMap(({ summary }) => summary?.looked ?? []),
  records: new Set(rows.flatMap(({ records }) => records))
})

/** Returns the line of a field, or of the nearest section around it. */
export const sourceLocationOf = (visit: VisitView, row: FieldRow): SourceLocation | null => {
  if (row.summary !== null) return row.summary.at
  let at: FieldRow | undefined = row
  while (at !== undefined && at.at === null) {
    const { path }: FieldRow = at
    at = visit.fields.findLast((one) => one.path.length < path.length && isWithin(path, one.path))
  }
  return at?.at ?? null
}

export const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`)

/** Returns the fields that an element became, and the fields whose evaluation read it. */
export const readersOf = (
  visit: VisitView,
  [record, line]: ElementRef
): { readonly made: ReadonlyArray<FieldRow>; readonly read: ReadonlyArray<FieldRow> } => {
  const end = endOf(visit, record, line)
  const isInside = ([of, at]: ElementRef): boolean => of === record && at >= line && at < end
  const isAround = ([of, at]: ElementRef): boolean => of === record && at < line && line < endOf(visit, of, at)
  const made = visit.fields.filter(({ summary }) =>
    summary?.found.some((one) => isInside(one) || isAround(one)) === true
  )
  return {
    made,
    read: visit.fields.filter((row) => !made.includes(row) && row.summary?.looked.some(isInside) === true)
  }
}

/** Returns where the lines below a line of a record end. */
export const endOf = (visit: VisitView, record: number, line: number): number => {
  const { lines } = at(visit.records, record)
  let end = line + 1
  while (end < lines.length && at(lines, end)[0] > at(lines, line)[0]) end++
  return end
}

/** `name[0].family` */
export const elementText = (visit: VisitView, [record, line]: ElementRef): string => {
  const { lines } = at(visit.records, record)
  const steps: Array<string> = []
  let depth = Infinity
  for (let index = line; index >= 0; index--) {
    const [here, key] = at(lines, index)
    if (here >= depth) continue
    depth = here
    steps.unshift(key)
  }
  return steps.reduce((text, step) => (step.startsWith("[") || text === "" ? text + step : `${text}.${step}`), "")
}
