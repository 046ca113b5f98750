import { number, plural } from "../../../diagnostic/count.ts"
import { printable } from "../../../diagnostic/printable.ts"
import { OverlayWriter, quotedText } from "../draft/OverlayWriter.ts"
import type { Suggestions } from "../draft/suggest.ts"
import { assumeBeginnings, assumedPath, assumedValue, questionsOf } from "../substitutes.ts"
import { begins, born, columnWordsOf, isIdentifier, namesHospital, namesPatient, otherTimes } from "./columnWords.ts"
import { declare, hasShortYear, percentageOf } from "./declareTable.ts"
import { isDated, mayBeOfVisit, roleOrderOf, rolesOf } from "./findRoles.ts"
import { isEmergency, sexOf, sideOf } from "./guessColumn.ts"
import {
  mappedVisitFields,
  patientFields,
  suggestConceptMaps,
  suggestNationality,
  suggestSectionMaps
} from "./sections/suggestConceptMaps.ts"
import { suggestDiagnoses } from "./sections/suggestDiagnoses.ts"
import { suggestHistories } from "./sections/suggestHistories.ts"
import { suggestInvoices } from "./sections/suggestInvoices.ts"
import { suggestLaboratories } from "./sections/suggestLaboratories.ts"
import { suggestPrescriptions } from "./sections/suggestPrescriptions.ts"
import { complaintOf, suggestVitals } from "./sections/suggestVitals.ts"
import { splitWide } from "./splitWide.ts"
import type { Suggesting } from "./Suggesting.ts"
import { namesVisit, stateCondition, throughOf } from "./Suggesting.ts"
import { tableCase } from "./tableCase.ts"
import { inCondition, pathOf, TableFinder } from "./TableFinder.ts"
import type { TableProfile } from "./TableProfile.ts"
import type { Declared, Role } from "./TableRole.ts"
import { columnCodesAt, hasColumn } from "./TableRole.ts"

/** Suggests mapping lines for files that are not yet tables of the mapping. The lines extend the mapping `csv`. */
export const suggestTables = (
  tables: ReadonlyArray<TableProfile>,
  icd10: ReadonlyMap<string, string>,
  zoneIsGuess = false
): Suggestions => {
  const writer = new OverlayWriter()
  const notes: Array<string> = []
  const standIns: Array<string> = []
  const unread = tables.filter(({ declared, rows }) => !declared && rows > 0)
  if (unread.length === 0) return { overlay: "", standIns, notes: columnsNotRead(tables) }
  const { patients, tables: split, visits } = splitWide(unread)
  const order = roleOrderOf(unread)
  const roles = rolesOf(split, { patients, visits, order })
  for (const role of roles) declare(role, writer)
  const own = (table: TableProfile | undefined) => roles.find((role) => role.table === table)
  const visit = own(visits)
  const patient = own(patients)
  const questions: Array<string> = []
  let proposals = 0
  const out: Suggesting = { writer, roles, notes, standIns, questions, used: new Set() }
  if (visit === undefined) {
    notes.push("no table was found whose rows are the visits: name it  visit  under  table:  and give it its columns")
  } else {
    reachVisits(out)
    askWhichVisits(visit, out)
    askWhichHospital(visit, out)
    suggestVisit(visit, patient, out)
    assumeBeginning(visit, zoneIsGuess, out)
    assumeYears(patient, out)
    suggestEncounters(visit, out)
    proposals = suggestDiagnoses(out, icd10)
    suggestVitals(out)
    suggestLaboratories(out)
    suggestPrescriptions(out)
    suggestInvoices(out)
    suggestHistories(out)
    suggestSectionMaps(out)
    reportUnused(out)
    askAboutTimes(out)
    assumeBeginnings(writer)
  }
  if (patient === undefined) {
    questions.push("which table has a row for each patient? None was found, and without one no visit is ready")
  }
  notes.push(...doubts(unread))
  const guesses = guessesOf(roles)
  questions.push(...questionsOf(writer))
  return {
    overlay: `${String(writer)}\n`,
    standIns,
    ...(guesses.length === 0 ? {} : { guesses }),
    ...(questions.length === 0 ? {} : { questions }),
    notes,
    ...(proposals === 0 ? {} : { proposals }),
    ...(visit === undefined ? {} : { example: tableCase(visit, patient) })
  }
}

