import type { Element, Elements, Variables } from "../../fhirpath/FhirPath.ts"
import { valueText } from "../../fhirpath/FhirPath.ts"
import { Variants } from "../../fhirpath/generate/Variants.ts"
import { getOrMake } from "../../maps.ts"
import { assumed } from "../assumptions/assumed.ts"
import type { EvaluationScope } from "../functions/EvaluationScope.ts"
import { isNumbered, partNumber, rowNumber } from "../language/Statements.ts"
import type { BranchPlan, PathPlan, RowSource } from "../MappingPlan.ts"
import type { Candidate, FoundRow, SectionRow, VisitContext } from "./scope/VisitContext.ts"
import { sourceOf } from "./scope/VisitContext.ts"
import { taskOfTests, writeTests } from "./writeTests.ts"

/** The context in which the rows of a component are searched. */
interface Place {
  /** The name of the component. */
  readonly section: string
  /** The focus of the parent row, which is `%parent` for its rows. */
  readonly focus: Elements
  readonly variables: Variables
  readonly parent: SectionRow
}

/** Returns the rows of one branch: what its source gives and no condition excludes, grouped. */
export const findRows = (context: VisitContext, branch: BranchPlan, place: Place): ReadonlyArray<FoundRow> => {
  const found = rowsFrom(context, branch, place)
  return branch.groupBy.length === 0 || found.length === 0 ? found : grouped(context, branch.groupBy, found, place)
}

const rowsFrom = (context: VisitContext, branch: BranchPlan, place: Place): ReadonlyArray<FoundRow> => {
  const { rows } = branch
  switch (rows.from) {
    case "focus":
      return excludedBy(context, branch, testsOf(context, branch), place.focus, place) === undefined
        ? [{ focus: place.focus }]
        : noRows
    case "forEach":
      return rowsOfEach(context, branch, rows, place)
    case "resource":
      return rowsOfRecords(context, branch, rows, place)
  }
}

const noRows: ReadonlyArray<FoundRow> = []

const rowsOfEach = (
  context: VisitContext,
  branch: BranchPlan,
  { orNull, path }: Extract<RowSource, { readonly from: "forEach" }>,
  place: Place
): ReadonlyArray<FoundRow> => {
  const { statements } = context.plan
  const { focus, parent, section, variables } = place
  const tests = testsOf(context, branch)
  const found: Array<FoundRow> = []
  for (const element of context.evaluate(path, focus, variables, parent, section)) {
    const number = statements === undefined ? undefined : rowNumber(statements, section, element)
    const isOfAnother = statements !== undefined && number === undefined && parent === context.visit &&
      isNumbered(statements, element)
    if (!isOfAnother && excludedBy(context, branch, tests, [element], place) === undefined) {
      found.push({ focus: [element], number })
    }
  }
  return found.length === 0 && orNull ? [{ focus: [] }] : found
}

const rowsOfRecords = (
  context: VisitContext,
  branch: BranchPlan,
  { scope, types }: Extract<RowSource, { readonly from: "resource" }>,
  place: Place
): ReadonlyArray<FoundRow> => {
  const { statements } = context.plan
  const { parent, section } = place
  const tests = testsOf(context, branch)
  const found: Array<FoundRow> = []
  for (const type of types) {
    for (const candidate of scope === "visit" ? context.inVisit(type) : context.ofPatient(type)) {
      const { focus, numbered, record } = candidate
      const number = numbered && statements !== undefined ? rowNumber(statements, section, focus[0]) : undefined
      // A record that the source numbers for one list of the visit is not a row of another list.
      if (numbered && number === undefined && parent === context.visit) continue
      if (number !== undefined && scope === "patient" && !isInVisit(context, type, candidate)) continue
      const condition = excludedBy(context, branch, tests, focus, place)
      if (condition === undefined) found.push({ focus, number })
      else if (!onlyReports(branch) || condition.assume !== undefined) {
        context.excluded?.({ record, section, condition, passed: branch.where.indexOf(condition) })
      }
    }
  }
  return found
}

/** Returns whether a branch makes no rows: one of its conditions is a constant `false`. It only reports, and excludes nothing. */
export const onlyReports = ({ where }: BranchPlan): boolean => where.some(({ text }) => text === "false")

const isInVisit = (context: VisitContext, type: string, { record }: Candidate): boolean =>
  context.scope.inVisit(type).includes(record)

