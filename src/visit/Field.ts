/** The twelve lists of the standard data (specification §4.3). */
export const referenceListTypes = [
  "marital_statuses",
  "admission_types",
  "visit_types",
  "discharge_types",
  "visit_outcomes",
  "diagnosis_types",
  "payment_types",
  "card_types",
  "nationalities",
  "diagnoses",
  "health_facilities",
  "medications"
] as const
export type ReferenceListType = (typeof referenceListTypes)[number]

/**
 * What a field holds. `code` and `identifier` are strings that §4.5 rule 7 makes mandatory; `timestamp` is
 * `YYYY-MM-DDTHH:mm:ss.sss+HH:MM`; `date` is `YYYY-MM-DD`; `text` is any other string; `decimal` a JSON number;
 * `text-or-decimal` a string or a number (LabResult.value); `strings` an array of strings; `object` one component;
 * `list` an array of components; `examination` PhysicalExamination.value (a string, or an array of single-key objects).
 */
export type FieldKind =
  | "code"
  | "identifier"
  | "timestamp"
  | "date"
  | "text"
  | "decimal"
  | "text-or-decimal"
  | "boolean"
  | "strings"
  | "object"
  | "list"
  | "examination"

/** One field of the Visit as the specification has it. The whole Visit is the tree of these. */
export interface Field {
  readonly name: string
  readonly kind: FieldKind
  /** `null` is allowed as the specification's type says (`string or null`), or because "missing values are sent as null". */
  readonly nullable: boolean
  /** The specification shows `null` as a value of it: `string or null`, or a `null` in its sample. */
  readonly showsNull?: true
  /** Neither nullable by its stated type nor of a kind that may be missing: §4.5 rule 7. */
  readonly mandatory: boolean
  /** Marked optional: may be omitted. */
  readonly optional: boolean
  /** What is sent when there is no value: `""` where the specification says so, `null` elsewhere. */
  readonly blank: "" | null
  /** The list its value comes from. */
  readonly list?: ReferenceListType
  /** The closed set of values, where the specification states one. */
  readonly values?: ReadonlyArray<string>
  /** Of `examination`: the keys a finding may have. */
  readonly keys?: ReadonlyArray<string>
  /** `§2.6 Triage`. */
  readonly section: string
  readonly description: string
  /** Of `object` and `list`: the component's name in the specification, such as `Triage`. */
  readonly component?: string
  /** Of `object` and `list`, in the specification's order. */
  readonly fields?: ReadonlyArray<Field>
}
