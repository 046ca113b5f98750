/**
 * How to write an element of another FHIR version in R4: another name (`"period"`), a `Rewrite`, or `null` if R4 has no such element.
 * With `null` the element stays unchanged, where no mapping reads it, and is reported.
 */
type Rule = string | Rewrite | null

/** Rules by element name, without the underscore of an extension of a primitive. */
export interface Rules {
  readonly [element: string]: Rule
}

/** Rules for elements that R4 does not have. */
export const notInR4 = (elements: string): Rules =>
  Object.fromEntries(elements.split(" ").map((element) => [element, null]))

/** A rewrite. If it requires a form, a value of another form stays unchanged. */
export interface Rewrite {
  /** Its path in R4, from the object that holds it (default: its own name). */
  readonly to?: string
  /**
   * `true`: a list in R4, one value in the other version. `false`: one value in R4, a list in the other version; the first counts, the
   * others are reported.
   */
  readonly many?: boolean
  /** Rules for the elements inside it. */
  readonly below?: Rules
  /** In R4 its members are in the object that holds it. Members without a rule are reported. */
  readonly up?: Rules
  /** A list in it is one value in R4, so the object is repeated for each. */
  readonly each?: string
  /** A CodeableReference: its concept goes to `to`, its reference to this path. */
  readonly reference?: string
  /** It counts only if its parent object lacks this element. */
  readonly unless?: string
  /** This member is its value in R4: `text`, `coding`, `coding.code`. The other members are reported. */
  readonly take?: string
  /** In R4 it is this member of an object: `text`, or `coding` of a CodeableConcept. */
  readonly wrap?: string
  /** The code system of a code that is a CodeableConcept in R4. */
  readonly system?: string
  /** Codes that R4 writes differently. */
  readonly codes?: Readonly<Record<string, string>>
  /** The values of other elements of its parent object, by its own value or code. Other values are reported. */
  readonly means?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Objects with a code in their member `by`: it decides that their member `take` goes to R4's `cases[code]`. */
  readonly by?: string
  readonly cases?: Readonly<Record<string, string>>
  /** With a value that `means` lacks, the record would have another meaning in R4, so it is rejected. */
  readonly rejects?: boolean
  /** In R4 it is the `code` of a record of this type, to which `to` refers. The record is contained in the one that is rewritten. */
  readonly contained?: string
  /** Of several codings, the one of this system is the value, otherwise the first. */
  readonly prefers?: string
  /**
   * It is an extension of its parent object: `true`; or only the values after the first, `"others"`; or in addition to its code in R4, these
   * codes. HL7 has defined the extensions for elements of one version in records of another.
   */
  readonly extension?: true | "others" | ReadonlyArray<string>
}

/** Everything that one version writes differently than R4. */
export interface VersionRules {
  /** The address of an extension for an element of the version, without the path of the element. */
  readonly extensions: string
  /** Types with another name in R4. Their records, and references to them, are renamed. */
  readonly types: Readonly<Record<string, string>>
  /** Element rules by resource type, under the version's own name. Types without rules are not converted. */
  readonly elements: Readonly<Record<string, Rules>>
}
