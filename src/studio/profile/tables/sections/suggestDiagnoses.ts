import { plural } from "../../../../diagnostic/count.ts"
import { columnWordsOf } from "../columnWords.ts"
import type { Suggesting } from "../Suggesting.ts"
import { keepWhatTookPlace, reaches, use } from "../Suggesting.ts"
import { canBeCode, firstOf, ownEncounter, pathOf, TableFinder, yamlOf } from "../TableFinder.ts"
import type { Declared, Role } from "../TableRole.ts"

const staffed = /\b(?:doctor|physician|dr|nurse|staff|provider|by)\b/u

/** The column of a table whose codes have the form of ICD-10; not who somebody is. */
const codeOf = (role: Role): Declared | undefined => {
  const coded = role.columns.filter(({ column }) =>
    column.diagnoses === true && !staffed.test(columnWordsOf(column.name)) && canBeCode(column, role.table)
  )
  return coded.find(({ column }) => /icd|\bcode\b/u.test(columnWordsOf(column.name))) ??
    coded.find(({ column }) => /icd|diag|dx/u.test(columnWordsOf(column.name))) ??
    (isCalled(role) ? coded[0] : undefined)
}

/** The columns of a wide table that hold diagnoses, the first one first. */
const codesIn = (visit: Role): ReadonlyArray<Declared> =>
  visit.columns.filter(({ column }) =>
    column.diagnoses === true && !staffed.test(columnWordsOf(column.name)) && canBeCode(column, visit.table)
  )

/** A column for each diagnosis: each is a branch. */
const suggestWide = (visit: Role, codes: ReadonlyArray<Declared>, { roles, writer }: Suggesting): void => {
  const put = (path: ReadonlyArray<string>, yaml: string, why?: string) =>
    writer.put(["visit", "diagnosis", ...path], yaml, why)
  put(["forEach"], JSON.stringify("%visit"), "a column for each diagnosis")
  put(["encounter_code"], ownEncounter)
  for (const [at, { column, name }] of codes.entries()) {
    const words = columnWordsOf(column.name)
    const named = visit.columns.find((other) => {
      const rest = columnWordsOf(other.column.name)
      return other.column !== column && rest.startsWith(words) &&
        /^ ?(?:name|desc\w*|text|title|libelle|nombre|nama)$/u.test(rest.slice(words.length))
    })
    const main = /\b(?:main|primary|principal\w*|pdx|utama)\b/u.test(words)
    const isFirst = at === 0
    put(
      ["unionAll", name],
      `{where: {given: ${JSON.stringify(`${pathOf(name)}.exists()`)}}, diagnosis_type_name: {value: ${
        isFirst ? "Primary" : "Secondary"
      }}, diagnosis_code: ${yamlOf(pathOf(name))}, diagnosis_name: ${
        named === undefined ? "null" : yamlOf(pathOf(named.name))
      }}`,
      isFirst && !main && codes.length > 1 ? "the first column is sent as the primary one: make sure of it" : undefined
    )
  }
  put(["diagnosis_description"], "null")
  put(["diagnosed_at"], JSON.stringify("%visit.admitted_at"))
  put(["diagnosed_by"], new TableFinder(visit, roles).staff() ?? "null")
  put(["title"], "null")
}

const isCalled = ({ table }: Role): boolean =>
  /\b(?:\w*diag\w*|conditions?|problems?|icd\w*|dx|illness\w*)\b/u.test(columnWordsOf(table.name))

/** A table with codes of ICD-10 that reaches the visits; the one that is called after diagnoses before others. */
export const suggestDiagnoses = (out: Suggesting): void => {
  const { notes, roles, writer } = out
  const role = roles.filter((one) => one.name !== "visit" && codeOf(one) !== undefined && reaches(one, out))
    .toSorted((one, other) => Number(isCalled(other)) - Number(isCalled(one)))[0]
  const visit = roles.find(({ name }) => name === "visit")
  const wide = visit === undefined ? [] : codesIn(visit)
  if (visit !== undefined && wide.length > 0 && (role === undefined || !isCalled(role))) {
    return suggestWide(visit, wide, out)
  }
  if (role === undefined) {
    const other = roles.find((one) => isCalled(one) && reaches(one, out))
    if (other !== undefined) {
      out.used.add(other)
      out.questions.push(
        `diagnoses are not sent yet: what are the codes of \`${other.name}\` in ICD-10?  ${
          plural(other.table.rows, "row")
        }`
      )
      notes.push(
        `rows of \`${other.name}\` (${
          plural(other.table.rows, "row")
        }) look like diagnoses, and no column has codes of ICD-10: \`diagnosis_code\` needs a concept map of the codes they have`
      )
    }
    return
  }
  use(role, out)
  const finder = new TableFinder(role, roles)
  const code = codeOf(role)!
  const rank = finder.own([/\b(?:rank|seq\w*|order|priority)\b/u, /\b(?:diag\w* ?type|type|kind|certainty|main)\b/u])
  const put = (field: string, yaml: string, why?: string) => writer.put(["visit", "diagnosis", field], yaml, why)
  put("resource", role.name, `codes of \`${code.name}\` have the form of ICD-10`)
  keepWhatTookPlace(role, ["visit", "diagnosis"], out)
  put("encounter_code", ownEncounter)
  const [type, why] = typeOf(rank)
  put("diagnosis_type_name", type, why)
  put("diagnosis_code", yamlOf(pathOf(code.name)))
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
}

const nameOf = (one: Declared | undefined): string | undefined => (one === undefined ? undefined : pathOf(one.name))

/** The first is the primary one: by its number, or by a word that says so. */
const typeOf = (rank: Declared | undefined): readonly [yaml: string, why: string] => {
  if (rank !== undefined && rank.column.numbers === rank.column.filled) {
    const one = rank.yaml.includes("integer") ? "1" : "'1'"
    return [
      JSON.stringify(`iif(${pathOf(rank.name)} = ${one}, 'Primary', 'Secondary')`),
      "1 is taken for the primary one: make sure of it"
    ]
  }
  const main = rank?.column.codes.map(([code]) => code).find((code) =>
    /^(?:main|primary|principal|prim|pdx|p|haupt\w*)$/iu.test(code)
  )
  return rank !== undefined && main !== undefined
    ? [JSON.stringify(`iif(${pathOf(rank.name)} = '${main}', 'Primary', 'Secondary')`), "by the word in it"]
    : [
      JSON.stringify("iif(%rowIndex = 0, 'Primary', 'Secondary')"),
      "no column ranks them: the first is sent as the primary one"
    ]
}
