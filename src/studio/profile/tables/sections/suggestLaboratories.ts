import { plural } from "../../../../diagnostic/count.ts"
import { noResult } from "../../../../visit/rules/valuesArePossible.ts"
import { quotedText as quoted } from "../../draft/OverlayWriter.ts"
import { columnWordsOf, isResult } from "../columnWords.ts"
import type { Suggesting } from "../Suggesting.ts"
import { generateCodes, keepWhatTookPlace, reaches, throughOf, use } from "../Suggesting.ts"
import { firstOf, ownEncounter, pathOf, TableFinder, yamlOf } from "../TableFinder.ts"
import type { Declared, Role } from "../TableRole.ts"

const isCalled = ({ table }: Role): boolean =>
  /\b(?:lab\w*|lis|patholog\w*|test ?results?)\b/u.test(columnWordsOf(table.name))

const resultOf = (finder: TableFinder): Declared | undefined =>
  finder.own(
    [/^(?:value|result|answer)$/u, /\bresult(?: value)?$/u, /^(?:value ?num\w*|result \w+)$/u],
    ({ column }) => column.kind !== "date" && column.kind !== "timestamp"
  )

/** A column's code for rows of the laboratory. */
const labCategory = ({ columns }: Role) =>
  columns.flatMap(({ column, name }) =>
    /\b(?:category|class|group|type)\b/u.test(columnWordsOf(column.name))
      ? column.codes.flatMap(([code]) => (/^lab(?:oratory)?$/iu.test(code) ? [{ name, code }] : []))
      : []
  )[0]

/** Results of tests: with a row above them for each request, else those of one specimen or time together. */
export const suggestLaboratories = (out: Suggesting): void => {
  const { roles, writer } = out
  const role = roles.find((one) => {
    if (one.name === "visit" || one.name === "patient" || !reaches(one, out)) return false
    return (isCalled(one) || labCategory(one) !== undefined) && resultOf(new TableFinder(one, roles)) !== undefined
  })
  if (role === undefined) return
  use(role, out)
  const finder = new TableFinder(role, roles)
  const through = throughOf(role, roles)
  const head = roles.find((one) =>
    one.name === through?.[2] &&
    (isCalled(one) || /\b(?:orders?|requests?|specimens?|samples?)\b/u.test(columnWordsOf(one.table.name)))
  )
  const category = labCategory(role)
  const time = finder.time(/\b(?:collect\w*|sampl\w*|drawn|taken|chart ?time|observed|test)\b/u) ?? finder.time()
  const at = ["visit", "laboratories"]
  const put = (field: string, yaml: string, why?: string) => writer.put([...at, field], yaml, why)
  if (head === undefined) {
    const request = finder.own(
      [/^(?!.*\b(?:provider|doctor|physician|by)\b).*\b(?:specimen|accession|sample|request|order)\b.*\b(?:id|no|nr|num|number|code)\b/u],
      ({ column }) => column.share === 1 && !column.unique
    )
    const group = request ?? time
    put(
      "resource",
      role.name,
      request === undefined ? "results of one time are one request" : "results of one specimen are one request"
    )
    if (category === undefined) keepWhatTookPlace(role, at, out)
    else writer.put([...at, "where", "laboratory"], quoted(`${pathOf(category.name)} = '${category.code}'`))
    leaveOutOpenResults(role, at, out)
    if (group !== undefined) put("groupBy", `[${quoted(pathOf(group.name))}]`)
    put(
      "request_code",
      request === undefined ? quoted("first().keyOf('record')") : `{path: ${quoted(pathOf(request.name))}, take: first}`
    )
    if (request === undefined) generateCodes(out)
  } else {
    use(head, out)
    leaveOutOpenResults(role, [...at, "results"], out)
    const key = head.columns.find(({ column }) => column.name === head.table.keys[0])
    put("resource", head.name, `results are rows of \`${role.name}\``)
    put("request_code", key === undefined ? quoted("keyOf('record')") : yamlOf(pathOf(key.name)))
    if (key === undefined) generateCodes(out)
  }
  const above = head === undefined ? finder : new TableFinder(head, roles)
  const first = (path: string | undefined, last?: string): string => {
    const paths = firstOf(path, last)
    return head === undefined && (path !== undefined || last !== undefined) ? `{path: ${paths}, take: first}` : paths
  }
  const timeOf = (from: TableFinder, ...words: ReadonlyArray<RegExp>): string | undefined => {
    const found = from.time(...words)
    return found === undefined ? undefined : pathOf(found.name)
  }
  const main = head === undefined && time !== undefined ? pathOf(time.name) : timeOf(above)
  put("encounter_code", ownEncounter)
  put("requested_at", first(timeOf(above, /\b(?:request\w*|order\w*)\b/u) ?? main, "%visit.admitted_at"))
  put(
    "collected_at",
    first(timeOf(above, /\b(?:collect\w*|sampl\w*|drawn|chart ?time)\b/u) ?? main, "%visit.admitted_at")
  )
  put("requested_by", first(above.staff()))
  put("collected_by", "null")
  put("title", "null")
  suggestResults(role, head, through?.[0], finder, main, out)
}

