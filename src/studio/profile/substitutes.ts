import { number } from "../../diagnostic/count.ts"
import { type OverlayWriter, quotedText } from "./draft/OverlayWriter.ts"

/** What is sent where the data has no value, as an assumption that the draft declares (docs/mapping.md, Assumptions). */
interface Substitute {
  readonly means: string
  readonly instead: string
  readonly ask: "hospital" | "operator"
}

const substitutes = {
  "address-code-is-no-place": {
    means: "Addresses have no codes of the national gazetteer. Codes of zeros are sent, which belong to no place.",
    instead: "Write the codes of the facility's own place, or map the names of places to codes (docs/cookbook.md).",
    ask: "operator"
  },
  "patient-code-is-spid": {
    means: "The service's own patient id is not in the data. The patient code is sent as it.",
    instead: "Read the id from the source, or ask the service for it:  beneficiary: in facility.yaml.",
    ask: "operator"
  },
  "beginning-is-a-guess": {
    means: "No column name says when a visit began, and several columns hold days. The first of them is sent.",
    instead: "Give the right column the name  admitted_at  under  table: {visit: {column: …}}, and take this away.",
    ask: "hospital"
  },
  "beginning-is-end": {
    means: "The data does not say when a finished visit ended. Its beginning is sent as its end.",
    instead: "Add the time of the end to the export, or take the path away; such visits are then not sent.",
    ask: "hospital"
  },
  "code-is-sent-as-it-is": {
    means: "An unmapped code of the source is sent unchanged.",
    instead: "Fill in the table of the concept map; `codes unmapped` writes its lines.",
    ask: "hospital"
  },
  "beginning-is-time": {
    means: "A record of a visit has no time of its own. The beginning of the visit is sent.",
    instead: "Name the column of the time, or add it to the export.",
    ask: "hospital"
  },
  "patient-created-at-first-visit": {
    means:
      "No column says when a patient was registered. The beginning of the patient's first visit in the export is sent.",
    instead: "Name the column of the registration, or add it to the export.",
    ask: "hospital"
  },
  "whole-name-is-the-given-name": {
    means: "One column has the whole name. It is sent whole as the given name, without a surname.",
    instead:
      "Split it as the hospital writes names:  surname: \"name.split(',').first()\", name: \"name.split(',').last().trim()\".",
    ask: "hospital"
  },
  "attendant-made-diagnosis": {
    means: "No column says who made a diagnosis. Who saw the patient is sent.",
    instead: "Name the column of who made it, or send nobody:  diagnosis: {diagnosed_by: null}.",
    ask: "hospital"
  },
  "attendant-measured": {
    means: "No column says who measured. Who saw the patient is sent.",
    instead: "Name the column of who measured, or send nobody:  vital_signs: {recorded_by: null}.",
    ask: "hospital"
  },
  "discount-is-none": {
    means: "No column says what was discounted. A discount of 0 is sent.",
    instead: "Name the column of the discount, or send nothing:  discount: null.",
    ask: "hospital"
  },
  "year-has-two-digits": {
    means: "Years have two digits. 00 to 68 are read as 2000 to 2068, and 69 to 99 as 1969 to 1999.",
    instead: "Write years of four digits into the export.",
    ask: "hospital"
  },
  "time-zone-is-a-guess": {
    means: "Times have no offset, and the time zone of facility.yaml is a guess. They are read in it.",
    instead: "Write  timezone:  in facility.yaml, then accept this.",
    ask: "hospital"
  },
  "facility-is-not-set": {
    means: "No facility code is set. HF-UNKNOWN is sent.",
    instead: "Write  facility:  in facility.yaml.",
    ask: "operator"
  },
  "visit-without-type-is-outpatient": {
    means: "Nothing says whether the patient stayed. An outpatient visit is sent.",
    instead: "Name the element or column that says it, under  visit: {visit_type: …}.",
    ask: "hospital"
  },
  "visit-without-type-is-inpatient": {
    means: "Nothing says whether the patient stayed, and the file is called after stays. An inpatient visit is sent.",
    instead: "Name the column that says it, under  visit: {visit_type: …}.",
    ask: "hospital"
  }
} as const satisfies Readonly<Record<string, Substitute>>

type SubstituteName = keyof typeof substitutes

/** Declares an assumption of the draft; gives its name. */
const declared = (writer: OverlayWriter, name: SubstituteName): string => {
  for (const [key, text] of Object.entries(substitutes[name])) {
    writer.put(["assumption", name, key], key === "ask" ? text : quotedText(text))
  }
  return name
}

/** A value that is sent where the data has none, under an assumption. */
export const assumedValue = (writer: OverlayWriter, value: string, name: SubstituteName): string =>
  `{value: ${value}, assume: ${declared(writer, name)}}`

/** A path whose value is sent for another, under an assumption. */
export const assumedPath = (writer: OverlayWriter, path: string, name: SubstituteName): string =>
  `{path: ${quotedText(path)}, assume: ${declared(writer, name)}}`

/** Makes each use of the beginning of a visit in place of another time an assumption. */
export const assumeBeginnings = (writer: OverlayWriter): void => {
  const beginning = "\"%visit.admitted_at\""
  const assumed = `{path: ${beginning}, assume: beginning-is-time}`
  const changed = writer.rewrite("visit", (yaml) =>
    yaml === beginning
      ? `[${assumed}]`
      : yaml.replace(`{path: ${beginning},`, `{path: [${beginning}],`).replace(
        /(?<=[[ ])"%visit\.admitted_at"(?=\])/u,
        assumed
      ))
  if (changed) declared(writer, "beginning-is-time")
}

/** The setting of a concept map that sends unmapped codes unchanged and lists them. */
export const assumedProvided = (writer: OverlayWriter): string =>
  `{policy: provided, assume: ${declared(writer, "code-is-sent-as-it-is")}}`

/** The questions that go with the doubtful lines of a draft, and with each assumption it declares. */
export const questionsOf = (writer: OverlayWriter): ReadonlyArray<string> => {
  const doubtful = [...writer.doubtful()].map(([at, count]) => `${at} ${number(count)}`).join(", ")
  return [
    ...(doubtful === "" ? [] : [`are the lines right that say "verify it"?  ${doubtful}`]),
    ...writer.namesUnder("assumption").map((name) =>
      `do you accept \`${name}\`?  ${substitutes[name as SubstituteName].means}`
    )
  ]
}
