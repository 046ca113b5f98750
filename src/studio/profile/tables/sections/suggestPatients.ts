import { number, plural } from "../../../../diagnostic/count.ts"
import { printable } from "../../../../diagnostic/render/printable.ts"
import { addressLevels } from "../../../../visit/rules/addressCodesNest.ts"
import { addressDigits, assumedPath, substituteAddressCode } from "../../draft/assumptions.ts"
import { quotedText } from "../../draft/Draft.ts"
import { hasShortYear } from "../declareTable.ts"
import type { TableDraft } from "../TableDraft.ts"
import { columnOf, type Declared, hasColumn, linkTo, namesVisit, type Role } from "../TableRole.ts"
import { columnWordsOf, isIdentifier, isNoWord, isYesWord, namesPatient } from "../words/columnWords.ts"
import { asText, firstOf, pathOf, yamlTo } from "../writePath.ts"

/** Drafts what the patient needs beyond its columns. `isWide`: the rows of its table are also the visits. */
export const suggestPatients = (patient: Role, isWide: boolean, draft: TableDraft): void => {
  askWhichPatientCode(patient, isWide, draft)
  askWhoseVisit(draft)
  askWhichCard(patient, draft)
  if (!hasColumn(patient, "surname") || !hasColumn(patient, "name")) suggestNames(patient, draft)
  if (!hasColumn(patient, "spid")) {
    draft.substitute(
      ["visit", "patient", "spid"],
      `[spid, ${assumedPath(draft, "code", "patient-code-is-spid")}]`,
      "the service's own patient id is missing; the patient code is sent"
    )
  }
  if (!hasColumn(patient, "created_at")) {
    draft.put(
      ["visit", "patient", "created_at"],
      `[created_at, ${assumedPath(draft, firstVisit, "patient-created-at-first-visit")}]`
    )
  }
  suggestAddress(patient, draft)
  const birth = columnOf(patient, "birthdate")
  if (birth === undefined) askForBirths(patient, draft)
  else if (birth.column.kind === "timestamp" && birth.column.midnight !== true) {
    draft.askWithoutLine(
      `are the days of \`${
        printable(birth.column.name)
      }\` right? They have a time of day that is not 00:00, such as that of another time zone, and then the birth can be on the next day. The day as written is sent`,
      "Export only the day of birth"
    )
  }
}

/** Asks whose visit it is, if a second column of the visits has numbers of patients, such as those of mothers. */
const askWhoseVisit = (draft: TableDraft): void => {
  const visit = draft.role("visit")
  const code = visit === undefined ? undefined : columnOf(visit, "patient_code")
  if (visit === undefined || code === undefined) return
  const others = visit.links.filter(({ foreignKey: { column }, target }) =>
    target === "patient" && column !== code.column.name
  )
  if (others.length === 0) return
  const names = others.map(({ foreignKey: { column } }) => `\`${printable(column)}\``).join(", ")
  draft.askWithoutLine(
    `whose visit is a row of \`visit\`? \`${printable(code.column.name)}\` is used, and ${names} ${
      others.length === 1 ? "has" : "have"
    } numbers of patients, too`,
    "If it is that one, name it:  table: {visit: {column: {patient_code: {from: COLUMN}}}}"
  )
}

/** Asks about numbers of cards, because only a person knows which of them the service knows. */
const askWhichCard = ({ columns }: Role, draft: TableDraft): void => {
  const isCard = ({ column: { filled, name } }: Declared, words: RegExp): boolean =>
    filled > 0 && words.test(columnWordsOf(name))
  const card = columns.find((one) => one.name !== "code" && isCard(one, cardNumber))
  if (card === undefined) return
  const type = columns.find((one) => isCard(one, /\bcard type$/u))
  const lines = `{forEach: "where(${pathOf(card.name)}.exists())", card_code: ${yamlTo(card)}, card_type: ${
    type === undefined ? "{value: TYPE}" : yamlTo(type)
  }}`
  draft.askWithoutLine(
    `is \`${printable(card.column.name)}\` the number of a benefit card that the service knows? No line sends it`,
    `If it is, write  visit: {patient: {identifications: ${lines}}}`
  )
}

