import { plural } from "../../../../diagnostic/count.ts"
import { stepTimes } from "../../draft/assumptions.ts"
import { quotedText } from "../../draft/Draft.ts"
import { isMedicineWord } from "../columns/guessColumn.ts"
import { type CodeDecision, decisionOf, emptyCell, type TableDraft } from "../TableDraft.ts"
import { canBeCode, type TableFinder } from "../TableFinder.ts"
import { type Declared, isOther, keyColumnOf, type Role, type TableLink } from "../TableRole.ts"
import { columnWordsOf, namesKindOfItem, ownWordsOf, timesOfDay } from "../words/columnWords.ts"
import { codeOfRows, firstOf, pathOf, pathTo, titleOfRows, valueOfRows, yamlOf, yamlTo } from "../writePath.ts"

/** Whether a table is named after medicines. */
export const isMedicines = ({ table }: Role): boolean =>
  /\b(?:\w*prescri\w*|\w*medic(?:ation|ine|ament)s?|drugs?(?: ?orders?)?|dispens\w*|pharmac\w*|rx)\b/u.test(
    columnWordsOf(table.name)
  )

/** Matches the name of a column that holds medicines. Next to it, an item is the code. */
const medicines = /^(?:drug|medicine|medication|medicament|generic)$/u

export const medicineCode = (finder: TableFinder): string | undefined =>
  finder.code([
    /\b(?:drug|medicine|medication|medicament|product|item|atc)\b.*\b(?:code|cod|cd)\b|^(?:med ?(?:code|cod|cd)|ndc|atc|din|i ?code|rx ?(?:norm|cui))$/u,
    /^(?:code|cod|cd) (?:de |do |du )?(?:drug|med|medicine|medication|medicament|product|item)\b/u,
    /^(?!.*\b(?:types?|class|category|group|form|route|status|unit)\b).*\b(?:drug|medicine|medication|medicament|product|item)\b.*\b(?:id|no)\b/u,
    /^code$/u
  ]) ?? (finder.own([medicines]) === undefined ? undefined : pathTo(itemCode(finder) ?? codeBesideName(finder)))

/** Finds the column `drug` next to `drug_name`: it holds codes. */
const codeBesideName = (finder: TableFinder): Declared | undefined => {
  const called = "(?:drug|medicine|medication|medicament)"
  const name = finder.own([new RegExp(`^${called} (?:name|description|label)$`, "u")])
  return name === undefined
    ? undefined
    : finder.own([new RegExp(`^${called}$`, "u")], ({ column }) => canBeCode(column, finder.role.table))
}

const itemCode = (finder: TableFinder): Declared | undefined =>
  finder.own([/^item$/u], ({ column }) => column.numbers === 0 && canBeCode(column, finder.role.table))

export const medicineName = (finder: TableFinder): string | undefined =>
  finder.path([
    /\b(?:drug|medicine|medication|product|item|generic|trade|brand)\b.*\b(?:name|source value)\b/u,
    /^(?:name|description|label)$/u,
    medicines,
    /^item$/u
  ])

/** Finds the columns that only medicines have among charges, by their names: of their codes, and of their names. */
export const medicineNumber = (finder: TableFinder): Declared | undefined =>
  finder.own([/^(?:drug|medicine|medication|medicament) (?:code|id|no)$/u])
export const medicineWords = (finder: TableFinder): Declared | undefined =>
  finder.own([/^(?:drug|medicine|medication|medicament)(?: name)?$/u])

/**
 * Finds what decides which rows are medicines: a word in a column of the row or of its item, a reference to a table of medicines,
 * or a column with a name for medicines.
 */
export const medicineTest = (finder: TableFinder): CodeDecision | undefined => {
  for (const role of [finder.role, ...finder.names]) {
    const link = role === finder.role ? undefined : finder.role.links.find(({ target }) => target === role.name)
    if (role !== finder.role && link === undefined) continue
    const column = role.columns.find(({ column }) =>
      column.codes.some(([code]) => isMedicineWord(code) || isMedicineCode(code, column.name))
    )
    if (column === undefined) continue
    const path = `${link === undefined ? "" : `${link.name}.resolve().`}${pathOf(column.name)}`
    return decisionOf({ role, column, path, of: "medicine" }, (code) => {
      const isGuess = !isMedicineWord(code) && isMedicineCode(code, column.column.name)
      return [isGuess || isMedicineWord(code), isGuess || code === emptyCell]
    })
  }
  const link = linkToMedicines(finder)
  const paths = [medicineNumber(finder), medicineWords(finder)].flatMap((column) => pathTo(column) ?? [])
  return link !== undefined
    ? { rows: [], condition: `${link.name}.resolve().exists()` }
    : paths.length === 0
    ? undefined
    : { rows: [], condition: paths.map((path) => `${path}.exists()`).join(" or ") }
}

