/** How often and after which waits something is tried again (§7: "retry after a brief delay"). */
export interface RetrySettings {
  /** Times a read, or a request that found no connection, is tried again. A submission is never repeated by itself. */
  readonly reads: number
  /** Times one visit may be sent in a run; each time but the first after the service was asked about it. */
  readonly visits: number
  /** The wait after a second request without a clear answer; each further one is twice as long. */
  readonly delayMillis: number
  /** No wait is longer. */
  readonly longestMillis: number
  /** The run stops after so many requests in a row without a clear answer. */
  readonly stopAfter: number
  /** The longest time for one whole exchange: connection, request and the last byte of the answer. */
  readonly deadlineMillis: number
  /**
   * A visit that was refused for its `patient_code` is sent again so long after the last attempt, for the patient may be registered by
   * then (§4.5 rule 1); `null` for never.
   */
  readonly unknownPatientMillis: number | null
}

export const defaultRetry: RetrySettings = {
  reads: 4,
  visits: 3,
  delayMillis: 2000,
  longestMillis: 60_000,
  stopAfter: 6,
  deadlineMillis: 25_000,
  unknownPatientMillis: 20 * 3_600_000
}

/**
 * The longest wait before the nth try. A single answer that is lost is an eighth of the delay; then the delay, twice as long, and so
 * on for a service in trouble.
 */
export const waitBefore = (nth: number, { delayMillis, longestMillis }: RetrySettings): number =>
  Math.min(longestMillis, nth <= 1 ? delayMillis / 8 : delayMillis * 2 ** (nth - 2))