/** How the rows of the other tables reach the visit; what names none is placed by the section that reads it, or belongs to none. */
const reachVisits = ({ roles, writer }: Suggesting): void => {
  for (const role of roles) {
    if (role.name === "visit" || role.name === "patient" || namesVisit(role)) continue
    const through = throughOf(role, roles)
    const named = roles.find(({ name }) => name === through?.[2])
    if (through !== undefined && named !== undefined && namesVisit(named)) {
      writer.put(["grouping", "link", role.name], `${through[0]}.resolve().visit`, "through the row it names")
    } else writer.put(["grouping", "link", role.name], "null", "names no visit")
  }
}

/** Tables whose rows reach the visits but that no section reads. */
const reportUnused = ({ notes, roles, used }: Suggesting): void => {
  for (const role of roles) {
    if (role.name === "visit" || role.name === "patient" || used.has(role)) continue
    if (/\bidentifiers?\b/u.test(columnWordsOf(role.table.name))) {
      notes.push(
        `rows of \`${role.name}\` may hold the number by which patients are known: \`patient_code\` is the key of \`patient\` as it is`
      )
      continue
    }
    // Rows that link other rows to the patient or visit are already in use.
    if (roles.some((other) => used.has(other) && other.links.some(([, , target]) => target === role.name))) continue
    if (!namesVisit(role) && !role.links.some(([name]) => name === "patient")) continue
    notes.push(
      `rows of \`${role.name}\` (${
        plural(role.table.rows, "row")
      }) are read but not sent: no part of the Visit was recognised in them${
        /\b(?:procedures?|operations?|surger\w*)\b/u.test(columnWordsOf(role.table.name))
          ? "; surgeries and services on an invoice may be among them"
          : ""
      }`
    )
  }
}

/** Adds what the visit needs beyond its columns: code table rows, and substitutes for values that the extract never has. */
const suggestVisit = (visit: Role, patient: Role | undefined, out: Suggesting): void => {
  const standIn = (path: ReadonlyArray<string>, yaml: string, why: string) => {
    out.standIns.push(path.slice(1).join("."))
    out.writer.put(path, yaml, `assumption: ${why}`)
  }
  const lost = lostPatients(visit)
  if (lost !== undefined) out.notes.push(lost)
  standIn(
    ["visit", "health_facility_code"],
    `{path: ["%facility"], default: ${assumedValue(out.writer, "HF-UNKNOWN", "facility-is-not-set")}}`,
    "say  facility:  in facility.yaml, and take this line away"
  )
  for (const [column, name] of [["sex", "sex"], ["visit_type", "visit_type"]] as const) {
    const role = column === "sex" ? patient : visit
    if (!hasColumn(role, column)) continue
    const codes = columnCodesAt(role, column)
    const rows = codes.flatMap(([code, count]) => {
      const intended = column === "sex" ? sexOf(code, codes.map(([other]) => other)) : sideOf(code)
      return intended === undefined ? [] : [[code, intended, count] as const]
    })
    for (const [code, intended, count] of rows) {
      const at = ["conceptMap", name, "table", code]
      const [value, doubt] = intended
      if (doubt === undefined) out.writer.put(at, value, plural(count, "row"))
      else out.writer.doubt(at, value, `${plural(count, "row")}; ${doubt}`)
    }
    if (rows.length === 0) {
      // A map needs at least one row; these are the service's own values.
      for (const own of column === "sex" ? ["M", "F"] : ["OPD", "IPD"]) {
        out.writer.put(["conceptMap", name, "table", own], own)
      }
    }
    out.writer.put(["conceptMap", name, "unmapped"], "reject")
    if (column === "visit_type") out.writer.put(["conceptMap", name, "list"], "visit_types")
    out.writer.put(
      column === "sex" ? ["visit", "patient", "sex"] : ["visit", "visit_type"],
      `{path: ${column}, conceptMap: ${name}}`
    )
  }
  suggestConceptMaps(visit, mappedVisitFields, out)
  suggestConceptMaps(patient, patientFields, out)
  suggestNationality(patient, out)
  if (!hasColumn(visit, "visit_type")) {
    standIn(
      ["visit", "visit_type"],
      `{default: ${
        areStays(visit)
          ? assumedValue(out.writer, "IPD", "visit-without-type-is-inpatient")
          : assumedValue(out.writer, "OPD", "visit-without-type-is-outpatient")
      }}`,
      areStays(visit)
        ? "no column says whether they stayed; the file is called after stays"
        : "no column says whether they stayed"
    )
  }
  suggestVisitCode(visit, out)
  askAboutEnds(visit, out)
  if (!hasColumn(visit, "discharged_at")) {
    const ends = possibleEnds(visit)
    if (ends.length > 0) askWhichEnd(visit, ends, out)
    else {
      standIn(
        ["visit", "discharged_at"],
        `[${assumedPath(out.writer, "admitted_at", "beginning-is-end")}]`,
        "no column says when they left: the beginning is sent"
      )
      out.writer.put(["visit", "updated_at"], "[updated_at, admitted_at]")
    }
  }
  if (patient === undefined) return
  askWhichPatientCode(patient, patient.table.file === visit.table.file, out)
  if (!hasColumn(patient, "surname") || !hasColumn(patient, "name")) suggestNames(patient, out)
  if (!hasColumn(patient, "spid")) {
    standIn(
      ["visit", "patient", "spid"],
      `[spid, ${assumedPath(out.writer, "code", "patient-code-is-spid")}]`,
      "the service's own patient id is missing; the patient code is sent"
    )
  }
  if (!hasColumn(patient, "created_at")) {
    out.writer.put(
      ["visit", "patient", "created_at"],
      `[created_at, ${assumedPath(out.writer, firstVisit, "patient-created-at-first-visit")}]`
    )
  }
  const village = patient.columns.find(({ name }) => name === "address_village_code")
  for (const [level, digits, code] of levels) {
    if (hasColumn(patient, `address_${level}_code`) && village === undefined) continue
    const nests = village !== undefined && level !== "village"
    if (nests && !hasColumn(patient, `address_${level}_code`)) {
      out.writer.put(
        ["visit", "patient", "address", level, "code"],
        quotedText(`address_village_code.substring(0, ${digits})`),
        "the village's code begins with it"
      )
    } else if (village === undefined) {
      standIn(
        ["visit", "patient", "address", level, "code"],
        `{default: ${assumedValue(out.writer, quotedText(code), "address-code-is-no-place")}}`,
        level === "province"
          ? "addresses have no codes of the national gazetteer: write the facility's own, or map the names"
          : "as above"
      )
    }
  }
}

