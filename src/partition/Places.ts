import { Growing } from "./Growing.ts"

/** Where the text of a record stands. */
export interface Place {
  /** `0`: it was put aside; from 1: the number of the input file it stands in. */
  readonly source: number
  readonly offset: number
  readonly length: number
  /** Of a line of an input file, what `markOf` makes of it. */
  readonly mark: number
}

/** Places, to be handed on. */
export interface PlaceLists {
  readonly sources: Uint32Array<ArrayBuffer>
  readonly offsets: Float64Array<ArrayBuffer>
  readonly lengths: Uint32Array<ArrayBuffer>
  readonly marks: Uint32Array<ArrayBuffer>
}

/** The line a record stands on, from 1, and whether its numbers are to be kept by their digits. */
export const markOf = (line: number, exact: boolean): number => line * 2 + (exact ? 1 : 0)
export const lineOf = (mark: number): number => mark >>> 1
export const isExact = (mark: number): boolean => (mark & 1) === 1

/** Places of records by their numbers, as many as come. */
export class Places {
  readonly #sources = new Growing()
  readonly #lengths = new Growing()
  readonly #marks = new Growing()
  #offsets = new Float64Array(1024)

  push({ length, mark, offset, source }: Place): void {
    const number = this.#sources.length
    this.#makeRoom(number + 1)
    this.#offsets[number] = offset
    this.#sources.push(source)
    this.#lengths.push(length)
    this.#marks.push(mark)
  }

  at(number: number): Place {
    return {
      source: this.#sources.at(number),
      offset: this.#offsets[number]!,
      length: this.#lengths.at(number),
      mark: this.#marks.at(number)
    }
  }

  lengthAt(number: number): number {
    return this.#lengths.at(number)
  }

  data(): PlaceLists {
    return {
      sources: this.#sources.data(),
      offsets: this.#offsets.slice(0, this.#sources.length),
      lengths: this.#lengths.data(),
      marks: this.#marks.data()
    }
  }

  /** Adds places in input files, whose lines are counted from the one behind `lines`. */
  append({ lengths, marks, offsets, sources }: PlaceLists, lines: number): void {
    const number = this.#sources.length
    this.#makeRoom(number + offsets.length)
    this.#offsets.set(offsets, number)
    this.#sources.append(sources)
    this.#lengths.append(lengths)
    this.#marks.append(marks, markOf(lines, false))
  }

  #makeRoom(length: number): void {
    if (length <= this.#offsets.length) return
    const larger = new Float64Array(Math.max(length, this.#offsets.length + (this.#offsets.length >> 1)))
    larger.set(this.#offsets)
    this.#offsets = larger
  }
}

/** The places of some records, one beside the other. */
export const placeLists = (places: ReadonlyArray<Place>): PlaceLists => ({
  sources: Uint32Array.from(places, ({ source }) => source),
  offsets: Float64Array.from(places, ({ offset }) => offset),
  lengths: Uint32Array.from(places, ({ length }) => length),
  marks: Uint32Array.from(places, ({ mark }) => mark)
})

/** As they stand on disk, so that they are read in one go. */
export const comparePlaces = (one: Place, other: Place): number =>
  one.source - other.source || one.offset - other.offset
