import { compareTexts } from "../compareTexts.ts"
import { isJsonObject } from "../json/JsonObject.ts"
import { getOrMake } from "../maps.ts"
import { alignRows } from "./accounts/alignRows.ts"
import type { ConvertedVisit } from "./Conversion.ts"

/** The number of differences in a field between two conversions of the same records. */
export interface FieldDifference {
  /** Without indexes: `vital_signs[].recorded_by`. */
  readonly field: string
  readonly values: number
  readonly visits: number
  /** For a list: rows that only the second mapping makes, and rows that only the first makes. */
  readonly rowsAdded?: number
  readonly rowsRemoved?: number
}

interface Count {
  values: number
  added: number
  removed: number
}

/** The differences when another mapping converts the same records. */
export interface VisitDifferences {
  readonly visits: number
  /** Visits with at least one changed value. */
  readonly changed: number
  /** Sources of visits that can be sent only with the second mapping; below, only with the first. */
  readonly becomeReady: ReadonlyArray<string>
  readonly becomeRejected: ReadonlyArray<string>
  /** Sources that are a visit with only one of the mappings, because the grouping differs. */
  readonly onlyBefore: ReadonlyArray<string>
  readonly onlyAfter: ReadonlyArray<string>
  /** Sorted by number of visits, descending. */
  readonly fields: ReadonlyArray<FieldDifference>
}

/** Compares two conversions of the same records, visit by visit. A visit is identified by its root encounter. */
export const compareVisits = (
  before: ReadonlyArray<ConvertedVisit>,
  after: ReadonlyArray<ConvertedVisit>
): VisitDifferences => {
  const earlier = new Map(before.map((visit) => [visit.source, visit]))
  const later = new Map(after.map((visit) => [visit.source, visit]))
  const counts = new Map<string, Count & { visits: number }>()
  const becomeReady: Array<string> = []
  const becomeRejected: Array<string> = []
  let visits = 0
  let changed = 0
  for (const [source, one] of earlier) {
    const other = later.get(source)
    if (other === undefined) continue
    visits++
    if (!one.ready && other.ready) becomeReady.push(source)
    if (one.ready && !other.ready) becomeRejected.push(source)
    if (one.json === other.json) continue
    changed++
    const found = new Map<string, Count>()
    differences(JSON.parse(one.json), JSON.parse(other.json), "", found)
    for (const [field, { added, removed, values }] of found) {
      const count = getOrMake(counts, field, () => ({ values: 0, added: 0, removed: 0, visits: 0 }))
      count.values += values
      count.added += added
      count.removed += removed
      count.visits++
    }
  }
  return {
    visits,
    changed,
    becomeReady,
    becomeRejected,
    onlyBefore: [...earlier.keys()].filter((source) => !later.has(source)),
    onlyAfter: [...later.keys()].filter((source) => !earlier.has(source)),
    fields: [...counts]
      .map(([field, { added, removed, values, visits }]) => ({
        field,
        values,
        visits,
        ...(added === 0 ? {} : { rowsAdded: added }),
        ...(removed === 0 ? {} : { rowsRemoved: removed })
      }))
      .toSorted((one, other) =>
        other.visits - one.visits || sizeOf(other) - sizeOf(one) || compareTexts(one.field, other.field)
      )
  }
}

const sizeOf = ({ rowsAdded = 0, rowsRemoved = 0, values }: FieldDifference): number => values + rowsAdded + rowsRemoved

const differences = (one: unknown, other: unknown, field: string, found: Map<string, Count>): void => {
  if (Array.isArray(one) && Array.isArray(other)) {
    for (const [before, after] of alignRows(one, other)) {
      if (before === undefined) countOf(found, `${field}[]`).added++
      else if (after === undefined) countOf(found, `${field}[]`).removed++
      else differences(before, after, `${field}[]`, found)
    }
  } else if (isJsonObject(one) && isJsonObject(other)) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      differences(one[key], other[key], field === "" ? key : `${field}.${key}`, found)
    }
  } else if (one !== other) countOf(found, field).values++
}

const countOf = (counts: Map<string, Count>, field: string): Count =>
  getOrMake(counts, field, () => ({ values: 0, added: 0, removed: 0 }))
