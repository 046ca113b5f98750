import { compareTexts } from "../../compareTexts.ts"
import { getOrMake } from "../../maps.ts"
import type { FieldChange, PlanView } from "../viewer/bench/Wire.ts"
import { countProblems, type Pass, problemCodeOf, type VisitOutcome } from "./outcomes.ts"

/** Maximum number of examples shown per field. */
const maxExamples = 5

interface Tally {
  readonly visits: Array<number>
  readonly examples: Map<string, { readonly before: string | null; readonly after: string | null; visits: number }>
  becameReady: number
  becameRejected: number
}

/** Compares all visits under two mappings, field by field. */
export const planEdit = (before: Pass, after: Pass): PlanView => {
  const fields = new Map<string, Tally>()
  const counts = { same: 0, appeared: 0, becameReady: 0, becameRejected: 0 }
  let index = -1
  for (const [key, now] of after.outcomes) {
    index++
    const was = before.outcomes.get(key)
    if (was === undefined) {
      counts.appeared++
      continue
    }
    if (was.print === now.print) {
      counts.same++
      continue
    }
    const became = becameOf(was, now)
    if (became !== undefined) counts[became]++
    for (const [field, change] of fieldChanges(was, now)) {
      const tally = getOrMake(fields, field, (): Tally => ({
        visits: [],
        examples: new Map(),
        becameReady: 0,
        becameRejected: 0
      }))
      tally.visits.push(index)
      if (became !== undefined) tally[became]++
      getOrMake(tally.examples, JSON.stringify(change), () => ({ ...change, visits: 0 })).visits++
    }
  }
  const gone = [...before.outcomes.keys()].filter((key) => !after.outcomes.has(key)).length
  return {
    ...counts,
    gone,
    fields: [...fields].map(([field, { examples, ...tally }]): FieldChange => ({
      field,
      ...tally,
      examples: [...examples.values()].toSorted((one, other) => other.visits - one.visits).slice(0, maxExamples)
    })).toSorted((one, other) => other.visits.length - one.visits.length || compareTexts(one.field, other.field)),
    problems: problemChanges(before, after)
  }
}

/** Returns what a visit became. That it is still open depends on the source, and is not counted. */
const becameOf = (was: VisitOutcome, now: VisitOutcome): "becameReady" | "becameRejected" | undefined =>
  was.state === now.state || now.state === "open" ? undefined : now.state === "ready" ? "becameReady" : "becameRejected"

/** The fields in which a visit differs, each with its first change. Rows of a list are compared in order. */
const fieldChanges = (was: VisitOutcome, now: VisitOutcome) => {
  const changes = new Map<string, { readonly before: string | null; readonly after: string | null }>()
  const compare = (before: unknown, after: unknown, path: string): void => {
    if (isTree(before) && isTree(after) && Array.isArray(before) === Array.isArray(after)) {
      for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
        compare(before[key], after[key], Array.isArray(before) ? path : path === "" ? key : `${path}.${key}`)
      }
    } else {
      const change = { before: textOf(before), after: textOf(after) }
      if (change.before !== change.after && !changes.has(path)) changes.set(path, change)
    }
  }
  compare(JSON.parse(was.json), JSON.parse(now.json), "")
  return changes
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const textOf = (value: unknown): string | null => value === undefined ? null : JSON.stringify(value)

const problemChanges = (before: Pass, after: Pass): PlanView["problems"] => {
  const one = countProblems(before.outcomes)
  const other = countProblems(after.outcomes)
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((problem) => {
    const was = one.get(problem) ?? 0
    const now = other.get(problem) ?? 0
    return was === now ? [] : [{ ...problemCodeOf(problem), before: was, after: now }]
  }).toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
}
