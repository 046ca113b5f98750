import { isNode, type Node } from "../evaluate/Node.ts"
import type { Elements, Variables } from "../FhirPath.ts"
import { generated, type Units } from "./Units.ts"
import { Writer } from "./Writer.ts"

/** The code for one type of focus; `undefined` before it is written, and `null` if it cannot be. */
interface Variant<Run> {
  readonly path: string
  readonly isList: boolean
  /** How often it was asked for before it was written. */
  count: number
  /** How often the code ran, up to `newRuns`. */
  runs: number
  code: Run | null | undefined
}

/** How often code runs until it counts as proven: the visits for which it ran before are made by the definition, too. */
const newRuns = 3

/**
 * The functions that are written for a task, one for each type of focus. A function takes the focus, `f`: its node, or a list if it is not
 * exactly one; and the further parameters.
 */
export class Variants<Run> {
  readonly #units: Units
  readonly #parameters: string
  readonly #write: (writer: Writer) => void
  readonly #known: Array<Variant<Run>> = []
  #last: Variant<Run> | undefined

  constructor(units: Units, parameters: string, write: (writer: Writer) => void) {
    this.#units = units
    this.#parameters = parameters
    this.#write = write
  }

  /** Returns the function for a focus; `undefined` if the closures have to do its task. */
  find(focus: Elements, variables: Variables): Run | undefined {
    const node = focus[0]
    if (!isNode(node) || this.#units.isOff) return undefined
    const { path } = node
    const isList = focus.length > 1
    let variant = this.#last
    if (variant === undefined || variant.path !== path || variant.isList !== isList) {
      variant = this.#last = this.#variantOf(String(path), isList)
    }
    if (variant.code === null || (variant.code === undefined && ++variant.count < this.#units.after)) return undefined
    const { isRegular } = this.#units
    if (
      isList
        ? !focus.every((one) => isNode(one) && one.path === path && isRegular(one))
        : !isRegular(node)
    ) {
      return undefined
    }
    if (variant.code === undefined) variant.code = this.#generate(node, isList, variables)
    if (variant.runs < newRuns) {
      variant.runs++
      this.#units.noteNew()
    }
    return variant.code ?? undefined
  }

  #variantOf(path: string, isList: boolean): Variant<Run> {
    for (const one of this.#known) if (one.path === path && one.isList === isList) return one
    const variant = { path, isList, count: 0, runs: 0, code: undefined }
    this.#known.push(variant)
    return variant
  }

  #generate(sample: Node, isList: boolean, variables: Variables): Run | null {
    return generated(() => {
      const writer = new Writer(this.#units, variables, { form: isList ? "nodes" : "node", sample })
      this.#write(writer)
      // It has the parameters of `Run`.
      return this.#units.functionOf(writer, `f, ${this.#parameters}`) as Run
    }) ?? null
  }
}
