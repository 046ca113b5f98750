import { plural } from "../../../../diagnostic/count.ts"
import { separatorsIn } from "../../../../visit/values/icd10.ts"
import { assumedPath, assumedValue } from "../../draft/assumptions.ts"
import { quotedText } from "../../draft/Draft.ts"
import { countItems } from "../../Findings.ts"
import { diagnosisConditions, stateConditions, type TableDraft } from "../TableDraft.ts"
import { canBeCode, type Person } from "../TableFinder.ts"
import { type Declared, isOther, leadsToPerson, linkTo, type Role } from "../TableRole.ts"
import { columnWordsOf, isVisitColumnName, namesDiagnosis, namesPatient, namesThing } from "../words/columnWords.ts"
import { beginning, firstOf, inCondition, ownEncounter, pathOf, pathTo, yamlOf, yamlTo } from "../writePath.ts"
import { openCodes } from "./suggestConceptMaps.ts"
import {
  firstIsPrimary,
  pathInDiagnoses,
  suggestDiagnosisType,
  typeColumnOf,
  wordsOfType
} from "./suggestDiagnosisType.ts"

const staffed = /\b(?:doctor|physician|dr|nurse|staff|provider|by)\b/u

/** Whether the codes of a column have the form of ICD-10 and are not numbers of patients, visits, rows or staff: `M712` can be either. */
const holdsDiagnoses = ({ links, name: table, table: profile }: Role, { column, name }: Declared): boolean =>
  column.diagnoses !== undefined &&
  (column.diagnoses * 10 >= column.filled * 9 || diagnosisWords.test(columnWordsOf(column.name))) &&
  !staffed.test(columnWordsOf(column.name)) && !namesThing(column.name) && canBeCode(column, profile) &&
  !namesPatient(column.name) && !isVisitColumnName(column.name) &&
  !(table === "visit" && (name === "code" || name === "patient_code")) &&
  !links.some((link) => link.foreignKey.column === column.name && leadsToPerson(link))

const diagnosisWords = /icd|cim|cie ?\d|diag|dx|\bcode\b/u

/** Whether the codes of a column are those of diagnoses: by its own name or its table's, or next to the name of a diagnosis. */
const isOfDiagnosis = (role: Role, { column, name }: Declared): boolean => {
  if (namesDiagnosis(column.name) || isOfDiagnoses(role)) return true
  const at = role.columns.findIndex((one) => one.name === name)
  return /^code$/u.test(columnWordsOf(column.name)) && !namesThing(role.table.name) &&
    [at - 1, at + 1].some((beside) => namesDiagnosis(role.columns[beside]?.column.name ?? ""))
}

/** Finds the column of a table with codes of diagnoses that have the form of ICD-10. */
const codeOf = (role: Role): Declared | undefined => {
  const coded = role.columns.filter((one) => holdsDiagnoses(role, one) && isOfDiagnosis(role, one))
  return coded.find(({ column }) => /icd|\bcode\b/u.test(columnWordsOf(column.name))) ??
    coded.find(({ column }) => namesDiagnosis(column.name)) ?? coded[0]
}

/** Finds the codes in a table of names to which the rows of a table of diagnoses refer: `icd10_id` of `icd10_codes`. */
const codeBehind = (role: Role, draft: TableDraft): Declared | undefined => {
  for (const { foreignKey, name, target } of role.links) {
    const names = draft.role(target)
    const isOfCodes = names !== undefined && isOther(names) &&
      (namesDiagnosis(foreignKey.column) || namesDiagnosis(names.table.name))
    const code = isOfCodes
      ? names.columns.find(({ column }) => column.filled > 0 && (column.diagnoses ?? 0) * 10 >= column.filled * 9)
      : undefined
    if (code !== undefined) return { ...code, name: `${name}.resolve().${pathOf(code.name)}` }
  }
  return undefined
}

/** Matches the name of a column of diagnoses, whatever its values. */
const diagnosisColumn =
  /^(?:(?:main|primary|principal|secondary|other) )?(?:diag\w*|p?dx|sdx|icd\w*|cim\w*|cie ?10)(?: ?codes?)?(?: ?\d{1,2})?$/u

