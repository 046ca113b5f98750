import { plural } from "../../../../diagnostic/count.ts"
import { noResult } from "../../../../visit/rules/valuesArePossible.ts"
import { stepTimes } from "../../draft/assumptions.ts"
import { quotedText } from "../../draft/Draft.ts"
import { askAboutSign, numberInText } from "../columns/decimalSigns.ts"
import { type CodeDecision, decisionOf, type TableDraft } from "../TableDraft.ts"
import type { TableFinder } from "../TableFinder.ts"
import { type Declared, isOther, keyColumnOf, type Role, type TableLink } from "../TableRole.ts"
import {
  columnWordsOf,
  comparisons,
  isComparison,
  isResult,
  namesComparison,
  ownWordsOf
} from "../words/columnWords.ts"
import {
  codeOfRows,
  firstOf,
  ownEncounter,
  pathOf,
  pathTo,
  titleOfRows,
  valueOfRows,
  yamlOf,
  yamlTo
} from "../writePath.ts"
import { hasNumbers } from "./charges/findCharges.ts"
import { openCodes } from "./suggestConceptMaps.ts"

const isLaboratory = ({ table }: Role): boolean =>
  /\b(?:lab\w*|lis|patholog\w*|biologie|test ?results?)\b/u.test(columnWordsOf(table.name))

/** A part of a result's name that shows its form: `value_numeric`, `result_text`. */
const form =
  "num\\w*|quant\\w*|dec(?:imal)?|float|text\\w*|txt|str(?:ing)?|char\\w*|alpha\\w*|words?|qual\\w*|coded?|concept|bool\\w*"
const inForms = new RegExp(
  `^(?:value|result|answer) ?(?:as )?(?:${form})(?: name)?$|^(?:${form}) (?:value|result|answer)$`,
  "u"
)

const mayBeResult = ({ column: { filled, kind } }: Declared): boolean =>
  filled > 0 && kind !== "date" && kind !== "timestamp"

const resultOf = (finder: TableFinder): Declared | undefined =>
  finder.own(
    [
      /^(?:value|result|answer|ord(?:er)? value)$/u,
      /\bresult(?: value)?$/u,
      /^value ?num\w*$/u,
      inForms,
      /^result (?!status|state|flag|units?|uom|type|range|interpretation|notes?|comments?|remarks?|by|id|no)\w+$/u
    ],
    mayBeResult
  )

/** Whether the numbers of a column are codes that name something. They are no results. */
const areNames = ({ column: { filled, name, numbers } }: Declared): boolean =>
  numbers === filled && /\b(?:coded?|concept)\b/u.test(columnWordsOf(name))

/** Returns the columns of results: numbers and words can each have one, and each row is filled in one of them. */
const resultsOf = (finder: TableFinder): ReadonlyArray<Declared> => {
  const first = resultOf(finder)
  if (first === undefined) return []
  const others = finder.role.columns.filter((one) =>
    one !== first && mayBeResult(one) && inForms.test(columnWordsOf(one.column.name))
  )
  return [first, ...others].filter((one) => !areNames(one))
}

/** Finds what decides which rows are of the laboratory, if a category column marks them. */
const labCategory = (role: Role): CodeDecision | undefined => {
  const isLab = (code: string): boolean =>
    /^(?:lab|laborator(?:y|ies|ium|io|ios)|laboratoire)(?:[ _-](?:results?|tests?|data|encounter|form))?$/iu.test(code)
  const column = role.columns.find(({ column: { codes, name } }) =>
    /\b(?:category|class|group|type|form)\b/u.test(columnWordsOf(name)) && codes.some(([code]) => isLab(code))
  )
  return column === undefined
    ? undefined
    : decisionOf({ role, column, path: pathOf(column.name), of: "laboratory" }, (code) => [isLab(code), !isLab(code)])
}

