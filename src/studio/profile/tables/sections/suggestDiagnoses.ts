import { plural } from "../../../../diagnostic/count.ts"
import type { OverlayWriter } from "../../draft/OverlayWriter.ts"
import { assumedPath } from "../../substitutes.ts"
import { columnWordsOf, isVisitColumnName, namesPatient } from "../columnWords.ts"
import type { Suggesting } from "../Suggesting.ts"
import { keepWhatTookPlace, reaches, use } from "../Suggesting.ts"
import { canBeCode, firstOf, inCondition, ownEncounter, pathOf, TableFinder, yamlOf } from "../TableFinder.ts"
import type { Declared, Role } from "../TableRole.ts"
import { openCodes } from "./suggestConceptMaps.ts"

const staffed = /\b(?:doctor|physician|dr|nurse|staff|provider|by)\b/u

/** Whether codes of a column have the form of ICD-10 and do not number a patient, a visit, a row or staff: M712 may be both. */
const holdsDiagnoses = ({ links, name: table, table: profile }: Role, { column, name }: Declared): boolean =>
  column.diagnoses !== undefined &&
  (column.diagnoses * 10 >= column.filled * 9 || calledDiagnosis.test(columnWordsOf(column.name))) &&
  !staffed.test(columnWordsOf(column.name)) && canBeCode(column, profile) &&
  !namesPatient(column.name) && !isVisitColumnName(column.name) &&
  !(table === "visit" && (name === "code" || name === "patient_code")) &&
  !links.some(([, link, target]) => link.column === column.name && (target === "visit" || target === "patient"))

const calledDiagnosis = /icd|cim|cie ?\d|diag|dx|\bcode\b/u

/** The column of a table whose codes have the form of ICD-10. */
const codeOf = (role: Role): Declared | undefined => {
  const coded = role.columns.filter((one) => holdsDiagnoses(role, one))
  return coded.find(({ column }) => /icd|\bcode\b/u.test(columnWordsOf(column.name))) ??
    coded.find(({ column }) => /icd|diag|dx/u.test(columnWordsOf(column.name))) ??
    (isCalled(role) ? coded[0] : undefined)
}

/** A column of diagnoses, by its name alone. */
const diagnosisColumn =
  /^(?:(?:main|primary|principal|secondary|other) )?(?:diag\w*|p?dx|sdx|icd\w*|cim\w*|cie ?10)(?: ?codes?)?(?: ?\d{1,2})?$/u

/**
 * The columns of a wide table that hold diagnoses, the first one first. Codes of another system count where the column is called so; other
 * columns only if none is called so.
 */
const codesIn = (visit: Role): ReadonlyArray<Declared> => {
  const coded = visit.columns.filter((one) => holdsDiagnoses(visit, one))
  const called = visit.columns.filter((one) =>
    coded.includes(one)
      ? calledDiagnosis.test(columnWordsOf(one.column.name))
      : diagnosisColumn.test(columnWordsOf(one.column.name)) && (one.column.filled === 0 || hasCodes(one))
  )
  return called.some(({ column }) => column.filled > 0) ? called : coded
}

/** Whether the values are codes rather than words: some have digits. */
const hasCodes = ({ column: { codes, kind, numbers } }: Declared): boolean =>
  (kind === "code" || kind === "integer") && (numbers > 0 || codes.some(([code]) => /\d/u.test(code)))

/** The column that says of which system each code is. */
const systemOf = ({ columns }: Role): Declared | undefined =>
  columns.find(({ column }) => column.codes.length > 0 && isSystem.test(columnWordsOf(column.name)))

const isSystem =
  /^(?:(?:diag\w*|condition|dx|icd|code|coding)? ?)(?:code |coding )?(?:system|codeset|code set|scheme|vocabulary|terminology|version)(?: (?:name|id|code))?$/u

