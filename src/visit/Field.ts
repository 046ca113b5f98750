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
 * The type of a field. `code` and `identifier` are strings that §4.5 rule 7 makes mandatory. `timestamp` is
 * `YYYY-MM-DDTHH:mm:ss.sss+HH:MM`; `date` is `YYYY-MM-DD`; `text` is any other string. `decimal` is a JSON number; `text-or-decimal` is a
 * string or a number (LabResult.value). `strings` is an array of strings; `object` is one component; `list` is an array of components.
 * `examination` is PhysicalExamination.value (a string, or an array of single-key objects).
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

/** One field of the Visit as in the specification. The whole Visit is a tree of these. */
export interface Field {
  readonly name: string
  readonly kind: FieldKind
  /** `null` is allowed, because of the specification's type (`string or null`) or because "missing values are sent as null". */
  readonly nullable: boolean
  /** The specification shows `null` as a value: in the type `string or null`, or in its sample. */
  readonly showsNull?: true
  /** Not nullable by its stated type, and not of a kind that may be missing: §4.5 rule 7. */
  readonly mandatory: boolean
  /** Marked optional: may be omitted. */
  readonly optional: boolean
  /** The value that is sent if there is none: `""` if the specification requires it (default: `null`). */
  readonly blank: "" | null
  readonly list?: ReferenceListType
  /** The closed set of values, if the specification has one. */
  readonly values?: ReadonlyArray<string>
  /** For `examination`: the keys that a finding may have. */
  readonly keys?: ReadonlyArray<string>
  /** `§2.6 Triage`. */
  readonly section: string
  readonly description: string
  /** For `object` and `list`: the component's name in the specification, such as `Triage`. */
  readonly component?: string
  /** For `object` and `list`, in the specification's order. */
  readonly fields?: ReadonlyArray<Field>
}