/** Drafts results of tests: below a row for each request, or otherwise those of one specimen or time together. */
export const suggestLaboratories = (draft: TableDraft): void => {
  const [found] = draft.roles.flatMap((role) => {
    if (!isOther(role) || !draft.reachesVisits(role)) return []
    const finder = draft.finder(role)
    const results = isLaboratory(role) || labCategory(role) !== undefined ? resultsOf(finder) : []
    return results.length === 0 ? [] : [{ role, finder, results }]
  })
  if (found === undefined) return
  const { finder, results, role } = found
  draft.use(role)
  const through = draft.linkThrough(role)
  const target = draft.role(through?.target)
  const head = target !== undefined && (isLaboratory(target) || isRequest(target)) ? target : undefined
  const category = labCategory(role)
  const time = finder.time(/\b(?:collect\w*|sampl\w*|drawn|taken|chart ?time|observed|test)\b/u) ?? finder.time()
  const at = ["visit", "laboratories"]
  const { put } = draft.section(...at)
  if (head === undefined) {
    const request = finder.own(
      [
        /^(?!.*\b(?:provider|doctor|physician|by)\b).*\b(?:specimen|accession|sample|request|req|order)\b.*\b(?:id|no|nr|num|number|code)\b/u,
        /^(?:no|nr|num|numero|code|nomor) (?:de |da |do |del |de la )?(?:demande|solicitud|pedido|requisicao|orden|prelevement|muestra|amostra|permintaan)$/u,
        /^(?:lab|lis|barcode)(?: ?(?:no|nr|num|number))?$/u
      ],
      ({ column }) => column.share === 1 && !column.unique
    )
    const group = request ?? time
    put(
      "resource",
      role.name,
      request === undefined ? "results of one time are one request" : "results of one specimen are one request"
    )
    if (category !== undefined) {
      put(["where", "laboratory"], quotedText(category.condition))
      draft.decide(category)
    }
    draft.dropByState(role, at)
    dropPendingResults(role, results, at, draft)
    if (group !== undefined) put("groupBy", `[${quotedText(pathOf(group.name))}]`)
    put(
      "request_code",
      request === undefined
        ? codeOfRows
        : `{path: ${quotedText(pathOf(request.name))}, take: first}`
    )
    if (request === undefined) draft.generateCodes()
  } else {
    draft.use(head)
    draft.dropByState(head, at)
    draft.dropByState(role, [...at, "results"])
    dropPendingResults(role, results, [...at, "results"], draft)
    const key = keyColumnOf(head)
    put("resource", head.name, `results are rows of \`${role.name}\``)
    put("request_code", key === undefined ? quotedText("keyOf('record')") : yamlTo(key))
    if (key === undefined) draft.generateCodes()
  }
  const above = head === undefined ? finder : draft.finder(head)
  const first = (paths: string): string => head === undefined ? `{path: ${paths}, take: first}` : paths
  const main = pathTo(head === undefined && time !== undefined ? time : above.time())
  put("encounter_code", ownEncounter)
  put("requested_at", first(stepTimes(draft, pathTo(above.time(/\b(?:request\w*|order\w*)\b/u)), main)))
  put(
    "collected_at",
    first(stepTimes(draft, pathTo(above.time(/\b(?:collect\w*|sampl\w*|drawn|taken|chart ?time)\b/u)), main))
  )
  const collector = above.person(/\b(?:collected|sampled|drawn|taken) by\b|\b(?:collector|phlebotomist|preleveur)\b/u)
  const staff = above.person(/\b(?:requested|ordered) by\b/u) ?? above.professional()
  const requester = staff?.name === collector?.name ? undefined : staff
  const value = head === undefined ? valueOfRows : yamlOf
  put("requested_by", value(requester?.name))
  put("collected_by", value(collector?.name))
  put("title", head === undefined ? titleOfRows(requester) : yamlOf(requester?.title))
  askAboutResults(role, results, draft)
  suggestResults({ role, finder, results, main, link: head === undefined ? undefined : through }, draft)
}

const isRequest = ({ table }: Role): boolean =>
  /\b(?:orders?|requests?|specimens?|samples?)\b/u.test(columnWordsOf(table.name))

/** Whether the cells of a column of results are read as text, because some are words. */
const canBeWords = ({ column, yaml }: Declared): boolean =>
  yaml === "text" || yaml.startsWith("{") && !yaml.includes("type:") && isResult(column.name)

/** Asks about rows with results in several columns, and about columns of codes instead of results. */
const askAboutResults = (role: Role, results: ReadonlyArray<Declared>, draft: TableDraft): void => {
  const listed = (columns: ReadonlyArray<Declared>): string => columns.map(({ name }) => `\`${name}\``).join(", ")
  const filled = results.reduce((sum, { column }) => sum + column.filled, 0)
  if (filled > role.table.rows) {
    draft.askWithoutLine(
      `which is the result of the rows of \`${role.name}\` that are filled in several of ${
        listed(results)
      }? Numbers are sent before words, and the other value is not sent`,
      "If it is a different one, change  value:  and  value_type:  under  laboratories: results:"
    )
  }
  const codes = role.columns.filter((one) =>
    mayBeResult(one) && inForms.test(columnWordsOf(one.column.name)) && areNames(one)
  )
  if (codes.length === 0) return
  draft.askWithoutLine(
    `what do the numbers of ${listed(codes)} in \`${role.name}\` mean? They are codes and not sent as results`,
    "Export the words in place of the codes"
  )
}

