import { inequalityOfTimes, operatorOf } from "../../evaluate/operators.ts"
import type { TimeKind } from "../../evaluate/times.ts"
import { typeTest } from "../../evaluate/types.ts"
import type { Element, Elements, PathFunction, Variables } from "../../FhirPath.ts"
import { unquoted } from "../../syntax/treeParts.ts"
import { runtime } from "../runtime.ts"
import type { Unit } from "../Units.ts"

/** A value that the code of a function uses unchanged, named so that it can be made again. */
export type Constant =
  /** One that the task gives to its code, such as a condition. */
  | readonly ["given", name: string]
  | readonly ["element", Element]
  | readonly ["elements", Elements]
  | readonly ["arguments", ReadonlyArray<Elements>]
  | readonly ["variable", name: string, value: unknown]
  /** Names of elements, which are complete when the function is written. */
  | readonly ["names", ReadonlySet<string>]
  | readonly ["unit", Unit<unknown>]
  /** A function of the mapping language, or its form for one element. */
  | readonly ["function", name: string, form: "forEach" | "forSome" | "whole"]
  | readonly ["standard", name: string, arity: number, form: "plainly" | "slowly"]
  | readonly ["operator", symbol: string]
  | readonly ["order", symbol: string, one: TimeKind, other: TimeKind]
  | readonly ["type", operator: "is" | "ofType", name: string]
  | readonly ["choice", path: string, name: string]
  | readonly ["step", name: string, atRoot: 1 | 2 | undefined]

/** The text of a function, its parameters, and its constants `k0`, `k1`, and so on. */
export interface WrittenCode {
  readonly parameters: string
  readonly text: string
  readonly constants: ReadonlyArray<Constant>
}

/** What the constants of a function are made from. */
export interface ConstantSources {
  readonly functions: ReadonlyMap<string, PathFunction>
  readonly variables: Variables
  /** What the task gives to its code. */
  readonly given: ReadonlyMap<string, unknown>
}

/** Identifies a constant: two that are equal share a name in the code. */
export const keyOfConstant = (constant: Constant): unknown =>
  typeof constant[1] === "object" ? constant[1] : constant[0] === "variable" ? constant[1] : constant.join(" ")

export const valueOfConstant = (constant: Constant, { functions, given, variables }: ConstantSources): unknown => {
  switch (constant[0]) {
    case "given":
      return given.get(constant[1])
    case "element":
    case "elements":
    case "arguments":
    case "names":
      return constant[1]
    case "variable":
      return variables[constant[1]]
    case "unit":
      return constant[1].run
    case "function": {
      const [, name, form] = constant
      const own = functions.get(name)
      return form === "whole" ? own : own?.[form]
    }
    default:
      return shared(constant)
  }
}

type SharedConstant = Extract<
  Constant,
  readonly ["standard" | "operator" | "order" | "type" | "choice" | "step", ...unknown[]]
>

const made = new Map<string, unknown>()

/** Returns a value that all functions share. */
const shared = (constant: SharedConstant): unknown => {
  const key = constant.join(" ")
  if (!made.has(key)) made.set(key, make(constant))
  return made.get(key)
}

const make = (constant: SharedConstant): unknown => {
  switch (constant[0]) {
    case "standard": {
      const [, name, arity, form] = constant
      return runtime.standard(name, arity)[form]
    }
    case "operator":
      return operatorOf(constant[1]).apply
    case "order": {
      const [, symbol, one, other] = constant
      return inequalityOfTimes(symbol, one, other)
    }
    case "type": {
      const [, operator, name] = constant
      return typeTest(operator, name.split(".").map(unquoted))
    }
    case "choice": {
      const [, path, name] = constant
      return runtime.choice(path, name)
    }
    case "step": {
      const [, name, atRoot] = constant
      return runtime.from(name, atRoot)
    }
  }
}
