import type { Element, Elements, Variables } from "../../fhirpath/FhirPath.ts"
import { valueText } from "../../fhirpath/FhirPath.ts"
import { assumed } from "../assumptions/assumed.ts"
import type { StatementsPlan } from "../language/Statements.ts"
import { isNumbered, partNumber, rowNumber } from "../language/Statements.ts"
import type { BranchPlan, PathPlan } from "../MappingPlan.ts"
import type { Candidate, FoundRow, SectionRow, VisitContext } from "./VisitContext.ts"
import { sourceOf } from "./VisitContext.ts"

/** Finds the rows of a branch at the position of its component. Variables are made only if an expression must be evaluated. */
export type FindRows = (
  making: VisitContext,
  focus: Elements,
  variables: () => Variables,
  parent: SectionRow
) => ReadonlyArray<FoundRow>

const noRows: ReadonlyArray<FoundRow> = []

/** Compiles the rows of one branch, with only the steps that its plan requires. */
export const compileRows = (section: string, branch: BranchPlan, statements: StatementsPlan | undefined): FindRows => {
  const find = finder(section, branch, statements)
  const { groupBy } = branch
  if (groupBy.length === 0) return find
  return (making, focus, variables, parent) => {
    const rows = find(making, focus, variables, parent)
    return rows.length === 0 ? rows : grouped(section, groupBy, statements, rows, making, variables(), parent)
  }
}

/** Returns whether a branch makes no rows: one of its conditions is a constant `false`. It only reports, and excludes nothing. */
export const onlyReports = ({ where }: BranchPlan): boolean => where.some(({ text }) => text === "false")

const finder = (section: string, branch: BranchPlan, statements: StatementsPlan | undefined): FindRows => {
  const { rows, where } = branch
  const reportsOnly = onlyReports(branch)
  const refusing = (
    making: VisitContext,
    element: Elements,
    variables: () => Variables,
    parent: SectionRow
  ): PathPlan | undefined => {
    const start = making.told()
    for (let at = 0; at < where.length; at++) {
      const path = where[at]!
      const before = making.told()
      const found = making.values(path, element, variables(), parent, section)
      if (found.length === 1 && found[0] === true) continue
      // What the conditions before it assumed decided nothing.
      if (before > start) making.pending.splice(start, before - start)
      reportDropped(making, path, element, parent, section)
      return path
    }
    return undefined
  }
  switch (rows.from) {
    case "focus":
      return (making, focus, variables, parent) =>
        refusing(making, focus, variables, parent) === undefined ? [{ focus }] : noRows
    case "forEach":
      return (making, focus, variables, parent) => {
        const found: Array<FoundRow> = []
        for (const element of making.evaluate(rows.path, focus, variables(), parent, section)) {
          const number = statements === undefined ? undefined : rowNumber(statements, section, element)
          const row = { focus: [element], number }
          const isOfAnother = statements !== undefined && number === undefined && parent === making.visit &&
            isNumbered(statements, element)
          if (!isOfAnother && refusing(making, row.focus, variables, parent) === undefined) found.push(row)
        }
        return found.length === 0 && rows.orNull ? [{ focus: [] }] : found
      }
    case "resource":
      return (making, _, variables, parent) => {
        let found: Array<FoundRow> | undefined
        for (const type of rows.types) {
          const candidates = rows.scope === "visit" ? making.inVisit(type) : making.ofPatient(type)
          for (const candidate of candidates) {
            const number = candidate.numbered ? rowNumber(statements!, section, candidate.focus[0]) : undefined
            // A record that the source numbers for one list of the visit is a row of no other.
            if (candidate.numbered && number === undefined && parent === making.visit) continue
            if (number !== undefined && rows.scope === "patient" && !isInVisit(making, type, candidate)) continue
            const condition = refusing(making, candidate.focus, variables, parent)
            if (condition !== undefined) {
              if (!reportsOnly || condition.assume !== undefined) {
                making.refused?.({ record: candidate.record, section, condition, passed: where.indexOf(condition) })
              }
              continue
            }
            const row = number === undefined ? candidate : { focus: candidate.focus, number }
            if (found === undefined) found = [row]
            else found.push(row)
          }
        }
        return found ?? noRows
      }
  }
}

/** Reports what a condition excludes, if the mapping requires it. */
const reportDropped = (
  making: VisitContext,
  { assume, span: mapping, text: path, warn }: PathPlan,
  element: Elements,
  parent: SectionRow,
  section: string
): void => {
  if (warn !== undefined) {
    making.problem(parent, section, {
      code: "left-out",
      severity: "warning",
      title: warn,
      mapping,
      path,
      ...sourceOf(element)
    })
  }
  if (assume !== undefined) making.problem(parent, section, { ...assumed(assume, mapping), path, ...sourceOf(element) })
}

const isInVisit = (making: VisitContext, type: string, { record }: Candidate): boolean =>
  making.scope.inVisit(type).includes(record)

const grouped = (
  section: string,
  groupBy: ReadonlyArray<PathPlan>,
  statements: StatementsPlan | undefined,
  rows: ReadonlyArray<FoundRow>,
  making: VisitContext,
  variables: Variables,
  parent: SectionRow
): ReadonlyArray<FoundRow> => {
  const groups = new Map<string | number, { readonly focus: Array<Element>; readonly number: number | undefined }>()
  for (const { focus, number } of rows) {
    const key = number ?? groupKey(groupBy.map((path) => making.values(path, focus, variables, parent, section)))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { focus: [...focus], number })
    else group.focus.push(...focus)
  }
  for (const { focus, number } of groups.values()) {
    if (statements === undefined || number === undefined) continue
    const part = new Map(focus.map((element) => [element, partNumber(statements, section, element)]))
    focus.sort((one, other) => part.get(one)! - part.get(other)!)
  }
  return [...groups.values()]
}

/** Rows are usually grouped by one text. */
const groupKey = (found: ReadonlyArray<Elements>): string => {
  const [only] = found
  return found.length === 1 && only!.length === 1 && typeof only![0] === "string"
    ? `=${only![0]}`
    : JSON.stringify(found.map((values) => values.map(keyText)))
}

/** The grouping key: the text of a value, or its JSON if it has none. */
export const keyText = (value: unknown): string => valueText(value) ?? JSON.stringify(value)
