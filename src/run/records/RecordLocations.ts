import { at, numberAt } from "../../at.ts"
import type { SpillFile } from "./SpillFile.ts"
import { StoredNumbers } from "./StoredNumbers.ts"

/** The location of a record's text. */
export interface RecordLocation {
  /** The index of the source that contains it in `RecordSources`. */
  readonly source: number
  readonly offset: number
  readonly length: number
  /** For a line of an input file: the result of `markOf`. */
  readonly mark: number
}

/** Record locations as parallel arrays, which can be transferred to another thread. */
export interface LocationLists {
  readonly sources: Uint32Array<ArrayBuffer>
  readonly offsets: Float64Array<ArrayBuffer>
  readonly lengths: Uint32Array<ArrayBuffer>
  readonly marks: Uint32Array<ArrayBuffer>
}

/** The line of a record, from 1, and whether the digits of its numbers are kept. */
export const markOf = (line: number, exact: boolean): number => line * 2 + (exact ? 1 : 0)
export const lineOf = (mark: number): number => mark >>> 1
export const isExact = (mark: number): boolean => (mark & 1) === 1

const two32 = 2 ** 32
/** The high bits of an offset are stored with the file number: 4,000 files of 4,000 TB. */
const perSource = 2 ** 20

/** Numbers per location. */
const size = 4

/** A growable list of record locations by number: sixteen bytes each, on disk. */
export class RecordLocations {
  readonly #numbers: StoredNumbers

  constructor(spill: SpillFile) {
    this.#numbers = new StoredNumbers(spill)
  }

  get length(): number {
    return this.#numbers.length / size
  }

  push({ length, mark, offset, source }: RecordLocation): void {
    this.#numbers.push(offset % two32)
    this.#numbers.push(source * perSource + Math.floor(offset / two32))
    this.#numbers.push(length)
    this.#numbers.push(mark)
  }

  at(number: number): RecordLocation {
    const first = number * size
    const upper = this.#numbers.at(first + 1)
    return {
      source: Math.floor(upper / perSource),
      offset: (upper % perSource) * two32 + this.#numbers.at(first),
      length: this.lengthAt(number),
      mark: this.#numbers.at(first + 3)
    }
  }

  lengthAt(number: number): number {
    return this.#numbers.at(number * size + 2)
  }

  /** The locations of some records, as parallel arrays. */
  lists(numbers: Uint32Array): LocationLists {
    return locationLists(Array.from(numbers, (number) => this.at(number)))
  }

  /** Adds locations in input files, whose lines are counted from the line after `lines`. */
  append(locations: LocationLists, lines: number): void {
    const before = markOf(lines, false)
    for (const { length, mark, offset, source } of eachLocation(locations)) {
      this.push({ source, offset, length, mark: mark + before })
    }
  }
}

/** Record locations as parallel arrays. */
export const locationLists = (locations: ReadonlyArray<RecordLocation>): LocationLists => ({
  sources: Uint32Array.from(locations, ({ source }) => source),
  offsets: Float64Array.from(locations, ({ offset }) => offset),
  lengths: Uint32Array.from(locations, ({ length }) => length),
  marks: Uint32Array.from(locations, ({ mark }) => mark)
})

/** The locations with the given indexes. */
export const pickLocations = (
  { lengths, marks, offsets, sources }: LocationLists,
  indexes: ReadonlyArray<number>
): LocationLists => ({
  sources: Uint32Array.from(indexes, (index) => numberAt(sources, index)),
  offsets: Float64Array.from(indexes, (index) => at(offsets, index)),
  lengths: Uint32Array.from(indexes, (index) => numberAt(lengths, index)),
  marks: Uint32Array.from(indexes, (index) => numberAt(marks, index))
})

/** Iterates over record locations in parallel arrays. */
export function* eachLocation({ lengths, marks, offsets, sources }: LocationLists): Generator<RecordLocation> {
  for (const [index, source] of sources.entries()) {
    yield { source, offset: at(offsets, index), length: numberAt(lengths, index), mark: numberAt(marks, index) }
  }
}

/** The indexes of the locations sorted by file offset, for sequential reads. `undefined` if they are already in order. */
export const orderOf = ({ offsets, sources }: LocationLists): Uint32Array | undefined => {
  const compare = (one: number, other: number): number =>
    numberAt(sources, one) - numberAt(sources, other) || at(offsets, one) - at(offsets, other)
  const isOrdered = sources.every((_, index) => index === 0 || compare(index - 1, index) <= 0)
  return isOrdered ? undefined : Uint32Array.from(sources.keys()).sort(compare)
}
