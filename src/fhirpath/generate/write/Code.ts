import { getOrMake } from "../../../maps.ts"
import { type Constant, keyOfConstant, type WrittenCode } from "./constants.ts"

/** A line of code that is filled in after the following lines are written. */
interface Hole {
  text: string
}

/** A place in the code where an element was found, and what happens with it there. */
interface Site<Item> {
  readonly item: Item
  readonly hole: Hole
}

/** The elements that a piece of code finds. */
export interface Found<Item> {
  readonly sites: ReadonlyArray<Site<Item>>
  /** How many of them are found at most in one evaluation. */
  readonly most: number
  /** The piece can fail, or has effects, so that it must run to its end. */
  readonly isRisky: boolean
  /** It finds exactly one element, whatever the record has. */
  readonly isCertain: boolean
  /** Code that leaves the piece. */
  readonly leave: () => string
}

/** Thrown if an expression has a part for which no code is written. */
export const notGenerated: unique symbol = Symbol("not generated")

/** Maximum number of lines for one expression. */
const maxLines = 1000

/** A function that is being written. */
export class Code<Item> {
  readonly #lines: Array<string | Hole> = []
  readonly #names: Array<string> = []
  readonly #constants = new Map<unknown, { readonly name: string; readonly constant: Constant }>()
  /** The number of lines that the next expression can reach. */
  #most = Infinity
  #loops = 0
  /** The number of blocks around the next line. */
  #depth = 0
  #count = 0
  isRisky = false

  line(text: string): void {
    if (this.#lines.length > this.#most) throw notGenerated
    this.#lines.push(text)
  }

  hole(text = ""): Hole {
    const hole = { text }
    this.#lines.push(hole)
    return hole
  }

  /** Declares a variable. All are declared at the start of the function, so they hold what they held when a loop was left. */
  name(): string {
    const name = `t${this.#names.length}`
    this.#names.push(name)
    return name
  }

  /** Declares a variable, and sets it. */
  set(value: string): string {
    const name = this.name()
    this.line(`${name} = ${value}`)
    return name
  }

  /** Returns the name of a value that the code uses unchanged. */
  constant(constant: Constant): string {
    return getOrMake(this.#constants, keyOfConstant(constant), () => ({
      name: `k${this.#constants.size}`,
      constant
    })).name
  }

  block(head: string, inner: () => void): void {
    this.line(`${head} {`)
    this.#depth++
    inner()
    this.#depth--
    this.line("}")
  }

  /** Writes a block whose head can be changed. */
  openBlock(inner: (head: Hole) => void): void {
    const head = this.hole("{")
    this.#depth++
    inner(head)
    this.#depth--
    this.line("}")
  }

  /** Writes a loop over a list. */
  loop(list: string, each: (item: string, index: string) => void): void {
    const index = this.name()
    const item = this.name()
    this.#loops++
    this.block(`for (${index} = 0; ${index} < ${list}.length; ${index}++)`, () => {
      this.line(`${item} = ${list}[${index}]`)
      each(item, index)
    })
    this.#loops--
  }

  /** Writes alternatives, of which at most one is executed. */
  either(condition: string, then: () => void, otherwise: () => void): void {
    const before = this.#count
    this.line(`if (${condition}) {`)
    this.#depth++
    then()
    const one = this.#count
    this.#count = before
    this.line("} else {")
    otherwise()
    this.#depth--
    this.#count = Math.max(one, this.#count)
    this.line("}")
  }

  /** Writes a piece of code; returns `undefined`, and leaves no trace of it, if it has a part for which no code is written. */
  attempt<A>(write: () => A): A | undefined {
    const lines = this.#lines.length
    const [loops, count, depth] = [this.#loops, this.#count, this.#depth]
    const most = this.#most
    this.#most = Math.min(most, lines + maxLines)
    try {
      return write()
    } catch (cause) {
      if (cause !== notGenerated) throw cause
      this.#lines.length = lines
      this.#loops = loops
      this.#depth = depth
      this.#count = count
      return undefined
    } finally {
      this.#most = most
    }
  }

  /** Writes a piece of code, and returns where it finds elements. The caller fills the holes. */
  find(run: (out: (item: Item) => void) => void): Found<Item> {
    const { isRisky: before } = this
    const count = this.#count
    const loops = this.#loops
    const depth = this.#depth
    let isCertain = true
    this.isRisky = false
    this.#count = 0
    const start = this.hole()
    const sites: Array<Site<Item>> = []
    run((item) => {
      this.#count += this.#loops > loops ? Infinity : 1
      isCertain &&= this.#depth === depth
      sites.push({ item, hole: this.hole() })
    })
    const end = this.hole()
    const found = {
      sites,
      most: this.#count,
      isRisky: this.isRisky,
      isCertain: isCertain && sites.length === 1,
      leave: () => {
        const label = start.text === "" ? `l${this.#names.length}` : start.text.slice(0, -3)
        if (start.text === "") {
          this.#names.push(`_${label}`)
          start.text = `${label}: {`
          end.text = "}"
        }
        return `break ${label}`
      }
    }
    this.isRisky = before || this.isRisky
    this.#count = count
    return found
  }

  get source(): Omit<WrittenCode, "parameters"> {
    const names = this.#names.filter((name) => name.startsWith("t"))
    const lines = this.#lines.map((line) => (typeof line === "string" ? line : line.text)).filter((line) => line !== "")
    return {
      text: [...(names.length === 0 ? [] : [`let ${names.join(", ")}`]), ...lines].join("\n"),
      constants: Array.from(this.#constants.values(), ({ constant }) => constant)
    }
  }
}