/** Finds the columns of the table of visits that hold diagnoses, with codes of any system. */
const codesIn = (visit: Role): ReadonlyArray<Declared> => {
  const found = visit.columns.filter((one) =>
    holdsDiagnoses(visit, one)
      ? isOfDiagnosis(visit, one)
      : diagnosisColumn.test(columnWordsOf(one.column.name)) && (one.column.filled === 0 || hasCodes(one))
  )
  const inIcd10 = found.filter(({ column }) => column.filled > 0 && column.diagnoses !== undefined)
  /** An empty column of a series holds codes only if a filled one does. Next to codes, the series can hold words. */
  const isOfOthers = ({ column }: Declared): boolean => {
    const series = seriesOf(column.name)
    const alike = visit.columns.filter((one) => one.column.filled > 0 && seriesOf(one.column.name) === series)
    return column.filled === 0 && series !== undefined && alike.length > 0 && !alike.some((one) => found.includes(one))
  }
  // Next to its code in ICD-10, the short name of a diagnosis can have digits, too: `T2DM`.
  const isText = ({ column }: Declared): boolean =>
    inIcd10.length === 1 && !inIcd10.some((one) => otherDiagnosis.test(columnWordsOf(one.column.name))) &&
    column.filled > 0 && column.diagnoses === undefined && diagnosisText.test(columnWordsOf(column.name))
  return found.some(({ column }) => column.filled > 0) ? found.filter((one) => !isText(one) && !isOfOthers(one)) : []
}

/** The name of a numbered column without its number. */
const seriesOf = (name: string): string | undefined => numberedName.exec(name.trim())?.[1]
const numberedName = /^(.*\p{L}.*?)[ _-]?(\d{1,2})$/u

/** Whether a column has the words of a diagnosis whose code is in a column with the same number. */
const isTextOf = ({ column }: Declared, code: Declared): boolean => {
  const [, series = "", number] = numberedName.exec(column.name.trim()) ?? []
  return number !== undefined && number === numberedName.exec(code.column.name.trim())?.[2] &&
    seriesOf(code.column.name) !== series && column.diagnoses === undefined && diagnosisText.test(columnWordsOf(series))
}

/** Matches a column with the name of a diagnosis, and one of a further diagnosis. */
const diagnosisText =
  /^(?:(?:final|main|primary|principal) )?(?:diagnosis|diagnostic[oa]?)(?: (?:name|text|description))?$/u
const otherDiagnosis = /\b(?:secondary|other|[2-9])\b/u

/** Whether codes are numbers after one letter, such as `T01`, `T02` and `T03`: a list of the hospital rather than ICD-10. */
const areNumbered = ({ column: { codes } }: Declared): boolean =>
  codes.length > 2 && new Set(codes.map(([code]) => `${code.charAt(0)}${code.length}`)).size === 1