/** Returns the condition that excludes an element, after reporting what the mapping requires; `undefined` if all conditions hold. */
const excludedBy = (
  context: VisitContext,
  { where }: BranchPlan,
  tests: Variants<TestConditions> | undefined,
  element: Elements,
  place: Place
): PathPlan | undefined => {
  const { parent, section, variables } = place
  const start = context.problemCount()
  // What the conditions on other elements have read is not the origin of a value.
  if (context.reads.length > 0) context.reads.length = 0
  const tested = where.length === 0 ? -1 : testedBy(context, tests, element, place)
  if (tested === -1) return undefined
  const failed = where[tested]
  if (failed !== undefined) {
    reportExclusion(context, failed, element, parent, section)
    return failed
  }
  for (let index = -2 - tested; index < where.length; index++) {
    const condition = where[index]
    if (condition === undefined) continue
    const before = context.problemCount()
    const found = context.values(condition, element, variables, parent, section)
    if (found.length === 1 && found[0] === true) continue
    // This condition excludes the element, so discard the assumptions that earlier conditions reported.
    if (before > start) context.pending.splice(start, before - start)
    reportExclusion(context, condition, element, parent, section)
    return condition
  }
  return undefined
}

type TestConditions = (
  focus: Element | Elements,
  variables: Variables,
  scope: EvaluationScope,
  context: VisitContext,
  place: Place,
  element: Elements
) => number | null

const testsOfBranches = new WeakMap<BranchPlan, Variants<TestConditions>>()

/** Returns the code for the conditions of a branch. */
const testsOf = (context: VisitContext, branch: BranchPlan): Variants<TestConditions> | undefined => {
  const { units } = context.plan.fhirPath
  return units === undefined || branch.where.length === 0
    ? undefined
    : getOrMake(
      testsOfBranches,
      branch,
      () =>
        new Variants<TestConditions>(
          units,
          taskOfTests(branch.where),
          "v, s, h, p, e",
          (writer) => writeTests(writer, branch.where)
        )
    )
}

/** Returns what generated code finds about the conditions of a branch, as `writeTests` defines it; -2 if the definition evaluates all. */
const testedBy = (
  context: VisitContext,
  tests: Variants<TestConditions> | undefined,
  element: Elements,
  place: Place
): number => {
  const { variables } = place
  const test = tests?.find(element, variables)
  if (test === undefined) return -2
  const { pending, plan, reportedKeys, scope, unmappedCodes } = context
  const codes = unmappedCodes.length
  const problems = pending.length
  let tested: number | null
  try {
    tested = test(element.length === 1 ? element[0] : element, variables, scope, context, place, element)
  } catch {
    tested = null
  }
  if (tested === null) {
    // The definition evaluates all conditions again, and reports what failed.
    unmappedCodes.length = codes
    for (const { diagnostic } of pending.splice(problems)) reportedKeys.delete(diagnostic)
  }
  if (tested === null || tested < -1) plan.fhirPath.units?.left.set()
  return tested ?? -2
}

const reportExclusion = (
  context: VisitContext,
  { assume, span: mapping, text: path, warn }: PathPlan,
  element: Elements,
  parent: SectionRow,
  section: string
): void => {
  if (warn !== undefined) {
    context.problem(parent, section, {
      code: "dropped-record",
      severity: "warning",
      title: warn,
      mapping,
      path,
      ...sourceOf(element)
    })
  }
  if (assume !== undefined) {
    context.problem(parent, section, { ...assumed(assume, mapping), path, ...sourceOf(element) })
  }
}

/** Puts rows with the same key into one. A number that the source gives takes precedence over the key. */
const grouped = (
  context: VisitContext,
  groupBy: ReadonlyArray<PathPlan>,
  rows: ReadonlyArray<FoundRow>,
  { parent, section, variables }: Place
): ReadonlyArray<FoundRow> => {
  const { statements } = context.plan
  const groups = new Map<string | number, { readonly focus: Array<Element>; readonly number: number | undefined }>()
  for (const { focus, number } of rows) {
    let key: string | number | undefined = number
    if (key === undefined) {
      const texts: Array<ReadonlyArray<string>> = []
      for (const path of groupBy) texts.push(context.values(path, focus, variables, parent, section).map(keyText))
      key = JSON.stringify(texts)
    }
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { focus: [...focus], number })
    else group.focus.push(...focus)
  }
  for (const { focus, number } of groups.values()) {
    if (statements === undefined || number === undefined) continue
    const part = new Map(focus.map((element) => [element, partNumber(statements, section, element)]))
    focus.sort((one, other) => (part.get(one) ?? 0) - (part.get(other) ?? 0))
  }
  return [...groups.values()]
}

/** The grouping key: the text of a value, or its JSON if it has none. */
export const keyText = (value: unknown): string => valueText(value) ?? JSON.stringify(value)
