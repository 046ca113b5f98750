import { getOrMake } from "../../maps.ts"
import { type Effect, effectOfTree } from "../effectOf.ts"
import { isNode, type Node } from "../evaluate/Node.ts"
import type { Elements, GeneratedEngine, PathFunction, Variables } from "../FhirPath.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import { type KeptCode, keptCodeOf, type KeptVariant, LoadedCode, makersOf } from "./KeptCode.ts"
import { keptElement, orNotKept } from "./keptElements.ts"
import { canRead } from "./regular.ts"
import { runtime } from "./runtime.ts"
import { valueOfConstant, type WrittenCode } from "./write/constants.ts"
import { nameOfRoot, type Root } from "./write/items.ts"
import { Writer } from "./write/Writer.ts"

/** A task for which code is written: an expression, the conditions of a branch, or fields of a row. */
export interface Task {
  /** Tasks of a mapping with the same name have the same code. */
  readonly name: string
  /** What the code uses of it: see `Constant`. */
  readonly given: ReadonlyMap<string, unknown>
}

/** The code of a task for one type of focus. */
export interface WrittenVariant {
  readonly task: string
  readonly path: string
  readonly isList: boolean
  readonly parent: string | null | undefined
  readonly elements: ReadonlySet<string>
  /** `null`: no code can be written. */
  readonly written: WrittenCode | null
  /** The definition has made the same as this code did. */
  readonly isProven: () => boolean
}

export const nothingGiven: ReadonlyMap<string, unknown> = new Map()

/** A function that other generated functions call. */
export interface Unit<Shape> {
  readonly run: unknown
  readonly written: WrittenCode
  /** What it returns. */
  readonly shape: Shape
  readonly isRisky: boolean
  /** It returns `null` if the variables are not those that it was written for. */
  readonly hasGuards: boolean
  /** What it returns may be of another record than its focus: it has checked only what it reads of that record itself. */
  readonly reachesOthers: boolean
  /** The variables that it reads. It is for one type of each. */
  readonly variables: ReadonlySet<string>
  /** The elements that it takes as written as the model says. */
  readonly read: ReadonlySet<string>
}

/** Notes that something happened since it was last asked. */
class Mark {
  #isSet = false

  set(): void {
    this.#isSet = true
  }

  take(): boolean {
    const wasSet = this.#isSet
    this.#isSet = false
    return wasSet
  }
}

/** The generated functions of an engine that are shared. */
export class Units {
  readonly functions: ReadonlyMap<string, PathFunction>
  /** How often the definition does a task before code is written for it: writing takes as long as many evaluations. */
  readonly after: number
  readonly canRead: (node: Node, elements: ReadonlySet<string>) => boolean
  readonly proves: boolean
  readonly #alter: (text: string) => string
  /** The values of the names of `runtime`. */
  readonly #called: ReadonlyArray<unknown>
  /** The definition does everything. */
  #isOff: boolean
  #loaded: LoadedCode | undefined
  readonly #written: Array<WrittenVariant> = []
  /** Set when code runs that has run only a few times. */
  readonly newCode = new Mark()
  /** The record on which generated code and the definition found different elements: `Observation/12`. */
  difference: string | undefined
  /** Set when the definition does a task for which code is due: there is none, or it cannot do the task. */
  readonly left = new Mark()
  /** The functions of each name, and for what kinds of variables they were written. */
  readonly #known = new Map<string, ReadonlyArray<KnownUnit>>()
  readonly #effects = new WeakMap<SyntaxNode, Effect>()

  constructor(
    functions: ReadonlyMap<string, PathFunction>,
    { after = 40, alter = (text) => text, canRead: reads = canRead, proves = true, waits }: GeneratedEngine
  ) {
    this.functions = functions
    this.after = after
    this.canRead = reads
    this.proves = proves
    this.#alter = alter
    this.#called = Object.values({ ...runtime, canRead: reads })
    this.#isOff = waits === true
  }

