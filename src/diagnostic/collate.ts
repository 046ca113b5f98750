import type { Diagnostic } from "./Diagnostic.ts"
import type { Problem } from "./Problem.ts"
import { problems } from "./Problem.ts"

/** One fault: how often it occurred, in how many visits, and its first occurrence. */
export interface Collated {
  readonly first: Diagnostic
  readonly count: number
  readonly visits: number
}

/** A mutable {@link Collated}, and the visit it was seen in last. */
interface Group {
  readonly first: Diagnostic
  readonly position: KindPosition
  count: number
  visits: number
  last: string | undefined
}

/** Where the first of a kind stands in the run, how many kinds were met before, and what makes it a kind. */
export interface KindPosition {
  readonly position: number
  readonly order: number
  readonly key: string
}

/** Where a kind stands among others: what they follow from comes first, then errors. */
export const severityRankOf = ({ code, severity }: { readonly code: string; readonly severity: string }): number =>
  (causes.has(code) ? 0 : 2) + (severity === "error" ? 0 : 1)

const causes: ReadonlySet<string> = new Set(
  Object.entries<Problem>(problems).flatMap(([code, { cause }]) => (cause === true ? [code] : []))
)

/** More different faults than this are counted together by coarser keys, so that memory stays bounded whatever the input is. */
const groupLimit = 5_000

/** `vital_signs[3].recorded_by` to `vital_signs[].recorded_by`: the same fault in every element of a list. */
export const withoutIndexes = (field: string): string => field.replace(/\[\d+\]/g, "[]")

/**
 * One fault, one message: takes diagnostics as they come, keeps the first of each kind and counts the others. A kind is the
 * problem's code and severity, the place in the mapping, or else the type of the record, the field without indexes, and the title.
 *
 * Memory grows with the number of kinds, not of diagnostics. Diagnostics of one visit come one after the other, as the pipeline
 * gives them; a visit that comes back later is counted again.
 */
export class Collator {
  readonly #groups = new Map<string, Group>()
  #errors = 0
  #warnings = 0
  /** Where what comes next stands in the run, where it is not the order in which it comes. */
  position = -1

  /** Counts one occurrence, or as many as the diagnostic stands for, and gives the first of its kind. `visit` names the visit it belongs to where the diagnostic cannot: a visit whose code is not known yet. */
  add(diagnostic: Diagnostic, visit: string | undefined = diagnostic.visit): Diagnostic {
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

  addAll(diagnostics: Iterable<Diagnostic>, visit?: string): void {
    for (const diagnostic of diagnostics) this.add(diagnostic, visit ?? diagnostic.visit)
  }

  /** Occurrences of severity `error`, of all kinds. */
  get errors(): number {
    return this.#errors
  }

  get warnings(): number {
    return this.#warnings
  }

  /** Where the first of a kind stands. */
  positionOf(first: Diagnostic): KindPosition {
    return this.#find(first).position
  }

  /** Every kind: those that others follow from, then errors before warnings, then the most frequent first, then in the order they were met. */
  all(): ReadonlyArray<Collated> {
    return [...this.#groups.values()]
      .toSorted((a, b) => severityRankOf(a.first) - severityRankOf(b.first) || b.count - a.count)
      .map(({ count, first, visits }) => ({ first, count, visits }))
  }

  #find(diagnostic: Diagnostic): Group {
    const { code, field, mapping, severity, source, title } = diagnostic
    const place = mapping === undefined ? typeIn(source) : `${mapping.file}:${mapping.line}:${mapping.column}`
    const rough = `${severity}[${code}]\u0000${place}\u0000${field === undefined ? "" : withoutIndexes(field)}`
    const size = this.#groups.size
    const keys = [`${rough}\u0000${title}`]
    if (size >= groupLimit) keys.push(rough)
    if (size >= 2 * groupLimit) keys.push(`${severity}[${code}]`)
    for (const key of keys) {
      const known = this.#groups.get(key)
      if (known !== undefined) return known
    }
    const key = keys.at(-1)!
    const position = { position: this.position, order: size, key }
    const group: Group = { first: diagnostic, position, count: 0, visits: 0, last: undefined }
    this.#groups.set(key, group)
    return group
  }
}

/** The type of a record that is named as FHIR does, `Observation/9f2c1a`. */
const typeIn = (source: string | undefined): string => /^[A-Za-z_]\w*(?=\/)/u.exec(source ?? "")?.[0] ?? ""

/** The faults among diagnostics that are all at hand, in the order of {@link Collator.all}. */
export const collate = (diagnostics: Iterable<Diagnostic>): ReadonlyArray<Collated> => {
  const collator = new Collator()
  collator.addAll(diagnostics)
  return collator.all()
}
