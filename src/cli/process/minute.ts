/** Formats an instant to the minute, in UTC: `2026-11-20 09:12Z`. */
export const minute = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)}Z`

/** Formats an instant rounded up to the minute, so that it has passed at the time shown. */
export const roundedUp = (iso: string): string => minute(new Date(Date.parse(iso) + 59_999).toISOString())

/** Describes what an unfinished wait (until an ISO time) that the service requested means for the next run. */
export const waitWords = (until: string): string =>
  `  the service asked for a wait: nothing is sent before ${minute(until)}\n`
  + "      next   run then; if the operator says that it is over:  fhir2visit release --wait"
