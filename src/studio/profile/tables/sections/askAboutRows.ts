import { printable } from "../../../../diagnostic/render/printable.ts"
import { baseName } from "../facts/alikeFiles.ts"
import { stateConditions, type TableDraft } from "../TableDraft.ts"
import { type Declared, isOther, type Role } from "../TableRole.ts"
import { countsOf, voidColumns } from "../voidColumns.ts"
import { isNoWord, namesField, namesLess } from "../words/columnWords.ts"
import { isOfMoney } from "../words/looksLike.ts"
import { columnsOfWords, isYesOrNo } from "../words/statusWords.ts"
import { pathOf } from "../writePath.ts"

/** The tables whose rows are sent. */
export const sentRoles = ({ roles, used }: TableDraft): ReadonlyArray<Role> =>
  roles.filter((one) => !isOther(one) || used.has(one))

/** The columns of a table that no line reads, and that are no condition of its visits. */
const unreadIn = (role: Role, draft: TableDraft): ReadonlyArray<Declared> => {
  const known = new Set(
    role.name === "visit" ? [...voidColumns(role), ...stateConditions(role)].map(({ column }) => column) : []
  )
  return role.columns.filter(({ column, name }) =>
    column.filled > 0 && !known.has(name) && !draft.reads(role, pathOf(name))
  )
}

const maxListed = 8

const listed = (names: ReadonlyArray<string>): string =>
  `${names.slice(0, maxListed).join("; ")}${names.length > maxListed ? " …" : ""}`

/**
 * Asks about columns that no line reads, and that can mark rows that are no part of a claim. Some are yes or no, for a test patient, a
 * missed visit, or something given back. Others name another row of the table, such as the package that the row is part of.
 */
export const askAboutRows = (draft: TableDraft): void => {
  const marks = sentRoles(draft).flatMap((role) => {
    const voids = new Set(voidColumns(role).map(({ column }) => column))
    return unreadIn(role, draft).filter(({ column, name }) =>
      isYesOrNo(column) && (column.codes.length > 1 || column.share < 1 && !isNoWord(column.codes[0]?.[0] ?? "")) &&
        !isOfMoney(column) || voids.has(name)
    ).map(({ column, name }) => `\`${role.name}.${name}\` (${countsOf(column, role.table.rows)})`)
  })
  if (marks.length > 0) {
    draft.askWithoutLine(
      `are there rows that should not be sent, by ${listed(marks)}? No line reads ${
        marks.length === 1 ? "this column" : "these columns"
      }, and all rows are sent`,
      "If there are, write a condition. For visits:  grouping: {where: {real: \"is_test = '0'\"}}. For others:  where: {real: …}  in their section"
    )
  }
  const references = sentRoles(draft).flatMap((role) =>
    unreadIn(role, draft).filter(({ column }) => role.table.ownReferences?.includes(column.name) === true)
      .map(({ column, name }) => `\`${role.name}.${name}\` (${countsOf(column, role.table.rows)})`)
  )
  if (references.length === 0) return
  draft.askWithoutLine(
    `are rows that name another row of their table parts of it, a correction of it, or the same person, by ${
      listed(references)
    }? They are sent like the others`,
    "If they should not be, leave them out of the export, or write a condition:  where: {real: \"parent_id.empty()\"}  in their section"
  )
}

/** Asks about columns without a value so far that no line reads: nothing of the values of a later extract would be sent. */
export const askAboutEmptyColumns = (draft: TableDraft): void => {
  // The rows of one file can be several tables, each with some of its columns.
  const filled = new Set(
    draft.roles.flatMap(({ table: { columns, file } }) =>
      columns.flatMap((column) => column.filled > 0 ? [`${file} ${column.name}`] : [])
    )
  )
  const files = sentRoles(draft).map((role) => ({
    file: printable(baseName(role.table.file)),
    names: role.table.columns.flatMap((column) => {
      const declared = role.columns.find((one) => one.column === column)
      const isRead = declared !== undefined &&
        (column.kind !== "empty" || !namesField(column.name) && !namesLess(column.name) || !isOther(role) ||
          draft.reads(role, pathOf(declared.name)))
      return filled.has(`${role.table.file} ${column.name}`) || isRead || /^\d*$/u.test(column.name)
        ? []
        : [printable(column.name)]
    })
  })).filter(({ names }) => names.length > 0)
  if (files.length === 0) return
  const columns = [...Map.groupBy(files, ({ file }) => file)].map(([file, some]) =>
    `${file}: ${[...new Set(some.flatMap(({ names }) => names))].map((name) => `\`${name}\``).join(", ")}`
  )
  draft.askWithoutLine(
    `can these columns have values in another extract?  ${
      columns.join("; ")
    }. They are empty so far, and no line reads them: nothing of such values is sent`,
    "If they can, run  init  with a sample that has such values, or declare each under  column:  and write a line that reads it"
  )
}

/** Notes the columns whose values are not sent, although a condition looks for words of cancelled rows in them. */
export const noteSearchedColumns = (draft: TableDraft): void => {
  const names = sentRoles(draft).filter(({ name }) => name !== "patient").flatMap((role) => {
    const searched = columnsOfWords(role.table)
    return unreadIn(role, draft).filter(({ column }) => searched.includes(column)).map(({ name }) =>
      `\`${role.name}.${name}\``
    )
  })
  if (names.length > 0) {
    draft.notes.push(`only searched for words such as \`Cancelled\`, and not sent: ${names.join(", ")}`)
  }
}
