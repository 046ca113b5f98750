import type { Elements, Variables, ZoneScope } from "../FhirPath.ts"

/**
 * The state of an expression's evaluation. As in the library, a function over each element (`where`, `select`) leaves its last `$index` for
 * the following steps. `aggregate` and `sum` leave their last `$total`; operands and arguments use a copy.
 */
export interface Frame {
  /** `$this`. */
  self: Elements
  index: number | undefined
  /** `$total`: the intermediate result of `aggregate`. */
  total: Elements
  /** The input of the whole expression. */
  readonly root: Elements
  readonly variables: Variables
  readonly scope: ZoneScope
  /** The argument of a function of the mapping, and those of its callers. */
  readonly argument: Argument | undefined
  /** The variables that `defineVariable` has defined so far. */
  defined: Readonly<Record<string, Elements>> | undefined
}

/** An argument by its name, linked to the enclosing ones. */
interface Argument {
  readonly name: string
  readonly value: Elements
  readonly next: Argument | undefined
}

/** A compiled step of an expression: it maps its input to a result. The result is never modified. */
export type EvaluateStep = (frame: Frame, input: Elements) => Elements

const none: Elements = []

/** Returns the frame of an expression that is evaluated by itself. */
export const frameOf = (
  root: Elements,
  variables: Variables,
  scope: ZoneScope,
  argument: Argument | undefined
): Frame => ({
  self: root,
  index: undefined,
  total: none,
  root,
  variables,
  scope,
  argument,
  defined: undefined
})

export const copyOfFrame = (frame: Frame, self: Elements): Frame => ({
  self,
  index: frame.index,
  total: frame.total,
  root: frame.root,
  variables: frame.variables,
  scope: frame.scope,
  argument: frame.argument,
  defined: frame.defined
})

/** Returns the variables together with the arguments, for code that only supports variables. */
export const variablesOf = ({ argument, variables }: Pick<Frame, "argument" | "variables">): Variables => {
  if (argument === undefined) return variables
  const all: Record<string, unknown> = Object.create(variablesOf({ argument: argument.next, variables }))
  all[argument.name] = argument.value
  return all
}
