import { getOrMake } from "../../maps.ts"

/**
 * Tracks which leaves of a JSON tree are read: a text, a number or a boolean that a caller accessed. Only reads through `view` are
 * tracked; the tree itself is unchanged, and direct reads leave no trace.
 */
export class ReadTracker {
  readonly #views = new WeakMap<object, object>()
  readonly #read = new WeakMap<object, Set<string>>()
  readonly #onRead: ((parent: object, key: string) => void) | undefined

  /** `onRead` is called for every read of a leaf, including repeated ones. */
  constructor(onRead?: (parent: object, key: string) => void) {
    this.#onRead = onRead
  }

  /** Returns the tracked view of the tree. Each object has one view, however often it is accessed. */
  view<A extends object>(tree: A): A {
    const known = this.#views.get(tree)
    // The view of an object has its type.
    if (known !== undefined) return known as A
    const view = new Proxy(tree, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key)
        if (typeof key !== "string" || !Object.hasOwn(target, key)) return value
        if (isTree(value)) return this.view(value)
        if (value !== null) this.#remember(target, key)
        return value
      }
    })
    this.#views.set(tree, view)
    return view
  }

  /** Whether the leaf `key` of an object of the tree was read. */
  hasRead(parent: object, key: string): boolean {
    return this.#read.get(parent)?.has(key) === true
  }

  #remember(parent: object, key: string): void {
    this.#onRead?.(parent, key)
    getOrMake(this.#read, parent, () => new Set()).add(key)
  }
}

/** An object or a list as `JSON.parse` returns it; an exact decimal is a leaf. */
export const isTree = (value: unknown): value is object =>
  typeof value === "object" && value !== null &&
  (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)
