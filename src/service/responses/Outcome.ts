import type { Redacted } from "effect"

/**
 * What came of one request, read from the answer alone (specification §3, §4.5, §7). It is evidence, not yet a verdict:
 * the journal decides the visit's state from it and from what was known before.
 */
export type Outcome =
  | { readonly _tag: "Stored"; readonly uuid: string | null }
  /** Status 3: partially stored, waiting to be updated. */
  | { readonly _tag: "PartlyStored"; readonly uuid: string | null }
  | {
    readonly _tag: "Refused"
    readonly reason: RefusalReason
    readonly status: number
    /** Field of the visit that is named in the answer, without `visits.<index>.`: `triages[1].code`. */
    readonly field?: string
    /** How many more faults the answer counts or lists than the one at `field`. */
    readonly more?: number
    /** Index in the request's `visits`, when the answer names one or a visit code of it. */
    readonly index?: number
    /** The service's own words. They may name a patient: for the journal, and for whoever asks for values. */
    readonly said?: Redacted.Redacted<string>
  }
  /** It may have been stored: no answer, a 5xx, an answer that is not understood. */
  | {
    readonly _tag: "Unknown"
    readonly why: string
    readonly status?: number
    /** Nothing was heard at all. */
    readonly silent?: true
  }

export type RefusalReason =
  | "visit-already-submitted"
  | "admission-date-changed"
  | "admission-time-taken"
  | "field-refused"
  | "refused-otherwise"
  | "too-large"