/** Whether a system is ICD-10, by its name or by its number in a column of versions. */
const isIcd10 = (system: string, { column }: Declared): boolean =>
  /\bversion\b/u.test(columnWordsOf(column.name))
    ? /\b10\b/u.test(system)
    : /icd|cim|cie/iu.test(system) && !/icd\W*(?:9|11)|icdo/iu.test(system)

/** The form of ICD-10, as the rule of the Visit has it. */
export const icd10Form = "^[A-Z][0-9][0-9A-Z]([.]?[0-9A-Z]{1,4})?[+*!]?$"

/**
 * The code as ICD-10: as it is, through a concept map, or each by its system or its form. Gives how many rows of the map are proposed.
 */
const codeAsIcd10 = (
  one: Declared,
  role: Role,
  icd10: ReadonlyMap<string, string>,
  out: Suggesting
): { readonly yaml: string; readonly proposals: number } => {
  const { column, name } = one
  const path = pathOf(name)
  const system = systemOf(role)
  const systems = system?.column.codes.map(([code]) => code) ?? []
  const known = systems.filter((code) => isIcd10(code, system!))
  const mapped = (): number => mapToIcd10(one, system, icd10, out)
  if (system !== undefined && known.length > 0 && (known.length < systems.length || system.column.withheld > 0)) {
    const proposals = mapped()
    const yaml = `iif(${inCondition(pathOf(system.name), known)}, ${path}, ${path}.translated('diagnosis_code'))`
    return { yaml: JSON.stringify(yaml), proposals }
  }
  if (column.diagnoses === undefined && column.filled > 0 || systems.length > known.length) {
    return { proposals: mapped(), yaml: `{path: ${yamlOf(path)}, conceptMap: diagnosis_code}` }
  }
  if ((column.diagnoses ?? 0) < column.filled) {
    const proposals = mapped()
    const yaml = `iif(${path}.matches('${icd10Form}'), ${path}, ${path}.translated('diagnosis_code'))`
    return { yaml: JSON.stringify(yaml), proposals }
  }
  return { yaml: yamlOf(path), proposals: 0 }
}

/** A column for each diagnosis: each is a branch. */
const suggestWide = (
  visit: Role,
  codes: ReadonlyArray<Declared>,
  icd10: ReadonlyMap<string, string>,
  out: Suggesting
): number => {
  const { roles, writer } = out
  let proposals = 0
  const yamls = new Map<Declared, string>()
  const put = (path: ReadonlyArray<string>, yaml: string, why?: string) =>
    writer.put(["visit", "diagnosis", ...path], yaml, why)
  put(["forEach"], JSON.stringify("%visit"), "a column for each diagnosis")
  put(["encounter_code"], ownEncounter)
  const main = codes.find(({ column }) =>
    /\b(?:main|primary|principal\w*|pdx|utama)\b/u.test(columnWordsOf(column.name))
  )
  const first = main ?? codes[0]
  for (const code of codes) {
    const { column, name } = code
    // A column that is empty in the sample is read as the others are.
    const like = column.filled === 0 ? codes.find((other) => other.column.filled > 0) : undefined
    const coded = like === undefined ? codeAsIcd10(code, visit, icd10, out) : undefined
    proposals = Math.max(proposals, coded?.proposals ?? 0)
    const sent = coded?.yaml ?? yamls.get(like!)?.replaceAll(pathOf(like!.name), pathOf(name)) ?? yamlOf(pathOf(name))
    yamls.set(code, sent)
    const words = columnWordsOf(column.name)
    const named = visit.columns.find((other) => {
      const rest = columnWordsOf(other.column.name)
      return other.column !== column && rest.startsWith(words) &&
        /^ ?(?:name|desc\w*|text|title|libelle|nombre|nama)$/u.test(rest.slice(words.length))
    })
    const isFirst = code === first
    const at = ["visit", "diagnosis", "unionAll", name]
    const yaml = `{where: {given: ${JSON.stringify(`${pathOf(name)}.exists()`)}}, diagnosis_type_name: {value: ${
      isFirst ? "Primary" : "Secondary"
    }}, diagnosis_code: ${sent}, diagnosis_name: ${named === undefined ? "null" : yamlOf(pathOf(named.name))}}`
    if (!calledDiagnosis.test(words)) writer.doubt(at, yaml, "only its values look like codes of ICD-10")
    else if (isFirst && main === undefined && codes.length > 1) {
      writer.doubt(at, yaml, "the first column is sent as the primary one")
    } else writer.put(at, yaml)
  }
  put(["diagnosis_description"], "null")
  put(["diagnosed_at"], JSON.stringify("%visit.admitted_at"))
  const who = new TableFinder(visit, roles).staff()
  put(["diagnosed_by"], who === undefined ? "null" : `[${assumedPath(writer, who, "attendant-made-diagnosis")}]`)
  put(["title"], "null")
  return proposals
}

