import { isDecimal, toNumber } from "../../json/Decimal.ts"
import { listedSigns, type SignName } from "../components/VitalSign.ts"
import type { Field } from "../Field.ts"
import { daysFromCivil, digitsAt, isCalendarDate } from "../values/CalendarDate.ts"
import type { ValuePath } from "../VisitProblem.ts"
import {
  entriesOf,
  instantAt,
  LeafCheck,
  type LeafRule,
  partOf,
  type ReportProblem,
  type Rule,
  textAt,
  type UnvalidatedVisit,
  wordsOf
} from "./Rule.ts"

/** A wide range of values for a living body; a value outside is most often in another unit. */
interface Range {
  readonly name: string
  readonly minimum: number
  readonly maximum: number
  readonly unit: string
}

const signs: ReadonlyArray<Range> = listedSigns.map(({ name, range: [minimum, maximum], unitInMessages }) => ({
  name,
  minimum,
  maximum,
  unit: unitInMessages
}))
const byName = new Map(signs.map((range) => [range.name, range]))
const byWords = new Map(signs.map((range) => [wordsOf(range.name), range]))
const systolic: SignName = "Systolic Blood Pressure"
const diastolic: SignName = "Diastolic Blood Pressure"
/** Signs that nobody has at zero, not even a patient whose heart has stopped: nothing was measured. */
const neverZero: ReadonlySet<string> = new Set<SignName>(["Temperature", "Random Blood Glucose"])

const measures: ReadonlyArray<Range> = [
  { name: "height", minimum: 20, maximum: 280, unit: "cm" },
  { name: "weight", minimum: 0.2, maximum: 700, unit: "kg" }
]

/** No human has become older than 122. 1900-01-01 is what databases write for an unknown day. */
const oldest = 123 * 365.25

const measured: ReadonlySet<string> = new Set(["value", "height", "weight"])

/** No number of a visit is this large. JavaScript, and most receivers, would round it. */
const tooLarge = 1e15

const numberAt = (value: UnvalidatedVisit, name: string): number => {
  const number = value[name]
  return isDecimal(number) ? toNumber(number) : Number.NaN
}

type Odd = (path: ValuePath, title: string, help?: string) => void

const reporting = (report: ReportProblem, severity: "error" | "warning"): Odd => (path, title, help) =>
  report({ code: "odd-value", severity, path, title, ...(help === undefined ? {} : { help }) })

/** Checks that measurements and blood pressures are possible for a human. */
export const measuresArePossible: Rule = (visit, _settings, report) => {
  const [odd, wrong] = [reporting(report, "warning"), reporting(report, "error")]
  entriesOf(visit, "triages").forEach((triage, index) => {
    for (const { name, minimum, maximum, unit } of measures) {
      const value = numberAt(triage, name)
      if (value === 0) wrong(["triages", index, name], `\`${name}\` is zero`, "send `null` if nothing was measured")
      else if (value < minimum || value > maximum) {
        const report = value < 0 || value > 10 * maximum ? wrong : odd
        report(["triages", index, name], `\`${name}\` is outside ${minimum} to ${maximum} ${unit}`)
      }
    }
  })
  entriesOf(visit, "vital_signs").forEach((entry, index) =>
    vitalSigns(entry, ["vital_signs", index], odd, wrong, report)
  )
}

class PossibleNumbers extends LeafCheck {
  see(value: unknown, { name }: Field, path: () => ValuePath): void {
    if (!isDecimal(value)) return
    const number = toNumber(value)
    if (Math.abs(number) >= tooLarge) {
      reporting(this.report, "error")(path(), `\`${name}\` has more than 15 digits before its decimal point`)
    } else if (number < 0 && !measured.has(name)) {
      reporting(this.report, "warning")(path(), `\`${name}\` is negative`)
    }
  }
}

/** Checks that amounts are not negative, and that no number is too large. */
export const numbersArePossible: LeafRule = {
  isAbout: ({ kind }) => kind === "decimal",
  sees: "values",
  Check: PossibleNumbers
}

/** Checks that the patient has an age that is possible for a human. */
export const ageIsPossible: Rule = (visit, _settings, report) =>
  age(visit, reporting(report, "warning"), reporting(report, "error"))

/** Checks that results are results. */
export const resultsArePossible: Rule = (visit, _settings, report) => {
  const laboratories = entriesOf(visit, "laboratories").map((laboratory) => entriesOf(laboratory, "results"))
  reportOtherValues(laboratories, report)
  laboratories.forEach((results, index) => {
    results.forEach(({ value, value_unit }, at) => {
      if (typeof value_unit === "string" && onlyDigits.test(value_unit)) {
        reporting(report, "warning")(
          ["laboratories", index, "results", at, "value_unit"],
          "`value_unit` is a number, and no unit",
          "it can be the code of a unit; translate it in the mapping:  value_unit: {path: …, conceptMap: …}"
        )
      }
      if (typeof value !== "string") return
      const path = ["laboratories", index, "results", at, "value"]
      if (withComma.test(value.trim())) {
        reporting(report, "warning")(
          path,
          "`value` is a number with a comma, and is sent as a text",
          "make it a number in the mapping:  PATH.replace(',', '.').toDecimal()  for a decimal comma,  PATH.replace(',', '').toDecimal()  for thousands"
        )
      }
      if (noResult.test(value.trim())) {
        reporting(report, "warning")(
          path,
          "`value` is a word for a result that does not exist",
          "exclude such rows:  where: {result: \"…\"}  in the mapping, or  null:  in the column of a table"
        )
      }
    })
  })
}

