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

const byTableAndCount = (one: CountedCode, other: CountedCode): number =>
  compareText(one.table, other.table) || other.count - one.count || compareText(one.code, other.code)

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