/** Asks about codes that have the form of ICD-10 and that no name calls diagnoses: the numbers of beds and tests can look the same. */
const askAboutCodes = (role: Role, draft: TableDraft): void => {
  if (namesThing(role.table.name)) return
  const found = role.columns.filter((one) =>
    holdsDiagnoses(role, one) && !isOfDiagnosis(role, one) && !areNumbered(one)
  )
  if (found.length === 0) return
  draft.askWithoutLine(
    `are the codes of ${
      found.map(({ name }) => `\`${role.name}.${name}\``).join(", ")
    } diagnoses? They have the form of ICD-10, and no name shows what they are. They are not sent`,
    found.length === 1
      ? "If they are, export the column under the name `diagnosis_code`"
      : "If they are, export the column of the primary one under the name `primary_icd10`, and the others as `secondary_icd10_1`, `secondary_icd10_2` and so on"
  )
}

/** Whether the values are codes rather than words, because some have digits. */
const hasCodes = ({ column: { codes, kind, numbers } }: Declared): boolean =>
  (kind === "code" || kind === "integer") && (numbers > 0 || codes.some(([code]) => /\d/u.test(code)))

/** Finds the column with the code system of each code. */
const systemOf = ({ columns }: Role): Declared | undefined =>
  columns.find(({ column }) => column.codes.length > 0 && isSystem.test(columnWordsOf(column.name)))

const isSystem =
  /^(?:(?:diag\w*|condition|dx|icd|code|coding)? ?)(?:code |coding )?(?:system|codeset|code set|scheme|vocabulary|terminology|version)(?: (?:name|id|code))?$/u

/** Whether a system is ICD-10, by its name or by its number in a column of versions. */
const isIcd10 = (system: string, { column }: Declared): boolean =>
  /\bversion\b/u.test(columnWordsOf(column.name))
    ? /\b10\b/u.test(system)
    : /icd|cim|cie/iu.test(system) && !/icd\W*(?:9|11)|icdo/iu.test(system)

/** The form of ICD-10 codes, as the rule of the Visit has it. */
export const icd10Form = "^[A-Z][0-9][0-9A-Z]([.]?[0-9A-Z]{1,4})?[+*!]?$"

/**
 * Drafts a path to the code as ICD-10: unchanged, through a concept map, or each code by its system or its form. `listed`: the row is one
 * code of a cell of the visit.
 */
const codeAsIcd10 = (code: Declared, role: Role, icd10: Icd10Codes, draft: TableDraft, listed = false): string => {
  const { column } = code
  const path = listed ? "$this" : pathInDiagnoses(role, code)
  const system = systemOf(role)
  const systems = system?.column.codes.map(([code]) => code) ?? []
  const known = system === undefined ? [] : systems.filter((code) => isIcd10(code, system))
  if (system !== undefined && known.length > 0 && (known.length < systems.length || system.column.withheld > 0)) {
    mapToIcd10(code, role, icd10, draft)
    return quotedText(
      `iif(${
        inCondition(`${listed ? "%visit." : ""}${pathInDiagnoses(role, system)}`, known)
      }, ${path}, ${path}.translated('diagnosis_code'))`
    )
  }
  if (column.diagnoses === undefined && column.filled > 0 || systems.length > known.length) {
    mapToIcd10(code, role, icd10, draft)
    return `{path: ${yamlOf(path)}, conceptMap: diagnosis_code}`
  }
  if ((column.diagnoses ?? 0) < column.filled) {
    mapToIcd10(code, role, icd10, draft)
    return quotedText(`iif(${path}.matches('${icd10Form}'), ${path}, ${path}.translated('diagnosis_code'))`)
  }
  return yamlOf(path)
}

/** Drafts a branch for each column of diagnoses of the table of visits. */
const suggestWide = (
  visit: Role,
  codes: ReadonlyArray<Declared>,
  { icd10, isMixed }: { readonly icd10: Icd10Codes; readonly isMixed: boolean },
  draft: TableDraft
): void => {
  const { doubt, put } = draft.section("visit", "diagnosis")
  if (!isMixed) put("forEach", quotedText("%visit"), "a column for each diagnosis")
  put("encounter_code", ownEncounter)
  const main = codes.find(isMain)
  const first = main ?? codes.find((code) => !isOfAdmission(code) && !isProvisional(code)) ?? codes[0]
  const who = draft.finder(visit).staff()
  const certain = diagnosisConditions(visit)
  for (const { column, counts, isAll, ...decision } of certain) {
    draft.decide(decision)
    if (isAll) continue
    draft.askWithoutLine(
      `which diagnoses of \`visit\` should be sent, by \`${column}\`?  ${counts}`,
      `Fill in the concept map \`${decision.map}\``
    )
  }
  const isListed = codes.some(({ column }) => column.listSigns !== undefined)
  const ofAttendant = (path: string | undefined): string =>
    path === undefined
      ? "null"
      : `[${assumedPath(draft, `${isListed ? "%visit." : ""}${path}`, "attendant-made-diagnosis")}]`
  const yamls = new Map(
    codes.filter(({ column }) => column.filled > 0).map((code) => [
      code,
      codeAsIcd10(code, visit, icd10, draft, code.column.listSigns !== undefined)
    ])
  )
  // A column that is empty in the sample is read as the first filled one is.
  const [[filled, filledYaml] = []] = yamls
  for (const code of codes) {
    const { column, name } = code
    const path = pathOf(name)
    if (code !== first && isProvisional(code)) {
      draft.askWithoutLine(
        `are the codes of \`visit.${name}\` diagnoses of the visit, although their name says that they were not final? They are not sent`,
        "If they are, export them in a column such as `dx2`"
      )
      continue
    }
    const sent = yamls.get(code) ??
      (filled === undefined ? yamlOf(path) : filledYaml?.replaceAll(pathOf(filled.name), path))
    const words = columnWordsOf(column.name)
    const display = visit.columns.find((other) => {
      const rest = columnWordsOf(other.column.name)
      return other.column !== column && rest.startsWith(words) &&
        /^ ?(?:name|desc\w*|text|title|libelle|nombre|nama)$/u.test(rest.slice(words.length))
    }) ?? visit.columns.find((other) => isTextOf(other, code))
    // One code and one text, each for a diagnosis, belong together.
    const text = codes.length > 1 ?
      undefined :
      visit.columns.find((other) =>
        other.column !== column && other.column.filled > 0 && other.column.diagnoses === undefined &&
        diagnosisText.test(columnWordsOf(other.column.name))
      )
    const isFirst = code === first
    const branch = ["unionAll", name]
    const signs = (column.filled > 0 ? column : filled?.column)?.listSigns
    const rows = signs !== undefined
      ? `forEach: ${quotedText(codesPath(name, signs))}, `
      : isMixed
      ? `forEach: ${quotedText("%visit")}, `
      : ""
    const more = isMixed
      ? `, diagnosed_at: ${quotedText(beginning)}, diagnosed_by: ${ofAttendant(who?.name)}${
        who?.title === undefined ? "" : `, title: ${ofAttendant(who.title)}`
      }`
      : ""
    const type = isFirst && signs !== undefined
      ? firstIsPrimary(draft)
      : !isFirst && isOfAdmission(code)
      ? `{default: ${assumedValue(draft, "In", "admission-diagnosis-is-in")}}`
      : `{value: ${isFirst ? "Primary" : "Secondary"}}`
    // One text for several codes does not show which part belongs to which code.
    const nameText = signs === undefined ? yamlTo(display ?? text) : "null"
    const conditions = [
      ...(signs === undefined ? [`given: ${quotedText(`${path}.exists()`)}`] : []),
      ...certain.map(({ column, condition }) =>
        `${column}: {path: ${quotedText(condition)}, warn: ${quotedText(`dropped by its ${column}`)}}`
      )
    ]
    const given = conditions.length === 0 ? "" : `where: {${conditions.join(", ")}}, `
    const yaml =
      `{${rows}${given}diagnosis_type_name: ${type}, diagnosis_code: ${sent}, diagnosis_name: ${nameText}${more}}`
    if (isFirst && main === undefined && codes.length > 1) {
      doubt(branch, yaml, "the first column is sent as the primary one")
    } else if (isProvisional(code)) doubt(branch, yaml, "by its name, it was not final")
    else put(branch, yaml)
  }
  for (const { column, name } of visit.columns) {
    const words = columnWordsOf(column.name)
    if (
      column.codes.length < 2 || !namesDiagnosis(column.name) || !wordsOfType.test(words) ||
      certain.some((one) => one.column === name)
    ) continue
    draft.askWithoutLine(
      `which types of diagnoses should be sent, by \`visit.${name}\`?  ${
        countItems(column.codes).join(", ")
      }. No line reads it, and all are sent`,
      "If some should not be, such as presumed ones, write a condition:  diagnosis: {where: {…}}"
    )
  }
  put("diagnosis_description", "null")
  if (isMixed) {
    put("title", "null")
    return
  }
  put("title", ofAttendant(who?.title))
  put("diagnosed_at", quotedText(beginning))
  put("diagnosed_by", ofAttendant(who?.name))
}