/** Whether a code is one for medicines among the types of items, by its first letters. */
const isMedicineCode = (code: string, name: string): boolean =>
  /^(?:meds?|medic|medicam)\.?$/iu.test(code.trim()) && namesKindOfItem(name)

const linkToMedicines = ({ names, role: { links } }: TableFinder): TableLink | undefined => {
  const drugs = names.find(({ table }) => /drug|medic|pharm/u.test(columnWordsOf(table.name)))
  return links.find(({ target }) => target === drugs?.name)
}

/** Asks whether each row of a table of charges is a medicine, because each refers to a table that is called after medicines. */
export const askIfAllAreMedicines = (finder: TableFinder, draft: TableDraft): void => {
  const { columns, name } = finder.role
  const link = linkToMedicines(finder)
  const column = columns.find(({ column }) => column.name === link?.foreignKey.column)?.column
  if (
    link === undefined || isMedicines(finder.role) || medicineTest(finder)?.map !== undefined ||
    column?.share !== 1 || link.foreignKey.orphans > 0
  ) return
  draft.askWithoutLine(
    `are all rows of \`${link.target}\` medicines? Each row of \`${name}\` refers to one, and none is sent as a service`,
    "If they are not, export the column that shows which are, with the word `Drug` for medicines"
  )
}

/** Whether the rows of a table describe how a medicine is taken. */
const hasDosage = (finder: TableFinder): boolean =>
  finder.own([/^(?:route|frequency|freq|interval|instructions?|sig|strength|dos(?:e|age)|days|drug ?usage)\b/u]) !==
    undefined

/** Drafts prescriptions: the medicines with one number are one prescription, or otherwise those of one time. */
export const suggestPrescriptions = (draft: TableDraft): void => {
  const candidates = draft.roles.filter((one) => {
    if (!isOther(one) || !draft.reachesVisits(one)) return false
    const finder = draft.finder(one)
    return (medicineCode(finder) ?? medicineName(finder)) !== undefined
  })
  const role = candidates.find(isMedicines) ?? candidates.find((one) => {
    const finder = draft.finder(one)
    return hasDosage(finder) && medicineTest(finder) !== undefined
  })
  if (role === undefined) return
  draft.use(role)
  const finder = draft.finder(role)
  const isMixed = !isMedicines(role)
  const { put } = draft.section("visit", "prescriptions")
  const number = finder.own(
    [/^(?!.*\b(?:provider|doctor|physician|by)\b).*\b(?:prescription|rx|order)\b.*\b(?:id|no|nr|num|number|code)\b/u],
    ({ column }) => column.share === 1 && !column.unique
  ) ?? finder.own([/^(?:prescription|rx) ?(?:no|nr|num|number|ref)$/u], ({ column }) => column.share === 1)
  const own = finder.time(/\b(?:prescri\w*|order\w*)\b/u) ??
    finder.time(/^(?!.*\b(?:dispens\w*|deliver\w*|issued)\b).*\b(?:start\w*|rx ?date|date|at)\b/u)
  const time = own ?? finder.time()
  const isOfDispense = own === undefined &&
    /\b(?:dispens\w*|deliver\w*|issued)\b/u.test(columnWordsOf(time?.column.name ?? ""))
  const group = number ?? time
  put(
    "resource",
    role.name,
    number === undefined
      ? "medicines ordered at one time are one prescription"
      : number.column.unique
      ? "each medicine has a prescription of its own, by its number"
      : "rows with one number are one prescription"
  )
  // Another extract can have several rows of a prescription that has one here.
  if (number !== undefined && keyColumnOf(role) === number && !draft.isNamed(role)) {
    draft.remove(["table", role.name, "key"])
  }
  const medicine = isMixed ? medicineTest(finder) : undefined
  if (medicine !== undefined) {
    put(["where", "medicine"], quotedText(medicine.condition), "other rows are not medicines")
    draft.decide(medicine)
  }
  draft.dropByState(role, ["visit", "prescriptions"])
  dropReturns(finder, draft)
  if (group !== undefined) put("groupBy", `[${quotedText(pathOf(group.name))}]`)
  if (number === undefined) draft.generateCodes()
  put(
    "code",
    number === undefined
      ? codeOfRows
      : `{path: ${quotedText(pathOf(number.name))}, take: first}`
  )
  const who = finder.person(/\b(?:prescribed|ordered) by\b/u) ?? finder.professional()
  put("prescribed_by", valueOfRows(who?.name))
  put("title", titleOfRows(who))
  put("encounter_code", "null")
  put(
    "prescribed_at",
    `{path: ${stepTimes(draft, isOfDispense ? undefined : pathTo(time), pathTo(time))}, take: first}`
  )
  suggestMedicines(finder, draft)
}

