import { number, plural } from "../../../../diagnostic/count.ts"
import { printable } from "../../../../diagnostic/render/printable.ts"
import { assumedPath, assumedProvided, assumedValue } from "../../draft/assumptions.ts"
import { quotedText } from "../../draft/Draft.ts"
import { countItems } from "../../Findings.ts"
import { isEmergency, sexIn, sideOf } from "../columns/guessColumn.ts"
import { joinedYaml, percentageOf } from "../declareTable.ts"
import { isNamedAfterStays } from "../roles/findTables.ts"
import { isDated, mayBeOfVisit } from "../roles/knownColumns.ts"
import { decisionOf, emptyCell, stateConditions, type TableDraft, wordCondition } from "../TableDraft.ts"
import { columnCodesAt, columnOf, type Declared, hasColumn, isOther, linkTo, type Role } from "../TableRole.ts"
import { voidColumns } from "../voidColumns.ts"
import {
  begins,
  born,
  columnWordsOf,
  ends,
  isMoney,
  isVisitColumnName,
  namesHospital,
  namesPatient,
  namesState,
  otherTimes,
  visitDates
} from "../words/columnWords.ts"
import { pathOf, recordedAt, yamlOf } from "../writePath.ts"
import {
  mappedVisitFields,
  openCodes,
  patientFields,
  suggestBothEnds,
  suggestConceptMaps,
  suggestNationality,
  whatCodesMean
} from "./suggestConceptMaps.ts"
import { complaintOf } from "./vitals/suggestTriages.ts"

/** Drafts what the visit needs beyond its columns: code table rows, and substitutes for values that the extract never has. */
export const suggestVisits = (visit: Role, patient: Role | undefined, draft: TableDraft): void => {
  noteMissingPatients(visit, draft)
  // Otherwise nothing of the visits is read.
  if (!hasColumn(visit, "patient_code")) draft.put(["table", "visit", "column", "patient_code"], "{optional: true}")
  draft.substitute(
    ["visit", "health_facility_code"],
    `{path: ["%facility"], default: ${assumedValue(draft, "HF-UNKNOWN", "facility-is-not-set")}}`,
    "set  facility:  in facility.yaml, and remove this line"
  )
  suggestCodes(
    patient,
    {
      column: "sex",
      field: ["patient", "sex"],
      own: ["M", "F"],
      meaningOf: sexIn(columnOf(patient, "sex")?.column.name ?? "")
    },
    draft
  )
  suggestCodes(
    visit,
    { column: "visit_type", field: ["visit_type"], own: ["OPD", "IPD"], meaningOf: sideOf, list: "visit_types" },
    draft
  )
  suggestConceptMaps(visit, mappedVisitFields, draft)
  suggestBothEnds(visit, draft)
  suggestConceptMaps(patient, patientFields, draft)
  suggestNationality(patient, draft)
  const stays = staysOf(visit, draft)
  if (stays !== undefined) {
    draft.use(stays.role)
    draft.ask(
      ["visit", "visit_type"],
      quotedText(`iif(${stays.rows}.exists(), 'IPD', 'OPD')`),
      `are the visits with a row in \`${stays.role.name}\` (${
        plural(stays.role.table.rows, "row")
      }) stays? They are sent as IPD${
        stays.end === undefined ? "" : ` that end at its \`${stays.end.name}\``
      }, the others as OPD`
    )
  } else if (!hasColumn(visit, "visit_type")) {
    const stay = areStays(visit)
    const isLong = "discharged_at.toDateTime() > admitted_at.toDateTime() + '1 day'.toQuantity()"
    draft.substitute(
      ["visit", "visit_type"],
      stay
        ? `{default: ${assumedValue(draft, "IPD", "visit-without-type-is-inpatient")}}`
        : hasColumn(visit, "discharged_at")
        ? `[${assumedPath(draft, `iif(${isLong}, {}, 'OPD')`, "short-visit-without-type-is-outpatient")}]`
        : `{default: ${assumedValue(draft, "OPD", "visit-without-type-is-outpatient")}}`,
      `no column shows whether they stayed${stay ? "; the file is named after stays" : ""}`
    )
  }
  suggestVisitCode(visit, draft)
  askAboutDays(visit, draft)
  suggestEnd(visit, draft)
}

interface CodedColumn {
  readonly column: string
  readonly field: ReadonlyArray<string>
  /** The service's own values, for a map without rows: a map needs at least one. */
  readonly own: ReadonlyArray<string>
  readonly list?: string
  readonly meaningOf: (
    code: string,
    others: ReadonlyArray<string>
  ) => readonly [value: string, doubt?: string] | undefined
}

/** Drafts a concept map that rejects unmapped codes, with a row for each code whose meaning is recognized. */
const suggestCodes = (
  role: Role | undefined,
  { column, field, list, meaningOf, own }: CodedColumn,
  draft: TableDraft
): void => {
  if (!hasColumn(role, column)) return
  const map = ["conceptMap", column]
  const named = [...columnOf(role, column)?.column.names ?? []].flatMap(([code, name]) => {
    const [value] = meaningOf(name, []) ?? []
    return value === undefined ? [] : [{ code, name, value }]
  })
  for (const { code, name, value } of named) draft.put([...map, "table", code], value, `\`${printable(name)}\``)
  const codes = named.length > 0 ? [] : columnCodesAt(role, column)
  const all = codes.map(([code]) => code)
  const rows = codes.flatMap(([code, count]) => {
    const meaning = meaningOf(code, all)
    return meaning === undefined ? [] : [{ code, count, meaning }]
  })
  for (const { code, count, meaning: [value, doubt] } of rows) {
    const row = [...map, "table", code]
    if (doubt === undefined) draft.put(row, value, plural(count, "row"))
    else draft.doubt(row, value, `${plural(count, "row")}; ${doubt}`)
  }
  if (rows.length === 0 && named.length === 0) {
    for (const value of own) draft.put([...map, "table", value], value)
  }
  draft.put([...map, "unmapped"], "reject")
  if (list !== undefined) draft.put([...map, "list"], list)
  draft.put(["visit", ...field], `{path: ${column}, conceptMap: ${column}}`)
}

