import type { Severity } from "./Diagnostic.ts"

/** Who can fix a problem. */
export type Owner = "source system" | "mapping" | "code table" | "facility settings" | "service" | "administrator"

export interface Problem {
  readonly severity: Severity
  readonly owner: Owner
  /** The meaning, in one sentence. */
  readonly meaning: string
  /** The first step, as on the problem's page; the help of a message without its own. */
  readonly next: string
  /** The service reported it: the message opens with `refused`. */
  readonly refusal?: true
  /** It causes other problems, so it is reported before them; `"error"`: only if it is an error. */
  readonly cause?: true | "error"
}

const define = <const P extends Record<string, Problem>>(problems: P): P => problems

/** The closed list of problem codes, each with its default severity and its owner. */
export const problems = define({
  // mapping and configuration
  "invalid-yaml": {
    severity: "error",
    owner: "mapping",
    meaning: "The file is not YAML that can be read.",
    next:
      "look at the line of the message and the one before it: most often a quote, a colon or an indentation is missing"
  },
  "unknown-key": {
    severity: "error",
    owner: "mapping",
    meaning: "A key of the file is not a keyword of the language.",
    next: "use the suggested keyword, or one from the list"
  },
  "missing-key": {
    severity: "error",
    owner: "mapping",
    meaning: "A required key is missing.",
    next: "add the missing key"
  },
  "invalid-value": {
    severity: "error",
    owner: "mapping",
    meaning: "A key has a value it cannot take.",
    next: "use one of the values in the message"
  },
  "unknown-field": {
    severity: "error",
    owner: "mapping",
    meaning: "The specification has no field of that name there.",
    next: "use the suggested name, or one from the list"
  },
  "missing-field": {
    severity: "error",
    owner: "mapping",
    meaning: "A field of the specification has no line in the mapping.",
    next: "extend the base mapping, which has all lines"
  },
  "invalid-path": {
    severity: "error",
    owner: "mapping",
    meaning: "The path is not FHIRPath.",
    next: "close what is open: brackets, quotes"
  },
  "unknown-element": {
    severity: "error",
    owner: "mapping",
    meaning: "A path refers to an element, type or column that does not exist.",
    next: "use a name that FHIR R4 has, such as the suggested one"
  },
  "unknown-function": {
    severity: "error",
    owner: "mapping",
    meaning: "A path calls a function that does not exist.",
    next: "use the suggested function"
  },
  "wrong-arguments": {
    severity: "error",
    owner: "mapping",
    meaning: "A function is given arguments that it does not take.",
    next: "write the form that the message shows; arguments with a question mark are optional"
  },
  "unknown-constant": {
    severity: "error",
    owner: "mapping",
    meaning: "A path refers to a constant that does not exist.",
    next: "define it under `constant:`, or use the suggested name"
  },
  "unknown-concept-map": {
    severity: "error",
    owner: "mapping",
    meaning: "A field refers to a concept map that does not exist.",
    next: "define it, or use the suggested name"
  },
  "unknown-assumption": {
    severity: "error",
    owner: "mapping",
    meaning: "A line refers to an assumption that is not declared.",
    next: "declare it, or use the suggested name"
  },
  "unknown-key-name": {
    severity: "error",
    owner: "mapping",
    meaning: "`keyOf` refers to a key that does not exist.",
    next: "define it, or use the suggested name"
  },
  "absent-compared": {
    severity: "warning",
    owner: "mapping",
    meaning: "A negated condition also excludes records without the element.",
    next:
      "to keep records without the element, test that it exists and is true: `doNotPerform.exists($this = true).not()`"
  },
  "several-compared": {
    severity: "warning",
    owner: "mapping",
    meaning: "A comparison has an operand that may be several values.",
    next: "ask whether one of them is: `code.coding.exists(code = '8302-2')`, or for codes `code.hasCode('8302-2')`"
  },
  "unknown-code": {
    severity: "warning",
    owner: "mapping",
    meaning: "A text is compared with an element or a result that never is this text.",
    next: "write one of the codes or results in the message; they are compared letter by letter"
  },
  "unused-name": {
    severity: "warning",
    owner: "mapping",
    meaning: "A name is defined and no line uses it.",
    next: "use it, or remove it"
  },
  "unknown-branch": {
    severity: "warning",
    owner: "mapping",
    meaning: "An overlay changes a branch or a condition, or removes a name, that does not exist.",
    next: "use the suggested name; `fhir2visit mapping show` shows all of them"
  },
  "slow-pattern": {
    severity: "error",
    owner: "mapping",
    meaning: "A regular expression can cut one text in many ways and take very long.",
    next: "repeat once: `a+` instead of `(a+)+`, and let alternatives begin with different signs"
  },
  "circular-extends": {
    severity: "error",
    owner: "mapping",
    meaning: "A mapping extends itself.",
    next: "remove one of the `extends` that are shown"
  },
  "unreadable-file": {
    severity: "error",
    owner: "mapping",
    meaning: "A file cannot be read.",
    next: "check the name: the search covers the folder of the file that refers to it, then the shipped mappings"
  },
  "invalid-facility": {
    severity: "error",
    owner: "facility settings",
    meaning: "A setting of the facility is wrong.",
    next: "correct the setting that is shown"
  },
  "old-standard-data": {
    severity: "warning",
    owner: "administrator",
    meaning: "The downloaded standard data is old.",
    next: "pull them again: `fhir2visit codes pull --facility FOLDER`"
  },
  // source
  "unreadable-input": {
    severity: "error",
    owner: "source system",
    meaning: "A whole input file cannot be read.",
    next: "copy or export it again; look at the reported line",
    cause: "error"
  },
  "missing-table": {
    severity: "error",
    owner: "source system",
    meaning: "No input is a file of a table that the mapping reads.",
    next: "add the file to the input",
    cause: true
  },
  "no-visits": {
    severity: "error",
    owner: "source system",
    meaning: "The input was read, and it has no visits.",
    next: "check that the input has encounters, or the table of visits"
  },
  "unreadable-record": {
    severity: "error",
    owner: "source system",
    meaning: "One line or entry cannot be read.",
    next: "correct the export at the reported line",
    cause: "error"
  },
  "incomplete-visit": {
    severity: "error",
    owner: "source system",
    meaning: "A record of the visit could not be read, or may be missing.",
    next: "fix or re-export the reported records and run again; the held visits are then sent"
  },
  "incomplete-export": {
    severity: "error",
    owner: "source system",
    meaning: "An export states that it is incomplete.",
    next: "export again, or add what is missing, and convert again: the visits that were held are then sent",
    cause: true
  },
  "several-servers": {
    severity: "error",
    owner: "administrator",
    meaning: "The input has exports of two servers, whose records can have the same ids.",
    next: "convert the exports of each server separately"
  },
  "missing-base": {
    severity: "error",
    owner: "source system",
    meaning: "An export has only changes, and the export before them is not in the input.",
    next: "keep exports side by side with their logs, and convert them together"
  },
  "not-a-resource": {
    severity: "error",
    owner: "source system",
    meaning: "A line or entry is JSON but not a FHIR resource.",
    next: "move such files out of the folder, or correct the export",
    cause: "error"
  },
  "unknown-status": {
    severity: "error",
    owner: "source system",
    meaning: "The status of a record is not one that FHIR R4 has for its type.",
    next: "write the status as the standard does, or declare the facility's own words under `grouping: status:`"
  },
  "unknown-modifier": {
    severity: "warning",
    owner: "source system",
    meaning:
      "A modifier extension or implicit rules change what a record means, and the mapping does not understand them.",
    next: "find out what they change; if the mapping takes them into account, list their URLs"
  },
  "test-data": {
    severity: "error",
    owner: "source system",
    meaning: "A record of the visit is labelled as test data.",
    next: "leave test records out of the export"
  },
  "restricted-record": {
    severity: "warning",
    owner: "source system",
    meaning: "A record of the visit is labelled as restricted, or as not to be disclosed.",
    next: "find out whether the service may receive such records"
  },
  "other-fhir-version": {
    severity: "error",
    owner: "source system",
    meaning: "An input has records of another version of FHIR than R4.",
    next: "export the records as FHIR R4 (4.0.1)"
  },
  "too-deep": {
    severity: "error",
    owner: "source system",
    meaning: "A record is nested deeper than the limit.",
    next: "correct the export"
  },
  "too-large": {
    severity: "error",
    owner: "source system",
    meaning: "A record or file is larger than the limit.",
    next: "export attachments as links, and documents as NDJSON"
  },
  "duplicate-record": {
    severity: "warning",
    owner: "source system",
    meaning:
      "The same resource was found with different contents. Or a visit has equal records that have no name: rows of a table without a key, or FHIR records without an id.",
    next: "export each record once, or with `meta.lastUpdated`"
  },
  "unknown-column": {
    severity: "error",
    owner: "mapping",
    meaning: "The header of a CSV file does not have a column that a table declares.",
    next: "set the name that the header uses: `from: admittd_at`",
    cause: true
  },
  "wrong-format": {
    severity: "warning",
    owner: "mapping",
    meaning:
      "Most dates, numbers or truth values of a CSV column do not match its format. Or the texts of a CSV file do not match its encoding.",
    next:
      "set the format, for the column or for all tables: `format: \"DD/MM/YYYY\"`, `decimal: \",\"`, `true: [oui]`. List several formats as `[…]`",
    cause: true
  },
  "invalid-cell": {
    severity: "warning",
    owner: "source system",
    meaning: "A cell of a CSV file does not fit the type of its column, and was dropped.",
    next: "correct the cell in the source system"
  },
  "dangling-reference": {
    severity: "warning",
    owner: "source system",
    meaning: "A referenced record is not in the input.",
    next: "export the referenced records, too"
  },
  "circular-reference": {
    severity: "error",
    owner: "source system",
    meaning: "Encounters are part of each other in a circle.",
    next: "correct `partOf` in the source system"
  },
  "no-encounter": {
    severity: "error",
    owner: "source system",
    meaning: "A record belongs to no visit.",
    next: "add a path from this record to an encounter under `grouping: link:`"
  },
  "no-patient": {
    severity: "error",
    owner: "source system",
    meaning: "The visit's patient is not in the input, or is a record that another has replaced.",
    next: "add the Patient to the input"
  },
  "other-patient": {
    severity: "error",
    owner: "source system",
    meaning: "A record of the visit refers to a different patient.",
    next: "correct the record in the source system"
  },
  // draft
  "no-value": {
    severity: "warning",
    owner: "mapping",
    meaning: "A field that should have a value has none.",
    next: "look at the record: is the value somewhere else? Then add a path; the first that finds something wins"
  },
  "missing-content": {
    severity: "error",
    owner: "source system",
    meaning: "The visit has no patient or no visit type, or a row is empty.",
    next: "look at the record: is the value somewhere else? Then add a path to the field's line in the mapping"
  },
  "null-field": {
    severity: "warning",
    owner: "mapping",
    meaning: "A field is null, and the specification does not show null as a value of it.",
    next:
      "look at the elements that no mapping line reads, which `--coverage FILE` lists: does one have the value? Then add a path"
  },
  "too-many-values": {
    severity: "warning",
    owner: "mapping",
    meaning: "A field or a key takes one value and its path found several.",
    next: "select one value, for example `name.where(use = 'official').family`"
  },
  "substitute-value": {
    severity: "warning",
    owner: "source system",
    meaning: "A field was filled with a substitute value.",
    next: "look at the record: the mapping names the element that should be there"
  },
  "assumption": {
    severity: "warning",
    owner: "mapping",
    meaning: "The mapping decided something that the source does not state, and the facility has not accepted it.",
    next: "ask who can decide: is it right for this hospital? Then accept it, or change the line"
  },
  "dropped-record": {
    severity: "warning",
    owner: "source system",
    meaning: "A record, or a part of it, is dropped, and this is reported.",
    next: "look at the reported record and at the condition that drops it"
  },
  "unused-record": {
    severity: "warning",
    owner: "mapping",
    meaning: "Clinical records of a visit are in no section of it.",
    next:
      "look at the reported record: `--coverage FILE` lists the section and condition that excluded it. Change the condition, or add the code to its concept map"
  },
  "mostly-unused": {
    severity: "error",
    owner: "mapping",
    meaning: "More than half of the records of a type are in no section of their visits.",
    next:
      "look at the conditions that excluded them, which the warnings of the visits show. Change them, or lower this error if such records are not meant for the service"
  },
  "wrong-type": {
    severity: "error",
    owner: "mapping",
    meaning: "A path finds what its field, condition or comparison cannot take.",
    next: "end the path in what the field takes: a text, a number, a date"
  },
  "path-failed": {
    severity: "error",
    owner: "mapping",
    meaning: "A path could not be evaluated on a record.",
    next: "make sure of one value: `.first()`; of the type: `.ofType(…)`"
  },
  "unmapped-code": {
    severity: "warning",
    owner: "code table",
    meaning: "A code is not in the code table.",
    next: "add a row: `conceptMap: NAME: table: {CODE: value}`"
  },
  "unknown-unit": {
    severity: "warning",
    owner: "source system",
    meaning: "A quantity has no unit that can be converted.",
    next: "correct the unit in the source system"
  },
  "missing-offset": {
    severity: "warning",
    owner: "source system",
    meaning: "A time has no offset; the facility's zone was used.",
    next: "export times with their offset"
  },
  "partial-date": {
    severity: "warning",
    owner: "source system",
    meaning: "A date or time is less precise than the field.",
    next:
      "correct the source, or choose another policy under `time:` in the mapping: `partialTimestamp` for times (reject, start-of-day, midday), `partialDate` for dates (reject, blank, first-day)"
  },
  "invalid-date": {
    severity: "error",
    owner: "source system",
    meaning: "A date or time does not exist.",
    next: "correct the record in the source system; or the path, if it leads to something else than a date"
  },
  // visit
  "required-field": {
    severity: "error",
    owner: "mapping",
    meaning: "A code, timestamp or identifier is missing; the specification makes it mandatory.",
    next: "add a path or a `default` to the field's line in the mapping, or complete the record"
  },
  "invalid-field": {
    severity: "error",
    owner: "mapping",
    meaning: "A field has another type or form than the specification's.",
    next: "correct the mapping line that is reported with it; in a file of visits, correct the field itself"
  },
  "unexpected-field": {
    severity: "error",
    owner: "mapping",
    meaning: "The specification has no field of that name.",
    next: "remove it, or write its name as the specification does"
  },
  "foreign-code": {
    severity: "error",
    owner: "mapping",
    meaning: "A code inside the visit points outside it: another visit, patient or encounter.",
    next: "check the line of the mapping that makes the code, and the record it comes from"
  },
  "duplicate-code": {
    severity: "error",
    owner: "source system",
    meaning: "A code that must be unique occurs twice.",
    next: "look for copies in the source; check the key the code is made of, under `key:`"
  },
  "same-admission-time": {
    severity: "error",
    owner: "source system",
    meaning: "Two visits of one patient have the same admission time; the service refuses the second.",
    next:
      "correct the time of one of the visits in the source system, or join the two encounters to one visit with `partOf`"
  },
  "foreign-diagnosis": {
    severity: "error",
    owner: "mapping",
    meaning: "The code of a diagnosis does not have the form of ICD-10.",
    next: "map the code to ICD-10 with a concept map, or lower this error if the operator accepts such codes"
  },
  "unknown-list-value": {
    severity: "warning",
    owner: "code table",
    meaning: "A value is not in the service's standard data.",
    next: "map the source's code to a value of the list, in the concept map of the field"
  },
  "referral-required": {
    severity: "error",
    owner: "source system",
    meaning: "The patient was transferred and the referral is missing.",
    next: "add the ServiceRequest of the referral to the input, or correct the discharge"
  },
  "ends-before-start": {
    severity: "warning",
    owner: "source system",
    meaning: "Something ends before it starts.",
    next: "correct the record in the source system"
  },
  "outside-visit": {
    severity: "warning",
    owner: "source system",
    meaning: "A time lies outside the visit.",
    next: "check that the record belongs to this encounter, and its time"
  },
  "in-the-future": {
    severity: "warning",
    owner: "source system",
    meaning: "A time lies in the future.",
    next: "check the clock and the zone of the source system"
  },
  "odd-value": {
    severity: "warning",
    owner: "source system",
    meaning: "A value is outside what is possible.",
    next: "check the value and its unit in the source system"
  },
  "contradiction": {
    severity: "warning",
    owner: "source system",
    meaning: "Two fields of the visit contradict each other.",
    next: "correct one of the two in the source system, or its code in a concept map"
  },
  "sum-differs": {
    severity: "warning",
    owner: "source system",
    meaning: "An invoice does not add up: its total is not the sum of its lines, or a payment does not fit its price.",
    next: "check the lines that the mapping excludes, and discounts"
  },
  "other-currency": {
    severity: "error",
    owner: "source system",
    meaning: "An invoice is in another currency than the others.",
    next:
      "exclude the invoices in the other currency with a condition of the mapping: `where: {currency: \"totalNet.currency = 'KHR'\"}`"
  },
  "primary-diagnosis": {
    severity: "warning",
    owner: "source system",
    meaning: "A visit has no primary diagnosis, or more than one.",
    next:
      "set the right one: in the record (`Encounter.diagnosis.use` of FHIR), or in the mapping, under `diagnosis: diagnosis_type_name`"
  },
  "no-beneficiary": {
    severity: "warning",
    owner: "source system",
    meaning: "No card of the patient was found at the service.",
    next: "the card was not looked up: run, or `fhir2visit convert INPUT --look-up`"
  },
  "other-beneficiary": {
    severity: "warning",
    owner: "source system",
    meaning: "The service's record of the patient's card belongs to another person, or may do so.",
    next:
      "find out whose card it is: `fhir2visit beneficiary CARD` shows the record. Correct the card or the patient in the source system"
  },
  "text-changed": {
    severity: "warning",
    owner: "source system",
    meaning: "A text was changed so that it can be sent.",
    next: "nothing, or clean the text in the source system"
  },
  // refusal
  "visit-already-submitted": {
    severity: "error",
    owner: "service",
    meaning: "The service has a visit with this code.",
    next: "if it is this visit, nothing: it is stored",
    refusal: true
  },
  "admission-date-changed": {
    severity: "error",
    owner: "source system",
    meaning: "The service has this visit with another admission date.",
    next: "restore the first date in the source system, or ask the operator to release the visit",
    refusal: true
  },
  "admission-time-taken": {
    severity: "error",
    owner: "source system",
    meaning: "The service has another visit of the patient with the same admission time.",
    next: "correct the time in the source system",
    refusal: true
  },
  "field-refused": {
    severity: "error",
    owner: "mapping",
    meaning: "The service refused a field.",
    next:
      "correct that line, or the record. `fhir2visit status --show-values` shows the service's message about the field",
    refusal: true
  },
  "refused-other": {
    severity: "error",
    owner: "service",
    meaning: "The service refused the visit for a reason it does not document.",
    next:
      "read the service's message: `fhir2visit status --show-values`. A report page made with `--show-values` also shows it",
    refusal: true
  },
  "unknown-outcome": {
    severity: "error",
    owner: "service",
    meaning: "The response to the submission was lost. The outcome is looked up before resending.",
    next: "run the same command again, or `fhir2visit status --remote`"
  },
  "stored-in-part": {
    severity: "warning",
    owner: "source system",
    meaning: "The service has the visit in part and waits for an update.",
    next:
      "complete the record in the source system and run again: the update is sent, unless facility.yaml has `submit: {partial: hold}`"
  },
  "not-sent": {
    severity: "warning",
    owner: "administrator",
    meaning: "An earlier run checked visits and did not send them, and this input has no valid version of them.",
    next: "run again with the records of these visits; `fhir2visit status` lists them"
  },
  "earlier-version-held": {
    severity: "warning",
    owner: "administrator",
    meaning: "The visit is rejected or cancelled now, and the service has an earlier version of it, or may have one.",
    next: "correct what rejects it, and run again. If the earlier version is wrong, ask the operator to remove it"
  },
  "changed-since-stored": {
    severity: "warning",
    owner: "administrator",
    meaning: "The service has the visit complete, and its source has changed since; no second version is taken.",
    next: "if the change matters, ask the operator to release the visit"
  },
  "not-confirmed": {
    severity: "error",
    owner: "service",
    meaning: "The service responded that the visit is stored, but its list does not show it so.",
    next:
      "`fhir2visit status --remote` looks again; the list may lag behind. Else ask the operator, and decide with `fhir2visit release VISIT`"
  },
  "content-unknown": {
    severity: "warning",
    owner: "administrator",
    meaning: "The service has the visit, and no response shows with which content; it may differ from the source.",
    next: "if the source has changed since it was first sent, ask the operator what the service has"
  },
  "in-doubt": {
    severity: "error",
    owner: "administrator",
    meaning: "No evidence shows whether the service has this visit as yours.",
    next:
      "ask the operator whose record it is, and decide with `release --accept` or `release --resend`. Nothing is sent until then"
  }
})

export type ProblemCode = keyof typeof problems

/** Returns true for a code of the list, such as one in a report of another version. */
export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problems, code)

export const problemOf = (code: ProblemCode): Problem => problems[code]