  /** Returns whether evaluating a part of an expression reports something. */
  reports(node: SyntaxNode): boolean {
    return getOrMake(this.#effects, node, () => effectOfTree(node, this.functions)) === "reports"
  }

  /** Begins to generate code. */
  start(): void {
    this.#isOff = false
  }

  get isOff(): boolean {
    return this.#isOff
  }

  /** Does a task without generated code. */
  without<A>(task: () => A): A {
    const before = this.#isOff
    this.#isOff = true
    try {
      return task()
    } finally {
      this.#isOff = before
    }
  }

  /** Returns a function by its name, made on first use; `undefined` if it cannot be generated. It has the parameters `f`, `v` and `s`. */
  make<Shape extends NonNullable<unknown>>(
    name: string,
    root: Root,
    variables: Variables,
    args: ReadonlyMap<string, Elements>,
    write: (writer: Writer) => Shape
  ): Unit<Shape> | undefined {
    const given = nameOfArguments(args)
    if (given === undefined) return undefined
    const key = `${name} ${nameOfRoot(root)} ${given}`
    const known = getOrMake(this.#known, key, () => this.#loaded?.unitsOf(key, variables) ?? [])
    const same = known.find(({ kinds, names }) => kindsOf(variables, names) === kinds)
    // A function of this name always has this shape.
    if (same !== undefined) return same.unit as Unit<Shape> | undefined
    const all = Object.keys(variables)
    // A body that calls itself is not generated.
    this.#known.set(key, [...known, { names: all, kinds: kindsOf(variables, all), unit: undefined }])
    const writer = new Writer(this, variables, root, args)
    const unit = generated(() => {
      // A body that is written into itself many times would be endless.
      const shape = writer.code.attempt(() => write(writer))
      if (shape === undefined) return undefined
      const { hasGuards, isRisky, reachesOthers, read, readVariables } = writer
      const written = writer.written("f, v, s")
      const run = this.functionOf(written, nothingGiven, variables)
      return { shape, run, written, isRisky, hasGuards, reachesOthers, variables: readVariables, read }
    })
    if (unit === undefined) return undefined
    const names = [...unit.variables]
    this.#known.set(key, [...known, { names, kinds: kindsOf(variables, names), unit }])
    return unit
  }

  /** Returns the function of a written text. */
  functionOf(written: WrittenCode, given: Task["given"], variables: Variables): unknown {
    const sources = { functions: this.functions, given, variables }
    const [make] = makersOf([{ ...written, text: this.#alter(written.text) }], this.#called)
    return make?.(...written.constants.map((one) => valueOfConstant(one, sources)))
  }

  /** Uses code that an earlier run kept. */
  use(kept: KeptCode): void {
    this.#loaded = new LoadedCode(kept, this.functions)
  }

  /** Returns code of an earlier run for a task. */
  loadedFor({ given, name }: Task, variables: Variables, isFor: (variant: KeptVariant) => boolean) {
    const loaded = this.#loaded
    const variant = loaded?.variantsOf(name).find(isFor)
    if (loaded === undefined || variant === undefined) return undefined
    const { code, elements, parent } = variant
    if (code === null) return { elements, parent, run: null }
    const run = loaded.functionOf(code, given, variables)
    return run === undefined ? undefined : { elements, parent, run }
  }

  /** Notes the code of a task. */
  note(variant: WrittenVariant): void {
    this.#written.push(variant)
  }

  /** Returns the code for the next run; `undefined` if an earlier run kept all of it. Code that is not proven is not kept. */
  kept(): KeptCode | undefined {
    return keptCodeOf(this.#loaded, this.#known, this.#written.filter(({ isProven }) => isProven()))
  }
}

/** Returns a name for constant arguments; `undefined` if one of them is an element of a record. */
const nameOfArguments = (args: ReadonlyMap<string, Elements>): string | undefined =>
  orNotKept(() => JSON.stringify(Array.from(args, ([name, elements]) => [name, elements.map(keptElement)])))

export interface KnownUnit {
  readonly names: ReadonlyArray<string>
  readonly kinds: string
  readonly unit: Unit<unknown> | undefined
}

/** Returns the types of some variables, which hold elements of records. */
const kindsOf = (variables: Variables, names: ReadonlyArray<string>): string =>
  names.map((name) => {
    const value = variables[name]
    const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : undefined
    const kind = isNode(only) ? only.path : Array.isArray(value) ? Math.min(value.length, 2) : ""
    return name in variables ? `${name} ${kind}` : ""
  }).join(" ")

/** Returns `undefined` for what cannot be generated. */
export const generated = <A>(make: () => A): A | undefined => {
  try {
    return make()
  } catch {
    // Whatever the reason, the definition does the task.
    return undefined
  }
}