/** The beginning of the first visit of a patient: the same for all visits of the patient. */
const firstVisit =
  "reverseResolve('visit.patient').admitted_at.aggregate(iif($total.empty() or $this < $total, $this, $total), {})"

/** The key of the patients is sent as their code; another column that numbers them may be the one that the service knows. */
const askWhichPatientCode = (
  { columns, table }: Role,
  isOfVisits: boolean,
  { questions, writer }: Suggesting
): void => {
  const code = columns.find(({ name }) => name === "code")
  const others = columns.filter(({ column, name }) =>
    name !== "code" && column.unique && column.filled * 2 > table.rows &&
    (namesPatient(column.name) || isIdentifier(column.name))
  )
  if (code === undefined || (others.length === 0 && (!isOfVisits || namesPatient(code.column.name)))) return
  const shown = ({ column: { filled, name } }: Declared): string =>
    `\`${printable(name)}\` (${number(filled)} of ${plural(table.rows, "row")} have one${
      isOfVisits ? "" : ", each another"
    })`
  const question = `is this the patient code that the service knows?  ${shown(code)}${
    others.length === 0 ? "" : `. Others: ${others.map(shown).join("; ")}`
  }`
  writer.replace(["table", "patient", "column", "code"], code.yaml, `QUESTION ${question}`)
  questions.push(question)
}

/**
 * What is guessed about the beginning of the visits: which column it is, where no word says it and several can be (the first is taken), and
 * the time zone of times without an offset. The line has one assumption, so the zone's is declared, and the column is asked about.
 */