/** Whether a column of the table of visits holds the diagnoses of the admission, and whether it holds those that were not final. */
const isOfAdmission = ({ column: { name } }: Declared): boolean =>
  /\b(?:admi\w*|ingreso|entree|entrada|masuk|awal)\b/u.test(columnWordsOf(name))
const isProvisional = ({ column: { name } }: Declared): boolean =>
  /\b(?:prov\w*|prelim\w*|working|presum\w*|presunt\w*|suspected|referral|referring)\b/u.test(columnWordsOf(name))

/** Whether a column of the table of visits holds the primary diagnoses. */
const isMain = ({ column }: Declared): boolean =>
  column.filled > 0 && /\b(?:main|primary|principal\w*|pdx|utama)\b/u.test(columnWordsOf(column.name))

/** The path to each code of a column of the visit that lists several in a cell. */
const codesPath = (name: string, signs: ReadonlyArray<string>): string => {
  const [first = "split(';')", ...others] = signs.map((sign) => `split('${sign === "\n" ? "\\n" : sign}')`)
  return `%visit.${pathOf(name)}.${first}${
    others.map((split) => `.select(${split})`).join("")
  }.select(trim()).where($this != '')`
}

const isOfDiagnoses = ({ table }: Role): boolean =>
  namesDiagnosis(table.name) || /\b(?:conditions?|problems?)\b/u.test(columnWordsOf(table.name))

