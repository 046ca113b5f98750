import type { FieldChange, PlanView } from "../viewer/bench/Wire.ts"
import { problemCodeOf } from "./outcomes.ts"
import type { Pass, VisitOutcome } from "./outcomes.ts"

/** At most so many different changes of a field are shown. */
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
    if (was.ready !== now.ready) counts[now.ready ? "becameReady" : "becameRejected"]++
    for (const [field, change] of fieldChanges(was, now)) {
      const tally: Tally = fields.get(field) ?? { visits: [], examples: new Map(), becameReady: 0, becameRejected: 0 }
      fields.set(field, tally)
      tally.visits.push(index)
      if (was.ready !== now.ready) tally[now.ready ? "becameReady" : "becameRejected"]++
      const name = JSON.stringify(change)
      const example = tally.examples.get(name)
      if (example === undefined) tally.examples.set(name, { ...change, visits: 1 })
      else example.visits++
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
    })).toSorted((one, other) => other.visits.length - one.visits.length || (one.field < other.field ? -1 : 1)),
    problems: problemChanges(before, after)
  }
}

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
  const count = ({ outcomes }: Pass) => {
    const counts = new Map<string, number>()
    for (const { problems } of outcomes.values()) {
      for (const problem of problems) counts.set(problem, (counts.get(problem) ?? 0) + 1)
    }
    return counts
  }
  const [one, other] = [count(before), count(after)]
  return [...new Set([...one.keys(), ...other.keys()])].flatMap((problem) => {
    const [was, now] = [one.get(problem) ?? 0, other.get(problem) ?? 0]
    return was === now ? [] : [{ ...problemCodeOf(problem), before: was, after: now }]
  }).toSorted((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))
}
