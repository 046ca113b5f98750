import { number, plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { Draft, quotedText } from "../draft/Draft.ts"
import { countItems } from "../Findings.ts"
import { isNamedAfterVisits } from "./roles/findTables.ts"
import { timesAndPatient } from "./roles/knownColumns.ts"
import { TableFinder } from "./TableFinder.ts"
import { type Declared, linkTo, namesVisit, type Role, type TableLink } from "./TableRole.ts"
import { voidColumns } from "./voidColumns.ts"
import {
  columnsOfWords,
  isCorrection,
  isEnd,
  meaningOfState,
  type StateColumn,
  stateColumns,
  statesOfDiagnoses
} from "./words/statusWords.ts"
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

  /** Whether rows of another table refer to those of a table. */
  isNamed({ name }: Role): boolean {
    return this.roles.some(({ links }) => links.some(({ target }) => target === name))
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

  /**
   * Whether rows can be assigned to visits: they name one, another row that they name does, or they have a patient and a time. If a table is named
   * after visits, its rows with a beginning and an end are other visits. They are no part of a visit at the same time.
   */
  reachesVisits(role: Role): boolean {
    return namesVisit(role) || this.linkThrough(role) !== undefined ||
      (linkTo(role, "patient") !== undefined && this.finder(role).time() !== undefined && !this.#areVisits(role))
  }

  #areVisits({ table }: Role): boolean {
    return isNamedAfterVisits(table.name) &&
      timesAndPatient(table, this.role("patient")?.table).length === 3
  }

  /** Whether only some rows name their visit themselves. */
  namesSomeVisits(role: Role): boolean {
    const link = linkTo(role, "visit")
    return link !== undefined && shareOf(role, link) < 1
  }

  /** Whether a line about the rows of a table contains the name of one of its columns. Another table can have a column of this name. */
  reads({ name }: Role, column: string): boolean {
    return this.mentionsUnder(["grouping", "window", name], column) ||
      this.keysUnder("visit").some((section) => {
        const path = ["visit", section]
        const resource = this.at([...path, "resource"])
        const isAbout = resource === name ||
          (name === "visit" || name === "patient" ? resource === undefined : this.mentionsUnder(path, name))
        return isAbout && this.mentionsUnder(path, column)
      })
  }

  /**
   * Notes that a section reads a table. Rows that cannot refer to a visit are placed by patient and time. If only some rows name one, people
   * must decide, because a missing reference can mean that there was no visit.
   */
  use(role: Role): void {
    if (this.used.has(role)) return
    this.used.add(role)
    const link = linkTo(role, "visit") ?? this.linkThrough(role)
    const share = shareOf(role, link)
    const time = this.finder(role).time()
    if (
      share >= 1 || this.at(["grouping", "link", role.name])?.startsWith("[") === true || time === undefined ||
      linkTo(role, "patient") === undefined
    ) return
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
    const word = wordCondition(role)
    return [
      ...[...voidColumns(role), ...stateConditions(role)].map(({ condition }) => condition),
      ...(word === undefined ? [] : [word])
    ].reduce((path, condition) => `${path}.where(${condition})`, rows)
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
    const word = wordCondition(role, path)
    if (word !== undefined) put("word", word, "dropped: a word for what was cancelled")
    for (const { column, condition, corrects, counts, isAll, key, ...decision } of stateConditions(role, path)) {
      this.decide(decision)
      put(
        key,
        condition,
        `dropped by its ${column}`,
        isAll ? undefined : `QUESTION which of these should be sent?  ${counts}`
      )
      if (!isAll) {
        this.#askOnce(
          `which rows of \`${role.name}\` should be sent, by \`${column}\`?  ${counts}${
            corrects
              ? ". If a corrected row has replaced one that is still in the export, leave out the earlier one"
              : ""
          }`
        )
      }
    }
  }

  /** Puts the concept map of a decision. */
  decide({ map, rows }: Pick<CodeDecision, "map" | "rows">): void {
    if (map === undefined) return
    const table = ["conceptMap", map, "table"]
    for (const { code, count, isGuess, isYes, name } of rows) {
      const yaml = quotedText(isYes ? "yes" : "no")
      const why = name !== undefined
        ? `\`${printable(name)}\``
        : count > 0
        ? plural(count, "row")
        : "its rows are not counted"
      if (isGuess) this.doubt([...table, code], yaml, why)
      else this.put([...table, code], yaml, why)
    }
    if (rows.length === 0) {
      this.put(
        [...table, exampleCode],
        quotedText("yes"),
        "an example: no value may be shown here, or its meaning is unknown"
      )
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

/** The fraction of the rows of a table that are filled in the column of a link. */
const shareOf = ({ table }: Role, link: TableLink | undefined): number =>
  table.columns.find(({ name }) => name === link?.foreignKey.column)?.share ?? 0

/** A yes or no for each code of a column. An undecided code, also of a later extract, rejects its visit. */
export interface CodeDecision {
  /** The name of its concept map; none if no code decides. */
  readonly map?: string
  readonly rows: ReadonlyArray<
    {
      readonly code: string
      /** Its name in a table that the column refers to. */
      readonly name: string | undefined
      readonly count: number
      readonly isYes: boolean
      readonly isGuess: boolean
    }
  >
  /** The condition for a yes. */
  readonly condition: string
}

/** Returns what the codes of a column decide. `meaningOf` an empty cell: `undefined` if it is undecided as well. */
export const decisionOf = (
  { codes = [], column, names, of, path, role: { name, table } }: {
    readonly role: Role
    readonly column: Declared
    /** Codes that the column can have besides those that may be shown. */
    readonly codes?: ReadonlyArray<string>
    /** The names of codes, in a table that the column refers to. */
    readonly names?: ReadonlyMap<string, string> | undefined
    /** The path from a row to the column. */
    readonly path: string
    /** What is decided about the rows, for the name of the concept map. */
    readonly of: string
  },
  meaningOf: (code: string) => readonly [isYes: boolean, isGuess?: boolean] | undefined
): CodeDecision & { readonly map: string } => {
  const empty = table.rows - column.column.filled
  const counts = new Map([
    ...codes.map((code) => [code, 0] as const),
    ...column.column.codes,
    ...(empty > 0 ? [[emptyCell, empty] as const] : [])
  ])
  const map = `${name}_${of}`
  return {
    map,
    rows: [...counts].flatMap(([code, count]) => {
      const meaning = meaningOf(code)
      return meaning === undefined
        ? []
        : [{ code, name: names?.get(code), count, isYes: meaning[0], isGuess: meaning[1] === true }]
    }),
    condition: decided(map, `iif(${path}.empty(), '${emptyCell}', ${asText(column, path)})`)
  }
}

const decided = (map: string, text: string): string => `${text}.translated('${map}').translated('yes_or_no') = 'yes'`

/** Returns the conditions that rows took place, by each status column, with its concept map and the counts for its question. */
export const stateConditions = (role: Role, row = "") =>
  stateColumns(role.table, role.name === "visit" ? "visit" : "entry").flatMap((state, at) => {
    const declared = role.columns.find(({ column }) => column === state.column)
    return declared === undefined
      ? []
      : [{ key: at === 0 ? "state" : `state_${declared.name}`, ...stateCondition(role, state, declared, row) }]
  })

/** Returns the conditions that the diagnoses of a row of visits are certain, by each column that states it. */
export const diagnosisConditions = (visit: Role) =>
  statesOfDiagnoses(visit.table).flatMap((column) => {
    const declared = visit.columns.find((one) => one.column === column)
    return declared === undefined ? [] : [stateCondition(visit, { column, isEnd: false }, declared, "%visit.", "entry")]
  })

const stateCondition = (
  role: Role,
  { column: state, isEnd: ofEnds }: StateColumn,
  declared: Declared,
  row: string,
  of: "visit" | "entry" = role.name === "visit" ? "visit" : "entry"
) => {
  const { table } = role
  const hasWords = !ofEnds && state.codes.some(([code]) => meaningOfState(code, of) !== "unclear")
  const most = state.codes.find(([, count]) => count * 2 > table.rows)?.[0]
  const path = `${row}${pathOf(declared.name)}`
  const { condition, map, rows } = decisionOf({ role, column: declared, path, of: declared.name }, (code) => {
    if (code === emptyCell) return of === "visit" ? [ofEnds, true] : undefined
    const meaning = meaningOfState(code, of)
    const isUnclear = meaning === "unclear" && !(of === "visit" && isEnd(code))
    // Where no value is a word, that of most rows took place. A rare one can be that of cancelled rows.
    return isUnclear && (hasWords || !ofEnds && code !== most) ? undefined : [meaning !== "did-not", isUnclear]
  })
  const empty = table.rows - state.filled
  const known = state.codes.reduce((sum, [, count]) => sum + count, 0)
  return {
    column: declared.name,
    isEnd: ofEnds,
    map,
    rows,
    /** A value of rows that took place. */
    first: rows.length === 0 ? exampleCode : rows.find(({ isYes }) => isYes)?.code,
    /** Each value of the source is sent. */
    isAll: rows.length >= state.codes.length && rows.every(({ isYes }) => isYes) && state.withheld === 0,
    /** Some rows correct others. */
    corrects: state.codes.some(([code]) => isCorrection(code)),
    condition: of === "visit" ? condition : `${path}.empty() or ${decided(map, asText(declared, path))}`,
    counts: [
      ...countItems(state.codes),
      ...(state.withheld > 0 ? [`${plural(state.withheld, "other value")} ${number(state.filled - known)}`] : []),
      ...(empty > 0 ? [`(empty) ${number(empty)}`] : [])
    ].join(", ")
  }
}

/** Returns the condition that no other column of a row has a word for what was cancelled; the base mapping has the words. */
export const wordCondition = (role: Role, row = ""): string | undefined => {
  const known = new Set([...stateConditions(role), ...voidColumns(role)].map(({ column }) => column))
  const others = columnsOfWords(role.table)
  const paths = role.columns.flatMap(({ column, name, yaml }) =>
    others.includes(column) && !known.has(name) && !/\b(?:boolean|decimal|integer)\b/u.test(yaml)
      ? [`${row}${pathOf(name)}`]
      : []
  )
  const [first, ...more] = paths
  if (first === undefined) return undefined
  const words = more.length === 0 ? `${first}.lower()` : `(${paths.join(" | ")}).select(lower())`
  return `${words}.mapped('word_for_cancelled').not()`
}

/** The code of an empty cell in the concept map of a decision. */
export const emptyCell = "(empty)"

/** The row of a concept map of a decision none of whose codes can be shown or decided. */
const exampleCode = "Example"