/** Drops rows whose result is a word such as "pending", with a warning, and adds a question for other words. */
const dropPendingResults = (
  role: Role,
  results: ReadonlyArray<Declared>,
  section: ReadonlyArray<string>,
  draft: TableDraft
): void => {
  const result = results.find((one) => one.column.filled > one.column.numbers && canBeWords(one))
  if (result === undefined) return
  const { column, name } = result
  const worded = column.filled - column.numbers
  const path = pathOf(name)
  const condition = `${path}.empty() or ${path}.trim().lower().matches(%open_result).not()`
  draft.put(["constant", "open_result"], quotedText(noResult.source), "words in place of a result")
  draft.ask(
    [...section, "where", "known"],
    `{path: ${quotedText(condition)}, warn: "dropped: the result is not known yet"}`,
    `${
      plural(worded, "row")
    } of \`${role.name}\` have words in \`${name}\` instead of a number: are these words results? Words such as "pending" are dropped`
  )
}

interface ResultRows {
  readonly role: Role
  readonly finder: TableFinder
  readonly results: ReadonlyArray<Declared>
  /** The link to the row of the request, if there is one. */
  readonly link: TableLink | undefined
  /** The path to the main time of the request. */
  readonly main: string | undefined
}

/** Matches a column with the parts of tests. */
const partOfTest =
  /^(?:(?:test )?(?:parameters?|components?|analytes?)|sub ?tests?|parametros?|parametres?|componentes?|analitos?)(?: names?)?$/u

const suggestResults = ({ finder, link, main, results, role }: ResultRows, draft: TableDraft): void => {
  const at = ["visit", "laboratories", "results"]
  const { put } = draft.section(...at)
  // Next to the name of a whole test, such as a blood count, that of the part that was measured.
  const part = pathTo(
    role.columns.find(({ column }) => column.numbers < column.filled && partOfTest.test(ownWordsOf(column.name)))
  )
  const whole = finder.path([
    /\b(?:test|analyte|component|lab|lab items?|item|investigation)\b.*\b(?:name|description|label)\b|^(?:test|analyte|examens?|analyses?|parametres?|pruebas?|determinacion|exames?|pemeriksaan|xet nghiem|concept(?: name)?|observation(?: name)?)$/u,
    /^(?:label|name|description|display|short name|long name)$/u,
    /^item$/u
  ], ({ column: { filled, numbers } }) => numbers < filled)
  const name = part ?? whole
  const code = finder.code([/\b(?:test|item|loinc|analyte)\b.*\b(?:code|id|no)\b|^(?:code|item ?id)$|\bloinc$/u])
  put("forEach", quotedText(link === undefined ? "$this" : `reverseResolve('${role.name}.${link.name}')`))
  if (name === undefined && code === undefined) {
    draft.ask(
      [...at, "name"],
      "null",
      `which column of \`${role.name}\` names the tests? None was found, and results are sent without a name`
    )
  } else {
    put(
      "name",
      firstOf(name ?? code),
      name === undefined ? "no column names the tests: their codes are sent" : undefined
    )
  }
  put(
    "category",
    yamlOf(
      finder.field([/^(?:category|panel|section|department|profile)$/u, /^(?:fluid|specimen type)$/u]) ??
        (whole === name ? undefined : whole)
    )
  )
  for (const { column: { different, digits }, name } of results) {
    if (digits !== 1 || different > 3) continue
    draft.askWithoutLine(
      `are the results in \`${role.name}.${name}\` codes, such as 1 for positive? All have one digit, and are sent as they are`,
      "If they are, export the words"
    )
  }
  const sign = signOf(role, draft)
  if (sign !== undefined) draft.put(["function", "resultSign"], quotedText(`${sign}.where($this != '=')`))
  // A result below a limit is no number.
  const limit = sign === undefined ? undefined : "resultSign().exists()"
  const words = results.filter(canBeWords)
  const [read] = words.toSorted((one, other) => other.column.numbers - one.column.numbers)
  const numbers = results.flatMap((one): ReadonlyArray<Record<"cell" | "path" | "exists", string>> => {
    const cell = pathOf(one.name)
    if (!words.includes(one)) return hasNumbers(one) ? [{ cell, path: cell, exists: `${cell}.exists()` }] : []
    const number = `${cell}.resultNumber()`
    const exists = `${number}.convertsToDecimal()`
    return [{ cell, path: `iif(${exists}, ${number}.toDecimal(), {})`, exists }]
  })
  const withSign = (cell: string, condition = ""): string =>
    `iif(${limit}${condition}, resultSign() & ${cell}.toString(), {})`
  const limited = limit === undefined ? [] : results.length === 1
    ? results.map(({ name }) => withSign(pathOf(name)))
    : [
      ...numbers.map(({ cell, exists }) => withSign(cell, ` and ${exists}`)),
      ...results.map(({ name }) => withSign(pathOf(name), ` and ${pathOf(name)}.exists()`))
    ]
  const texts = results.filter((one) => words.includes(one) || !hasNumbers(one)).map(({ name }) => pathOf(name))
  const value = firstOf(...limited, ...numbers.map(({ path }) => path), ...texts)
  const question = read === undefined ? undefined : askAboutSign(read.column, `${role.name}.${read.name}`)
  if (read !== undefined) {
    draft.put(["function", "resultNumber"], quotedText(numberInText(read.column)), "how results are written")
  }
  if (question !== undefined) draft.ask([...at, "value"], value, question)
  else put("value", value, read === undefined ? undefined : "numbers as numbers, words as words")
  const isNumber = numbers.map(({ exists }) => exists).join(" or ")
  put(
    "value_type",
    numbers.length === 0
      ? "{value: string}"
      : limit === undefined && texts.length === 0
      ? "{value: float}"
      : quotedText(
        `iif(${limit === undefined ? "" : `${limit}.not() and `}${
          numbers.length > 1 && limit !== undefined ? `(${isNumber})` : isNumber
        }, 'float', 'string')`
      )
  )
  put("value_unit", yamlOf(finder.field([/\b(?:units?|uom|value ?uom|unidad|unidade|unite)\b/u])))
  put("reference_range", rangeOf(finder))
  put("interpretation", yamlOf(finder.field([/\b(?:interpretation|abn(?:ormal\w*)?|flag)\b/u])))
  const reported = finder.time(
    /\b(?:report\w*|result\w*|store ?time|complet\w*|final\w*)\b/u
  ) ?? finder.time(/\b(?:verif\w*|valid\w*|approv\w*)\b/u)
  const times = (own: Declared | undefined): string =>
    stepTimes(
      draft,
      pathTo(own),
      link === undefined ? main : pathTo(finder.time()),
      link === undefined || main === undefined ? undefined : `${link.name}.resolve().${main}`
    )
  put("recorded_at", times(reported))
  put("verified_at", times(finder.time(/\b(?:verif\w*|valid\w*|approv\w*|authori\w*)\b/u) ?? reported))
  put(
    "verified_by",
    yamlOf(
      finder.person(/\b(?:(?:verified|validated|approved|authori[sz]ed|valide) (?:by|par)|pathologist|biologiste)\b/u)
        ?.name
    )
  )
  put(
    "recorded_by",
    yamlOf(finder.person(/\b(?:(?:recorded|entered|performed|tested) by|technician|technicien|laborantin)\b/u)?.name)
  )
}

