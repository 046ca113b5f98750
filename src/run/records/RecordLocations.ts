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

/**
 * Returns three facts of a record's line in one number: the number of the line, from 1; whether it must be scanned before it is parsed;
 * whether it has the usual form.
 */
export const markOf = (line: number, needsScan: boolean, usual = false): number =>
  line * 4 + (usual ? 2 : 0) + (needsScan ? 1 : 0)
/** Returns the number of the line, from 1. */
export const lineOf = (mark: number): number => mark >>> 2
/** Whether the line must be scanned before it is parsed. */
export const mustBeScanned = (mark: number): boolean => (mark & 1) === 1
/** Whether the line is known to be written as usual. */
export const isUsual = (mark: number): boolean => (mark & 2) === 2

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

  at(number: number): RecordLocation {
    return locationAt(this.lists(Uint32Array.of(number)), 0)
  }

  lengthAt(number: number): number {
    return this.#numbers.at(number * size + 2)
  }

  /** The locations of some records, as parallel arrays. */
  lists(numbers: Uint32Array): LocationLists {
    const lists = emptyLists(numbers.length)
    for (let index = 0; index < numbers.length; index++) {
      const first = numberAt(numbers, index) * size
      const upper = this.#numbers.at(first + 1)
      lists.sources[index] = Math.floor(upper / perSource)
      lists.offsets[index] = (upper % perSource) * two32 + this.#numbers.at(first)
      lists.lengths[index] = this.#numbers.at(first + 2)
      lists.marks[index] = this.#numbers.at(first + 3)
    }
    return lists
  }

  /** Adds locations in input files, whose lines are counted from the line after `lines`. */
  append(locations: LocationLists, lines: number): void {
    const { lengths, marks, offsets, sources } = locations
    const before = markOf(lines, false)
    for (let index = 0; index < sources.length; index++) {
      const offset = at(offsets, index)
      this.#numbers.push(offset % two32)
      this.#numbers.push(numberAt(sources, index) * perSource + Math.floor(offset / two32))
      this.#numbers.push(numberAt(lengths, index))
      this.#numbers.push(numberAt(marks, index) + before)
    }
  }
}

// Large runs fill these lists for every record, several times: `from`, which calls an iterator and a function for each, takes longer.

const emptyLists = (length: number): LocationLists => ({
  sources: new Uint32Array(length),
  offsets: new Float64Array(length),
  lengths: new Uint32Array(length),
  marks: new Uint32Array(length)
})

/** Record locations as parallel arrays. */
export const locationLists = (locations: ReadonlyArray<RecordLocation>): LocationLists => {
  const lists = emptyLists(locations.length)
  for (const [index, { length, mark, offset, source }] of locations.entries()) {
    lists.sources[index] = source
    lists.offsets[index] = offset
    lists.lengths[index] = length
    lists.marks[index] = mark
  }
  return lists
}

/** The locations with the given indexes. */
export const pickLocations = (from: LocationLists, indexes: ReadonlyArray<number>): LocationLists => {
  const lists = emptyLists(indexes.length)
  for (let to = 0; to < indexes.length; to++) {
    const index = at(indexes, to)
    lists.sources[to] = numberAt(from.sources, index)
    lists.offsets[to] = at(from.offsets, index)
    lists.lengths[to] = numberAt(from.lengths, index)
    lists.marks[to] = numberAt(from.marks, index)
  }
  return lists
}

const locationAt = ({ lengths, marks, offsets, sources }: LocationLists, index: number): RecordLocation => ({
  source: numberAt(sources, index),
  offset: at(offsets, index),
  length: numberAt(lengths, index),
  mark: numberAt(marks, index)
})

/** Record locations in parallel arrays, one by one. */
export const eachLocation = (lists: LocationLists): ReadonlyArray<RecordLocation> =>
  Array.from(lists.sources, (_, index) => locationAt(lists, index))

/** The indexes of the locations sorted by file offset, for sequential reads. `undefined` if they are already in order. */
export const orderOf = ({ offsets, sources }: LocationLists): Uint32Array | undefined => {
  const compare = (one: number, other: number): number =>
    numberAt(sources, one) - numberAt(sources, other) || at(offsets, one) - at(offsets, other)
  for (let index = 1; index < sources.length; index++) {
    if (compare(index - 1, index) > 0) return Uint32Array.from(sources.keys()).sort(compare)
  }
  return undefined
}