const noteMissingPatients = ({ columns, links, table }: Role, draft: TableDraft): void => {
  const link = links.find(({ target }) => target === "patient")?.foreignKey
  if (link === undefined) {
    const numbers = columns.filter(({ column: { filled, name } }) => filled > 0 && namesPatient(name)).map(({ name }) =>
      `\`${name}\``
    )
    const missing =
      `no column of \`${table.name}\` refers to a row of the patients: without a patient no visit is ready`
    if (numbers.length === 0) draft.notes.push(missing)
    else {
      draft.askWithoutLine(
        `why has ${numbers.join(", ")} no number of a patient? N${missing.slice(1)}`,
        "Export the same numbers in both tables, with their leading zeros and without additions such as `.0`"
      )
    }
  } else if (link.orphans > 0) {
    draft.notes.push(`${percentageOf(link.orphans)} of the visits refer to a patient that is not in the export`)
  }
}

/** Asks which column is the beginning if no name shows it, and declares that a time zone is a guess. One line can have only one assumption. */
export const assumeBeginning = (visit: Role, zoneIsGuess: boolean, draft: TableDraft): void => {
  const start = columnOf(visit, "admitted_at")
  if (start === undefined) return
  const words = columnWordsOf(start.column.name)
  const others = begins.test(words) || visitDates.test(words) ? [] : possibleEnds(visit)
  const hasNoOffset = zoneIsGuess && start.column.dates.some(({ offset }) => offset === "none")
  if (others.length === 0 && !hasNoOffset) return
  const path = ["visit", "admitted_at"]
  const yaml = `[${assumedPath(draft, "admitted_at", hasNoOffset ? "time-zone-is-a-guess" : "beginning-is-a-guess")}]`
  if (others.length === 0) draft.put(path, yaml)
  else {
    draft.ask(
      path,
      yaml,
      `which column is the beginning of the visit? \`${printable(start.column.name)}\` is used; others: ${
        filledColumns(others, visit)
      }`
    )
  }
}