/** The path to the sign of comparison of a result, in a column of its own. Words for signs go through a concept map. */
const signOf = ({ columns, name: table }: Role, draft: TableDraft): string | undefined => {
  const sign = columns.find(({ column: { codes, withheld } }) =>
    codes.length > 0 && withheld === 0 && codes.every(([code]) => isComparison(code))
  )
  if (sign !== undefined) return pathOf(sign.name)
  const worded = columns.find(({ column: { codes, name } }) =>
    namesComparison(name) && codes.some(([code]) => comparisons.has(code.toUpperCase()))
  )
  if (worded === undefined) return undefined
  const { column: { codes, withheld }, name } = worded
  const map = `${table}_sign`
  for (const [word, meant] of comparisons) draft.put(["conceptMap", map, "table", word], quotedText(meant))
  const others = codes.filter(([code]) => !comparisons.has(code))
  const unmapped = ["conceptMap", map, "unmapped"]
  if (others.length + withheld === 0) draft.put(unmapped, "reject", "another word rejects its visit")
  else {
    draft.ask(
      unmapped,
      "reject",
      `which signs do these words of \`${table}.${name}\` mean? Results with them reject their visits; if a word limits no result, its sign is \`=\`  ${
        openCodes(others, withheld)
      }`
    )
  }
  return `${pathOf(name)}.translated('${map}')`
}

const rangeOf = (finder: TableFinder): string => {
  const low = finder.own([/\b(?:ref\w*|normal|range)\b.*\b(?:low\w*|min)\b|^(?:low|min)$/u])
  const high = finder.own([/\b(?:ref\w*|normal|range)\b.*\b(?:upp?er|high|max)\b|^(?:high|max)$/u])
  const [from, to] = [pathTo(low), pathTo(high)]
  // With `+`, a result without a limit has no range.
  return from !== undefined && to !== undefined
    ? quotedText(
      `iif(${from}.empty(), '<= ' + ${to}.toString(), iif(${to}.empty(), '>= ' + ${from}.toString(), ${from}.toString() + '-' + ${to}.toString()))`
    )
    : yamlOf(
      finder.field([
        /\b(?:ref\w*|normal)\b.*\b(?:range|values?)\b|^(?:ref\w*|normal|range)$|^val(?:eurs?|ore?s?) (?:normale?s?|(?:de )?ref\w*)$/u
      ])
    )
}
