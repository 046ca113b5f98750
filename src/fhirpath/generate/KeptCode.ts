import { isDeepStrictEqual } from "node:util"
import { Script } from "node:vm"
import { getOrMake } from "../../maps.ts"
import type { Variables } from "../FhirPath.ts"
import {
  type KeptElement,
  keptElement,
  keptShape,
  notKept,
  orNotKept,
  restoredElement,
  restoredElements,
  restoredShape
} from "./keptElements.ts"
import { runtime } from "./runtime.ts"
import { type KnownUnit, nothingGiven, type Unit, type WrittenVariant } from "./Units.ts"
import { type Constant, type ConstantSources, valueOfConstant, type WrittenCode } from "./write/constants.ts"

/** The generated code of a mapping, as data for the next run. It has no data of records. */
export interface KeptCode {
  readonly functions: ReadonlyArray<KeptFunction>
  /** What V8 compiled them to. */
  readonly bytecode: Uint8Array
  readonly units: ReadonlyArray<KeptUnit>
  readonly variants: ReadonlyArray<KeptVariant>
}

interface KeptFunction extends Omit<WrittenCode, "constants"> {
  readonly constants: ReadonlyArray<KeptConstant>
}

type KeptConstant =
  | Exclude<Constant, readonly ["element" | "elements" | "arguments" | "unit", ...ReadonlyArray<unknown>]>
  | readonly ["element", KeptElement]
  | readonly ["elements", ReadonlyArray<KeptElement>]
  | readonly ["arguments", ReadonlyArray<ReadonlyArray<KeptElement>>]
  /** By its index. */
  | readonly ["unit", number]

interface KeptUnit extends Omit<Unit<unknown>, "run" | "written"> {
  readonly key: string
  readonly names: ReadonlyArray<string>
  readonly kinds: string
  /** Index of its function. */
  readonly code: number
}

export interface KeptVariant extends Omit<WrittenVariant, "written" | "isProven"> {
  /** Index of its function; `null` if no code can be written. */
  readonly code: number | null
}

/** Makes a function from the values of its constants. */
type Maker = (...constants: ReadonlyArray<unknown>) => unknown

/** Returns the makers of some functions. `called`: the values of the names of `runtime`. */
export const makersOf = (
  functions: ReadonlyArray<FunctionText>,
  called: ReadonlyArray<unknown>,
  bytecode?: Uint8Array
): ReadonlyArray<Maker> => {
  const script = new Script(scriptOf(functions), bytecode === undefined ? {} : { cachedData: bytecode })
  // What `scriptOf` writes.
  const makers = script.runInThisContext() as (...called: ReadonlyArray<unknown>) => ReadonlyArray<Maker>
  return makers(...called)
}

/** The text of a function; its constants are only counted. */
interface FunctionText extends Pick<WrittenCode, "parameters" | "text"> {
  readonly constants: ReadonlyArray<unknown>
}

/**
 * Returns a script that returns the makers of functions. Their texts consist of names of the model and of quoted literals: see `Writer`.
 * In parentheses, V8 compiles all of them with the script.
 */
const scriptOf = (functions: ReadonlyArray<FunctionText>): string => {
  const makers = functions.map(({ constants, parameters, text }) =>
    `((${constants.map((_, index) => `k${index}`).join(", ")}) => ((${parameters}) => {\n${text}\n}))`
  )
  return `"use strict"\n;((${Object.keys(runtime).join(", ")}) => [\n${makers.join(",\n")}\n])`
}

/** Generated code that an earlier run kept. */
export class LoadedCode {
  readonly kept: KeptCode
  readonly #makers: ReadonlyArray<Maker>
  readonly #units = new Map<number, KnownUnit>()
  readonly #byKey: ReadonlyMap<string, ReadonlyArray<number>>
  readonly #byTask: ReadonlyMap<string, ReadonlyArray<KeptVariant>>
  readonly #functions: ConstantSources["functions"]

  constructor(kept: KeptCode, functions: ConstantSources["functions"]) {
    this.kept = kept
    this.#makers = makersOf(kept.functions, Object.values(runtime), kept.bytecode)
    this.#byKey = Map.groupBy(kept.units.keys(), (index) => kept.units[index]?.key ?? "")
    this.#byTask = Map.groupBy(kept.variants, ({ task }) => task)
    this.#functions = functions
  }

  /** The units that were used, with their indexes. */
  get used(): ReadonlyMap<number, KnownUnit> {
    return this.#units
  }

  variantsOf(task: string): ReadonlyArray<KeptVariant> {
    return this.#byTask.get(task) ?? []
  }