const isCalled = ({ table }: Role): boolean =>
  /\b(?:\w*diag\w*|conditions?|problems?|icd\w*|dx|illness\w*)\b/u.test(columnWordsOf(table.name))

/** The column of a table of diagnoses that holds codes of another system, such as SNOMED CT. */
const otherCodeOf = (role: Role, { roles }: Suggesting): Declared | undefined =>
  new TableFinder(role, roles).own(
    [/\b(?:snomed\w*|sct|icpc\w*|read ?code)\b/u, /\b(?:code|codigo|kode)\b/u],
    ({ column }) => canBeCode(column, role.table) && !isSystem.test(columnWordsOf(column.name))
  )

/** A concept map to ICD-10; gives how many rows are proposed. A code without a row rejects its visit: no code of another system is sent as a diagnosis. */
const mapToIcd10 = (
  { column }: Declared,
  system: Declared | undefined,
  icd10: ReadonlyMap<string, string>,
  { questions, writer }: Suggesting
): number => {
  const known = column.codes.filter(([code]) => icd10.has(code))
  const form = new RegExp(icd10Form, "u")
  const open = column.codes.filter(([code]) => !icd10.has(code) && (column.diagnoses === undefined || !form.test(code)))
  const question = `what are codes of \`${column.name}\` in ICD-10? Fill in tables/diagnosis_code.csv:  ${
    openCodes(open, column.withheld) ?? "confirm its proposed rows"
  }${
    system === undefined
      ? ""
      : `; \`${system.name}\`: ${openCodes(system.column.codes, system.column.withheld)}`
  }`
  const map = ["conceptMap", "diagnosis_code"]
  writer.put([...map, "list"], "diagnoses", `QUESTION ${question}`)
  writer.put([...map, "unmapped"], "reject")
  for (const [code, count] of known) {
    const why = `${plural(count, "row")}; a proposal of \`us-synthetic\`: confirm it`
    writer.put([...map, "table", code], JSON.stringify(icd10.get(code)!), why)
  }
  questions.push(question)
  return known.length
}

