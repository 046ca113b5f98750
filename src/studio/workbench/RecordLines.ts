import { isTree } from "../../source/read/ReadTracker.ts"
import type { Resource } from "../../source/records/SourceRecord.ts"
import type { SourceLine } from "../viewer/bench/Wire.ts"

/** A record as display lines. Each line can be found by its element, or by the object and key that it shows. */
export class RecordLines {
  readonly #lines: Array<{ readonly depth: number; readonly key: string; readonly value: string | null }> = []
  readonly #places = new Map<object, Map<string, number>>()
  readonly #resource: Resource

  constructor(resource: Resource) {
    this.#resource = resource
    this.#addAll(resource, 0)
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
    return this.#places.get(parent)?.get(key)
  }

  /** Returns every object and list of the record. */
  objects(): Iterable<object> {
    return this.#places.keys()
  }

  /** Returns the line of an element by its FHIRPath name: `Observation.component[0].value`, whose JSON key may be `valueQuantity`. */
  find(element: string): number | undefined {
    const [type, ...steps] = element.split(".")
    let at: unknown = type === this.#resource.resourceType ? this.#resource : this.#contained(type!)
    let line: number | undefined
    for (const step of steps) {
      const [, name, index] = /^(.*?)(?:\[(\d+)\])?$/su.exec(step)!
      if (!isTree(at)) break
      const key = keyFor(at, name!)
      if (key === undefined) break
      line = this.lineOf(at, key) ?? line
      at = (at as Readonly<Record<string, unknown>>)[key]
      if (index !== undefined && Array.isArray(at)) {
        line = this.lineOf(at, index) ?? line
        at = at[Number(index)]
      }
    }
    return line
  }

  #contained(type: string): unknown {
    const { contained } = this.#resource
    return Array.isArray(contained)
      ? contained.find((one) => isTree(one) && keyed(one).resourceType === type)
      : undefined
  }

  #addAll(tree: object, depth: number): void {
    const places = new Map<string, number>()
    this.#places.set(tree, places)
    for (const [key, value] of Object.entries(tree)) {
      places.set(key, this.#lines.length)
      const shown = Array.isArray(tree) ? `[${key}]` : key
      if (isTree(value)) {
        this.#lines.push({ depth, key: shown, value: null })
        this.#addAll(value, depth + 1)
      } else this.#lines.push({ depth, key: shown, value: leafText(value) })
    }
  }
}

const keyed = (tree: object) => tree as Readonly<Record<string, unknown>>

/** The JSON key of `value` may be `valueQuantity`; the key of a primitive without a value is `_value`. */
const keyFor = (tree: object, name: string): string | undefined => {
  if (Object.hasOwn(tree, name)) return name
  if (Object.hasOwn(tree, `_${name}`)) return `_${name}`
  return Object.keys(tree).find((key) => key.startsWith(name) && /^[A-Z]/u.test(key.slice(name.length)))
}

/** Formats a value: text in quotes, anything else as written; numbers keep their digits. */
const leafText = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value))
