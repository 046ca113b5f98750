import { number, plural } from "../../../diagnostic/count.ts"
import { Draft, quotedText } from "../draft/Draft.ts"
import { countItems } from "../Findings.ts"
import { meaningOfState, stateColumn } from "./statusWords.ts"
import { TableFinder } from "./TableFinder.ts"
import { linkTo, namesVisit, type Role, type TableLink } from "./TableRole.ts"
import { voidColumns } from "./voidColumns.ts"
import { asText, pathOf } from "./writePath.ts"

/** A draft of a mapping for tables, and which of them it reads. */
export class TableDraft extends Draft {
  readonly roles: ReadonlyArray<Role>
  /** Tables that some section reads. */
  readonly used = new Set<Role>()

  constructor(roles: ReadonlyArray<Role>) {
    super()
    this.roles = roles
  }

  role(name: string | undefined): Role | undefined {
    return this.roles.find((role) => role.name === name)
  }

  finder(role: Role): TableFinder {
    return new TableFinder(role, this.roles)
  }

  /** Returns the link to a row of another table that refers to a visit or a patient. */
  linkThrough(role: Role): TableLink | undefined {
    return role.links.find(({ target }) => {
      const other = target === "visit" || target === "patient" ? undefined : this.role(target)
      return other !== undefined && (namesVisit(other) || linkTo(other, "patient") !== undefined)
    })
  }

  /** Whether rows can be assigned to visits: they name one, another row that they name does, or they have a patient and a time. */
  reachesVisits(role: Role): boolean {
    return namesVisit(role) || this.linkThrough(role) !== undefined ||
      (linkTo(role, "patient") !== undefined && this.finder(role).time() !== undefined)
  }

  /**
   * Notes that a section reads a table. Rows that cannot refer to a visit are placed by patient and time. If only some rows name one, people
   * must decide, because a missing reference can mean that there was no visit.
   */
  use(role: Role): void {
    if (this.used.has(role)) return
    this.used.add(role)
    const link = linkTo(role, "visit") ?? this.linkThrough(role)
    const share = role.table.columns.find(({ name }) => name === link?.foreignKey.column)?.share ?? 0
    const time = this.finder(role).time()
    if (share >= 1 || time === undefined || linkTo(role, "patient") === undefined) return
    const window = `{patient: patient, time: ${time.name}}`
    if (link === undefined) {
      this.put(["grouping", "window", role.name], window, "refers to no visit: placed by its patient and time")
    } else {
      this.notes.push(
        `${
          Math.max(1, Math.round((1 - share) * 100))
        }% of the rows of \`${role.name}\` refer to no visit: to place them by their patient and time, set  grouping: {window: {${role.name}: ${window}}}`
      )
    }
  }

  /**
   * Drops the rows of a section that are deleted, did not take place, or not yet, with a warning. So do the rows that they belong to
   * decide, unless these are rows of a section themselves.
   */
  dropByState(role: Role, ...sections: ReadonlyArray<ReadonlyArray<string>>): void {
    if (role.name === "visit") return
    this.#dropBy(role, sections)
    const through = this.linkThrough(role)
    const head = this.role(through?.target)
    if (through !== undefined && head !== undefined && !sections.some((section) => section.length > 2)) {
      this.#dropBy(head, sections, through.name)
    }
  }

  /** Returns the path to those of some rows that `dropByState` does not drop. */
  rowsThatCount(role: Role, rows: string): string {
    const state = stateCondition(role)
    const conditions = [
      ...voidColumns(role).map(({ condition }) => condition),
      state?.condition
    ]
    return conditions.reduce<string>(
      (path, condition) => condition === undefined ? path : `${path}.where(${condition})`,
      rows
    )
  }

