/** The form of submissions beyond what the specification shows (§4.5), if an operator requires it. */
export interface SendingSettings {
  /** The body is compressed. */
  readonly gzip: boolean
  /** The header that carries an id of each attempt; `null` for none. */
  readonly requestIdHeader: string | null
  /** Fields marked optional (§2.6) that have no value are sent as such, or omitted. */
  readonly optional: (typeof optionalFields)[number]
  /** What `referrals` is when the patient is referred neither here nor away: `null`, or its two fields with `null` each. */
  readonly noReferral: (typeof noReferrals)[number]
  /** Imageries carry their `title` a second time, under the name that the documented sample misspells (§2.6). */
  readonly tilte: boolean
}

export const optionalFields = ["null", "omit"] as const
export const noReferrals = ["null", "nulls"] as const
export const defaultSending: SendingSettings = {
  gzip: false,
  requestIdHeader: null,
  optional: "null",
  noReferral: "null",
  tilte: false
}