/** Drops rows with a negative quantity, with a warning: they take back medicines. */
const dropReturns = ({ role }: TableFinder, draft: TableDraft): void => {
  const quantity = role.columns.find((one) =>
    /^(?:qty|quantity)$/u.test(columnWordsOf(one.column.name)) && /\b(?:integer|decimal)\b/u.test(one.yaml)
  )
  if (quantity === undefined) return
  const path = pathOf(quantity.name)
  const yaml = `{path: ${quotedText(`${path}.empty() or ${path} >= 0`)}, warn: "dropped: a negative quantity"}`
  const at = ["visit", "prescriptions", "where", "given"]
  if (quantity.column.negative !== true) draft.put(at, yaml)
  else {
    draft.ask(
      at,
      yaml,
      `were the medicines returned that a negative \`${quantity.name}\` in \`${role.name}\` takes back? These rows are left out, and the rows that they take back are sent`
    )
  }
}

/** Whether the columns of medicines are French: there, `dosage` is the strength. In English it is often how a medicine is taken. */
const isFrench = ({ role: { table } }: TableFinder): boolean =>
  table.columns.some(({ name }) => /\b(?:posologie|voie|forme|medicament|duree|prescripteur)\b/u.test(ownWordsOf(name)))

const suggestMedicines = (finder: TableFinder, draft: TableDraft): void => {
  const { put } = draft.section("visit", "prescriptions", "medications")
  const path = (...words: ReadonlyArray<RegExp>): string => yamlOf(finder.field(words))
  // The number of a form or a route is not its name.
  const words = (...words: ReadonlyArray<RegExp>): string => yamlOf(finder.field(words, (one) => !isNumber(one)))
  const code = medicineCode(finder)
  const name = medicineName(finder)
  put("forEach", quotedText("$this"))
  put(
    "code",
    firstOf(code, name),
    code === undefined
      ? "no column holds codes: the name is sent as the code"
      : name === undefined
      ? undefined
      : "if a code is missing, the name is sent as one"
  )
  put("medicine_name", yamlOf(name))
  put("strength", path(/\bstrength\b/u, ...(isFrench(finder) ? [/^dosage$/u] : [])))
  put("form", words(/^(?:form|dosage form|dose form|drug form|form rx)$/u))
  put("method", words(/^(?:(?:med(?:ication)?|drug) )?(?:route|method|administration)\b/u))
  // A number under this name is a quantity.
  put(
    "unit",
    yamlOf(
      finder.field([/\bdos\w* units?\b/u, /^(?:units?|uom|unites?|unidad(?:es)?|unidades?)$/u], (one) => !isNumber(one))
    )
  )
  put("note", path(/\b(?:instructions?|directions?|sig|usage|drug ?usage|remarks?|reason ?description)\b/u))
  for (const [field, words] of timesOfDay) {
    // A column that is empty in the sample has a dose of a later extract.
    const dose = finder.own([words]) ??
      finder.role.columns.find(({ column: { name } }) => words.test(columnWordsOf(name)))
    if (dose === undefined) {
      put(field, "null", field === "morning" ? noOtherDoses : undefined)
      continue
    }
    draft.put(["function", "dose"], quotedText(doseInNumbers), "a word is a code of the concept map `dose`")
    const yaml = quotedText(`${pathOf(dose.name)}.dose()`)
    if (dose.column.kind === "empty" || isNumber(dose)) put(field, yaml, field === "morning" ? noOtherDoses : undefined)
    else {
      draft.ask(
        ["visit", "prescriptions", "medications", field],
        yaml,
        `how much is a dose in \`${finder.role.name}.${dose.name}\`? Numbers and fractions such as 1/2 are read. Another cell rejects its visit, until the concept map \`dose\` has its number`
      )
    }
  }
  suggestDays(finder, draft)
  put("interval", path(/\b(?:frequency|interval|freq|frequence|frecuencia|frequencia)\b/u))
}

