/** What the input of a run came to before anything was sent: counts and codes of problems, no visit. Kept with the run. */
export interface RunSummary {
  readonly records: number
  readonly rejectedRecords: number
  readonly visits: number
  readonly ready: number
  readonly rejected: number
  /** Rejected visits by the codes of the errors they have, those of most visits first; a few of them. */
  readonly blockers: ReadonlyArray<readonly [code: string, visits: number]>
}