/** Drafts the diagnoses, and gives how many rows of a concept map are proposed. A table with codes of ICD-10 that reaches the visits; the one that is called after diagnoses before others. */
export const suggestDiagnoses = (out: Suggesting, icd10: ReadonlyMap<string, string>): number => {
  const { notes, roles, writer } = out
  const role = roles.filter((one) => one.name !== "visit" && codeOf(one) !== undefined && reaches(one, out))
    .toSorted((one, other) => Number(isCalled(other)) - Number(isCalled(one)))[0]
  const visit = roles.find(({ name }) => name === "visit")
  const wide = visit === undefined ? [] : codesIn(visit)
  if (visit !== undefined && wide.length > 0 && (role === undefined || !isCalled(role))) {
    return suggestWide(visit, wide, icd10, out)
  }
  const coded = role ??
    roles.find((one) =>
      one.name !== "visit" && isCalled(one) && otherCodeOf(one, out) !== undefined && reaches(one, out)
    )
  if (coded === undefined) {
    const worded = visit?.columns.find(({ column }) =>
      column.filled > 0 && diagnosisColumn.test(columnWordsOf(column.name))
    )
    if (worded !== undefined) {
      const rows = plural(worded.column.filled, "row")
      out.questions.push(`diagnoses are not sent yet: what are the words of \`${worded.name}\` in ICD-10?  ${rows}`)
    }
    const other = roles.find((one) => isCalled(one) && reaches(one, out))
    if (other !== undefined) {
      out.used.add(other)
      const rows = plural(other.table.rows, "row")
      out.questions.push(`diagnoses are not sent yet: what are the codes of \`${other.name}\` in ICD-10?  ${rows}`)
      notes.push(
        `rows of \`${other.name}\` (${rows}) look like diagnoses, and no column has codes: \`diagnosis_code\` needs a code of ICD-10`
      )
    }
    return 0
  }
  use(coded, out)
  const finder = new TableFinder(coded, roles)
  const code = role === undefined ? otherCodeOf(coded, out)! : codeOf(coded)!
  const rank = finder.own([
    /\b(?:rank|seq\w*|order|priority)\b/u,
    /\b(?:diag\w* ?type|type|tipo|kind|certainty|main)\b/u
  ])
  const put = (field: string, yaml: string, why?: string) => writer.put(["visit", "diagnosis", field], yaml, why)
  put(
    "resource",
    coded.name,
    role === undefined ? "diagnoses by the table's name" : `codes of \`${code.name}\` have the form of ICD-10`
  )
  keepWhatTookPlace(coded, ["visit", "diagnosis"], out)
  put("encounter_code", ownEncounter)
  suggestType(rank, writer)
  const { proposals, yaml } = codeAsIcd10(code, coded, icd10, out)
  put("diagnosis_code", yaml)
  put(
    "diagnosis_name",
    yamlOf(
      finder.path([
        /\b(?:diagnosis|icd) ?(?:10 )?(?:name|title|text|description)\b|\btitle\b/u,
        /\b(?:diagnosis|name|description|display|text)\b/u
      ], (one) => one !== code)
    )
  )
  put("diagnosis_description", "null")
  put("diagnosed_at", firstOf(nameOf(finder.time()), "%visit.admitted_at"))
  put("diagnosed_by", finder.staff() ?? "null")
  put("title", "null")
  return proposals
}

const nameOf = (one: Declared | undefined): string | undefined => (one === undefined ? undefined : pathOf(one.name))

/** The first is the primary one: by its number, or by a word that says so. */
const suggestType = (rank: Declared | undefined, writer: OverlayWriter): void => {
  const at = ["visit", "diagnosis", "diagnosis_type_name"]
  const yaml = (condition: string): string => JSON.stringify(`iif(${condition}, 'Primary', 'Secondary')`)
  const main = rank?.column.codes.map(([code]) => code).find((code) =>
    /^(?:main|primary|principale?|prim|pdx|p|haupt\w*|utama)$/iu.test(code)
  )
  if (rank !== undefined && rank.column.numbers === rank.column.filled && rank.column.numbers > 0) {
    const one = rank.yaml.includes("integer") ? "1" : "'1'"
    writer.doubt(at, yaml(`${pathOf(rank.name)} = ${one}`), "1 is assumed to be the primary one")
  } else if (rank !== undefined && main !== undefined) {
    writer.put(at, yaml(inCondition(pathOf(rank.name), [main])), "by the word in it")
  } else if (rank !== undefined && /\b(?:main|primary|principal)\b/u.test(columnWordsOf(rank.column.name))) {
    const yes = rank.column.codes.map(([code]) => code).filter((code) =>
      /^(?:y|yes|t|true|x|1|oui|si|sim|ya)$/iu.test(code)
    )
    writer.doubt(at, yaml(inCondition(pathOf(rank.name), yes.length === 0 ? ["Y"] : yes)), "by a yes in it")
  } else {
    writer.doubt(at, yaml("%rowIndex = 0"), "no column ranks them: the first is sent as the primary one")
  }
}
