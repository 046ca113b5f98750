import { isTree } from "../../source/read/ReadTracker.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { SourceLine } from "../viewer/bench/Wire.ts"

/** A record as display lines. Each line can be found by its element, or by the object and key that it shows. */
export class RecordLines {
  readonly #lines: Array<{ readonly depth: number; readonly key: string; readonly value: string | null }> = []
  readonly #lineNumbers = new Map<object, Map<string, number>>()
  readonly record: SourceRecord

  constructor(record: SourceRecord) {
    this.record = record
    this.#addAll(record.resource, 0)
  }

  /** Returns the lines; those listed in `read` are marked as read. */
  lines(read: ReadonlySet<number>): ReadonlyArray<SourceLine> {
    return this.#lines.map(({ depth, key, value }, index) => [
      depth,
      key,
      value,
      read.has(index) ? 1 : key === "url" || (depth === 0 && (key === "resourceType" || key === "id")) ? 2 : 0
    ])
  }

  /** Returns the line of the leaf `key` of an object of the record. */
  lineOf(parent: object, key: string): number | undefined {
    return this.#lineNumbers.get(parent)?.get(key)
  }

  /** Returns every object and list of the record. */
  objects(): Iterable<object> {
    return this.#lineNumbers.keys()
  }

  /** Returns the line of an element by its FHIRPath name: `Observation.component[0].value`, whose JSON key may be `valueQuantity`. */
  find(element: string): number | undefined {
    const [type, ...steps] = element.split(".")
    const { resource } = this.record
    let at: unknown = type === resource.resourceType ? resource : this.#contained(type)
    let line: number | undefined
    for (const step of steps) {
      const [, name = step, index] = /^(.*?)(?:\[(\d+)\])?$/su.exec(step) ?? []
      if (!isTree(at)) break
      const key = keyFor(at, name)
      if (key === undefined) break
      line = this.lineOf(at, key) ?? line
      at = keyed(at)[key]
      if (index !== undefined && Array.isArray(at)) {
        line = this.lineOf(at, index) ?? line
        at = at[Number(index)]
      }
    }
    return line
  }

  #contained(type: string | undefined): unknown {
    const { contained } = this.record.resource
    return Array.isArray(contained)
      ? contained.find((one) => isTree(one) && keyed(one).resourceType === type)
      : undefined
  }

  #addAll(tree: object, depth: number): void {
    const lineNumbers = new Map<string, number>()
    this.#lineNumbers.set(tree, lineNumbers)
    for (const [key, value] of Object.entries(tree)) {
      lineNumbers.set(key, this.#lines.length)
      const shown = Array.isArray(tree) ? `[${key}]` : key
      if (isTree(value)) {
        this.#lines.push({ depth, key: shown, value: null })
        this.#addAll(value, depth + 1)
      } else this.#lines.push({ depth, key: shown, value: leafText(value) })
    }
  }
}

// An object can be asked for any member. A list holds its items by their indexes.
const keyed = (tree: object) => tree as Readonly<Record<string, unknown>>

/** Returns the JSON key of an element: that of `value` can be `valueQuantity`, or `_value` for a primitive without a value. */
const keyFor = (tree: object, name: string): string | undefined => {
  if (Object.hasOwn(tree, name)) return name
  if (Object.hasOwn(tree, `_${name}`)) return `_${name}`
  return Object.keys(tree).find((key) => key.startsWith(name) && /^[A-Z]/u.test(key.slice(name.length)))
}

/** Formats a value: text in quotes, anything else as written; numbers keep their digits. */
const leafText = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value))
