import { compareTexts } from "../../compareTexts.ts"
import { AtLeastThree } from "../../diagnostic/AtLeastThree.ts"
import type { UnmappedCode } from "../../mapping/draft/VisitDraft.ts"
import { getExisting, getOrMake } from "../../maps.ts"
import type { PatientCode } from "../../visit/values/Code.ts"
import type { CountedCode } from "../Conversion.ts"

/** Counts unmapped codes, and the visits that contain them. */
export class UnmappedCodes {
  readonly #codes = new Map<
    string,
    { -readonly [K in keyof CountedCode]: CountedCode[K] } & { people: AtLeastThree; position: number }
  >()
  /** For each code and display, the people whose records have both. */
  readonly #displays = new Map<string, AtLeastThree>()

  /** Adds the codes of one visit. `position` is its position in the run if the calls are in another order. */
  add(codes: ReadonlyArray<UnmappedCode>, ready: boolean, patientCode: PatientCode | undefined, position = 0): void {
    const blocking = new Map<string, boolean>()
    for (const { blocking: blocks, ...code } of codes) {
      const key = JSON.stringify([code.table, code.system, code.code])
      if (code.display !== null) {
        const text = JSON.stringify([key, code.display])
        getOrMake(this.#displays, text, () => new AtLeastThree()).addPerson(patientCode)
      }
      blocking.set(key, blocks || blocking.get(key) === true)
      const known = getOrMake(
        this.#codes,
        key,
        () => ({ ...code, count: 0, visits: 0, blocked: 0, people: new AtLeastThree(), position })
      )
      known.count++
      setDisplay(known, code.display, position)
    }
    for (const [key, blocks] of blocking) {
      const known = getExisting(this.#codes, key)
      known.visits++
      known.people.addPerson(patientCode)
      if (blocks && !ready) known.blocked++
    }
  }

  /** The counts, to be added to those of other partitions. They contain texts that few people share. */
  data(): CodesData {
    return {
      codes: [...this.#codes].map(([key, { people, ...one }]) => [key, one, people.digests]),
      displays: [...this.#displays].map(([key, people]) => [key, people.digests])
    }
  }

  /** Adds the counts of other visits. */
  addData({ codes, displays }: CodesData): void {
    for (const [key, one, people] of codes) {
      const known = this.#codes.get(key)
      if (known === undefined) this.#codes.set(key, { ...one, people: new AtLeastThree().addAll(people) })
      else {
        setDisplay(known, one.display, one.position)
        known.count += one.count
        known.visits += one.visits
        known.blocked += one.blocked
        known.people.addAll(people)
      }
    }
    for (const [key, people] of displays) getOrMake(this.#displays, key, () => new AtLeastThree()).addAll(people)
  }

  all(): ReadonlyArray<CountedCode> {
    return [...this.#codes].map(([key, { people, position: _position, ...one }]) => ({
      ...one,
      ...(people.areEnough ? {} : { isPersonal: true as const }),
      ...(one.display === null || getExisting(this.#displays, JSON.stringify([key, one.display])).areEnough
        ? {}
        : { hasPersonalDisplay: true as const })
    })).toSorted(byTableAndCount)
  }
}

/** Keeps the display of the first visit that has one. */
const setDisplay = (
  known: { display: string | null; position: number },
  display: string | null,
  position: number
): void => {
  if (display === null || (known.display !== null && known.position <= position)) return
  Object.assign(known, { display, position })
}

/** The counts of some visits, as data. */
export interface CodesData {
  readonly codes: ReadonlyArray<
    readonly [key: string, one: CountedCode & { readonly position: number }, people: ReadonlyArray<number>]
  >
  readonly displays: ReadonlyArray<readonly [key: string, people: ReadonlyArray<number>]>
}

/** The codes without personal data: texts and displays that only few people share are counted and not shown. */
export const withoutWords = (codes: ReadonlyArray<CountedCode>): ReadonlyArray<CountedCode> => {
  const reported: Array<CountedCode> = []
  const hidden = new Map<string, CountedCode>()
  for (const { hasPersonalDisplay, ...one } of codes) {
    if (one.words !== true || one.isPersonal !== true) {
      reported.push(hasPersonalDisplay === true ? { ...one, display: null } : one)
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
  return [...reported, ...hidden.values()].toSorted(byTableAndCount)
}

const byTableAndCount = (one: CountedCode, other: CountedCode): number =>
  compareTexts(one.table, other.table) || other.count - one.count || compareTexts(one.code, other.code)