  unitsOf(key: string, variables: Variables): ReadonlyArray<KnownUnit> {
    return (this.#byKey.get(key) ?? []).flatMap((index) => orNotKept(() => this.#unit(index, variables)) ?? [])
  }

  /** Returns a function; `undefined` if a constant of the mapping has another value than before. */
  functionOf(code: number, given: ConstantSources["given"], variables: Variables): unknown {
    return orNotKept(() => this.#function(code, given, variables).run)
  }

  #function(code: number, given: ConstantSources["given"], variables: Variables) {
    const kept = this.kept.functions[code]
    if (kept === undefined) throw notKept
    const constants = kept.constants.map((one) => this.#constant(one, variables))
    const sources = { functions: this.#functions, given, variables }
    const run = this.#makers[code]?.(...constants.map((one) => valueOfConstant(one, sources)))
    return { run, written: { ...kept, constants } }
  }

  #constant(constant: KeptConstant, variables: Variables): Constant {
    switch (constant[0]) {
      case "element":
        return ["element", restoredElement(constant[1])]
      case "elements":
        return ["elements", restoredElements(constant[1])]
      case "arguments":
        return ["arguments", constant[1].map(restoredElements)]
      case "variable":
        if (!isDeepStrictEqual(variables[constant[1]], constant[2])) throw notKept
        return constant
      case "unit":
        return ["unit", this.#unit(constant[1], variables).unit ?? notUnit()]
      default:
        return constant
    }
  }

  #unit(index: number, variables: Variables): KnownUnit {
    return getOrMake(this.#units, index, () => {
      const { code, key: _, kinds, names, shape, ...facts } = this.kept.units[index] ?? notUnit()
      const unit = { ...facts, ...this.#function(code, nothingGiven, variables), shape: restoredShape(shape) }
      return { names, kinds, unit }
    })
  }
}

const notUnit = (): never => {
  throw notKept
}

/** Adds code to what an earlier run kept. */
class CodePacker {
  readonly functions: Array<KeptFunction>
  readonly units: Array<KeptUnit>
  readonly #keys: ReadonlyMap<Unit<unknown>, readonly [key: string, of: KnownUnit]>
  readonly #indexes = new Map<Unit<unknown>, number | undefined>()

  constructor(loaded: LoadedCode | undefined, units: ReadonlyMap<string, ReadonlyArray<KnownUnit>>) {
    this.functions = [...loaded?.kept.functions ?? []]
    this.units = [...loaded?.kept.units ?? []]
    for (const [index, { unit }] of loaded?.used ?? []) if (unit !== undefined) this.#indexes.set(unit, index)
    this.#keys = new Map(
      [...units].flatMap(([key, all]) => all.map((one) => [one, key] as const))
        .flatMap(([one, key]) => (one.unit === undefined ? [] : [[one.unit, [key, one]] as const]))
    )
  }

  /** Returns the index of a function; throws if one of its constants cannot be kept. */
  add({ constants, parameters, text }: WrittenCode): number {
    const kept = constants.map((one) => this.#constant(one))
    return this.functions.push({ parameters, text, constants: kept }) - 1
  }

  #constant(constant: Constant): KeptConstant {
    switch (constant[0]) {
      case "element":
        return ["element", keptElement(constant[1])]
      case "elements":
        return ["elements", constant[1].map(keptElement)]
      case "arguments":
        return ["arguments", constant[1].map((elements) => elements.map(keptElement))]
      case "variable":
        // The next run compares it with its own value, so it must come back unchanged.
        if (!isDeepStrictEqual(structuredClone(constant[2]), constant[2])) throw notKept
        return constant
      case "unit":
        return ["unit", this.#indexOf(constant[1]) ?? notUnit()]
      default:
        return constant
    }
  }

  #indexOf(unit: Unit<unknown>): number | undefined {
    if (!this.#indexes.has(unit)) this.#indexes.set(unit, orNotKept(() => this.#addUnit(unit)))
    return this.#indexes.get(unit)
  }

  #addUnit(unit: Unit<unknown>): number {
    const [key, { kinds, names }] = this.#keys.get(unit) ?? notUnit()
    const { run: _, shape, written, ...facts } = unit
    const code = this.add(written)
    return this.units.push({ ...facts, key, names, kinds, shape: keptShape(shape), code }) - 1
  }
}

const nameOfVariant = ({ isList, parent, path, task }: Omit<KeptVariant, "code" | "elements">): string =>
  JSON.stringify([task, path, isList, parent ?? (parent === null ? "" : 0)])

/** Returns generated code as data, together with what an earlier run kept; `undefined` if none is new. */
export const keptCodeOf = (
  loaded: LoadedCode | undefined,
  units: ReadonlyMap<string, ReadonlyArray<KnownUnit>>,
  variants: Iterable<WrittenVariant>
): KeptCode | undefined => {
  const packer = new CodePacker(loaded, units)
  const known = new Set(loaded?.kept.variants.map(nameOfVariant))
  const kept: Array<KeptVariant> = []
  for (const variant of variants) {
    const { elements, isList, parent, path, task, written } = variant
    // Several branches can have one task.
    if (known.has(nameOfVariant(variant))) continue
    const code = written === null ? null : orNotKept(() => packer.add(written))
    if (code === undefined) continue
    known.add(nameOfVariant(variant))
    kept.push({ task, path, isList, parent, elements, code })
  }
  if (kept.length === 0) return undefined
  const { functions, units: allUnits } = packer
  return {
    functions,
    bytecode: new Script(scriptOf(functions)).createCachedData(),
    units: allUnits,
    variants: [...loaded?.kept.variants ?? [], ...kept]
  }
}
