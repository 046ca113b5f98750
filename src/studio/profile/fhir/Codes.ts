import { compareTexts } from "../../../compareTexts.ts"
import { AtLeastThree } from "../../../diagnostic/AtLeastThree.ts"
import { BoundedCounts, BoundedMap } from "../bounded.ts"
import { isKnownCode, isKnownSystem, isOfPerson, isPlainAddress, isWordOfFhir, mayBeName } from "../mayBeShown.ts"

/** A displayed code: its system, its display text, and how often it occurs. */
interface ShownCode {
  readonly code: string
  readonly display: string | null
  readonly count: number
}

/** The codes of one system in one element. */
export interface ShownSystem {
  /** `null` where the codes have none, or one that may not be shown. */
  readonly system: string | null
  /** A system is stated and not shown: it may name a person. */
  readonly hidden: boolean
  readonly count: number
  readonly different: number
  /** The most frequent codes that may be shown. */
  readonly codes: ReadonlyArray<ShownCode>
  /** Different codes that are not shown. */
  readonly withheld: number
}

interface Entry {
  readonly code: string
  readonly met: AtLeastThree
  readonly displays: BoundedMap<{ readonly met: AtLeastThree; count: number }>
  count: number
}

interface System {
  readonly met: AtLeastThree
  readonly codes: BoundedMap<Entry>
  count: number
}

/** Maximum number of distinct codes held per system. */
const codeLimit = 5000
const systemLimit = 50
const displayLimit = 3

/** A code as an element has it. */
interface ReadCode {
  readonly system?: string | undefined
  readonly code: string
  readonly display?: string | undefined
}