/** Whether cells of a column of results are read as text: some are words. */
const mayBeWords = ({ column, yaml }: Declared): boolean =>
  yaml === "text" || yaml.startsWith("{") && !yaml.includes("type:") && isResult(column.name)

/** Drops rows whose result is only a word that there is none, with a warning; other words are asked about. */
const leaveOutOpenResults = (role: Role, at: ReadonlyArray<string>, out: Suggesting): void => {
  const result = resultOf(new TableFinder(role, out.roles))!
  const { column, name } = result
  const worded = column.filled - column.numbers
  if (worded === 0 || !mayBeWords(result)) return
  const path = pathOf(name)
  const condition = `${path}.empty() or ${path}.trim().lower().matches(%open_result).not()`
  out.writer.put(["constant", "open_result"], quoted(noResult.source), "words in place of a result")
  const question = `${
    plural(worded, "row")
  } of \`${role.name}\` have words in \`${name}\`, no number: are these words results? Words such as "pending" are left out`
  out.writer.put(
    [...at, "where", "known"],
    `{path: ${quoted(condition)}, warn: "left out: the result is not known yet"}`,
    `QUESTION ${question}`
  )
  out.questions.push(question)
}

const suggestResults = (
  role: Role,
  head: Role | undefined,
  link: string | undefined,
  finder: TableFinder,
  main: string | undefined,
  { writer }: Suggesting
): void => {
  const put = (field: string, yaml: string, why?: string) =>
    writer.put(["visit", "laboratories", "results", field], yaml, why)
  const result = resultOf(finder)!
  const name = finder.path([
    /\b(?:test|analyte|component|lab items?|item|investigation)\b.*\b(?:name|description|label)\b|^(?:test|analyte)$/u,
    /^(?:label|name|description|display|short name|long name)$/u
  ])
  const code = finder.code([/\b(?:test|item|loinc|analyte)\b.*\b(?:code|id|no)\b|^(?:code|item ?id|loinc)$/u])
  put("forEach", quoted(head === undefined ? "$this" : `reverseResolve('${role.name}.${link}')`))
  put(
    "name",
    firstOf(name, name === undefined ? code : undefined),
    name === undefined ? "no column names the tests: their codes are sent" : undefined
  )
  put("category", yamlOf(finder.path([/^(?:category|panel|section|department|profile|fluid|specimen type)$/u])))
  const path = pathOf(result.name)
  const number = result.column.decimal === "," ? `${path}.replace(',', '.')` : path
  if (mayBeWords(result)) {
    put(
      "value",
      `[${quoted(`iif(${number}.convertsToDecimal(), ${number}.toDecimal(), {})`)}, ${quoted(path)}]`,
      "numbers as numbers, words as words"
    )
    put("value_type", quoted(`iif(${number}.convertsToDecimal(), 'float', 'string')`))
  } else {
    put("value", quoted(path))
    put(
      "value_type",
      result.yaml.includes("decimal") || result.yaml.includes("integer") ? "{value: float}" : "{value: string}"
    )
  }
  put("value_unit", yamlOf(finder.path([/\b(?:units?|uom|value ?uom|unidad|unidade|unite)\b/u])))
  put("reference_range", rangeOf(finder))
  put("interpretation", yamlOf(finder.path([/\b(?:interpretation|abnormal\w*|flag)\b/u])))
  const reported = finder.time(
    /\b(?:report\w*|result\w*|verif\w*|valid\w*|approv\w*|store ?time|complet\w*|final\w*)\b/u
  )
  const times = firstOf(
    reported === undefined ? undefined : pathOf(reported.name),
    head === undefined ? main : finder.time() === undefined ? undefined : pathOf(finder.time()!.name),
    head === undefined || main === undefined || link === undefined ? undefined : `${link}.resolve().${main}`,
    "%visit.admitted_at"
  )
  put("verified_at", times)
  put("recorded_at", times)
  put("verified_by", "null")
  put("recorded_by", "null")
}

const rangeOf = (finder: TableFinder): string => {
  const low = finder.own([/\b(?:ref\w*|normal|range)\b.*\b(?:low\w*|min)\b|^(?:low|min)$/u])
  const high = finder.own([/\b(?:ref\w*|normal|range)\b.*\b(?:upp?er|high|max)\b|^(?:high|max)$/u])
  return low !== undefined && high !== undefined
    ? quoted(`${pathOf(low.name)}.toString() & '-' & ${pathOf(high.name)}.toString()`)
    : yamlOf(finder.path([/\b(?:ref\w*|normal)\b.*\b(?:range|values?)\b|^(?:ref\w*|normal|range)$/u]))
}