const filledColumns = (columns: ReadonlyArray<Declared>, { table }: Role): string =>
  columns.map(({ column: { filled, name } }) =>
    `\`${printable(name)}\` (${number(filled)} of ${plural(table.rows, "row")})`
  ).join("; ")

/** Asks about beginnings that are a day without a time of day, also with 00:00 for each. */
const askAboutDays = (visit: Role, draft: TableDraft): void => {
  const start = columnOf(visit, "admitted_at")
  for (const name of ["admitted_at", "discharged_at"] as const) {
    const { clock, column } = columnOf(visit, name) ?? {}
    const isEach = column?.midnight === true && column.filled > 2
    if (column === undefined || clock !== undefined || !isEach && column.midnights === undefined) continue
    draft.askWithoutLine(
      `at which time of day do visits ${name === "admitted_at" ? "begin" : "end"}? ${
        isEach
          ? `Each cell of \`${printable(column.name)}\` has`
          : `${number(column.midnights ?? 0)} of ${plural(column.filled, "cell")} of \`${printable(column.name)}\` have`
      } 00:00, which is sent`,
      `If another column has the time, export both in one, or the day without 00:00`
    )
  }
  const days = start === undefined ? 0 : daysIn(start, visit)
  if (days === 0) return
  draft.askWithoutLine(
    `at which time of day do visits begin? ${plural(days, "cell has", "cells have")} only a day, and 00:00 is sent`,
    "If another column has the time, read both:  admitted_at: {type: timestamp, from: [DATE, TIME], format: …}"
  )
}

/** Counts the cells that are a day without a time of day. Without its time, a day that has a format with the time is no date. */
const daysIn = ({ clock, column: { dates, filled }, yaml }: Declared, { table }: Role): number =>
  clock === undefined
    ? dates.reduce((sum, { count, timed }) => sum + (timed ? 0 : count), 0)
    : yaml.includes("format")
    ? 0
    : Math.max(0, filled - (table.columns.find(({ name }) => name === clock)?.filled ?? 0))

/** Adds questions: for ends that are a day without a time of day, and for the column of the end if no name shows it. */
const suggestEnd = (visit: Role, draft: TableDraft): void => {
  const end = columnOf(visit, "discharged_at")
  if (end === undefined) {
    const ends = possibleEnds(visit)
    if (ends.length > 0) {
      // Without an answer the end is missing: the beginning would be a wrong end.
      draft.ask(
        ["visit", "discharged_at"],
        "[discharged_at]",
        `which column is the end of the visit? Name it \`discharged_at\`:  ${filledColumns(ends, visit)}`
      )
    } else {
      const stays = staysOf(visit, draft)
      draft.substitute(
        ["visit", "discharged_at"],
        endYaml(stays, draft),
        `no column has the end${stays?.end === undefined ? "" : " of other visits than stays"}: the beginning is sent`
      )
      draft.put(["visit", "updated_at"], `[updated_at, ${recordedAt("admitted_at")}]`)
    }
    return
  }
  const days = daysIn(end, visit)
  if (days === 0) return
  const question = `${
    plural(days, "visit ends", "visits end")
  } on a day without a time of day: is the end of that day right?`
  draft.put(["time", "partialEnd"], "end-of-day", `QUESTION ${question}`)
  draft.questions.push(`${question} (\`time: partialEnd\`)`)
}

/** The dates and times of a visit that nothing reads and whose names do not show that they are something else. */
const possibleEnds = ({ columns }: Role): ReadonlyArray<Declared> =>
  columns.filter(({ column, name }) =>
    (mayBeOfVisit(column) || column.unreadDates !== undefined && ends.test(columnWordsOf(column.name))) &&
    name !== "admitted_at" && !otherTimes.test(columnWordsOf(column.name)) &&
    !/\bregist\w*/u.test(columnWordsOf(column.name)) && !born.test(columnWordsOf(column.name))
  )