/** The codes that occur in one element. */
export class Codes {
  readonly #systems = new BoundedMap<System>(systemLimit, () => ({
    met: new AtLeastThree(),
    codes: new BoundedMap<Entry>(codeLimit, (code) => ({
      code,
      met: new AtLeastThree(),
      displays: new BoundedMap(displayLimit, () => ({ met: new AtLeastThree(), count: 0 })),
      count: 0
    })),
    count: 0
  }))
  /** Values with words and no code. */
  words = 0
  readonly #ofPerson: boolean

  /** `path`: the element that has them. */
  constructor(path: string) {
    this.#ofPerson = isOfPerson(path)
  }

  /** Counts a code of a person; the empty system is that of a code without one. */
  add({ code, display, system = "" }: ReadCode, who: number): void {
    const known = this.#systems.at(system)
    if (known === undefined) return
    known.count++
    known.met.add(who)
    const entry = known.codes.at(code)
    if (entry === undefined) return
    entry.count++
    entry.met.add(who)
    const shown = display === undefined || display.length > 200 ? undefined : entry.displays.at(display)
    if (shown === undefined) return
    shown.count++
    shown.met.add(who)
  }

  /** Systems and how often each occurs, unfiltered: not for display. */
  systems(): ReadonlyMap<string, number> {
    return new Map([...this.#systems.entries()].map(([system, { count }]) => [system, count]))
  }

  /** All codes, for looking them up, each with its displayed form if it may be shown. */
  *all(): Generator<{
    readonly system: string
    readonly code: string
    readonly count: number
    readonly shown: ShownCode | undefined
  }> {
    for (const [system, { codes }] of this.#systems.entries()) {
      for (const entry of codes.values()) {
        yield { system, code: entry.code, count: entry.count, shown: shown(system, entry, this.#may) }
      }
    }
  }

  /** The systems with their most frequent codes, `top` of each. */
  profile(top: number, everything: boolean): ReadonlyArray<ShownSystem> {
    const may: Showing = everything ? () => true : this.#may
    return [...this.#systems.entries()].map(([system, { codes, count, met: seen }]) => {
      const visible = [...codes.values()].flatMap((entry) => shown(system, entry, may) ?? [])
      const hidden = system !== "" && !(everything || seen.areEnough || isKnownSystem(system) || isPlainAddress(system))
      return {
        system: system === "" || hidden ? null : system,
        hidden,
        count,
        different: codes.size,
        codes: visible.toSorted((a, b) => b.count - a.count || compareTexts(a.code, b.code)).slice(0, top),
        withheld: codes.size - visible.length
      }
    }).toSorted((a, b) => b.count - a.count || compareTexts(a.system ?? "", b.system ?? ""))
  }

  /** Surnames occur for many people. In a person's own elements a non-public code is shown only if it cannot be a name. */
  get #may(): Showing {
    return this.#ofPerson ? (text, seen) => seen.areEnough && !mayBeName(text) : isMet
  }
}

type Showing = (text: string, seen: AtLeastThree) => boolean

const isMet: Showing = (_, seen) => seen.areEnough

const shown = (system: string, { code, count, displays, met: seen }: Entry, may: Showing): ShownCode | undefined => {
  const known = isKnownCode(system, code) || (system === "" && isWordOfFhir(code))
  if (!known && !may(code, seen)) return undefined
  // The text of any code is free text and can contain anything.
  const names = [...displays.entries()].filter(([name, { met: seen }]) => may(name, seen))
  const [best] = names.toSorted(([, a], [, b]) => b.count - a.count)
  return { code, display: best?.[0] ?? null, count }
}

/** The identifiers of one system in one element. */
export interface ShownIdentifiers {
  readonly system: string | null
  readonly hidden: boolean
  /** Records that have one. */
  readonly records: number
  /** Records that have more than one. */
  readonly several: number
  /** Number of distinct values; `null` if there are more than the limit. */
  readonly different: number | null
  /** The stated kinds of identifier: `MR`, `SS`. */
  readonly kinds: ReadonlyArray<readonly [code: string, count: number]>
}

export interface IdentifierSystem {
  readonly system: string
  readonly met: AtLeastThree
  readonly values: Set<number>
  /** Those who have one: versions of one record are one. */
  readonly owners: Set<number>
  readonly kinds: BoundedCounts
  full: boolean
  records: number
  several: number
  last: number
}

const identifierSystemLimit = 60
export const identifierLimit = 100_000

/** The keys of identifiers without a system begin with it. */
const namelessKey = "\n"

/** The identifiers of one element; values are distinguished by digests only. */
export class Identifiers {
  /** By their system; those without one by their kind, because each kind has numbers of its own. */
  readonly #systems = new BoundedMap<IdentifierSystem>(identifierSystemLimit, (key) => ({
    system: key.startsWith(namelessKey) ? "" : key,
    met: new AtLeastThree(),
    values: new Set(),
    owners: new Set(),
    kinds: new BoundedCounts(),
    full: false,
    records: 0,
    several: 0,
    last: -1
  }))

  add(
    system: string,
    value: number,
    kind: string | undefined,
    by: { readonly record: number; readonly owner: number; readonly who: number }
  ): void {
    const ownKind = kind !== undefined && /^[A-Z]{1,5}$/u.test(kind) ? kind : undefined
    const known = this.#systems.at(system === "" ? namelessKey + (ownKind ?? "") : system)
    if (known === undefined) return
    const { owner, record, who } = by
    known.met.add(who)
    if (known.owners.size < identifierLimit) known.owners.add(owner)
    if (known.last === record) known.several++
    else known.records++
    known.last = record
    if (known.values.size < identifierLimit) known.values.add(value)
    else if (!known.values.has(value)) known.full = true
    if (ownKind !== undefined) known.kinds.add(ownKind)
  }

  systems(): ReadonlyArray<IdentifierSystem> {
    return [...this.#systems.values()]
  }

  profile(everything: boolean): ReadonlyArray<ShownIdentifiers> {
    return this.systems().map((one) => ({
      system: one.system === "" || !canShowSystem(one, everything) ? null : one.system,
      hidden: one.system !== "" && !canShowSystem(one, everything),
      records: one.records,
      several: one.several,
      different: one.full ? null : one.values.size,
      kinds: one.kinds.sorted()
    })).toSorted((a, b) => b.records - a.records || compareTexts(a.system ?? "", b.system ?? ""))
  }
}

/** Whether an identifier's system may be named. */
export const canShowSystem = ({ met: seen, system }: IdentifierSystem, everything = false): boolean =>
  everything || seen.areEnough || isPlainAddress(system)
