import { number } from "../../../diagnostic/count.ts"
import { type Draft, quotedText } from "./Draft.ts"

/** What is sent if the data has no value, as an assumption that the draft declares (docs/mapping.md, Assumptions). */
interface DraftAssumption {
  readonly means: string
  readonly instead: string
  readonly ask: "hospital" | "operator"
}

const assumptions = {
  "address-code-is-no-place": {
    means:
      "No codes of the national gazetteer were found in addresses. Codes of zeros, which belong to no place, are sent.",
    instead: "Set the codes of the facility's own address, or map the names of places to codes (docs/cookbook.md).",
    ask: "operator"
  },
  "patient-code-is-spid": {
    means: "The service's own patient id was not found in the data. The patient code is sent instead.",
    instead: "Read the id from the source, or look it up at the service:  beneficiary: in facility.yaml.",
    ask: "operator"
  },
  "beginning-is-a-guess": {
    means:
      "No column is named after the beginning of a visit, and several columns hold dates. The first of them is sent.",
    instead: "Name the right column  admitted_at  under  table: {visit: {column: …}}, and remove this line.",
    ask: "hospital"
  },
  "beginning-is-end": {
    means: "The end of a finished visit was not found in the data. Its beginning is sent as its end.",
    instead: "Add the time of the end to the export, or remove the path: such visits are then not sent.",
    ask: "hospital"
  },
  "code-is-sent-as-it-is": {
    means: "An unmapped code of the source is sent unchanged.",
    instead: "Fill in the table of the concept map; `codes unmapped` writes its rows.",
    ask: "hospital"
  },
  "beginning-is-time": {
    means: "No time of its own was found for a record of a visit. The beginning of the visit is sent.",
    instead: "Name the column of the time, or add it to the export.",
    ask: "hospital"
  },
  "other-time-is-sent": {
    means:
      "A record has no time of its own for a step: the request, the sample, the verification or the prescription. The time of another step is sent.",
    instead: "Name the column of the time, or add it to the export.",
    ask: "hospital"
  },
  "patient-created-at-first-visit": {
    means: "The registration time of a patient was not found in the data. The beginning of the first visit is sent.",
    instead: "Name the column of the registration time, or add it to the export.",
    ask: "hospital"
  },
  "whole-name-is-the-given-name": {
    means: "One column has the whole name. All of it is sent as the given name, without a surname.",
    instead:
      "Split it as the hospital writes names:  surname: \"name.split(',').first()\", name: \"name.split(',').last().trim()\".",
    ask: "hospital"
  },
  "first-diagnosis-is-primary": {
    means:
      "No column was found that ranks the diagnoses of a visit. The first row is sent as Primary, the others as Secondary.",
    instead: "Name the column that marks the primary diagnosis, or add it to the export.",
    ask: "hospital"
  },
  "admission-diagnosis-is-in": {
    means: "A diagnosis of the admission is sent as In.",
    instead: "Send another type, or remove its branch under  diagnosis: unionAll:  so that it is not sent.",
    ask: "operator"
  },
  "attendant-made-diagnosis": {
    means: "No column was found for the person who made a diagnosis. The person who saw the patient is sent.",
    instead: "Name the column of that person, or send none:  diagnosis: {diagnosed_by: null}.",
    ask: "hospital"
  },
  "attendant-measured": {
    means: "No column was found for the person who measured. The person who saw the patient is sent.",
    instead: "Name the column of that person, or send none:  vital_signs: {recorded_by: null}.",
    ask: "hospital"
  },
  "number-without-unit-is-in-usual-unit": {
    means: "Some measures have no unit. Their numbers are sent in the unit of the specification: °C, mmHg, cm, kg.",
    instead: "Add the units to the export, or remove the path: such numbers are then not sent.",
    ask: "hospital"
  },
  "discount-is-none": {
    means: "No column was found for discounts. A discount of 0 is sent.",
    instead: "Name the column of the discount, or send none:  discount: null.",
    ask: "hospital"
  },
  "service-price-is-of-all-pieces": {
    means:
      "A service was charged several times in one row. Its price is sent for all of them, because a service has no quantity.",
    instead: "Send the price of one: remove the path.",
    ask: "operator"
  },
  "other-charges-are-not-sent": {
    means: "A second table with the amounts of charges has rows of the visit. They are in no invoice.",
    instead:
      "Export all charges as one table. If the others are not charged, write the sum as  total:  without the assumption.",
    ask: "hospital"
  },
  "empty-cell-is-value-above": {
    means:
      "Only the first of several rows has the visit, as in merged cells. The rows below it are sent with the values of this row, up to the next row with such a value.",
    instead: "Export the values in each row, and remove  fillDown:  from the table.",
    ask: "hospital"
  },
  "year-has-two-digits": {
    means:
      "Years have two digits. 00 to 68 are read as 2000 to 2068, and 69 to 99 as 1969 to 1999. A birth that would be after the visit is sent as a hundred years earlier.",
    instead: "Export years with four digits.",
    ask: "hospital"
  },
  "year-has-two-buddhist-digits": {
    means:
      "Years have two digits and are Buddhist. 00 to 99 are read as 2500 to 2599, which are 1957 to 2056. A birth that would be after the visit is sent as a hundred years earlier.",
    instead: "Export years with four digits.",
    ask: "hospital"
  },
  "time-zone-is-a-guess": {
    means: "Times have no offset. They are read in the time zone of facility.yaml, which is a guess.",
    instead: "Set  timezone:  in facility.yaml, then accept this.",
    ask: "hospital"
  },
  "facility-is-not-set": {
    means: "No facility code is set. HF-UNKNOWN is sent.",
    instead: "Set  facility:  in facility.yaml.",
    ask: "operator"
  },
  "visit-without-type-is-outpatient": {
    means: "The data does not show whether the patient stayed. An outpatient visit is sent.",
    instead: "Name the element or column of the type, under  visit: {visit_type: …}.",
    ask: "hospital"
  },
  "short-visit-without-type-is-outpatient": {
    means:
      "The data does not show whether the patient stayed. A visit of at most a day is sent as an outpatient visit. A longer one is not sent.",
    instead: "Name the column of the type, under  visit: {visit_type: …}.",
    ask: "hospital"
  },
  "visit-without-type-is-inpatient": {
    means:
      "The data does not show whether the patient stayed, but the file is named after stays. An inpatient visit is sent.",
    instead: "Name the column of the type, under  visit: {visit_type: …}.",
    ask: "hospital"
  }
} as const satisfies Readonly<Record<string, DraftAssumption>>

