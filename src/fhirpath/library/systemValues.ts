import type { ExactNumber } from "../../json/exactNumber.ts"

/**
 * The values of expressions that JSON does not have, apart from numbers. `Library` converts them to the library's and back. Their public
 * members are elements of FHIRPath; everything else is private, because an expression could name it.
 */

/** The types of dates and times in expressions. */
export type TimeType = "Date" | "DateTime" | "Time"

/** A date or time that an expression computes or contains: `@2026-03-02`. */
export class TimeValue {
  readonly #type: TimeType
  readonly #text: string

  constructor(type: TimeType, text: string) {
    this.#type = type
    this.#text = text
  }

  static typeOf(time: TimeValue): TimeType {
    return time.#type
  }

  toString(): string {
    return this.#text
  }

  toJSON(): string {
    return this.#text
  }
}

/** A quantity that an expression computes or contains: `5 'mg'`, `2 days`. */
export class QuantityValue {
  readonly value: ExactNumber
  /** A unit of UCUM is in quotes: `'mg'`. */
  readonly unit: string

  constructor(value: ExactNumber, unit: string) {
    this.value = value
    this.unit = unit
  }

  toString(): string {
    return `${this.value} ${this.unit}`
  }

  toJSON(): string {
    return this.toString()
  }
}