/**
 * Reports results that are of one test, one category, one unit and one time, and have another value than an earlier one: in one request, or in two
 * that have no number in common. A finding that other results belong to, such as an organism with its susceptibilities, can be one of several.
 */
const reportOtherValues = (
  laboratories: ReadonlyArray<ReadonlyArray<UnvalidatedVisit>>,
  report: ReportProblem
): void => {
  const seen = new Map<string, { readonly index: number; readonly at: number; readonly value: unknown }>()
  laboratories.forEach((results, index) => {
    const categories = new Set(results.map(({ category }) => category))
    results.forEach(({ category, name, recorded_at, value, value_unit }, at) => {
      if (typeof value === "string" && categories.has(`${name}: ${value}`)) return
      const key = `${name} ${category} ${value_unit} ${recorded_at}`
      const earlier = seen.get(key)
      if (earlier === undefined) seen.set(key, { index, at, value })
      else if (JSON.stringify(value) !== JSON.stringify(earlier.value)) {
        report({
          code: "contradiction",
          severity: "warning",
          path: ["laboratories", index, "results", at, "value"],
          title: "`value` is not that of an earlier result of the same test and time",
          facts: [["earlier", `laboratories[${earlier.index}].results[${earlier.at}]`]],
          help:
            "if one of the two corrects the other, leave out the earlier one; if they are about two things, such as two organisms, state which in `category`"
        })
      }
    })
  })
}

/** A unit of digits only is a code. `1` is the unit of a ratio. */
const onlyDigits = /^\s*\d{2,}\s*$/u

/** A number with a decimal comma, or with commas between its thousands. */
const withComma = /^[-+]?\d+(?:[.,]\d+)*,\d+(?:\.\d+)?$/u

/** What laboratories write while they wait, or in place of a result. */
export const noResult =
  /^(?:pending|await\w*(?: results?)?|to follow|in (?:progress|process)|(?:test )?not (?:done|performed|tested|available|received)|cancell?ed|(?:sample |specimen )?(?:rejected|insufficient|clotted|ha?emoly[sz]ed)(?: sample| specimen)?|no (?:sample|specimen|result)|n\/?a|tb[acd]|qns|[-._?]+|en (?:attente|cours)|non (?:fait|realise|réalisé)|pendiente|en proceso|pendente|menunggu|ausstehend)$/iu

const vitalSigns = (entry: UnvalidatedVisit, path: ValuePath, odd: Odd, wrong: Odd, report: ReportProblem): void => {
  let upper = Number.NaN
  let lower = Number.NaN
  entriesOf(entry, "observations").forEach((observation, index) => {
    const name = textAt(observation, "name")
    const range = name === undefined ? undefined : byName.get(name) ?? byWords.get(wordsOf(name))
    if (range === undefined) return
    const value = numberAt(observation, "value")
    if (range.name === systolic) upper = value
    if (range.name === diastolic) lower = value
    if (value < range.minimum || value > range.maximum) {
      const isZero = value === 0 && neverZero.has(range.name)
      const outside = value < 0 || isZero || value > 10 * range.maximum ? wrong : odd
      outside(
        [...path, "observations", index, "value"],
        `${range.name} is outside ${range.minimum} to ${range.maximum} ${range.unit}`,
        `its usual unit is ${range.unit}; look at the unit of the source`
      )
    }
  })
  if (lower >= upper) {
    report({
      code: "contradiction",
      severity: "warning",
      path: [...path, "observations"],
      title: "the diastolic blood pressure is not below the systolic"
    })
  }
}

/** A child can be born during a stay. A birth after its end is certainly wrong: a year of two digits, for example. */
const age = (visit: UnvalidatedVisit, odd: Odd, wrong: Odd): void => {
  const birthdate = textAt(partOf(visit, "patient"), "birthdate")
  const admitted = instantAt(visit, "admitted_at")
  if (birthdate === undefined || !isCalendarDate(birthdate) || Number.isNaN(admitted)) return
  const born = daysFromCivil(digitsAt(birthdate, 0, 4), digitsAt(birthdate, 5, 7), digitsAt(birthdate, 8, 10))
  const days = Math.ceil(admitted / 86_400_000) - born
  const discharged = instantAt(visit, "discharged_at")
  if (born - 1 > Math.ceil(Math.max(admitted, Number.isNaN(discharged) ? admitted : discharged) / 86_400_000)) {
    wrong(
      ["patient", "birthdate"],
      "`birthdate` is after the visit",
      "check the year: one of two digits may be of the last century"
    )
  } else if (days < -1) odd(["patient", "birthdate"], "`birthdate` is after the visit's `admitted_at`")
  else if (days > oldest) odd(["patient", "birthdate"], "the patient is older than 123 years")
}
