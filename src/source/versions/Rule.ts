/**
 * How an element of another version of FHIR is written in R4: another name (`"period"`), a `Rewrite`, or `null` where R4 has nothing for it: it
 * stays as it is, where no mapping reads it, and is reported.
 */
export type Rule = string | Rewrite | null

/** Rules by the name of the element they are about, without the underscore of an extension of a primitive. */
export interface Rules {
  readonly [element: string]: Rule
}

/** A rewriting. Where a form is named, a value of another form stays as it is. */
export interface Rewrite {
  /** Its path in R4, from the object that holds it; its own name when it is missing. */
  readonly to?: string
  /** A list, where the other version has one value; one value, where it has a list: the first counts, the others are reported. */
  readonly many?: boolean
  /** What is rewritten within it. */
  readonly below?: Rules
  /** Its members stand beside it in R4. The others are reported. */
  readonly up?: Rules
  /** A list in it is one value in R4: the object is repeated for each. */
  readonly each?: string
  /** A CodeableReference: its concept goes to `to`, its reference to here. */
  readonly reference?: string
  /** It counts only where its holder has no such element. */
  readonly unless?: string
  /** This member of it is its value in R4: `text`, `coding`, `coding.code`. The others are reported. */
  readonly take?: string
  /** It is this member of an object in R4: `text`, or `coding` of a CodeableConcept. */
  readonly wrap?: string
  /** The code system of a code that is a CodeableConcept in R4. */
  readonly system?: string
  /** Codes that R4 writes otherwise. */
  readonly codes?: Readonly<Record<string, string>>
  /** What its value, or code, means for other elements of its holder. Other values are reported. */
  readonly means?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Objects whose member `by` holds a code that says where their member `take` goes: to R4's `cases[code]`. */
  readonly by?: string
  readonly cases?: Readonly<Record<string, string>>
  /** A record that holds it would be another in R4: it is rejected. */
  readonly rejects?: boolean
}

/** Everything that one version writes otherwise than R4. */
export interface VersionRules {
  /** Types that R4 has under another name. Their records and references to them are renamed. */
  readonly types: Readonly<Record<string, string>>
  /** Rules of the elements of each type, as the version calls it. Types that are missing are not converted. */
  readonly elements: Readonly<Record<string, Rules>>
}