type AssumptionName = keyof typeof assumptions

const declare = (draft: Draft, name: AssumptionName): void => {
  for (const [key, text] of Object.entries(assumptions[name])) {
    draft.put(["assumption", name, key], key === "ask" ? text : quotedText(text))
  }
}

/** Returns a value that is sent if the data has none, and declares its assumption. */
export const assumedValue = (draft: Draft, value: string, name: AssumptionName): string => {
  declare(draft, name)
  return `{value: ${value}, assume: ${name}}`
}

/** Returns a path whose value is sent for another, and declares its assumption. */
export const assumedPath = (draft: Draft, path: string, name: AssumptionName): string => {
  declare(draft, name)
  return `{path: ${quotedText(path)}, assume: ${name}}`
}

/** Fills the rows of a table with values of the first row above them, and declares the assumption. */
export const assumeHead = (draft: Draft, table: string, columns: ReadonlyArray<string>): void => {
  draft.put(
    ["table", table, "fillDown", "column"],
    `[${columns.join(", ")}]`,
    "only the first of several rows has them"
  )
  draft.put(["table", table, "fillDown", "assume"], "empty-cell-is-value-above")
  declare(draft, "empty-cell-is-value-above")
}

/** Returns paths to the time of a step: its own, otherwise the time of another step, otherwise the beginning of the visit. */
export const stepTimes = (
  draft: Draft,
  own: string | undefined,
  ...others: ReadonlyArray<string | undefined>
): string => {
  const known = new Set(others.filter((other) => other !== undefined && other !== own))
  const paths = [
    ...(own === undefined ? [] : [quotedText(own)]),
    ...[...known].map((other) => assumedPath(draft, other ?? "", "other-time-is-sent")),
    quotedText("%visit.admitted_at")
  ]
  return paths.length === 1 ? paths.join() : `[${paths.join(", ")}]`
}

/** Returns the setting of a concept map that sends unmapped codes unchanged and lists them, and declares its assumption. */
export const assumedProvided = (draft: Draft): string => {
  declare(draft, "code-is-sent-as-it-is")
  return "{policy: provided, assume: code-is-sent-as-it-is}"
}

/** Makes each use of the beginning of a visit in place of another time an assumption. */
export const assumeBeginnings = (draft: Draft): void => {
  const beginning = "\"%visit.admitted_at\""
  const assumed = `{path: ${beginning}, assume: beginning-is-time}`
  const isChanged = draft.rewrite("visit", (yaml) =>
    yaml === beginning
      ? `[${assumed}]`
      : yaml.replace(`{path: ${beginning},`, `{path: [${beginning}],`).replace(
        /(?<=[[ ])"%visit\.admitted_at"(?=\])/u,
        assumed
      ))
  if (isChanged) declare(draft, "beginning-is-time")
}

/** The questions that go with the doubtful lines of a draft, and with each assumption it declares. */
export const questionsOf = (draft: Draft): ReadonlyArray<string> => {
  const doubtful = [...draft.marked("doubtful")].map(([at, count]) => `${at} ${number(count)}`).join(", ")
  return [
    ...(doubtful === "" ? [] : [`are the lines with "verify it" right?  ${doubtful}`]),
    ...draft.keysUnder("assumption").map((name) =>
      // Only `declare` puts assumptions.
      `do you accept \`${name}\`?  ${assumptions[name as AssumptionName].means}`
    )
  ]
}

/** The number of digits of a code in the national gazetteer, by its level. */
export const addressDigits = { province: 2, district: 4, commune: 6, village: 8 } as const

/** Sends a code of zeros for a level of an address that has no code of the national gazetteer. */
export const substituteAddressCode = (draft: Draft, level: keyof typeof addressDigits): void =>
  draft.substitute(
    ["visit", "patient", "address", level, "code"],
    `{default: ${assumedValue(draft, quotedText("0".repeat(addressDigits[level])), "address-code-is-no-place")}}`,
    level === "province"
      ? "addresses have no codes of the national gazetteer: set the facility's own, or map the names"
      : "as above"
  )
