import { type DateShape, readable } from "./columns/DateShapes.ts"
import { sexIn, sideOf } from "./columns/guessColumn.ts"
import { isWithoutHeader } from "./declareTable.ts"
import type { ColumnProfile } from "./facts/TableProfile.ts"
import { emptyCell, stateConditions } from "./TableDraft.ts"
import type { Role } from "./TableRole.ts"
import { columnCodesAt, columnOf, hasColumn } from "./TableRole.ts"
import { voidColumns } from "./voidColumns.ts"
import { isYear, namesVoid } from "./words/columnWords.ts"

/**
 * Writes a first case: a made-up patient with a visit, in files with the headers of the export. If no table of visits was found, that of the
 * canonical extract has the visit.
 */
export const tableCase = (visit: Role | undefined, patient: Role | undefined): string => {
  const sheet = (role: Role, ...parts: ReadonlyArray<readonly [Role, Readonly<Record<string, string>>]>): string => {
    // Every column keeps its position, because some are referred to by number.
    const stated = new Map(
      parts.flatMap(([role, values]) =>
        role.columns.flatMap(({ column, name }): ReadonlyArray<readonly [string, string]> =>
          namesVoid(column.name) && !(name in values)
            ? []
            : column.kind === "timestamp" && name.endsWith("ed_at")
            ? partsOf(role, name, column)
            : name.endsWith("ed_at") && column.kind === "date"
            ? [[column.name, written(column.dates, admitted)]]
            : name === "birthdate"
            ? [[column.name, written(column.dates, birth)]]
            : name in values
            ? [[column.name, values[name] ?? ""]]
            : []
        )
      )
    )
    const seen = new Set<string>()
    const row = role.table.columns.map(({ name }): readonly [string, string] => {
      const first = !seen.has(name)
      seen.add(name)
      return [name, first ? stated.get(name) ?? "" : ""]
    })
    const line = (texts: ReadonlyArray<string>) =>
      texts.map((text) => (/[",\n]/u.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text)).join(",")
    const titles = Array.from({ length: (role.table.headerRow ?? 1) - 1 }, (_, at) => `Title ${at + 1}`)
    return [
      `\`\`\`csv source ${role.table.file.slice(role.table.file.lastIndexOf("/") + 1).replace(/\.gz$/iu, "")}`,
      ...titles,
      ...(isWithoutHeader(role.table) ? [] : [line(row.map(([name]) => name))]),
      line(row.map(([, text]) => text)),
      "```"
    ].join("\n")
  }
  const sexNames = columnOf(patient, "sex")?.column.names
  const sexes = [...sexNames?.keys() ?? columnCodesAt(patient, "sex").map(([code]) => code)]
  const sexOfCode = sexIn(columnOf(patient, "sex")?.column.name ?? "")
  const meaningOf = (code: string, others: ReadonlyArray<string>) => sexOfCode(sexNames?.get(code) ?? code, others)
  // The concept map has only the codes of the sample.
  const [sexCode, sex] = sexes.flatMap((code) => {
    const [meaning] = meaningOf(code, sexes) ?? []
    return meaning === undefined ? [] : [[code, meaning] as const]
  }).toSorted(([, one], [, other]) => one.localeCompare(other))[0] ?? ["F", "F"]
  const typeNames = columnOf(visit, "visit_type")?.column.names
  const types = [...typeNames?.keys() ?? columnCodesAt(visit, "visit_type").map(([code]) => code)]
  const side = types.find((code) => sideOf(typeNames?.get(code) ?? code)?.[0] === "OPD") ?? "OPD"
  const states = visit === undefined ? [] : stateConditions(visit)
  const stay = {
    code: "V-1",
    patient_code: "P-1",
    visit_type: side,
    ...numberAndYear(visit),
    ...Object.fromEntries(
      states.flatMap(({ column, first, isEnd }) =>
        first === undefined || isEnd && first === emptyCell ? [] : [[column, first]]
      )
    ),
    ...Object.fromEntries(
      (visit === undefined ? [] : voidColumns(visit)).flatMap(({ column, kept }) =>
        kept === undefined ? [] : [[column, kept]]
      )
    )
  }
  const person = { code: "P-1", surname: "Example", name: "Ann", sex: sexCode }
  const known = Object.fromEntries(
    [["surname", "Example"], ["name", "Ann"], ...(visit === undefined ? [] : [["sex", sex]])].filter(([name = ""]) =>
      hasColumn(patient, name)
    )
  )
  const has = (name: string): boolean => visit === undefined || hasColumn(visit, name)
  return [
    "# Visits",
    ...(visit === undefined
      ? [canonicalVisit, ...(patient === undefined ? [] : [sheet(patient, [patient, person])])]
      : patient === undefined
      ? [sheet(visit, [visit, stay])]
      : patient.table.file === visit.table.file
      ? [sheet(visit, [visit, stay], [patient, person])]
      : [sheet(visit, [visit, stay]), sheet(patient, [patient, person])]),
    "## A visit is a row of its table, and its patient a row of another",
    "```json visit",
    JSON.stringify({
      ...(has("code") ? { code: "V-1" } : {}),
      ...(has("patient_code") ? { patient_code: "P-1" } : {}),
      ...(patient === undefined || !has("patient_code") ? {} : { patient: known })
    }),
    "```",
    ""
  ].join("\n\n").replaceAll("visit\n\n{", "visit\n{").replaceAll("}\n\n```", "}\n```")
}

/** The number of a visit and its year, if both are its code. */
const numberAndYear = (visit: Role | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (visit?.table.pair ?? []).map((from) => [
      visit?.columns.find(({ column }) => column.name === from)?.name ?? from,
      isYear(from) ? String(admitted.year) : "1"
    ])
  )

const canonicalVisit = `\`\`\`csv source visit.csv
code,patient_code,visit_type,admitted_at,discharged_at
V-1,P-1,OPD,2026-03-02T08:15:00+07:00,2026-03-02T09:00:00+07:00
\`\`\``

const admitted = { year: 2026, month: 3, day: 2, hour: 8, minute: 15 }

const birth = { year: 1990, month: 4, day: 12, hour: 0, minute: 0 }

/** Writes a time into one column, or into its date and time-of-day columns. */
const partsOf = (role: Role, name: string, column: ColumnProfile): ReadonlyArray<readonly [string, string]> => {
  const clock = role.columns.find((one) => one.name === name)?.clock
  const timed = clock === undefined ? [] : [[clock, "08:15"] as const]
  return [[column.name, written(column.dates, admitted)], ...timed]
}

/** Formats a time as a column writes it. */
const written = (
  dates: ReadonlyArray<DateShape>,
  { day, hour, minute, month, year }: typeof admitted
): string => {
  const [form, ...others] = readable(dates)
  const two = (value: number): string => String(value).padStart(2, "0")
  const shownYear = year + (form?.calendar === "buddhist" ? 543 : 0)
  if (form?.format === "excel") {
    const days = (Date.UTC(year, month - 1, day) - Date.UTC(1899, 11, 30)) / 86_400_000
    return form.timed ? (days + (hour * 60 + minute) / 1440).toFixed(6) : String(days)
  }
  if (form?.format === "unix" || form?.format === "unix ms") {
    return String(Date.UTC(year, month - 1, day, hour, minute) / (form.format === "unix" ? 1000 : 1))
  }
  const isAlone = others.every(({ format }) => format === "ISO 8601")
  if (form === undefined || form.format === "ISO 8601" && isAlone) {
    const time = form?.timed === true ? `T${two(hour)}:${two(minute)}:00${form.offset === "none" ? "" : "Z"}` : ""
    return `${shownYear}-${two(month)}-${two(day)}${time}`
  }
  const values: Readonly<Record<string, string>> = {
    YYYY: String(shownYear),
    YY: two(shownYear % 100),
    MMM: "Mar",
    MM: two(month),
    M: String(month),
    DD: two(day),
    D: String(day),
    HH: two(hour),
    H: String(hour),
    hh: two(hour),
    h: String(hour),
    mm: two(minute),
    ss: "00",
    SSS: "000",
    A: "AM"
  }
  return (form.format === "ISO 8601" ? form.written?.[0] ?? "YYYY-MM-DD" : form.format).replaceAll(
    /YYYY|YY|MMM|MM|M|DD|D|HH|H|hh|h|mm|ss|SSS|A/gu,
    (token) => values[token] ?? token
  )
}