const assumeBeginning = (visit: Role, zoneIsGuess: boolean, { questions, writer }: Suggesting): void => {
  const start = visit.columns.find(({ name }) => name === "admitted_at")
  if (start === undefined) return
  const others = begins.test(columnWordsOf(start.column.name)) ? [] : possibleEnds(visit)
  const hasNoOffset = zoneIsGuess && start.column.dates.some(({ offset }) => offset === "none")
  if (others.length === 0 && !hasNoOffset) return
  const question = others.length === 0
    ? undefined
    : `which column says when the visit began? \`${printable(start.column.name)}\` is taken; others: ${
      others.map(({ column: { filled, name } }) =>
        `\`${printable(name)}\` (${number(filled)} of ${plural(visit.table.rows, "row")})`
      ).join("; ")
    }`
  writer.put(
    ["visit", "admitted_at"],
    `[${assumedPath(writer, "admitted_at", hasNoOffset ? "time-zone-is-a-guess" : "beginning-is-a-guess")}]`,
    question === undefined ? undefined : `QUESTION ${question}`
  )
  if (question !== undefined) questions.push(question)
}

/** A birth in 1960 is read as one in 2060 where its year has two digits. */
const assumeYears = (patient: Role | undefined, { writer }: Suggesting): void => {
  const born = patient?.columns.find(({ name }) => name === "birthdate")
  if (born?.column.dates.some(hasShortYear) !== true) return
  writer.put(["visit", "patient", "birthdate"], `[${assumedPath(writer, "birthdate", "year-has-two-digits")}]`)
}

/** Asks about ends that are a day without a time of day, in some rows or in all. */
const askAboutEnds = ({ columns }: Role, { questions, writer }: Suggesting): void => {
  const end = columns.find(({ name }) => name === "discharged_at")
  const days = end?.clock !== undefined
    ? 0
    : end?.column.dates.reduce((sum, { count, timed }) => sum + (timed ? 0 : count), 0) ?? 0
  if (days === 0) return
  const question = `${plural(days, "visit")} end on a day without a time of day: is the end of that day right?`
  writer.put(["time", "partialEnd"], "end-of-day", `QUESTION ${question}`)
  questions.push(`${question} (\`time: partialEnd\`)`)
}

/** The dates and times of a visit that nothing reads, and whose names do not say that they are something else. */
const possibleEnds = ({ columns }: Role): ReadonlyArray<Declared> =>
  columns.filter(({ column, name }) =>
    mayBeOfVisit(column) && name !== "admitted_at" && !otherTimes.test(columnWordsOf(column.name)) &&
    !born.test(columnWordsOf(column.name))
  )

/** Asks which column is the end of the visits. Without an answer their end is missing; the beginning would be a wrong one. */
const askWhichEnd = ({ table }: Role, ends: ReadonlyArray<Declared>, { questions, writer }: Suggesting): void => {
  const question = `which column says when the visit ended? Give it the name \`discharged_at\`:  ${
    ends.map(({ column: { filled, name } }) =>
      `\`${printable(name)}\` (${number(filled)} of ${plural(table.rows, "row")})`
    ).join("; ")
  }`
  writer.put(["visit", "discharged_at"], "[discharged_at]", `QUESTION ${question}`)
  questions.push(question)
}

/** Asks about times that no line of a section reads: another time may be sent in their place. */
const askAboutTimes = ({ questions, used, writer }: Suggesting): void => {
  const times = [...used].flatMap(({ columns, name: table }) =>
    columns.flatMap(({ column, name }) =>
      table !== "visit" && isDated(column) && column.filled > 0 && !born.test(columnWordsOf(column.name)) &&
        !/\b(?:created|updated|modified|printed|expir\w*)\b/u.test(columnWordsOf(column.name)) &&
        !writer.mentions(pathOf(name))
        ? [`\`${table}.${name}\``]
        : []
    )
  )
  if (times.length === 0) return
  questions.push(
    `which times are ${times.join(", ")}? No line reads them; fields without a time of their own get another one`
  )
}

/** If no column numbers the visits, patient and time form the visit code. */
const suggestVisitCode = (visit: Role, out: Suggesting): void => {
  if (hasColumn(visit, "code")) return
  const who = visit.table.columns.find(({ name }) =>
    name === visit.links.find(([, , to]) => to === "patient")?.[1].column
  )
  const day = visit.columns.find(({ name }) => name === "admitted_at")
  if (who === undefined || day === undefined) {
    out.notes.push(`no column of \`${visit.table.name}\` is a unique key: visits need a code that never changes`)
    return
  }
  const from = [who.name, day.column.name, ...(day.clock === undefined ? [] : [day.clock])].map(quotedText).join(", ")
  out.writer.put(
    ["table", "visit", "column", "code"],
    `{from: [${from}]}`,
    "QUESTION no column numbers the visits: who came and when is sent as the code; is it the same in every export?"
  )
  out.questions.push(
    "no column numbers the visits: who came and when is sent as their code; is it the same in every export?"
  )
}