/** Matches columns of the numbers of cards, other than that of the identity. */
const cardNumber =
  /^(?!.*\b(?:id|identity|national|credit|bank|vaccin\w*) card\b).*(?:\bcard(?: (?:no|nr|num|number|code|id))?|\b(?:insurance|scheme|member(?:ship)?|benefit) (?:no|nr|num|number|code|id))$/u

/** Asks for dates of birth. An age is not sent as one: it would be wrong for nearly everyone. */
const askForBirths = ({ columns }: Role, draft: TableDraft): void => {
  const age = [...columns, ...(draft.role("visit")?.columns ?? [])].find(({ column: { filled, name } }) =>
    filled > 0 && /^(?:patient )?(?:age|edad|idade|umur|tuoi)\b/u.test(columnWordsOf(name))
  )
  draft.askWithoutLine(
    `which column has the dates of birth? None was found${
      age === undefined ? "" : `, and \`${printable(age.column.name)}\` has only ages`
    }. Visits without one are rejected`,
    "Export it, and name its column `birthdate`"
  )
}

/** The beginning of the first visit of a patient: the same for all visits of the patient. */
const firstVisit =
  "reverseResolve('visit.patient').admitted_at.aggregate(iif($total.empty() or $this < $total, $this, $total), {})"

/** Takes the codes of the upper levels from the village's code, which begins with them; without a village, sends codes of zeros. */
const suggestAddress = (patient: Role, draft: TableDraft): void => {
  const hasVillage = hasColumn(patient, "address_village_code")
  for (const level of addressLevels) {
    if (hasColumn(patient, `address_${level}_code`)) continue
    if (hasVillage) {
      draft.put(
        ["visit", "patient", "address", level, "code"],
        quotedText(`address_village_code.substring(0, ${addressDigits[level]})`),
        "the village's code begins with it"
      )
    } else substituteAddressCode(draft, level)
  }
}

/** Whether a column of patients, all different, can hold numbers by which others know them. */
const mayIdentify = (name: string): boolean => {
  const words = columnWordsOf(name)
  return /\b(?:id|identifier|no|nr|num|number|code|ref|reference|nid|passport)$/u.test(words) &&
    !/\b(?:phone|tele?(?:phone)?|mobile|cell|contact|fax|house|street|postal|post|zip|room|bed|account|row|serial|s)\b/u
      .test(words)
}

/** Asks which column is the patient code: the key is sent, but the service may know another number. */
const askWhichPatientCode = (patient: Role, isWide: boolean, draft: TableDraft): void => {
  const { columns, table } = patient
  const code = columnOf(patient, "code")
  // In a table of visits, a patient with two visits is on two rows.
  const ofVisits = isWide ? draft.role("visit")?.columns ?? [] : []
  const others = [...columns.filter(({ column }) => column.unique), ...ofVisits].filter(({ column, name }) =>
    // In a table of visits, `patient_code` is the key.
    name !== "code" && (!isWide || name !== "patient_code") && column.filled * 2 > table.rows &&
    (namesPatient(column.name) || isIdentifier(column.name) || mayIdentify(column.name))
  )
  if (code === undefined || (others.length === 0 && (!isWide || namesPatient(code.column.name)))) return
  const shown = ({ column: { filled, name } }: Declared): string =>
    `\`${printable(name)}\` (in ${number(filled)} of ${plural(table.rows, "row")}${isWide ? "" : ", all different"})`
  const path = ["table", "patient", "column", "code"]
  draft.remove(path)
  draft.ask(
    path,
    code.yaml,
    `is this the patient code that the service knows?  ${shown(code)}${
      others.length === 0 ? "" : `. Others: ${others.map(shown).join("; ")}`
    }`
  )
}

/**
 * Reads names from a table of their own: without the rows that are void, and the preferred name of a patient with several. Otherwise one
 * column has the whole name.
 */