/** If no column numbers the visits, patient and time form the visit code. */
const suggestVisitCode = (visit: Role, draft: TableDraft): void => {
  if (hasColumn(visit, "code")) return
  const code = ["table", "visit", "column", "code"]
  if (visit.table.pair !== undefined) {
    draft.doubt(code, joinedYaml(visit.table.pair), "unique together")
    return
  }
  const who = visit.table.columns.find(({ name }) =>
    name === visit.links.find(({ target }) => target === "patient")?.foreignKey.column
  )
  const day = columnOf(visit, "admitted_at")
  if (who === undefined || day === undefined) {
    draft.askWithoutLine(
      `which column of \`${visit.table.name}\` numbers the visits? None is a unique key, and without one no visit is read`,
      "Visits need a code that never changes: name it  code  under  table: {visit: {column: …}}"
    )
    return
  }
  const repeated = visit.table.columns.find(({ different, filled, name }) =>
    different < filled && isVisitColumnName(name)
  )
  draft.ask(
    code,
    joinedYaml([who.name, day.column.name, ...(day.clock === undefined ? [] : [day.clock])]),
    `${
      repeated === undefined
        ? "no column numbers the visits"
        : `${plural(repeated.filled - repeated.different, "row repeats", "rows repeat")} the \`${
          printable(repeated.name)
        }\` of another with another patient or beginning`
    }, so patient and time are sent as the code: are they the same in every export?${
      repeated === undefined
        ? ""
        : " If such rows are parts of one visit, such as its wards, export one row for each visit"
    }`
  )
}

/** Asks which rows of the table of visits took place, by a status column. */
export const askWhichVisits = (visit: Role, draft: TableDraft): void => {
  for (const { column, condition, key, question } of voidColumns(visit)) {
    const path = ["grouping", "where", key]
    if (question === undefined) draft.put(path, quotedText(condition), `\`${column}\` rows are no visits`)
    else draft.ask(path, quotedText(condition), question)
  }
  const word = wordCondition(visit)
  if (word !== undefined) {
    draft.put(["grouping", "where", "word"], quotedText(word), "rows with a word for what was cancelled")
  }
  for (const { column, condition, counts, isAll, isEnd, key, ...decision } of stateConditions(visit)) {
    draft.decide(decision)
    const isAsked = !isEnd || !isAll
    draft.put(
      ["grouping", "where", key],
      quotedText(condition),
      isAsked ? `QUESTION which of these are visits that took place?  ${counts}` : "no other word is sent"
    )
    if (isAsked) draft.questions.push(`which rows of \`visit\` took place, by \`${column}\`?  ${counts}`)
  }
}

/**
 * Asks about the calendar if the newest visit is years away from the present year. Ethiopian years are 7 or 8 less, so each date looks
 * possible; years of other calendars reject their visits.
 */
export const askWhichCalendar = (visit: Role, year: number, draft: TableDraft): void => {
  const years = columnOf(visit, "admitted_at")?.column.dates.flatMap(({ newestYear }) => newestYear ?? []) ?? []
  const newest = Math.max(...years)
  if (years.length === 0 || (newest > year - 5 && newest <= year + 1)) return
  draft.askWithoutLine(
    `are the years of \`visit.admitted_at\` of the Gregorian calendar? The newest is ${newest}, and now it is ${year}`,
    "If they are not, export Gregorian dates: of other calendars, only the Buddhist one can be read (`calendar: buddhist`)"
  )
}

/** Asks whether visits of several hospitals belong to the facility: all are sent as visits of the one in `facility.yaml`. */
export const askWhichHospital = ({ columns }: Role, draft: TableDraft): void => {
  const found = columns.find(({ column: { different, filled, name } }) =>
    namesHospital(name) && different > 1 && filled > 0
  )
  if (found === undefined) return
  const { column: { codes, different }, name } = found
  const counts = countItems(codes.slice(0, 4))
  const others = different - counts.length
  const shown = counts.length === 0 || others <= 0 ? counts : [...counts, plural(others, "other")]
  draft.askWithoutLine(
    `rows of \`visit\` are of ${
      number(different)
    } hospitals, by \`${name}\`: do all of them belong to this facility?  ${shown.join(", ")}`,
    `To send only one:  grouping: {where: {hospital: "${pathOf(name)} = '${printable(codes[0]?.[0] ?? "CODE")}'"}}`
  )
}

