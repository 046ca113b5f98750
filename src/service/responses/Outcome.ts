import type { Redacted } from "effect"

/**
 * The outcome of one request, read only from the response (specification §3, §4.5, §7). It is evidence, not yet a verdict: the journal
 * decides the visit's state from it and from earlier evidence.
 */
export type Outcome =
  | { readonly _tag: "Stored"; readonly uuid: string | null }
  /** Status 3: partially stored, waiting to be updated. */
  | { readonly _tag: "PartlyStored"; readonly uuid: string | null }
  | {
    readonly _tag: "Refused"
    readonly reason: RefusalReason
    readonly status: number
    /** Field of the visit that the response names, without `visits.<index>.`: `triages[1].code`. */
    readonly field?: string
    /** Number of errors that the response counts or lists besides the one at `field`. */
    readonly more?: number
    /** Index in the request's `visits`, if the response names one or one of the visit codes. */
    readonly index?: number
    /** The service's message. It may name a patient, so it is only for the journal and for a user who requests values. */
    readonly said?: Redacted.Redacted<string>
  }
  /** The visit may have been stored: no response, a 5xx, or a response that is not understood. */
  | {
    readonly _tag: "Unknown"
    readonly why: string
    readonly status?: number
    /** There was no response at all. */
    readonly silent?: true
  }

export type RefusalReason =
  | "visit-already-submitted"
  | "admission-date-changed"
  | "admission-time-taken"
  | "field-refused"
  | "refused-other"
  | "too-large"