/** Excludes rows of the table of visits that a status column marks as not visits. */
const askWhichVisits = (visit: Role, { questions, writer }: Suggesting): void => {
  const state = stateCondition(visit)
  if (state === undefined) return
  writer.put(
    ["grouping", "where", "state"],
    quotedText(state.condition),
    `QUESTION which of these are visits that took place?  ${state.counts}`
  )
  questions.push(`which rows of \`visit\` took place, by \`${state.column}\`?  ${state.counts}`)
}

/** An extract may contain visits of several hospitals, and all are sent as visits of the hospital in `facility.yaml`. */
const askWhichHospital = ({ columns }: Role, { notes, questions }: Suggesting): void => {
  const found = columns.find(({ column: { different, filled, name } }) =>
    namesHospital(name) && different > 1 && filled > 0
  )
  if (found === undefined) return
  const { column: { codes, different }, name } = found
  const counts = codes.slice(0, 4).map(([code, count]) => `${printable(code)} ${number(count)}`)
  const others = different - counts.length
  const question = `rows of \`visit\` are of ${
    number(different)
  } hospitals, by \`${name}\`: are all of them this facility?  ${
    counts.length === 0 ? "" : [...counts, ...(others > 0 ? [plural(others, "other")] : [])].join(", ")
  }`
  questions.push(question)
  notes.push(
    `QUESTION ${question}. To send one alone:  grouping: {where: {hospital: "${pathOf(name)} = '${
      printable(codes[0]?.[0] ?? "CODE")
    }'"}}`
  )
}

const levels = [["province", 2, "00"], ["district", 4, "0000"], ["commune", 6, "000000"], [
  "village",
  8,
  "00000000"
]] as const

const lostPatients = ({ links, table }: Role): string | undefined => {
  const link = links.find(([, , target]) => target === "patient")?.[1]
  return link === undefined
    ? `no column of \`${table.name}\` names a row of the patients: without a patient no visit is ready`
    : link.orphans > 0
    ? `${percentageOf(link.orphans)} of the visits name a patient that is not in the export`
    : undefined
}

/** Names in a table of their own, one row for each patient. */
const suggestNames = (patient: Role, { roles, used, writer }: Suggesting): void => {
  for (const role of roles) {
    const link = role.links.find(([name]) => name === "patient")
    const named = (words: RegExp) => role.columns.find(({ column }) => words.test(columnWordsOf(column.name)))
    const surname = named(/^(?:sur ?name|family(?: name)?|last(?: ?name)?)$/u)
    const name = named(/^(?:given(?: names?)?|first(?: ?name)?|fore ?name)$/u)
    if (link === undefined || surname === undefined || name === undefined || namesVisit(role)) continue
    used.add(role)
    for (const [field, one] of [["surname", surname], ["name", name]] as const) {
      if (hasColumn(patient, field)) continue
      writer.put(
        ["visit", "patient", field],
        `{path: ${quotedText(`reverseResolve('${role.name}.${link[0]}').${one.name}`)}, take: first}`,
        `names are in \`${role.name}\``
      )
    }
    return
  }
  if (hasColumn(patient, "surname") || !hasColumn(patient, "name")) return
  writer.put(["visit", "patient", "name"], `[${assumedPath(writer, "name", "whole-name-is-the-given-name")}]`)
}

/** Whether a table without visit types has a name that means inpatient stays. */
const areStays = (visit: Role): boolean =>
  !hasColumn(visit, "visit_type") &&
  /\b(?:admissions?|in ?patients?|ipd|stays?)\b/u.test(columnWordsOf(visit.table.name))

