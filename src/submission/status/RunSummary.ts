/** The summary of a run's input before anything is sent: counts, codes of problems, and the visits still open. Stored with the run. */
export interface RunSummary {
  readonly records: number
  readonly rejectedRecords: number
  readonly visits: number
  readonly ready: number
  readonly rejected: number
  /** Rejected visits by the codes of their errors, the most frequent first; the list is cut after a few. */
  readonly blockers: ReadonlyArray<readonly [code: string, visits: number]>
  /** Visits that were not over, or over too recently; runs of earlier versions did not record it. */
  readonly open?: OpenSummary
}

/** A visit that is not over, or over too recently to be sent. */
export interface StillOpen {
  /** Its code, or the record that it was produced from. */
  readonly visit: string
  readonly source: string | null
  /** When it can be sent (ISO), or `null` if it is not over. */
  readonly readyAt: string | null
}

/** The visits of a run that are still open. */
export interface OpenSummary {
  readonly visits: number
  /** Number of these visits that are not over. */
  readonly notOver: number
  /** When the first of the others can be sent (ISO). */
  readonly nextReady: string | null
  /** The first of them, at most `maxListed`. */
  readonly first: ReadonlyArray<StillOpen>
}

/** Maximum of listed visits that are still open. */
export const maxListedOpen = 500

/** Returns the summary of visits that are still open: their number, the earliest time at which one can be sent, and the first of them. */
export const openSummary = (visits: ReadonlyArray<StillOpen>): OpenSummary => {
  const times = visits.flatMap(({ readyAt }) => readyAt ?? [])
  return {
    visits: visits.length,
    notOver: visits.length - times.length,
    nextReady: times.reduce<string | null>((first, time) => first === null || time < first ? time : first, null),
    first: visits.slice(0, maxListedOpen)
  }
}
