import { getOrMake } from "../maps.ts"
import type { Diagnostic } from "./Diagnostic.ts"
import type { Problem } from "./Problem.ts"
import { problems } from "./Problem.ts"
import type { Span } from "./Span.ts"

/** One kind of problem: number of occurrences, number of visits, and the first occurrence. */
export interface Collated {
  readonly first: Diagnostic
  readonly count: number
  readonly visits: number
}

/** A mutable {@link Collated}, and the last visit it was seen in. */
interface Group {
  readonly first: Diagnostic
  /** The place and the field of the first: with its code, severity and title, they are the kind. */
  readonly place: string
  readonly field: string
  readonly position: KindPosition
  count: number
  visits: number
  last: string | number | undefined
}

/** Position of the first occurrence in the run, number of kinds seen before it, and the key of the kind. */
interface KindPosition {
  readonly position: number
  readonly order: number
  readonly key: string
}

/** Returns the rank of a kind among others: causes of other problems first, then errors. */
export const severityRankOf = ({ code, severity }: { readonly code: string; readonly severity: string }): number => {
  const cause = causes.get(code)
  return (cause === true || cause === severity ? 0 : 2) + (severity === "error" ? 0 : 1)
}

const causes = new Map(Object.entries<Problem>(problems).map(([code, { cause }]) => [code, cause]))

/** Above this number of kinds, coarser keys count occurrences together. This bounds memory for any input. */
const groupLimit = 5_000

/** Turns `vital_signs[3].recorded_by` into `vital_signs[].recorded_by`: the same problem in every element of a list. */
export const withoutIndexes = (field: string): string => field.replace(/\[\d+\]/g, "[]")

/**
 * Collects diagnostics as they arrive: keeps the first of each kind and counts the others, so that each kind gives one message. The kind is
 * the problem's code and severity, the mapping location (otherwise the record's type), the field without indexes, and the title. Memory
 * grows with the number of kinds, not of diagnostics. The diagnostics of one visit are added together.
 */
export class Collator {
  readonly #groups = new Map<string, Group>()
  /** The groups by the title of their first. */
  readonly #titled = new Map<string, Array<Group>>()
  #errors = 0
  #warnings = 0
  /** Position in the run of the next diagnostic, if it differs from the order of arrival. */
  position = -1

  /**
   * Counts the occurrences that a diagnostic represents, and returns the first of its kind. `visit` is the number of its visit, if visits are
   * numbered, because two visits can have one code.
   */
  add(diagnostic: Diagnostic, visit: string | number | undefined = diagnostic.visit): Diagnostic {
    const { severity, times = 1 } = diagnostic
    if (severity === "error") this.#errors += times
    else this.#warnings += times
    const group = this.#find(diagnostic)
    group.count += times
    if (visit !== undefined && visit !== group.last) {
      group.visits++
      group.last = visit
    }
    return group.first
  }

  addAll(diagnostics: Iterable<Diagnostic>, visit?: string | number): void {
    for (const diagnostic of diagnostics) this.add(diagnostic, visit ?? diagnostic.visit)
  }

  /** Number of occurrences with severity `error`, of all kinds. */
  get errors(): number {
    return this.#errors
  }

  get warnings(): number {
    return this.#warnings
  }

  /** Returns the position of the first occurrence of a kind. */
  positionOf(first: Diagnostic): KindPosition {
    return this.#find(first).position
  }

  /**
   * Returns every kind: causes of other problems, then errors before warnings, then the most frequent first, then the order of appearance.
   */
  all(): ReadonlyArray<Collated> {
    return [...this.#groups.values()]
      .toSorted((a, b) => severityRankOf(a.first) - severityRankOf(b.first) || b.count - a.count)
      .map(({ count, first, visits }) => ({ first, count, visits }))
  }

  #find(diagnostic: Diagnostic): Group {
    const { code, severity, title } = diagnostic
    const titled = this.#titled.get(title) ?? none
    for (const group of titled) if (diagnostic.field === group.first.field && isAlike(diagnostic, group)) return group
    const [place, field] = [placeOf(diagnostic), diagnostic.field === undefined ? "" : withoutIndexes(diagnostic.field)]
    for (const group of titled) if (field === group.field && isAlike(diagnostic, group)) return group
    const rough = `${severity}[${code}]\u0000${place}\u0000${field}`
    const size = this.#groups.size
    let key = `${rough}\u0000${title}`
    let known: Group | undefined
    if (size >= groupLimit) known = this.#groups.get(key = rough)
    if (known === undefined && size >= 2 * groupLimit) known = this.#groups.get(key = `${severity}[${code}]`)
    if (known !== undefined) return known
    const position = { position: this.position, order: size, key }
    const group: Group = { first: diagnostic, place, field, position, count: 0, visits: 0, last: undefined }
    this.#groups.set(key, group)
    getOrMake(this.#titled, title, () => []).push(group)
    return group
  }
}

const none: ReadonlyArray<Group> = []

/** Returns whether a diagnostic has the kind of a group's first, if both have one title and one field. */
const isAlike = (diagnostic: Diagnostic, { first, place }: Group): boolean =>
  diagnostic.code === first.code && diagnostic.severity === first.severity &&
  (diagnostic.mapping !== undefined && first.mapping !== undefined
    ? isSameSpan(diagnostic.mapping, first.mapping)
    : placeOf(diagnostic) === place)

/** A line that another thread passed on is another object. */
const isSameSpan = (one: Span, other: Span): boolean =>
  one === other || (one.line === other.line && one.column === other.column && one.file === other.file)

const placeOf = ({ mapping, source }: Diagnostic): string =>
  mapping === undefined ? typeIn(source) : `${mapping.file}:${mapping.line}:${mapping.column}`

/** Returns the type in a FHIR reference such as `Observation/9f2c1a`. */
const typeIn = (source: string | undefined): string =>
  source === undefined ? "" : /^[A-Za-z_]\w*(?=\/)/u.exec(source)?.[0] ?? ""

/** Collates diagnostics that are all available, in the order of {@link Collator.all}. */
export const collate = (diagnostics: Iterable<Diagnostic>): ReadonlyArray<Collated> => {
  const collator = new Collator()
  collator.addAll(diagnostics)
  return collator.all()
}