/** Finds the column of a table of diagnoses that holds codes of another system, such as SNOMED CT. */
const otherCodeOf = (role: Role, draft: TableDraft): Declared | undefined =>
  draft.finder(role).own(
    [/\b(?:snomed\w*|sct|icpc\w*|read ?code)\b/u, /\b(?:code|codigo|kode)\b/u],
    ({ column }) => canBeCode(column, role.table) && !isSystem.test(columnWordsOf(column.name))
  )

/** Drafts a concept map to ICD-10. An unmapped code rejects its visit: no code of another system is sent as a diagnosis. */
const mapToIcd10 = (
  { column }: Declared,
  role: Role,
  icd10: Icd10Codes,
  draft: TableDraft
): void => {
  const system = systemOf(role)
  const form = new RegExp(icd10Form, "u")
  const open = column.codes.filter(([code]) =>
    !icd10.has(code) && (column.diagnoses === undefined || !form.test(code) && separatorsIn(code) === undefined)
  )
  const map = ["conceptMap", "diagnosis_code"]
  draft.ask(
    [...map, "list"],
    "diagnoses",
    `what are codes of \`${role.name}.${column.name}\` in ICD-10? Fill in tables/diagnosis_code.csv:  ${
      openCodes(open, column.withheld) ?? "confirm its proposed rows"
    }${
      system === undefined
        ? ""
        : `; \`${system.name}\`: ${openCodes(system.column.codes, system.column.withheld)}`
    }`
  )
  draft.put([...map, "unmapped"], "reject")
  for (const [code, count] of column.codes) {
    const known = icd10.get(code)
    if (known !== undefined) draft.propose([...map, "table", code], known, `${plural(count, "row")}; `)
  }
}

/** Codes of other systems, such as SNOMED CT, and their codes in ICD-10. */
type Icd10Codes = ReadonlyMap<string, string>

/** Drafts the diagnoses, from a table of them, from columns of the table of visits, or from both. */
export const suggestDiagnoses = (draft: TableDraft, icd10: Icd10Codes): void => {
  // A table whose rows refer to the visit comes before one whose rows refer to a stay of it.
  const candidates = draft.roles.filter((one) => one.name !== "visit" && draft.reachesVisits(one)).toSorted((a, b) =>
    Number(linkTo(b, "visit") !== undefined) - Number(linkTo(a, "visit") !== undefined)
  )
  const coded = candidates.flatMap((role) => {
    const code = codeOf(role) ?? (isOfDiagnoses(role) ? codeBehind(role, draft) : undefined)
    return code === undefined
      ? []
      : [{ role, code, why: `codes of \`${code.name}\` have the form of ICD-10` }]
  })
  const others = candidates.filter((role) => isOfDiagnoses(role) && !coded.some((one) => one.role === role)).flatMap(
    (role) => {
      const code = otherCodeOf(role, draft)
      return code === undefined ? [] : [{ role, code, why: "diagnoses by the table's name" }]
    }
  )
  const rows = coded.find(({ role }) => isOfDiagnoses(role))
  const visit = draft.role("visit")
  const wide = visit === undefined ? [] : codesIn(visit)
  const main = wide.find(isMain)
  const isMixed = rows !== undefined && main !== undefined && rows.role.table.isRepeated !== true
  const isWide = wide.length > 0 && (rows === undefined || isMixed)
  const sent = isWide ? rows : rows ?? others[0] ?? coded[0]
  if (visit !== undefined && isWide) suggestWide(visit, wide, { icd10, isMixed }, draft)
  if (sent !== undefined) suggestLong(sent, { icd10, beside: isMixed ? wide : [] }, draft)
  for (const { code, role } of [...coded, ...others]) {
    if (role !== sent?.role && isOfDiagnoses(role)) askIfSent(role, code, draft)
  }
  if (visit !== undefined && !isWide) {
    for (const code of wide.filter(({ column }) => column.filled > 0)) askIfSent(visit, code, draft)
  }
  if (isWide || sent !== undefined) return
  noteWords(visit, draft)
  for (const role of [...(visit === undefined ? [] : [visit]), ...candidates]) askAboutCodes(role, draft)
}