/** Whether a table without visit types has a name that means inpatient stays. */
const areStays = (visit: Role): boolean => !hasColumn(visit, "visit_type") && isNamedAfterStays(visit.table.name)

/**
 * Finds the table of stays whose rows refer to visits, if no column of the visits has their type. Returns the path from a visit to its stay,
 * and the column of the end. If each visit has such a row, the table does not show which visits are stays.
 */
const staysOf = (visit: Role, draft: TableDraft) => {
  if (hasColumn(visit, "visit_type")) return undefined
  const role = draft.roles.find((one) => {
    const column = linkTo(one, "visit")?.foreignKey.column
    return isOther(one) && areStays(one) && one.table.rows < visit.table.rows &&
      one.table.columns.some(({ name, unique }) => name === column && unique)
  })
  if (role === undefined) return undefined
  const end = role.columns.find(({ column }) => mayBeOfVisit(column) && ends.test(columnWordsOf(column.name)))
  return { role, end, rows: draft.rowsThatCount(role, `reverseResolve('${role.name}.visit')`) }
}

/** The end of a visit without a column for it: that of its stay, or the beginning. A patient who stays has no end yet. */
const endYaml = (stays: ReturnType<typeof staysOf>, draft: TableDraft): string =>
  stays?.end === undefined
    ? `[${assumedPath(draft, "admitted_at", "beginning-is-end")}]`
    : `{path: [${quotedText(`${stays.rows}.${pathOf(stays.end.name)}`)}, ${
      assumedPath(draft, `iif(${stays.rows}.exists(), {}, admitted_at)`, "beginning-is-end")
    }], take: first}`

/** Each visit is its own encounter; its type decides whether it is inpatient, outpatient or emergency. */
export const suggestEncounters = (visit: Role, draft: TableDraft): void => {
  const type = columnOf(visit, "visit_type")
  const stays = staysOf(visit, draft)
  if (stays !== undefined) {
    const { rows } = stays
    const outpatients = `%visit.where(${rows}.empty())`
    suggestEncounter(visit, { list: "outpatients", where: outpatients, name: "Outpatient visit" }, draft)
    suggestEncounter(visit, { list: "inpatients", where: `%visit.where(${rows}.exists())`, name: "Stay" }, draft)
    return
  }
  if (type === undefined) {
    suggestEncounter(
      visit,
      areStays(visit)
        ? { list: "inpatients", where: "%visit", name: "Stay" }
        : { list: "outpatients", where: "%visit", name: "Outpatient visit" },
      draft
    )
    return
  }
  const { names } = type.column
  const codes = names !== undefined ? [...names.keys()] : type.column.codes.length === 0 ? ["OPD", "IPD"] : []
  const emergency = decisionOf(
    { role: visit, column: type, codes, names, path: "visit_type", of: "emergency" },
    (code) => {
      const word = names?.get(code) ?? code
      const isYes = isEmergency(word)
      const isUnknown = sideOf(word) === undefined
      // A number or a letter can mean any type of visit; a word that is unknown is more likely that of a department.
      return code === emptyCell || isUnknown && !/\p{L}{3}/u.test(word) ? undefined : [isYes, isYes || isUnknown]
    }
  )
  draft.decide(emergency)
  const isStay = "visit_type.translated('visit_type') = 'IPD'"
  const among = (condition: string): string => `%visit.where(${condition})`
  suggestEncounter(
    visit,
    { list: "outpatients", where: among(`(${isStay} or ${emergency.condition}).not()`), name: "Outpatient visit" },
    draft
  )
  suggestEncounter(visit, { list: "inpatients", where: among(isStay), name: "Stay" }, draft)
  suggestEncounter(visit, { list: "emergencies", where: among(emergency.condition), name: "Emergency visit" }, draft)
}

/** Whether a column has the unit of a number rather than a part of the hospital, by its name: `Weight Unit`, and not `Care Unit`. */
const isUnitOfMeasure = (name: string): boolean => {
  const words = columnWordsOf(name)
  return /\bunite?s?\b/u.test(words) &&
    !/^(?:(?:admi\w*|admitting|care|current|first|last|from|to|hospital|health|inpatient|medical|nursing|org\w*|service|treating|visit|ward|clinical|discharge) )*unite?(?: (?:code|name|id|no|nom|desc\w*|de soins?|medicale|fonctionnelle))?$/u
      .test(words)
}

