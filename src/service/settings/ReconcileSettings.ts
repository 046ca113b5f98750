/** When the service's list is looked up, and with how many requests (§4.6). */
export interface ReconcileSettings {
  /** Minimum time from the last attempt without a response to a lookup in the list: the request may still be on its way. */
  readonly waitMillis: number
  /** Partly stored visits are looked up again after this time without a lookup. */
  readonly partialAfterMillis: number
  /** Time from a response until the list confirms visits that are stored only according to that response; `null` for never. */
  readonly confirmAfterMillis: number | null
  /** Fraction of the data requests of a window that may request lists, from 0 to 1. */
  readonly share: number
}

const hour = 3_600_000

/** Partly stored visits are looked up once a day, at whatever time the run is. */
export const defaultReconcile: ReconcileSettings = {
  waitMillis: 2000,
  partialAfterMillis: 20 * hour,
  confirmAfterMillis: hour,
  share: 0.1
}

/** Minimum of requests for lists, however small the fraction is. */
const minListings = 10

/** Returns the number of requests of a window that may request lists. */
export const listingsOf = (share: number, requests: number): number =>
  Math.min(requests, Math.max(minListings, Math.floor(share * requests)))
