import type { Elements, Variables } from "../FhirPath.ts"

/**
 * What an expression is evaluated in. As in the library, a function over each element (`where`, `select`) leaves its last `$index`
 * behind for what follows it, `aggregate` and `sum` their last `$total`, and operands and arguments work on a copy.
 */
export interface Frame {
  /** `$this`. */
  self: Elements
  /** `$index`. */
  index: number | undefined
  /** `$total`: what `aggregate` has found so far. */
  total: Elements
  /** What the whole expression is evaluated on. */
  readonly root: Elements
  readonly variables: Variables
  /** Of a function of the mapping, and of those that called it. */
  readonly argument: Argument | undefined
  /** What `defineVariable` has defined so far. */
  defined: Readonly<Record<string, Elements>> | undefined
}

/** An argument by its name, and those that are known besides. */
export interface Argument {
  readonly name: string
  readonly value: Elements
  readonly next: Argument | undefined
}

/** A compiled piece of an expression: from its input to what it finds. What it gives is never written to. */
export type EvaluateStep = (frame: Frame, input: Elements) => Elements

const none: Elements = []

/** The frame of an expression that is evaluated by itself. */
export const frameOf = (root: Elements, variables: Variables, argument: Argument | undefined): Frame => ({
  self: root,
  index: undefined,
  total: none,
  root,
  variables,
  argument,
  defined: undefined
})

export const copyOfFrame = (frame: Frame, self: Elements): Frame => ({
  self,
  index: frame.index,
  total: frame.total,
  root: frame.root,
  variables: frame.variables,
  argument: frame.argument,
  defined: frame.defined
})

/** The variables with the arguments among them, for whoever knows variables only. */
export const variablesOf = ({ argument, variables }: Pick<Frame, "argument" | "variables">): Variables => {
  if (argument === undefined) return variables
  const all = Object.create(variablesOf({ argument: argument.next, variables })) as Record<string, unknown>
  all[argument.name] = argument.value
  return all
}
