import { getOrRemember } from "../../maps.ts"
import type { Field } from "../Field.ts"
import type { FieldPath } from "../fields.ts"
import type { FacilityCode } from "../values/Code.ts"
import type { Gazetteer } from "../values/Gazetteer.ts"
import type { ReferenceLists } from "../values/ReferenceList.ts"
import { toEpochMillis } from "../values/Timestamp.ts"
import type { ValuePath, VisitProblem } from "../VisitProblem.ts"

/** What the rules need besides the visit. Values are compared by name without case and spacing. */
export interface RuleSettings {
  /** The current time, in milliseconds since 1970. */
  readonly now: number
  /** The sending facility: `health_facility_code` must be this. */
  readonly facilityCode?: FacilityCode
  /** Standard data by list; values are checked only against the lists present here. */
  readonly lists?: ReferenceLists
  /** The administrative units of the country; without it, the codes of an address are only compared with each other. */
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
  /**
   * Mandatory fields (§4.5 rule 7) that the service accepts as `null`, as its operator confirmed to the facility. If one is missing, a
   * warning is reported.
   */
  readonly mayBeNull: ReadonlyArray<FieldPath>
  /** Fields that the facility never sends blank: a missing value is an error. */
  readonly required: ReadonlyArray<FieldPath>
  /** Fields whose missing value is a warning. */
  readonly expected: ReadonlyArray<FieldPath>
  /** The form of codes, as a regular expression of the whole code. */
  readonly codePattern: string
  /** Maximum length of codes, names and titles in characters; longer ones give a warning. */
  readonly maxLength: number
  /** Maximum size of a visit in bytes; a larger one gives a warning. */
  readonly maxBytes: number
  /** Names of medical histories in addition to those of §2.6. */
  readonly historyNames: ReadonlyArray<string>
  /** Names of physical examinations in addition to those of §2.6; `*` is any. */
  readonly examinationNames: ReadonlyArray<string>
  /** Whether the price of a medicine in an invoice is per piece or per line. */
  readonly medicinePrice: MedicinePrice
  /** Permitted currencies of invoices (default: any, but the same for the whole run). */
  readonly currencies?: ReadonlyArray<string>
  /** Maximum difference between the total of an invoice and the sum of its lines. */
  readonly invoiceTolerance: number
  /** Levels of warnings by code, including those of the mapping. */
  readonly levels?: ReadonlyMap<string, "error" | "warning" | "off">
}

/** The unit that the price of an invoice line refers to. */
export const medicinePrices = ["unit", "line", "either"] as const
export type MedicinePrice = (typeof medicinePrices)[number]

/** The defaults: the names in §2.6, and those common for services of this kind. */
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

/** An object of a visit that can be invalid: any key can hold any value. */
export type UnvalidatedVisit = Readonly<Record<string, unknown>>

export type ReportProblem = (problem: VisitProblem) => void

/**
 * One requirement of a visit, as an error or a warning. A rule reads what it understands and leaves the rest to the schema, so that all
 * problems of an invalid visit are reported at once. It reports paths and names, never values.
 */
export type Rule = (visit: UnvalidatedVisit, settings: RuleSettings, report: ReportProblem) => void

/**
 * Checks the leaves of one visit. It is an object with a method, and not a function that is made for each visit: V8 forgets the optimized
 * code of such functions.
 */
export abstract class LeafCheck {
  protected readonly visit: UnvalidatedVisit
  protected readonly settings: RuleSettings
  protected readonly report: ReportProblem

  constructor(visit: UnvalidatedVisit, settings: RuleSettings, report: ReportProblem) {
    this.visit = visit
    this.settings = settings
    this.report = report
  }

  /** Receives a leaf: its value, its field, and its path, which is made on request. */
  abstract see(value: unknown, field: Field, path: () => ValuePath): void
}

/**
 * A rule about single values. All such rules see the leaves of a visit in one walk. The entries of a text array and the findings of an
 * examination are leaves; values in a part of another form are not.
 */
export interface LeafRule {
  /** Returns whether the rule is about the values of a field. */
  readonly isAbout: (field: Field) => boolean
  /** The leaves it sees: values (never null or absent), or nulls, which it also sees in a part of another form. */
  readonly sees: "values" | "nulls"
  /** Checks the leaves of a visit; one is made for each visit. */
  readonly Check: new(...of: ConstructorParameters<typeof LeafCheck>) => LeafCheck
}

/** Returns true for an object or an array: a value with members. */
export const isComponent = (value: unknown): value is UnvalidatedVisit => typeof value === "object" && value !== null

const nothing: UnvalidatedVisit = {}

/** Returns the value as an object; empty if it is not one. */
export const toUnvalidated = (value: unknown): UnvalidatedVisit =>
  isComponent(value) && !Array.isArray(value) ? value : nothing

/** Returns the component under a name; empty if it is absent or null. */
export const partOf = (value: UnvalidatedVisit, name: string): UnvalidatedVisit => toUnvalidated(value[name])

/** Returns the entries of a list, at their indexes; empty if it is not a list. */
export const entriesOf = (value: UnvalidatedVisit, name: string): ReadonlyArray<UnvalidatedVisit> => {
  const list = value[name]
  if (!Array.isArray(list)) return []
  return list.every(isComponent) ? list : list.map(toUnvalidated)
}

/** Returns the text under a name; `undefined` if it is empty or not a text. */
export const textAt = (value: UnvalidatedVisit, name: string): string | undefined => {
  const text = value[name]
  return typeof text === "string" && text !== "" ? text : undefined
}

/** Returns the instant under a name in milliseconds since 1970; `NaN`, for which every comparison is false, if it is not a timestamp. */
export const instantAt = (value: UnvalidatedVisit, name: string): number => {
  const text = value[name]
  return typeof text === "string" ? toEpochMillis(text) : Number.NaN
}

/** The words of texts: names of types and results, which repeat from visit to visit. */
const wordsOfTexts = new Map<string, string>()

/** Returns a name without case, spacing and punctuation: `Refer-out` becomes `refer out`. */
export const wordsOf = (text: string): string => getOrRemember(wordsOfTexts, text, toWords)

const toWords = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, " ").trim()

/** Returns true if the text under a name is one of some names. */
export const isOneOf = (value: UnvalidatedVisit, name: string, names: ReadonlyArray<string>): boolean => {
  const text = textAt(value, name)
  if (text === undefined || names.length === 0) return false
  if (names.includes(text)) return true
  const words = wordsOf(text)
  return names.some((candidate) => wordsOf(candidate) === words)
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