/** Whether a column has departments, by its name. A time, an amount, a state or a person of a department is none. */
const isOfService = (one: Pick<Declared, "column"> | undefined): boolean =>
  one !== undefined && !isDated(one.column) && !isMoney(one.column.name) &&
  !namesState(one.column.name) &&
  !/\b(?:date|time|dt|by|purchaser|payer|provider|doctor|physician|nurse|head|count|days|los|requested|performed)\b/u
    .test(columnWordsOf(one.column.name)) &&
  /\b(?:dept?|department|departement|departamento|clinic|ward|services?|servicio|servico|unit|unite|poli(?:klinik)?|khoa)\b/u
    .test(columnWordsOf(one.column.name))

/** The department of a visit, by its name. A code without a name is sent by an assumption. */
const serviceYaml = (visit: Role, draft: TableDraft): string => {
  const service = visit.columns.find(({ column, name }) =>
    name !== "visit_type" && !isUnitOfMeasure(column.name) && isOfService({ column })
  )
  // The types of visits can be in a column of departments.
  if (service === undefined) return isOfService(columnOf(visit, "visit_type")) ? "visit_type" : "null"
  const { codes, different, filled, name, numbered, numbers, withheld } = service.column
  const path = pathOf(service.name)
  const link = visit.links.find(({ foreignKey }) => foreignKey.column === name)
  const target = draft.role(link?.target)
  const nameColumn = target === undefined
    ? undefined
    : draft.finder(target).own(namesOfServices, ({ column }) => column.name !== target.table.keys[0])
  if (link !== undefined && nameColumn !== undefined) {
    return `[${yamlOf(`${link.name}.resolve().${pathOf(nameColumn.name)}`)}, {path: ${
      quotedText(path)
    }, warn: "the code in place of the name"}]`
  }
  const isCode = numbers === filled || numbered === true || /\b(?:code|id)\b/u.test(columnWordsOf(name))
  if (filled === 0 || !isCode) return path
  const unmapped = ["conceptMap", "service_type", "unmapped"]
  // Each list of encounters reads the column.
  if (draft.at(unmapped) === undefined) {
    const shown = openCodes(codes, withheld) ?? plural(different, "value")
    draft.ask(unmapped, assumedProvided(draft), whatCodesMean(`visit.${service.name}`, "service_type", shown))
  }
  return `{path: ${yamlOf(path)}, conceptMap: service_type}`
}

const namesOfServices = [
  /\b(?:names?|nom|nombre|nome|nama|label|libelle|description|descripcion|descricao)\b/u,
  /^(?:dept?|department|departement|departamento|clinic|ward|service|servicio|servico|unit|unite|poli(?:klinik)?|khoa)$/u
]

const suggestEncounter = (
  visit: Role,
  { list, name, where }: {
    readonly list: "outpatients" | "inpatients" | "emergencies"
    readonly where: string
    readonly name: string
  },
  draft: TableDraft
): void => {
  const { put } = draft.section("visit", list)
  put("forEach", quotedText(where), "each visit is an encounter of its own")
  put("code", quotedText("keyOf('encounter')"))
  put("name", `{value: ${name}}`)
  put("service_type", serviceYaml(visit, draft))
  const who = draft.finder(visit).staff()
  put("encountered_by", yamlOf(who?.name))
  put("title", yamlOf(who?.title))
  put("symptoms", complaintOf(visit) ?? "null")
  put("started_at", "admitted_at")
  const record = (field: "created_at" | "updated_at", path: string): string =>
    hasColumn(visit, field) ? `[${field}, ${recordedAt(path)}]` : recordedAt(path)
  put("created_at", record("created_at", "admitted_at"))
  const hasEnd = hasColumn(visit, "discharged_at") || possibleEnds(visit).length > 0
  put("ended_at", hasEnd ? "discharged_at" : endYaml(staysOf(visit, draft), draft))
  put("updated_at", record("updated_at", hasEnd ? "discharged_at" : "admitted_at"))
}