/** Each visit is its own encounter; its type decides whether it is inpatient, outpatient or emergency. */
const suggestEncounters = (visit: Role, { roles, writer }: Suggesting): void => {
  const types = columnCodesAt(visit, "visit_type").map(([code]) => code)
  const stays = types.filter((code) => sideOf(code)?.[0] === "IPD")
  const emergencies = types.filter(isEmergency)
  const others = [...emergencies, ...stays]
  const service = visit.columns.find(({ column, name }) =>
    name !== "visit_type" &&
    /\b(?:dept|department|departement|departamento|clinic|ward|services?|servicio|servico|unit|unite|poli(?:klinik)?|khoa)\b/u
      .test(columnWordsOf(column.name))
  )
  for (
    const [list, where, name] of [
      ...(areStays(visit)
        ? []
        : [
          [
            "outpatients",
            others.length === 0 ? "%visit" : `%visit.where((${typeIn(others)}).not())`,
            "Outpatient visit"
          ] as const
        ]),
      ...(areStays(visit) ? [["inpatients", "%visit", "Stay"] as const] : []),
      ...(stays.length === 0 ? [] : [["inpatients", `%visit.where(${typeIn(stays)})`, "Stay"] as const]),
      ...(emergencies.length === 0
        ? []
        : [["emergencies", `%visit.where(${typeIn(emergencies)})`, "Emergency visit"] as const])
    ] as const
  ) {
    const put = (field: string, yaml: string) => writer.put(["visit", list, field], yaml)
    const rows = ["visit", list, "forEach"]
    if (list === "emergencies") writer.doubt(rows, quotedText(where), "by the word for the type of visit")
    else writer.put(rows, quotedText(where), "each visit is an encounter of its own")
    put("code", quotedText("keyOf('encounter')"))
    put("name", `{value: ${name}}`)
    put("service_type", service?.name ?? (hasColumn(visit, "visit_type") ? "visit_type" : "null"))
    put("encountered_by", new TableFinder(visit, roles).staff() ?? "null")
    put("title", "null")
    put("symptoms", complaintOf(visit) ?? "null")
    for (const field of ["started_at", "created_at"]) put(field, "admitted_at")
    const hasEnd = hasColumn(visit, "discharged_at") || possibleEnds(visit).length > 0
    put("ended_at", hasEnd ? "discharged_at" : `[${assumedPath(writer, "admitted_at", "beginning-is-end")}]`)
    put("updated_at", hasEnd ? "discharged_at" : "admitted_at")
  }
}

const typeIn = (codes: ReadonlyArray<string>): string => inCondition("visit_type", codes)

const nameOf = (file: string): string => file.slice(file.lastIndexOf("/") + 1)

/** The assumptions about how numbers are written. */
const guessesOf = (roles: ReadonlyArray<Role>): ReadonlyArray<string> =>
  ([[true, "thousands"], [undefined, "decimals"]] as const).flatMap(([grouped, what]) => {
    const names = roles.flatMap(({ columns, name: table }) =>
      columns.flatMap(({ column, name, yaml }) =>
        column.either !== undefined && column.grouped === grouped && isNumber(yaml) ? [`${table}.${name}`] : []
      )
    )
    return names.length === 0
      ? []
      : [
        `make sure of numbers such as 15.000 or 15,000, read as ${what}: ${names.slice(0, 6).join(", ")}${
          names.length > 6 ? " …" : ""
        }`
      ]
  })

const isNumber = (yaml: string): boolean => /\b(?:integer|decimal)\b/u.test(yaml)

/** The questions about the files that only people can answer. */
const doubts = (tables: ReadonlyArray<TableProfile>): ReadonlyArray<string> =>
  tables.flatMap((table) => [
    ...(table.unreadable > 0
      ? [`${plural(table.unreadable, "row")} of \`${printable(nameOf(table.file))}\` cannot be read`]
      : []),
    ...(table.guessed
      ? [`\`${printable(nameOf(table.file))}\` is not UTF-8; it was read as ${table.encoding}: look at the names in it`]
      : []),
    ...table.columns.flatMap(({ dates, name }) => {
      const mixed = dates.find(({ mixed }) => mixed)
      return mixed === undefined
        ? []
        : [
          `dates of \`${printable(name)}\` are written days first and months first: ${
            number(mixed.count)
          } cannot be distinguished`
        ]
    })
  ])

/** Columns that the mapping does not read, in files that it reads. */
const columnsNotRead = (tables: ReadonlyArray<TableProfile>): ReadonlyArray<string> =>
  tables.flatMap(({ columns, file }) => {
    const unread = columns.filter(({ filled, read }) => read === false && filled > 0).map(({ name }) =>
      `\`${printable(name)}\``
    )
    return unread.length === 0 ? [] : [`columns of ${printable(file)} that no line reads: ${unread.join(", ")}`]
  })
