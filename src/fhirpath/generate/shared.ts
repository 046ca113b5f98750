import { operatorOf } from "../evaluate/operators.ts"

const made = new Map<string, unknown>()

/** Returns what several expressions share, made once. */
export const known = <A>(name: string, make: () => A): A => {
  if (!made.has(name)) made.set(name, make())
  // Each name is used with one type.
  return made.get(name) as A
}

/** Returns the function of an operator on lists. */
export const operators = (symbol: string): unknown => known(`operator ${symbol}`, () => operatorOf(symbol).apply)
