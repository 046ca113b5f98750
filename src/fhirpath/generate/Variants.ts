import { isNode, type Node } from "../evaluate/Node.ts"
import type { Elements, Variables } from "../FhirPath.ts"
import { generated, type Task, type Units } from "./Units.ts"
import type { WrittenCode } from "./write/constants.ts"
import type { Root } from "./write/items.ts"
import { Writer } from "./write/Writer.ts"

/** The code for one type of focus; `undefined` before it is written, and `null` if it cannot be. */
interface Variant<Run> {
  /** Its type; empty for a focus of nothing, such as that of an address that a patient does not have. */
  readonly path: string
  readonly isList: boolean
  /** The type of `%parent`; `undefined` if the code does not read it. */
  parent: string | null | undefined
  /** The elements that the code takes as written as the model says. */
  elements: ReadonlySet<string>
  /** How often it was asked for before it was written. */
  count: number
  /** How often the code ran. */
  runs: number
  code: Run | null | undefined
}

const none: ReadonlySet<string> = new Set()

/** How often code runs until it counts as proven: the visits for which it ran before are made by the definition, too. */
const newRuns = 3

/** Of this many runs of an expression outside of a visit, one is done by the definition, too. */
const provenRuns = 500

/**
 * The functions that are written for a task, one for each type of focus, and of `%parent` if they read it. A function takes the focus, `f`: its node, or a list if it is not
 * exactly one; and the further parameters.
 */
export class Variants<Run> {
  readonly #units: Units
  readonly #task: Task
  readonly #parameters: string
  readonly #write: (writer: Writer) => void
  readonly #readsInParts: boolean
  #known: ReadonlyArray<Variant<Run>> = []
  #last: Variant<Run> | undefined

  /** `readsInParts`: the code itself looks at what it can read of the focus. */
  constructor(
    units: Units,
    task: Task,
    parameters: string,
    write: (writer: Writer) => void,
    readsInParts?: "readsInParts"
  ) {
    this.#units = units
    this.#task = task
    this.#parameters = parameters
    this.#write = write
    this.#readsInParts = readsInParts !== undefined
  }

  /** Returns the function for a focus; `undefined` if the closures have to do its task. */
  find(focus: Elements, variables: Variables): Run | undefined {
    const node = focus[0]
    if (this.#units.isOff) return undefined
    if (node !== undefined && !isNode(node)) {
      this.#units.left.set()
      return undefined
    }
    const path = node === undefined ? "" : node.path
    const isList = focus.length > 1
    let variant = this.#last
    // Nearly always the same: `%parent` is looked at only if its type matters.
    if (
      variant === undefined || variant.path !== path || variant.isList !== isList ||
      (variant.parent !== undefined && variant.parent !== pathOfParent(variables))
    ) {
      variant = this.#last = this.#variantOf(String(path), isList, variables)
    }
    if (variant.code === undefined) {
      if (++variant.count < this.#units.after) return undefined
      if (this.#canRead(focus, variant)) this.#generate(variant, node, variables)
    }
    const { code } = variant
    if (code === undefined || code === null || !this.#canRead(focus, variant)) {
      this.#units.left.set()
      return undefined
    }
    if (variant.runs++ < newRuns) this.#units.newCode.set()
    return code
  }

  /** Returns whether the definition must do the latest function's task too: it is one of its first tasks, or one of many. */
  isDue(): boolean {
    const { runs } = this.#last ?? { runs: 0 }
    return this.#units.proves && (runs <= newRuns || runs % provenRuns === 0)
  }

  #canRead(focus: Elements, variant: Variant<Run>): boolean {
    const [only] = focus
    return focus.length === 1
      ? isNode(only) && this.#units.canRead(only, variant.elements)
      : this.#canReadEach(focus, variant)
  }

  #canReadEach(focus: Elements, { elements, path }: Variant<Run>): boolean {
    return focus.every((one) => isNode(one) && one.path === path && this.#units.canRead(one, elements))
  }

  #variantOf(path: string, isList: boolean, variables: Variables): Variant<Run> {
    const parent = pathOfParent(variables)
    for (const one of this.#known) if (isFor(one, path, isList, parent)) return one
    const loaded = this.#units.loadedFor(this.#task, variables, (one) => isFor(one, path, isList, parent))
    // Code of an earlier run is proven again when it first runs.
    const variant: Variant<Run> = loaded === undefined
      ? { path, isList, parent, elements: none, count: 0, runs: 0, code: undefined }
      // It has the parameters of `Run`.
      : { path, isList, ...loaded, count: 0, runs: newRuns - 1, code: loaded.run as Run | null }
    this.#known = [...this.#known, variant]
    return variant
  }

  #generate(variant: Variant<Run>, sample: Node | undefined, variables: Variables): void {
    const root: Root = sample === undefined
      ? { form: "nothing" }
      : { form: variant.isList ? "nodes" : "node", sample }
    let written: WrittenCode | null = null
    variant.code = generated(() => {
      const writer = new Writer(this.#units, variables, root)
      this.#write(writer)
      if (!writer.readVariables.has("parent")) this.#isForAnyParent(variant)
      if (!this.#readsInParts) variant.elements = writer.read
      written = writer.written(`f, ${this.#parameters}`)
      // It has the parameters of `Run`.
      return this.#units.functionOf(written, this.#task.given, variables) as Run
    }) ?? null
    const { elements, isList, parent, path } = variant
    this.#units.note({
      task: this.#task.name,
      path,
      isList,
      parent,
      elements,
      written: variant.code === null ? null : written,
      isProven: () => variant.code === null || variant.runs >= newRuns
    })
  }

  #isForAnyParent(variant: Variant<Run>): void {
    variant.parent = undefined
    this.#known = this.#known.filter((one) => one === variant || !isFor(variant, one.path, one.isList, null))
  }
}

const isFor = (
  variant: Pick<Variant<unknown>, "path" | "isList" | "parent">,
  path: string,
  isList: boolean,
  parent: string | null
): boolean =>
  variant.path === path && variant.isList === isList && (variant.parent === undefined || variant.parent === parent)

/** Returns the type of `%parent`; `null` if it is not exactly one element of a record. */
const pathOfParent = ({ parent }: Variables): string | null => {
  const only: unknown = Array.isArray(parent) && parent.length === 1 ? parent[0] : undefined
  return isNode(only) ? only.path : null
}
