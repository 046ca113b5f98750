import { partlyStored, stored } from "../wire.ts"

/** What the operator may say about its answers beyond the specification: which statuses (§3) and sentences (§7) mean what. */
export interface AnswerRules {
  /** Values of `data.status`, and statuses of the processed list, of a visit that is completely stored. */
  readonly stored: ReadonlyArray<string>
  /** The same of one that is stored in part. */
  readonly partial: ReadonlyArray<string>
  /** Sentences of a 422 that blocks a submission, in the order they are tried, before those of the specification. */
  readonly blocked: ReadonlyArray<{ readonly reason: BlockedReason; readonly pattern: RegExp }>
}

/** The three ways in which the service blocks a submission (§3, §7). */
export const blockedReasons = ["visit-already-submitted", "admission-date-changed", "admission-time-taken"] as const
export type BlockedReason = (typeof blockedReasons)[number]

/** What the specification says. */
export const documentedRules: AnswerRules = { stored: [String(stored)], partial: [String(partlyStored)], blocked: [] }

/** A status as it is compared: a number is the same number however it is written. */
export const plainStatus = (text: string): string => {
  const trimmed = text.trim()
  return /^\d{1,9}(?:\.0+)?$/u.test(trimmed) ? String(Number(trimmed)) : trimmed
}