/** Asks about codes of diagnoses that are not sent in addition to those of another table. */
const askIfSent = (role: Role, { column, name }: Declared, draft: TableDraft): void =>
  draft.askWithoutLine(
    `are the codes of \`${role.name}.${name}\` also among the diagnoses of the other table? They are not sent  ${
      plural(column.filled, "row")
    }`,
    "If they are not, export all diagnoses of a visit in one table, with a column that shows which one is primary"
  )

/** Notes diagnoses that have no codes at all. */
const noteWords = (visit: Role | undefined, draft: TableDraft): void => {
  for (const { column, name } of visit?.columns ?? []) {
    const words = columnWordsOf(column.name)
    const isOfWords = (column.kind === "text" || column.kind === "code") && namesDiagnosis(column.name) &&
      !staffed.test(words) && !/\b(?:types?|status|rank|kind|certainty|date|time|at|no|id)\b/u.test(words)
    if (column.filled === 0 || !isOfWords && !diagnosisColumn.test(words)) continue
    const rows = plural(column.filled, "row")
    draft.questions.push(`diagnoses are not sent yet: what are the words of \`${name}\` in ICD-10?  ${rows}`)
  }
  const role = draft.roles.find((one) => isOfDiagnoses(one) && draft.reachesVisits(one))
  if (role === undefined) return
  draft.used.add(role)
  const rows = plural(role.table.rows, "row")
  draft.questions.push(`diagnoses are not sent yet: what are the codes of \`${role.name}\` in ICD-10?  ${rows}`)
  draft.notes.push(
    `rows of \`${role.name}\` (${rows}) look like diagnoses, and no column has codes: \`diagnosis_code\` needs a code of ICD-10`
  )
}

/** Asks about columns with the types of diagnoses that no line reads: a type can be that of diagnoses that are not certain. */
const askWhichTypes = (role: Role, read: ReadonlyArray<Declared>, draft: TableDraft): void => {
  const states = stateConditions(role)
  for (const one of role.columns) {
    const { column: { codes, different, kind, name, withheld } } = one
    const words = columnWordsOf(name)
    const isRead = read.some((other) => other.name === one.name) || states.some(({ column }) => column === one.name)
    if (
      isRead || kind !== "code" && (kind !== "integer" || different > 9) || different < 2 || isSystem.test(words) ||
      !/^(?:(?:diag\w*|p?dx|condition) ?)?(?:type|tipo|kind|certainty|source)$|^(?:type|tipo) (?:de |del |du |of )?(?:diag\w*|p?dx)$/u
        .test(words)
    ) continue
    draft.askWithoutLine(
      `which types of diagnoses should be sent, by \`${role.name}.${one.name}\`?  ${
        openCodes(codes, withheld)
      }. No line reads it, and all are sent`,
      `If some should not be, such as those to be ruled out, write a condition:  diagnosis: {where: {certain: "${
        pathOf(one.name)
      } != 'WORD'"}}`
    )
  }
}

