import type { UnmappedCode } from "../draft/VisitDraft.ts"
import type { CountedCode } from "./convertRecords.ts"

/** Counts codes without a row, and the visits they are met in. */
export class UnmappedCodes {
  readonly #codes = new Map<string, { -readonly [K in keyof CountedCode]: CountedCode[K] }>()

  /** The codes of one visit. */
  add(codes: ReadonlyArray<UnmappedCode>, ready: boolean): void {
    const blocking = new Map<string, boolean>()
    for (const { blocking: blocks, ...code } of codes) {
      const key = JSON.stringify([code.table, code.system, code.code])
      blocking.set(key, blocks || blocking.get(key) === true)
      const known = this.#codes.get(key)
      if (known === undefined) this.#codes.set(key, { ...code, count: 1, visits: 0, blocked: 0 })
      else known.count++
    }
    for (const [key, blocks] of blocking) {
      const known = this.#codes.get(key)!
      known.visits++
      if (blocks && !ready) known.blocked++
    }
  }

  all(): ReadonlyArray<CountedCode> {
    return [...this.#codes.values()].toSorted(byTableAndCount)
  }
}

/** Words that several visits have are words of the house; what fewer have may be about somebody. */
const enoughVisits = 3

/** The codes as anybody may see them: words that only few visits have are counted, and not told. */
export const withoutWords = (codes: ReadonlyArray<CountedCode>): ReadonlyArray<CountedCode> => {
  const told: Array<CountedCode> = []
  const hidden = new Map<string, CountedCode>()
  for (const one of codes) {
    if (one.words !== true || one.visits >= enoughVisits) {
      told.push(one)
      continue
    }
    const { blocked, count, visits } = hidden.get(one.table) ?? { blocked: 0, count: 0, visits: 0 }
    hidden.set(one.table, {
      ...one,
      code: "(words)",
      count: count + one.count,
      visits: visits + one.visits,
      blocked: blocked + one.blocked
    })
  }
  return [...told, ...hidden.values()].toSorted(byTableAndCount)
}

const byTableAndCount = (one: CountedCode, other: CountedCode): number =>
  compareText(one.table, other.table) || other.count - one.count || compareText(one.code, other.code)

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