const noOtherDoses = "the Visit has no field for doses that are not by time of day"

/** The number of a dose. A cell that is neither a number nor in the concept map rejects its visit: only the others would be a different dose. */
const doseInNumbers =
  "iif(replace(',', '.').convertsToDecimal(), replace(',', '.').toDecimal(), translated('dose').toDecimal())"

/** Drafts the days of a medicine. A duration in another unit is not sent as days. */
const suggestDays = (finder: TableFinder, draft: TableDraft): void => {
  const { put } = draft.section("visit", "prescriptions", "medications")
  const isDeclaredNumber = (one: Declared): boolean => isNumber(one) || /\b(?:integer|decimal)\b/u.test(one.yaml)
  const days = finder.own(durationWords, isDeclaredNumber)
  const written = days === undefined ? finder.own(durationWords, ({ column }) => column.filled > 0) : undefined
  if (written !== undefined) {
    const isOfDays = !/^duration$/u.test(columnWordsOf(written.column.name))
    draft.put(["function", "writtenDays"], quotedText(writtenDays(isOfDays)), "how durations are written")
    draft.ask(
      ["visit", "prescriptions", "medications", "days"],
      quotedText(`${pathOf(written.name)}.writtenDays()`),
      `how are durations in \`${finder.role.name}.${written.name}\` written? ${
        isOfDays ? "Numbers, " : ""
      }\`5/7\`, \`2/52\`, \`5 days\` and \`2 weeks\` are read. Others are not sent`
    )
    return
  }
  const unit = days === undefined || !/^duration$/u.test(columnWordsOf(days.column.name))
    ? undefined
    : finder.own([/^(?:duration|dur) (?:units?|uom|type)$|^unit(?:e|idad|idade)? (?:of |de )?duration$/u])
  if (days !== undefined && unit === undefined && /^duration$/u.test(columnWordsOf(days.column.name))) {
    draft.ask(
      ["visit", "prescriptions", "medications", "days"],
      "null",
      `are the numbers of \`${finder.role.name}.${days.name}\` days? No column is named after their unit, and they are not sent. If they are, write \`${
        pathOf(days.name)
      }\``
    )
    return
  }
  if (days === undefined || unit === undefined) {
    put("days", yamlTo(days))
    return
  }
  const map = draft.section("conceptMap", "duration_days")
  const known = unit.column.codes.filter(([code, count]) => {
    const words = columnWordsOf(code).replace(/ s$/u, "s")
    const isWeek = /^(?:w|wks?|weeks?|semaines?|semanas?)$/u.test(words)
    if (!isWeek && !/^(?:d|days?)$/u.test(words)) return false
    map.put(["table", code], quotedText(isWeek ? "7" : "1"), plural(count, "row"))
    return true
  })
  if (known.length > 0) map.put("unmapped", "warn", "durations in another unit are not sent")
  const factor = `${pathOf(unit.name)}.translated('duration_days').toDecimal()`
  const yaml = known.length === 0 ? "null" : quotedText(`${pathOf(days.name)}.toDecimal() * ${factor}`)
  if (known.length === unit.column.codes.length && unit.column.withheld === 0) {
    put("days", yaml, `by its unit, \`${unit.name}\``)
  } else {
    draft.ask(
      ["visit", "prescriptions", "medications", "days"],
      yaml,
      `how many days are durations in the other units of \`${unit.name}\` in \`${finder.role.name}\`? They are not sent`
    )
  }
}

const durationWords: ReadonlyArray<RegExp> = [
  /^(?:days|days supply|(?:no|number|nb) (?:of |de )?days|duration (?:in )?(?:days|j|d))$/u,
  /^duration$/u
]

/** The days of a duration in words. Sevenths are days, and parts of 52 are weeks; months have no certain number of days. */
const writtenDays = (isOfDays: boolean): string => {
  const number = (units: string): string =>
    `lower().where(matches('^[0-9]+${units}$')).replaceMatches('[^0-9].*$', '').toInteger()`
  return `${number(` *(/ *7|d|days?|jours?|dias?|d\u00EDas?|hari|tage?)${isOfDays ? "?" : ""}`)} | ${
    number(" *(/ *52|w|wks?|weeks?|semaines?|semanas?|minggu|wochen?)")
  } * 7`
}

const isNumber = ({ column }: Declared): boolean => column.filled > 0 && column.numbers === column.filled