/** Drafts diagnoses from a table with a row for each. Those in columns of the visit, `beside`, are sent only once. */
const suggestLong = (
  { code, role, why }: { readonly role: Role; readonly code: Declared; readonly why: string },
  { beside, icd10 }: { readonly beside: ReadonlyArray<Declared>; readonly icd10: Icd10Codes },
  draft: TableDraft
): void => {
  draft.use(role)
  const finder = draft.finder(role)
  const section = ["visit", "diagnosis", ...(beside.length === 0 ? [] : ["unionAll", `${role.name}_rows`])]
  const { put } = draft.section(...section)
  put("resource", role.name, why)
  if (role.table.isPart === true) put(["where", "coded"], quotedText(`${pathOf(code.name)}.exists()`))
  const isRepeated = role.table.isRepeated === true
  if (isRepeated) {
    const own = role.columns.filter(({ column }) =>
      column.filled > 0 && column.name !== role.links[0]?.foreignKey.column
    )
    put(
      "groupBy",
      `[${own.map(({ name }) => quotedText(pathOf(name))).join(", ")}]`,
      "rows of one visit repeat a diagnosis"
    )
  }
  const first = (path: string | undefined): string | undefined =>
    isRepeated && path !== undefined ? `first().${path}` : path
  if (beside.length > 0) {
    const own = beside.map(({ column: { listSigns }, name }) =>
      listSigns === undefined ? `%visit.${pathOf(name)}` : codesPath(name, listSigns)
    ).join(" | ")
    put(["where", "other"], quotedText(`(${pathOf(code.name)} in (${own})).not()`), "the visit has it in a column")
  }
  draft.dropByState(role, section)
  const rank = typeColumnOf(role, code, draft)
  put("encounter_code", ownEncounter)
  if (beside.length > 0) {
    put("diagnosis_type_name", "{value: Secondary}", "the primary one is in a column of the visit")
  } else suggestDiagnosisType(rank, role, draft)
  askWhichTypes(role, [code, ...(rank === undefined ? [] : [rank])], draft)
  put("diagnosis_code", codeAsIcd10(code, role, icd10, draft))
  if (code.column.listSigns !== undefined) {
    draft.askWithoutLine(
      `\`${role.name}.${code.name}\` has several codes in a cell, and a row is one diagnosis: such visits are rejected`,
      "Export a row for each code, or one column of the visit with all codes"
    )
  }
  put(
    "diagnosis_name",
    yamlOf(
      first(finder.path([
        /\b(?:diagnosis|icd) ?(?:10 )?(?:name|title|text|description)\b|\btitle\b/u,
        /^diagnostic[oa]?s?$/u,
        /^(?:diag\w*|p?dx|condition|problem|disease|illness)$/u,
        // The type, the state or the number of a diagnosis is not its name, and neither is who diagnosed it, or where.
        /^(?!.*\b(?:patient|client|doctor|physician|nurse|staff|provider name|practitioner|clinician|by|ward|department|clinic|hospital|facility|location|unit|site|payer|insur\w*|drug|medicine|status|state|type|tipo|kind|certainty|confirmed|code|codigo|rank|order|seq|date|time|at|by|id|no|nr|num|number|group|category|class|source|version|system)\b).*\b(?:diagnosis|name|description|display|text|libelle|intitule|descripcion|descricao)\b/u
      ], (one) => one !== code && one.column.numbers < one.column.filled))
    )
  )
  put("diagnosis_description", "null")
  const time = finder.time(/\b(?:diag\w*|p?dx|condition)\b/u) ?? finder.time()
  put("diagnosed_at", firstOf(first(pathTo(time)), beginning))
  const visit = draft.role("visit")
  const who = finder.person(/\bdiagnos\w* by\b/u) ?? finder.staff()
  const attendant = who !== undefined || visit === undefined ? undefined : draft.finder(visit).staff()
  const person = (of: keyof Person): string => {
    const path = attendant?.[of]
    return path === undefined
      ? yamlOf(first(who?.[of]))
      : `[${assumedPath(draft, `%visit.${path}`, "attendant-made-diagnosis")}]`
  }
  put("diagnosed_by", person("name"))
  put("title", person("title"))
}
