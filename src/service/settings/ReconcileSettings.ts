/** When, and with how many requests, the service is asked what it holds (§4.6). */
export interface ReconcileSettings {
  /** How long after the last attempt without an answer the list is asked at the earliest: the request may still be on its way. */
  readonly waitMillis: number
  /** Visits stored in part are asked about when nobody asked for this long. */
  readonly partialAfterMillis: number
  /** So long after the answer the list is asked about visits that an answer alone says are stored; `null` for never. */
  readonly confirmAfterMillis: number | null
  /** Of the data requests of a window, as many may ask for lists: a part of 1. */
  readonly share: number
}

const hour = 3_600_000

/** Visits stored in part are asked about once a day, whenever in it the run is. */
export const defaultReconcile: ReconcileSettings = {
  waitMillis: 2000,
  partialAfterMillis: 20 * hour,
  confirmAfterMillis: hour,
  share: 0.1
}

/** However small the share is, a few requests are always left for lists. */
const minListings = 10

/** As many requests of a window may ask for lists. */
export const listingsOf = (share: number, requests: number): number =>
  Math.min(requests, Math.max(minListings, Math.floor(share * requests)))
