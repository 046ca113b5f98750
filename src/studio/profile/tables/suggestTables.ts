import { number, plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { foldedName } from "../../../source/tables/rows/findDialect.ts"
import { assumeBeginnings } from "../draft/assumptions.ts"
import { quotedText } from "../draft/Draft.ts"
import { type Suggestions, suggestionsIn } from "../draft/suggest.ts"
import { declare, isWithoutHeader, withOrder } from "./declareTable.ts"
import { baseName, fileNamesOf } from "./facts/alikeFiles.ts"
import type { TableProfile } from "./facts/TableProfile.ts"
import { dateOrderOf, rolesOf } from "./roles/findRoles.ts"
import { isNamedAfterVisits } from "./roles/findTables.ts"
import { isDated } from "./roles/knownColumns.ts"
import { askAboutEmptyColumns, askAboutRows, noteSearchedColumns, sentRoles } from "./sections/askAboutRows.ts"
import { askAboutHundredths } from "./sections/charges/askAboutCharges.ts"
import { amountOf, codeOfCharge } from "./sections/charges/findCharges.ts"
import { suggestInvoices } from "./sections/charges/suggestInvoices.ts"
import { suggestSectionMaps } from "./sections/suggestConceptMaps.ts"
import { suggestDiagnoses } from "./sections/suggestDiagnoses.ts"
import { suggestHistories } from "./sections/suggestHistories.ts"
import { suggestLaboratories } from "./sections/suggestLaboratories.ts"
import { assumeYears, suggestPatients } from "./sections/suggestPatients.ts"
import { suggestPrescriptions } from "./sections/suggestPrescriptions.ts"
import { suggestSoaps } from "./sections/suggestSoaps.ts"
import {
  askWhichCalendar,
  askWhichHospital,
  askWhichVisits,
  assumeBeginning,
  suggestEncounters,
  suggestVisits
} from "./sections/suggestVisits.ts"
import { askAboutOtherMeasures, askAboutTests, askAboutUnreadSigns } from "./sections/vitals/askAboutMeasures.ts"
import { suggestVitals } from "./sections/vitals/suggestVitals.ts"
import { splitWide } from "./splitWide.ts"
import { tableCase } from "./tableCase.ts"
import { TableDraft } from "./TableDraft.ts"
import { isOther, linkTo, namesVisit, type Role } from "./TableRole.ts"
import { born, columnWordsOf, isVisitColumnName, mentionsVisit } from "./words/columnWords.ts"
import { labRows, looksLike, moneyRows, unreadMoney } from "./words/looksLike.ts"
import { pathOf } from "./writePath.ts"

/** Suggests mapping lines for files that are not yet tables of the mapping. The lines extend the mapping `csv`. */
export const suggestTables = (
  tables: ReadonlyArray<TableProfile>,
  icd10: ReadonlyMap<string, string>,
  { year, zoneIsGuess }: { readonly year: number; readonly zoneIsGuess: boolean }
): Suggestions => {
  const undeclared = tables.filter(({ declared, rows }) => !declared && rows > 0)
  const order = dateOrderOf(undeclared)
  const unread = withOrder(undeclared, order)
  const without = tables.filter(({ declared, rows }) => !declared && rows === 0)
  if (unread.length === 0) return { overlay: "", substitutes: [], notes: unreadColumns(tables) }
  const { patients, questions, tables: split, visits } = splitWide(unread)
  const roles = rolesOf(split, { patients, visits, order })
  const draft = new TableDraft(roles)
  for (const role of roles) declare(role, draft)
  askAboutHeaders(unread, draft)
  askAboutFilesWithoutRows(without, draft)
  const visit = roles.find(({ table }) => table === visits)
  const patient = roles.find(({ table }) => table === patients)
  if (visit === undefined) {
    noteNoVisits(unread, draft)
    askAboutUnreadDates(roles, draft)
  } else {
    reachVisits(draft)
    askWhichVisits(visit, draft)
    askWhichHospital(visit, draft)
    askWhichCalendar(visit, year, draft)
    suggestVisits(visit, patient, draft)
    if (patient !== undefined) suggestPatients(patient, patient.table.file === visit.table.file, draft)
    assumeBeginning(visit, zoneIsGuess, draft)
    assumeYears(patient, draft)
    suggestEncounters(visit, draft)
    suggestDiagnoses(draft, icd10)
    suggestVitals(draft)
    askAboutUnreadSigns(draft)
    suggestSoaps(draft)
    suggestLaboratories(draft)
    askAboutOtherMeasures(draft)
    askAboutTests(draft)
    suggestPrescriptions(draft)
    suggestInvoices(draft)
    suggestHistories(draft)
    suggestSectionMaps(draft)
    noteUnusedTables(draft)
    askAboutSeries(visit, draft)
    askAboutRepeatedNames(draft)
    askAboutTimes(draft)
    askAboutUnreadDates(sentRoles(draft), draft)
    askAboutClocks(draft)
    askAboutRows(draft)
    askAboutEmptyColumns(draft)
    askAboutHundredths(draft)
    noteSearchedColumns(draft)
    assumeBeginnings(draft)
  }
  for (const [question, answer] of questions) draft.askWithoutLine(question, answer)
  if (patient === undefined) {
    draft.questions.push("which table has a row for each patient? None was found, and without one no visit is ready")
  }
  draft.notes.push(...doubtsAbout(unread))
  const guesses = guessesIn(roles)
  return {
    ...suggestionsIn(draft),
    ...(guesses.length === 0 ? {} : { guesses }),
    example: tableCase(visit, patient)
  }
}

/** Asks for the names of the columns of files whose first line is a row like the others. Nothing is recognised without names. */
const askAboutHeaders = (tables: ReadonlyArray<TableProfile>, draft: TableDraft): void => {
  const files = tables.filter(isWithoutHeader).map(({ file }) => printable(baseName(file)))
  if (files.length === 0) return
  draft.askWithoutLine(
    `what are the columns of ${
      files.join(", ")
    }? The first line is a row like the others, and no column is recognised by a number`,
    "Add a line with the names of the columns to each file, and run  init  again in a new folder"
  )
}

/** Asks about files without a row that can be read: nothing is recognised in them, and a later extract can have rows there. */
const askAboutFilesWithoutRows = (tables: ReadonlyArray<TableProfile>, draft: TableDraft): void => {
  const name = ({ file }: TableProfile): string => printable(baseName(file))
  const broken = tables.filter(({ unreadable }) => unreadable > 0)
  if (broken.length > 0) {
    draft.askWithoutLine(
      `how are the rows of ${
        broken.map((one) => `${name(one)} (${plural(one.unreadable, "row")})`).join(", ")
      } written? None of them can be read, and nothing of them is sent`,
      "Write cells with the delimiter in quotes, and run  init  again in a new folder"
    )
  }
  const empty = tables.filter(({ unreadable }) => unreadable === 0)
  if (empty.length > 0) {
    draft.askWithoutLine(
      `what will the rows of ${empty.map(name).join(", ")} be? There is none so far, and no table reads ${
        empty.length === 1 ? "this file" : "these files"
      }: a later extract with rows there is reported`,
      "Run  init  with a sample that has such rows; or declare the table; or leave the file out of the export"
    )
  }
}

/** Notes why no table was chosen for the visits. */
const noteNoVisits = (tables: ReadonlyArray<TableProfile>, draft: TableDraft): void => {
  draft.askWithoutLine(
    "which table has a row for each visit? None was found, and without one no visit is ready",
    "Name it  visit  under  table:  and give it its columns"
  )
  for (const table of tables) {
    const column = table.columns.find(({ filled, name, unique }) => filled > 0 && !unique && isVisitColumnName(name))
    if (column === undefined || !isNamedAfterVisits(table.name)) continue
    const repeats = Math.max(1, column.filled - column.different)
    draft.askWithoutLine(
      `is ${baseName(table.file)} the table of visits? ${plural(repeats, "row")} of ${table.rows} ${
        repeats === 1 ? "repeats" : "repeat"
      } the \`${printable(column.name)}\` of another, with another patient or beginning`,
      "Export one row for each visit, with a number of its own"
    )
  }
}

/** Whether a table has the names of the values of a column, such as `visit_types`. */
const hasNamesIn = (role: Role | undefined, names: Role): boolean =>
  role?.links.some(({ foreignKey, target }) =>
    target === names.name &&
    role.columns.some(({ column }) => column.name === foreignKey.column && column.names !== undefined)
  ) === true

/** Drafts how the rows of the other tables reach the visit. Rows that refer to no visit are placed by the section that reads them, if one does. */
const reachVisits = (draft: TableDraft): void => {
  for (const role of draft.roles) {
    if (!isOther(role) || namesVisit(role) && !draft.namesSomeVisits(role)) continue
    const through = draft.linkThrough(role)
    const target = draft.role(through?.target)
    if (namesVisit(role)) {
      if (through !== undefined && target !== undefined && namesVisit(target)) {
        draft.put(
          ["grouping", "link", role.name],
          `[visit, ${through.name}.resolve().visit]`,
          "some rows name the visit, others another row of it"
        )
      }
    } else if (through !== undefined && target !== undefined && namesVisit(target)) {
      draft.put(["grouping", "link", role.name], `${through.name}.resolve().visit`, "through the row it names")
    } else draft.put(["grouping", "link", role.name], "null", "refers to no visit")
  }
}

/** Notes the tables that no section reads, and asks about those that look like a part of visits. */
const noteUnusedTables = (draft: TableDraft): void => {
  for (const role of draft.roles) {
    if (!isOther(role) || draft.used.has(role)) continue
    const alike = draft.roles.find((other) =>
      role.table.isPart !== true && (!isOther(other) || draft.used.has(other)) && haveSameColumns(role, other)
    )
    if (alike !== undefined) {
      const files = fileNamesOf(role.table).map((name) => quotedText(printable(name))).join(", ")
      draft.askWithoutLine(
        `are the rows of \`${role.name}\` (${
          plural(role.table.rows, "row")
        } in ${files}) more rows of \`${alike.name}\`, which has the same columns? They are not sent`,
        `If they are, and no key is in both, add ${files} to  table: {${alike.name}: {file: […]}}  and remove \`${role.name}\` with the lines that name it`
      )
      continue
    }
    const words = columnWordsOf(role.table.name)
    if (/\bidentifiers?\b/u.test(words)) {
      draft.askWithoutLine(
        `does the service know patients by a number of \`${role.name}\` (${
          plural(role.table.rows, "row")
        })? The key of \`patient\` is sent as \`patient_code\``,
        "If it does, export that number as a column of the patients"
      )
      continue
    }
    if (isNamedAfterVisits(role.table.name) && role.table.columns.some(isDated)) {
      draft.askWithoutLine(
        `are the rows of \`${role.name}\` (${plural(role.table.rows, "row")} in ${
          printable(baseName(role.table.file))
        }) visits, too, or stays of the visits? They are not sent: only the rows of \`visit\` are visits`,
        "If they are visits, export all visits as one table, or convert each of the two with a facility folder of its own. If they are stays, write a branch of  inpatients:"
      )
      continue
    }
    const kind = role.table.isPart === true ? undefined : looksLike(role.table)
    // A question about one of its columns is enough, unless charges or results are missing.
    if (
      kind !== moneyRows && kind !== labRows && draft.questions.some((question) => question.includes(`\`${role.name}.`))
    ) continue
    // Rows that link other rows to the patient or visit are already in use.
    if ([...draft.used].some(({ links }) => links.some(({ target }) => target === role.name))) continue
    if (kind !== moneyRows && [draft.role("visit"), draft.role("patient")].some((one) => hasNamesIn(one, role))) {
      continue
    }
    const isLinked = draft.reachesVisits(role) || linkTo(role, "patient") !== undefined
    if (kind !== undefined) {
      const money = unreadMoney(role.table)
      draft.askWithoutLine(
        `how should the rows of \`${role.name}\` (${plural(role.table.rows, "row")}) be sent? They look like ${kind}${
          isLinked ? "" : " and refer to no visit"
        }${
          money.length === 0
            ? ""
            : `, with ${money.join(", ")} without plain numbers: export the amounts as numbers`
        }. No line reads them, and nothing of them is sent`,
        howToSend(role, { isLinked, isMoney: kind === moneyRows }, draft)
      )
    } else if (draft.reachesVisits(role)) {
      draft.askWithoutLine(
        `how should the rows of \`${role.name}\` (${
          plural(role.table.rows, "row")
        }) be sent? No part of the Visit was recognised in them. No line reads them, and nothing of them is sent`,
        howToSend(role, { isLinked: true, isMoney: false }, draft)
      )
    } else if (isLinked) {
      draft.notes.push(
        `rows of \`${role.name}\` (${
          plural(role.table.rows, "row")
        }) are read but not sent: no part of the Visit was recognised in them`
      )
    }
  }
}

/** Returns what the rows of a table need, so that they can be sent. */
const howToSend = (
  role: Role,
  { isLinked, isMoney }: { readonly isLinked: boolean; readonly isMoney: boolean },
  draft: TableDraft
): string => {
  if (!isLinked) {
    const names = role.columns.flatMap(({ column, name }) =>
      column.filled > 0 && mentionsVisit(column.name) ? [`\`${name}\``] : []
    )
    return names.length === 0
      ? "Add the number of the visit to the export"
      : `${
        names.join(" and ")
      } may be meant for the visit, but the values are not its codes: export the same numbers in both tables, with their leading zeros and without additions`
  }
  const finder = draft.finder(role)
  return isMoney && amountOf(finder) !== undefined && codeOfCharge(finder) === undefined
    ? "No column has codes of what was charged, and each line of an invoice needs one: add it to the export as `item_code`"
    : "Add the columns that its section needs, or write its lines: docs/csv.md has examples"
}

/**
 * Asks about numbered columns of visits, such as `drug1` and `drug2`, that no line reads. Each has a part of the visit that other extracts
 * have in a row of its own.
 */
const askAboutSeries = (visit: Role, draft: TableDraft): void => {
  const unread = visit.columns.flatMap(({ column, name }) => {
    const [, series] = /^(.*\p{L}.*?)[ _-]?\d{1,2}$/u.exec(column.name.trim()) ?? []
    return series === undefined || column.filled === 0 || draft.reads(visit, pathOf(name)) ? [] : [{ column, series }]
  })
  const series = [...Map.groupBy(unread, (one) => one.series)].filter(([, columns]) => columns.length > 1)
  if (series.length === 0) return
  const listed = series.map(([name, columns]) => `\`${printable(name)}\` (${plural(columns.length, "column")})`)
  draft.askWithoutLine(
    `how should the numbered columns of \`visit\` be sent? ${
      listed.join(", ")
    }. No line reads them, and nothing of them is sent`,
    "Export a row for each in a table of its own, with the number of the visit; or write a branch for each number under  unionAll:  as for the diagnoses"
  )
}

/**
 * Asks about columns with the name of another column of their table, also with another number: `code` and `code`, `dx1` and `dx2`. A line
 * reads only one of them. The numbered columns of visits have a question of their own.
 */
const askAboutRepeatedNames = (draft: TableDraft): void => {
  const unread = sentRoles(draft).flatMap((role) =>
    [
      ...Map.groupBy(
        role.columns.filter(({ column }) => column.filled > 0),
        ({ column: { name } }) =>
          foldedName(isOther(role) ? name.trim().replace(/(?<=\p{L})[ _-]?\d{1,2}$/u, "") : name)
      ).values()
    ].flatMap(([first, ...others]) =>
      first === undefined || others.length === 0
        ? []
        : (isOther(role) ? [first, ...others] : others).filter(({ name }) => !draft.reads(role, pathOf(name))).map((
          { column, name }
        ) => `\`${role.name}.${name}\` (${printable(column.name)})`)
    )
  )
  if (unread.length === 0) return
  draft.askWithoutLine(
    `how should columns be sent that have the name of another column of their table?  ${
      unread.join(", ")
    }. No line reads them, and nothing of them is sent`,
    "Export a row for each, or write a branch for each under  unionAll:  in their section"
  )
}

/** Whether two files have the same names of columns. Numbers of columns are no names. */
const haveSameColumns = ({ table: { columns } }: Role, { table: other }: Role): boolean =>
  columns.length === other.columns.length &&
  columns.every(({ name }, at) =>
    foldedName(name) === foldedName(other.columns[at]?.name ?? "") && name !== String(at + 1)
  )

/** Adds a question for times that no line of a section reads: another time may be sent in their place. */
const askAboutTimes = (draft: TableDraft): void => {
  const times = [...draft.used].flatMap((role) =>
    role.columns.flatMap(({ column, name }) =>
      role.name !== "visit" && isDated(column) && column.filled > 0 && !born.test(columnWordsOf(column.name)) &&
        !/\b(?:created|updated|modified|printed|expir\w*)\b/u.test(columnWordsOf(column.name)) &&
        !draft.reads(role, pathOf(name))
        ? [`\`${role.name}.${name}\``]
        : []
    )
  )
  if (times.length === 0) return
  draft.questions.push(
    `which times are ${times.join(", ")}? No line reads them; fields without a time of their own get a different one`
  )
}

/** Asks about columns that are called after dates, and whose cells are not read as dates: another time is sent, or none. */
const askAboutUnreadDates = (roles: ReadonlyArray<Role>, draft: TableDraft): void => {
  const found = roles.flatMap((role) =>
    role.columns.flatMap(({ column: { filled, unreadDates }, name }) =>
      unreadDates === undefined || draft.reads(role, pathOf(name))
        ? []
        : [`\`${role.name}.${name}\` (${number(unreadDates)} of ${number(filled)} cells)`]
    )
  )
  if (found.length === 0) return
  draft.askWithoutLine(
    `how are the dates of these columns written?  ${
      found.join(", ")
    }. No format of dates was recognised, and they are not read: where a time is needed, the time of something else is sent, or none`,
    "Export them as 2026-03-02 08:15, or write their type and format, such as  {type: timestamp, format: DD/MM/YYYY HH:mm}. Counts of seconds since 1970, and months named in other languages than English, have no format"
  )
}

/** Fewer times do not show whether their clock has 12 hours. */
const minTimes = 5

/**
 * Asks about times of which none is in the afternoon and some are before 7 in the morning. An afternoon written without AM and PM looks like
 * them, and so does one of UTC east of it.
 */
const askAboutClocks = (draft: TableDraft): void => {
  const times = sentRoles(draft).flatMap((role) =>
    role.columns.flatMap(({ column: { early, filled }, name }) =>
      early !== undefined && filled >= minTimes &&
        (draft.reads(role, pathOf(name)) || !isOther(role) && name.endsWith("_at"))
        ? [`\`${role.name}.${name}\` (${number(early)} of ${number(filled)})`]
        : []
    )
  )
  if (times.length === 0) return
  draft.askWithoutLine(
    `are these times of a clock with 24 hours, and of the time zone of the facility? No hour is above 12, and some are before 7:  ${
      times.join(", ")
    }. They are read as times before noon`,
    "If afternoons are among them, export the times with 24 hours, or with AM and PM (`h:mm A`). If they are of UTC, export them with `Z` at the end"
  )
}

/** Lists the columns whose numbers are read by an assumption about how they are written. */
const guessesIn = (roles: ReadonlyArray<Role>): ReadonlyArray<string> =>
  ([[true, "thousands"], [undefined, "decimals"]] as const).flatMap(([grouped, meaning]) => {
    const names = roles.flatMap(({ columns, name: table }) =>
      columns.flatMap(({ column, name, yaml }) =>
        column.either !== undefined && column.grouped === grouped && /\b(?:integer|decimal)\b/u.test(yaml)
          ? [`${table}.${name}`]
          : []
      )
    )
    return names.length === 0
      ? []
      : [
        `verify numbers such as 15.000 or 15,000, read as ${meaning}: ${names.slice(0, 6).join(", ")}${
          names.length > 6 ? " …" : ""
        }`
      ]
  })

/** Notes about the files that only people can decide. */
const doubtsAbout = (tables: ReadonlyArray<TableProfile>): ReadonlyArray<string> =>
  tables.flatMap((table) => {
    const file = fileNamesOf(table).map((name) => `\`${printable(name)}\``).join(", ")
    return [
      ...(table.unreadable > 0 ? [`${plural(table.unreadable, "row")} of ${file} cannot be read`] : []),
      ...(table.keyFaults === undefined ? [] : [
        `${plural(table.keyFaults, "row")} of ${file} ${table.keyFaults === 1 ? "has" : "have"} no value in the key \`${
          printable(table.keys[0] ?? "")
        }\`, or that of another row: correct the export`
      ]),
      ...(table.guessed ? [`${file} is not UTF-8; it was read as ${table.encoding}: check the names in it`] : [])
    ]
  })

/** Columns that the mapping does not read, in files that it reads. */
const unreadColumns = (tables: ReadonlyArray<TableProfile>): ReadonlyArray<string> =>
  tables.flatMap(({ columns, file }) => {
    const unread = columns.filter(({ filled, read }) => read === false && filled > 0).map(({ name }) =>
      `\`${printable(name)}\``
    )
    return unread.length === 0 ? [] : [`columns of ${printable(file)} that no line reads: ${unread.join(", ")}`]
  })
