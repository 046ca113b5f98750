/** Plain data as YAML has it. */
export type FixValue = string | boolean | { readonly [name: string]: FixValue }

/**
 * A line of the facility's own mapping that settles a problem, as data. What it decides is for people: `mapping fix` shows it, and writes
 * it when it is told to.
 */
export interface Fix {
  readonly kind: FixKind
  /** The keys from the top of the mapping to the line. */
  readonly at: ReadonlyArray<string>
  readonly value: FixValue
}

export const fixKinds = ["window", "policy", "system", "row", "assumption"] as const

export type FixKind = (typeof fixKinds)[number]