const suggestNames = (patient: Role, draft: TableDraft): void => {
  for (const role of draft.roles) {
    const link = linkTo(role, "patient")
    const columnNamed = (words: RegExp) => role.columns.find(({ column }) => words.test(columnWordsOf(column.name)))
    const surname = columnNamed(/^(?:sur ?name|family(?: name)?|last(?: ?name)?)$/u)
    const name = columnNamed(/^(?:given(?: names?)?|first(?: ?name)?|fore ?name)$/u)
    if (link === undefined || surname === undefined || name === undefined || namesVisit(role)) continue
    draft.used.add(role)
    const rows = draft.rowsThatCount(role, `reverseResolve('${role.name}.${link.name}')`)
    const preferred = role.columns.find(({ column: { codes, name } }) =>
      /^(?:is )?(?:preferred|primary|main|current)(?: name)?$/u.test(columnWordsOf(name)) &&
      codes.length > 0 && codes.every(([code]) => isYesWord(code) || isNoWord(code))
    )
    const first = preferred === undefined
      ? []
      : [`${rows}.where(${asText(preferred, pathOf(preferred.name))}.lower().translated('yes_or_no') = 'yes')`]
    for (const [field, column] of [["surname", surname], ["name", name]] as const) {
      if (hasColumn(patient, field)) continue
      const paths = firstOf(...[...first, rows].map((path) => `${path}.${column.name}`))
      draft.put(
        ["visit", "patient", field],
        `{path: ${paths}, take: first}`,
        `names are in \`${role.name}\``
      )
    }
    const whose = role.table.columns.find(({ name }) => name === link.foreignKey.column)
    if (preferred === undefined && whose?.unique !== true) {
      draft.askWithoutLine(
        `which name of a patient with several rows in \`${role.name}\` is the current one? The first row is sent`,
        "Export only the current names, or a column `preferred` that has yes for them"
      )
    }
    return
  }
  const isComposed = nameParts.map((part) => composeName(part, patient, draft)).includes(true)
  const name = columnOf(patient, "name")
  if (isComposed || hasColumn(patient, "surname") || name === undefined) return
  if (givenName.test(columnWordsOf(name.column.name))) {
    draft.askWithoutLine(
      `which column has the surnames? \`${
        printable(name.column.name)
      }\` has the given names, and no surname was found. None is sent`,
      "Name it `surname` under  table: {patient: {column: …}}"
    )
    return
  }
  draft.put(["visit", "patient", "name"], `[${assumedPath(draft, "name", "whole-name-is-the-given-name")}]`)
}

/** Matches a column of given names, which are not whole names. */
const givenName = /^(?:(?:given|first|other) ?names?|given|first|fname|fore ?names?|prenoms?|vornamen?)$/u

interface NamePart {
  readonly field: "surname" | "name"
  readonly first: RegExp
  readonly second: RegExp
}

/** Two surnames, of the father and the mother, and two given names, each in a column of its own. */
const nameParts: ReadonlyArray<NamePart> = [
  {
    field: "surname",
    first: /^(?:primer|1er) apellido$|^(?:apellido|apell?|ape?) (?:paterno|pat|1)$/u,
    second: /^(?:segundo|2do) apellido$|^(?:apellido|apell?|ape?) (?:materno|mat|2)$/u
  },
  {
    field: "name",
    first: /^(?:primer|1er) nombre$|^nombre 1$/u,
    second: /^(?:segundo|2do) nombre$|^nombre 2$/u
  }
]

/** Drafts a name that has a column for each of its words. Returns whether there are such columns. */
const composeName = ({ field, first, second }: NamePart, patient: Role, draft: TableDraft): boolean => {
  const [one, other] = [first, second].map((words) =>
    patient.columns.find(({ column }) => words.test(columnWordsOf(column.name)))
  )
  if (hasColumn(patient, field) || one === undefined) return false
  const path = other === undefined
    ? pathOf(one.name)
    : `${pathOf(one.name)}.combine(${pathOf(other.name)}).join(' ')`
  draft.put(["visit", "patient", field], quotedText(path))
  return true
}

/** Declares which years the two digits of a year of birth are: of someone born after the visit, those of the century before. */
export const assumeYears = (patient: Role | undefined, draft: TableDraft): void => {
  const short = columnOf(patient, "birthdate")?.column.dates.find(hasShortYear)
  if (short === undefined) return
  const name = short.calendar === "buddhist" ? "year-has-two-buddhist-digits" : "year-has-two-digits"
  const path = "iif(birthdate > %visit.admitted_at, birthdate.toDate() - 100 years, birthdate)"
  draft.put(["visit", "patient", "birthdate"], `[${assumedPath(draft, path, name)}]`)
}
