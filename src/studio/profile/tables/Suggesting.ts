import { number, plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/printable.ts"
import { type OverlayWriter, quotedText } from "../draft/OverlayWriter.ts"
import { meaningOfState, stateColumn } from "./statusWords.ts"
import { pathOf, TableFinder } from "./TableFinder.ts"
import type { Role } from "./TableRole.ts"

/** The state that is collected while lines for tables are suggested. */
export interface Suggesting {
  readonly writer: OverlayWriter
  readonly roles: ReadonlyArray<Role>
  readonly notes: Array<string>
  readonly standIns: Array<string>
  /** Questions that only people can answer; the drafted lines are marked as questions. */
  readonly questions: Array<string>
  /** Tables that some section reads. */
  readonly used: Set<Role>
}

/** Rows that name the visit, whose row another names, or that can be placed by their patient and time. */
export const reaches = (role: Role, { roles }: Suggesting): boolean =>
  namesVisit(role) || throughOf(role, roles) !== undefined ||
  (role.links.some(([name]) => name === "patient") && new TableFinder(role, roles).time() !== undefined)

export const namesVisit = ({ links }: Role): boolean => links.some(([name]) => name === "visit")

/** The row of another table that names the visit. */
export const throughOf = (role: Role, roles: ReadonlyArray<Role>) =>
  role.links.find(([, , target]) =>
    target !== "visit" && target !== "patient" &&
    roles.some((other) =>
      other.name === target && (namesVisit(other) || other.links.some(([name]) => name === "patient"))
    )
  )

/**
 * Assigns a table to a section. Rows that cannot refer to a visit are placed by patient and time. If only some rows refer to one, people
 * must decide, because a missing reference may mean that there was no visit.
 */
export const use = (role: Role, { notes, roles, used, writer }: Suggesting): void => {
  if (used.has(role)) return
  used.add(role)
  const link = (role.links.find(([name]) => name === "visit") ?? throughOf(role, roles))?.[1]
  const share = role.table.columns.find(({ name }) => name === link?.column)?.share ?? 0
  const time = new TableFinder(role, roles).time()
  if (share >= 1 || time === undefined || !role.links.some(([name]) => name === "patient")) return
  const window = `{patient: patient, time: ${time.name}}`
  if (link === undefined) {
    writer.put(["grouping", "window", role.name], window, "names no visit: placed by its patient and time")
  } else {
    notes.push(
      `${
        Math.max(1, Math.round((1 - share) * 100))
      }% of the rows of \`${role.name}\` name no visit: to place them by their patient and time, say  grouping: {window: {${role.name}: ${window}}}`
    )
  }
}

/**
 * The condition that rows took place, where a column says so, and the question that goes with it. Values that were not met are left out:
 * a wrong visit is worse than a missing one.
 */
export const stateCondition = ({ columns, name, table }: Role) => {
  const of = name === "visit" ? "visit" : "entry"
  const state = stateColumn(table, of)
  const declared = columns.find(({ column }) => column === state)
  if (state === undefined || declared === undefined) return undefined
  const took = state.codes.filter(([code]) => meaningOfState(code, of) === "took-place")
  const sent = took.length > 0 ? took : state.codes.filter(([code]) => meaningOfState(code, of) === "unclear")
  const known = state.codes.reduce((sum, [, count]) => sum + count, 0)
  const counts = [
    ...state.codes.map(([code, count]) => `${printable(code)} ${number(count)}`),
    ...(state.withheld > 0 ? [`${plural(state.withheld, "other value")} ${number(state.filled - known)}`] : []),
    ...(table.rows > state.filled ? [`(empty) ${number(table.rows - state.filled)}`] : [])
  ].join(", ")
  const value = (code: string): string =>
    declared.yaml.includes("integer") ? code : `'${code.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
  const isTruth = declared.yaml.includes("boolean")
  return {
    column: declared.name,
    /** A value of rows that took place. */
    first: sent[0]?.[0],
    /** No value of the source is excluded. */
    isAll: sent.length === state.codes.length && state.withheld === 0,
    condition: isTruth
      ? pathOf(declared.name)
      : sent.length === 0
      ? "false"
      : `${pathOf(declared.name)} in (${sent.map(([code]) => value(code)).join(" | ")})`,
    counts
  }
}

/** Drops the rows of a section that did not take place, or not yet, with a warning. */
export const keepWhatTookPlace = (role: Role, at: ReadonlyArray<string>, out: Suggesting): void => {
  const state = role.name === "visit" ? undefined : stateCondition(role)
  if (state === undefined || state.isAll) return
  const words = `left out by its ${state.column}`
  out.writer.put(
    [...at, "where", "state"],
    `{path: ${quotedText(`${pathOf(state.column)}.empty() or ${state.condition}`)}, warn: ${quotedText(words)}}`,
    `QUESTION which of these are to be sent?  ${state.counts}`
  )
  out.questions.push(`which rows of \`${role.name}\` are to be sent, by \`${state.column}\`?  ${state.counts}`)
}

/** Codes for rows that have none of their own. */
export const generateCodes = ({ writer }: Suggesting): void => {
  writer.put(["key", "record"], "{path: \"{}\", mint: R}", "codes for rows that have none of their own")
}
