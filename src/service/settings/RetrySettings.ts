/** The number of retries and the waits between them (§7: "retry after a brief delay"). */
export interface RetrySettings {
  /** Retries of a read, or of a request that found no connection. A submission is never repeated automatically. */
  readonly reads: number
  /** Maximum number of times that one visit is sent in a run; before each repetition it is looked up. */
  readonly visits: number
  /** The wait after a second request without a clear response; each further one is twice as long. */
  readonly delayMillis: number
  /** Maximum wait. */
  readonly longestMillis: number
  /** The run stops after this many requests in a row without a clear response. */
  readonly stopAfter: number
  /** The longest time for one whole exchange: connection, request and the last byte of the response. */
  readonly deadlineMillis: number
  /**
   * Time after the last attempt at which a visit that was refused for its `patient_code` is sent again; `null` for never. The patient
   * may be registered by then (§4.5 rule 1).
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
 * Returns the longest wait before the nth attempt. After a single lost response it is an eighth of the delay. If the service keeps
 * failing, it is the delay, then twice the delay, and so on.
 */
export const waitBefore = (nth: number, { delayMillis, longestMillis }: RetrySettings): number =>
  Math.min(longestMillis, nth <= 1 ? delayMillis / 8 : delayMillis * 2 ** (nth - 2))
