import type { UserPattern } from "../../pattern/UserPattern.ts"
import { partlyStored, stored } from "../wire.ts"

/** The operator's rules for responses beyond the specification: the meaning of statuses (§3) and sentences (§7). */
export interface ResponseRules {
  /** Values of `data.status`, and statuses of the processed list, of a visit that is completely stored. */
  readonly stored: ReadonlyArray<string>
  /** The same for a partly stored visit. */
  readonly partial: ReadonlyArray<string>
  /** Sentences of a 422 that blocks a submission, in the order of comparison, before those of the specification. */
  readonly blocked: ReadonlyArray<{ readonly reason: BlockedReason; readonly pattern: Pick<UserPattern, "exec"> }>
}

/** The three ways in which the service blocks a submission (§3, §7). */
export const blockedReasons = ["visit-already-submitted", "admission-date-changed", "admission-time-taken"] as const
export type BlockedReason = (typeof blockedReasons)[number]

/** The rules of the specification. */
export const documentedRules: ResponseRules = { stored: [String(stored)], partial: [String(partlyStored)], blocked: [] }

/** Returns a status in the form for comparison: a number is equal however it is written. */
export const plainStatus = (text: string): string => {
  const trimmed = text.trim()
  return /^\d{1,9}(?:\.0+)?$/u.test(trimmed) ? String(Number(trimmed)) : trimmed
}
