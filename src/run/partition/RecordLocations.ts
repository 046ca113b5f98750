import type { SpillFile } from "./SpillFile.ts"
import { StoredNumbers } from "./StoredNumbers.ts"

/** The location of a record's text. */
export interface RecordLocation {
  /** `0`: it is spilled; from 1: the number of the input file that contains it. */
  readonly source: number
  readonly offset: number
  readonly length: number
  /** For a line of an input file: the result of `markOf`. */
  readonly mark: number
}

/** Record locations, in a transferable form. */
export interface PlaceLists {
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

  constructor(spool: SpillFile) {
    this.#numbers = new StoredNumbers(spool)
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
    const at = number * size
    const upper = this.#numbers.at(at + 1)
    return {
      source: Math.floor(upper / perSource),
      offset: (upper % perSource) * two32 + this.#numbers.at(at),
      length: this.lengthAt(number),
      mark: this.#numbers.at(at + 3)
    }
  }

  /** The locations of some records, as parallel arrays. */
  lists(numbers: Uint32Array): PlaceLists {
    const lists = emptyLists(numbers.length)
    numbers.forEach((number, index) => {
      const at = number * size
      const upper = this.#numbers.at(at + 1)
      lists.sources[index] = Math.floor(upper / perSource)
      lists.offsets[index] = (upper % perSource) * two32 + this.#numbers.at(at)
      lists.lengths[index] = this.#numbers.at(at + 2)
      lists.marks[index] = this.#numbers.at(at + 3)
    })
    return lists
  }

  lengthAt(number: number): number {
    return this.#numbers.at(number * size + 2)
  }

  /** Adds locations in input files, whose lines are counted from the line after `lines`. */
  append({ lengths, marks, offsets, sources }: PlaceLists, lines: number): void {
    for (let at = 0; at < lengths.length; at++) {
      this.push({
        source: sources[at]!,
        offset: offsets[at]!,
        length: lengths[at]!,
        mark: marks[at]! + markOf(lines, false)
      })
    }
  }
}

const emptyLists = (length: number): PlaceLists => ({
  sources: new Uint32Array(length),
  offsets: new Float64Array(length),
  lengths: new Uint32Array(length),
  marks: new Uint32Array(length)
})

/** Record locations as parallel arrays. */
export const placeLists = (places: ReadonlyArray<RecordLocation>): PlaceLists => {
  const lists = emptyLists(places.length)
  places.forEach(({ length, mark, offset, source }, index) => {
    lists.sources[index] = source
    lists.offsets[index] = offset
    lists.lengths[index] = length
    lists.marks[index] = mark
  })
  return lists
}

/** The indexes of the locations sorted by file offset, for sequential reads. `undefined` if they are already in order. */
export const orderOf = ({ offsets, sources }: PlaceLists): Uint32Array | undefined => {
  const compare = (one: number, other: number): number =>
    sources[one]! - sources[other]! || offsets[one]! - offsets[other]!
  let isOrdered = true
  for (let at = 1; isOrdered && at < sources.length; at++) isOrdered = compare(at - 1, at) <= 0
  return isOrdered ? undefined : Uint32Array.from(sources.keys()).sort(compare)
}