  #dropBy(role: Role, sections: ReadonlyArray<ReadonlyArray<string>>, link?: string): void {
    const put = (key: string, condition: string, warning: string, why?: string): void => {
      for (const section of sections) {
        this.put(
          [...section, "where", link === undefined ? key : `${link}_${key}`],
          `{path: ${quotedText(condition)}, warn: ${quotedText(warning)}}`,
          why
        )
      }
    }
    const path = link === undefined ? "" : `${link}.resolve().`
    for (const { column, condition, key, question } of voidColumns(role, path)) {
      put(key, condition, `dropped: ${column}`, question === undefined ? undefined : `QUESTION ${question}`)
      if (question !== undefined) this.#askOnce(question)
    }
    const state = stateCondition(role, path)
    if (state === undefined) return
    this.putStates(state)
    put(
      "state",
      state.condition,
      `dropped by its ${state.column}`,
      state.isAll ? undefined : `QUESTION which of these should be sent?  ${state.counts}`
    )
    if (!state.isAll) {
      this.#askOnce(`which rows of \`${role.name}\` should be sent, by \`${state.column}\`?  ${state.counts}`)
    }
  }

  /** Puts the concept map of a status: which values are sent. */
  putStates({ map, rows }: Pick<NonNullable<ReturnType<typeof stateCondition>>, "map" | "rows">): void {
    const table = ["conceptMap", map, "table"]
    for (const { code, count, isGuess, isSent } of rows) {
      const yaml = quotedText(isSent ? "yes" : "no")
      if (isGuess) this.doubt([...table, code], yaml, plural(count, "row"))
      else this.put([...table, code], yaml, plural(count, "row"))
    }
    if (rows.length === 0) {
      this.put([...table, exampleState], quotedText("yes"), "an example: no value may be shown here")
    }
    this.put(["conceptMap", map, "unmapped"], "reject", "another value rejects its visit")
  }

  #askOnce(question: string): void {
    if (!this.questions.includes(question)) this.questions.push(question)
  }

  /** Generates codes for rows that have none of their own. */
  generateCodes(): void {
    this.put(["key", "record"], "{path: \"{}\", mint: R}", "codes for rows that have none of their own")
  }
}

/**
 * Returns the condition that rows took place, if a status column shows it, with its concept map and the counts for its question. A value that
 * no row of the concept map decides on rejects its visit.
 */
export const stateCondition = (role: Role, row = "") => {
  const { columns, name, table } = role
  const of = name === "visit" ? "visit" : "entry"
  const state = stateColumn(table, of)
  const declared = columns.find(({ column }) => column === state)
  if (state === undefined || declared === undefined) return undefined
  const meanings = state.codes.map(([code, count]) => ({ code, count, meaning: meaningOfState(code, of) }))
  const hasWords = meanings.some(({ meaning }) => meaning !== "unclear")
  const empty = table.rows - state.filled
  const rows = [
    ...meanings.flatMap(({ code, count, meaning }) =>
      hasWords && meaning === "unclear" ? [] : [{ code, count, isSent: meaning !== "did-not", isGuess: !hasWords }]
    ),
    ...(of === "visit" && empty > 0 ? [{ code: emptyCell, count: empty, isSent: false, isGuess: true }] : [])
  ]
  const known = state.codes.reduce((sum, [, count]) => sum + count, 0)
  const path = `${row}${pathOf(declared.name)}`
  const map = `${name}_${declared.name}`
  const text = asText(declared, path)
  const decided = (words: string): string => `${words}.translated('${map}').translated('yes_or_no') = 'yes'`
  return {
    column: declared.name,
    map,
    rows,
    /** A value of rows that took place. */
    first: rows.length === 0 ? exampleState : rows.find(({ isSent }) => isSent)?.code,
    /** Each value of the source is sent. */
    isAll: rows.length === state.codes.length && rows.every(({ isSent }) => isSent) && state.withheld === 0,
    condition: of === "visit"
      ? decided(`iif(${path}.empty(), '${emptyCell}', ${text})`)
      : `${path}.empty() or ${decided(text)}`,
    counts: [
      ...countItems(state.codes),
      ...(state.withheld > 0 ? [`${plural(state.withheld, "other value")} ${number(state.filled - known)}`] : []),
      ...(empty > 0 ? [`(empty) ${number(empty)}`] : [])
    ].join(", ")
  }
}

/** The code of an empty cell in the concept map of a status. */
const emptyCell = "(empty)"

/** The row of a concept map of a status none of whose values may be shown. */
const exampleState = "Completed"
