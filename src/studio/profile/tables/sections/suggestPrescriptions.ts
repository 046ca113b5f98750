import { columnWordsOf } from "../columnWords.ts"
import type { Suggesting } from "../Suggesting.ts"
import { generateCodes, keepWhatTookPlace, reaches, use } from "../Suggesting.ts"
import { firstOf, pathOf, TableFinder, yamlOf } from "../TableFinder.ts"
import type { Declared, Role } from "../TableRole.ts"

const quoted = (text: string): string => JSON.stringify(text)

/** A table that is called after medicines. */
export const isMedicines = ({ table }: Role): boolean =>
  /\b(?:\w*prescri\w*|\w*medic(?:ation|ine|ament)s?|drugs?(?: ?orders?)?|dispens\w*|pharmac\w*|rx)\b/u.test(
    columnWordsOf(table.name)
  )

/** The code of a medicine, and its name. */
export const medicineCode = (finder: TableFinder): string | undefined =>
  finder.code([
    /\b(?:drug|medicine|medication|medicament|product|item|atc)\b.*\b(?:code|cd)\b|^(?:ndc|atc|din|i ?code|rx ?norm)$/u,
    /^(?:code|cd) (?:drug|medicine|medication|medicament|product|item)\b/u,
    /\b(?:drug|medicine|medication|medicament|product|item)\b.*\b(?:id|no)\b/u,
    /^code$/u
  ])

export const medicineName = (finder: TableFinder): string | undefined =>
  finder.path([
    /\b(?:drug|medicine|medication|product|item|generic|trade|brand)\b.*\bname\b/u,
    /^(?:name|description|label)$/u,
    /^(?:drug|medicine|medication|medicament|item|generic)$/u
  ])

/** What was ordered at one time is one prescription. */
export const suggestPrescriptions = (out: Suggesting): void => {
  const { roles, writer } = out
  const role = roles.find((one) => {
    if (one.name === "visit" || one.name === "patient" || !isMedicines(one) || !reaches(one, out)) return false
    const finder = new TableFinder(one, roles)
    return (medicineCode(finder) ?? medicineName(finder)) !== undefined
  })
  if (role === undefined) return
  use(role, out)
  const finder = new TableFinder(role, roles)
  const at = ["visit", "prescriptions"]
  const put = (field: string, yaml: string, why?: string) => writer.put([...at, field], yaml, why)
  const number = finder.own(
    [/^(?!.*\b(?:provider|doctor|physician|by)\b).*\b(?:prescription|rx|order)\b.*\b(?:id|no|nr|num|number|code)\b/u],
    ({ column }) => column.share === 1 && !column.unique
  )
  const time = finder.time(/\b(?:prescri\w*|order\w*|start\w*|dispens\w*|rx ?date|date|at)\b/u) ?? finder.time()
  const group = number ?? time
  put(
    "resource",
    role.name,
    number === undefined
      ? "what was ordered at one time is one prescription"
      : "rows of one number are one prescription"
  )
  keepWhatTookPlace(role, at, out)
  if (group !== undefined) put("groupBy", `[${quoted(pathOf(group.name))}]`)
  if (number === undefined) generateCodes(out)
  put(
    "code",
    number === undefined ? quoted("first().keyOf('record')") : `{path: ${quoted(pathOf(number.name))}, take: first}`
  )
  const who = finder.staff()
  put("prescribed_by", who === undefined ? "null" : `{path: ${who}, take: first}`)
  put("title", "null")
  put("encounter_code", "null")
  put(
    "prescribed_at",
    `{path: ${firstOf(time === undefined ? undefined : pathOf(time.name), "%visit.admitted_at")}, take: first}`
  )
  suggestMedicines(finder, out)
}

const suggestMedicines = (finder: TableFinder, { writer }: Suggesting): void => {
  const put = (field: string, yaml: string, why?: string) =>
    writer.put(["visit", "prescriptions", "medications", field], yaml, why)
  const path = (...words: ReadonlyArray<RegExp>): string => yamlOf(finder.path(words))
  const amount = (words: RegExp): string => {
    const found = finder.own([words], isNumber)
    return found === undefined ? "null" : yamlOf(pathOf(found.name))
  }
  const [code, name] = [medicineCode(finder), medicineName(finder)]
  put("forEach", quoted("$this"))
  put(
    "code",
    firstOf(code, name),
    code === undefined
      ? "no column holds codes: the name is sent as one"
      : name === undefined
      ? undefined
      : "where a code is missing the name is sent as one"
  )
  put("medicine_name", yamlOf(name))
  put("strength", path(/\bstrength\b/u))
  put("form", path(/^(?:form|dosage form|dose form|form rx)$/u))
  put("method", path(/^(?:route|method|administration)\b/u))
  put("unit", path(/\bdos\w* units?\b/u, /^(?:units?|uom)$/u))
  put("note", path(/\b(?:instructions?|directions?|sig|usage|drug ?usage|remarks?|reason ?description)\b/u))
  put("morning", amount(/\bmorning\b/u), "doses that are not by time of day have no field of their own")
  put("afternoon", amount(/\b(?:afternoon|noon)\b/u))
  put("evening", amount(/\bevening\b/u))
  put("night", amount(/\b(?:night|bedtime)\b/u))
  put("days", amount(/^(?:days|duration|days supply|no of days)$/u))
  put("interval", path(/\b(?:frequency|interval|freq)\b/u))
}

const isNumber = ({ column }: Declared): boolean => column.filled > 0 && column.numbers === column.filled
