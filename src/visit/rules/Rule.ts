import type { FieldPath } from "../fields.ts"
import type { Gazetteer } from "../values/Gazetteer.ts"
import type { ReferenceLists } from "../values/ReferenceList.ts"
import { toEpochMillis } from "../values/Timestamp.ts"
import type { VisitProblem } from "../VisitProblem.ts"

/** What the rules need to know besides the visit. Names of lists' values are compared without regard to case and spacing. */
export interface RuleSettings {
  /** The present, in milliseconds since 1970. */
  readonly now: number
  /** The facility that sends: `health_facility_code` must be this. */
  readonly facilityCode?: string
  /** Standard data by list; values are checked only against lists that are here. */
  readonly lists?: ReferenceLists
  /** The administrative units of the country; without it the codes of addresses are only compared with each other. */
  readonly gazetteer?: Gazetteer
  /** `discharge_type`s that mean a transfer to another facility (§4.5 rule 6). */
  readonly transferDischargeTypes: ReadonlyArray<string>
  /** `admission_type`s that mean that another facility referred the patient. */
  readonly referralAdmissionTypes: ReadonlyArray<string>
  /** `discharge_type`s and `visit_outcome`s that mean that the patient died. */
  readonly deceasedValues: ReadonlyArray<string>
  /** `visit_type`s of an inpatient stay. */
  readonly inpatientVisitTypes: ReadonlyArray<string>
  /** `diagnosis_type_name`s of a primary diagnosis. */
  readonly primaryDiagnosisTypes: ReadonlyArray<string>
  /** `payment_type`s of a scheme whose members have a card. */
  readonly schemePaymentTypes: ReadonlyArray<string>
  /** Mandatory fields (§4.5 rule 7) that the service takes as `null` after all, as its operator has told the facility: missing ones are a warning. */
  readonly mayBeNull: ReadonlyArray<FieldPath>
  /** Fields that the facility never sends blank: a missing one is an error. */
  readonly required: ReadonlyArray<FieldPath>
  /** Fields of which a missing one is worth a look. */
  readonly expected: ReadonlyArray<FieldPath>
  /** What codes look like, as a regular expression of the whole code. */
  readonly codePattern: string
  /** Codes, names and titles that are longer are worth a look. */
  readonly maxLength: number
  /** A visit of more bytes is worth a look. */
  readonly maxBytes: number
  /** Names of medical histories beside those that §2.6 uses. */
  readonly historyNames: ReadonlyArray<string>
  /** Names of physical examinations beside those that §2.6 uses; `*` is any. */
  readonly examinationNames: ReadonlyArray<string>
  /** Whether the price of a medicine in an invoice is that of one piece, or of the line. */
  readonly medicinePrice: MedicinePrice
  /** What invoices may be in; unless said, all of a run are in one currency. */
  readonly currencies?: ReadonlyArray<string>
  /** So far may the total of an invoice be from the sum of its lines. */
  readonly invoiceTolerance: number
  /** What becomes of warnings, by code; those of the mapping too. */
  readonly levels?: ReadonlyMap<string, "error" | "warning" | "off">
}

/** What the price of a line of an invoice may be the price of. */
export const medicinePrices = ["unit", "line", "either"] as const
export type MedicinePrice = (typeof medicinePrices)[number]

/** What holds where nothing is configured: the names that §2.6 shows, and those usual for services of this kind. */
export const defaultRuleSettings: Omit<RuleSettings, "now"> = {
  transferDischargeTypes: ["Refer Out"],
  referralAdmissionTypes: ["Refer"],
  deceasedValues: ["Deceased"],
  inpatientVisitTypes: ["IPD"],
  primaryDiagnosisTypes: ["Primary"],
  schemePaymentTypes: [],
  mayBeNull: [],
  required: [],
  expected: ["patient.marital_status", "prescriptions.medications.days"],
  codePattern: "[A-Za-z0-9._-]{1,64}",
  maxLength: 255,
  maxBytes: 1_000_000,
  historyNames: ["History of Present Illness", "Social History"],
  examinationNames: ["Cardiovascular System", "Respiratory System"],
  medicinePrice: "unit",
  invoiceTolerance: 0.01
}

/** An object of a visit that may not be valid: any key may hold anything. */
export type UnvalidatedVisit = Readonly<Record<string, unknown>>

export type ReportProblem = (problem: VisitProblem) => void

/**
 * One thing that must hold in a visit, or that is worth a look. A rule reads what it understands and leaves the rest to the
 * schema, so that all problems of a broken visit come at once. It tells paths and names, never values.
 */
export type Rule = (visit: UnvalidatedVisit, settings: RuleSettings, report: ReportProblem) => void

const nothing: UnvalidatedVisit = {}

/** The value as an object; an empty one when it is none. */
export const toUnvalidated = (value: unknown): UnvalidatedVisit =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as UnvalidatedVisit : nothing

/** The component under a name; an empty one when it is absent or null. */
export const partOf = (value: UnvalidatedVisit, name: string): UnvalidatedVisit => toUnvalidated(value[name])

/** The entries of a list, at their indexes; none when it is no list. */
export const entriesOf = (value: UnvalidatedVisit, name: string): ReadonlyArray<UnvalidatedVisit> => {
  const list = value[name]
  if (!Array.isArray(list)) return []
  return list.every((entry) => typeof entry === "object" && entry !== null) ? list : list.map(toUnvalidated)
}

/** The text under a name; `undefined` when it is no text or empty. */
export const textAt = (value: UnvalidatedVisit, name: string): string | undefined => {
  const text = value[name]
  return typeof text === "string" && text !== "" ? text : undefined
}

/** The instant under a name in milliseconds since 1970; `NaN`, which compares with nothing, when it is no timestamp. */
export const instantAt = (value: UnvalidatedVisit, name: string): number => {
  const text = value[name]
  return typeof text === "string" ? toEpochMillis(text) : Number.NaN
}

/** A name without regard to case, spacing and punctuation: `Refer-out` is `refer out`. */
export const wordsOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, " ").trim()

/** True when the text under a name is one of some names. */
export const isOneOf = (value: UnvalidatedVisit, name: string, names: ReadonlyArray<string>): boolean => {
  const text = textAt(value, name)
  if (text === undefined || names.length === 0) return false
  const words = wordsOf(text)
  return names.some((candidate) => candidate === text || wordsOf(candidate) === words)
}

/** The six components that are encounters in nature, each with a `code` (§2.6). */
export const encounterLists = [
  "triages",
  "outpatients",
  "inpatients",
  "emergencies",
  "surgeries",
  "progress_notes"
] as const
