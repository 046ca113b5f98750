/** Plain data as in YAML. */
type FixValue = string | boolean | { readonly [name: string]: FixValue }

/**
 * A line of the facility's own mapping that resolves a problem, as data. The decision is the user's: `mapping fix` shows the line and
 * writes it only on request.
 */
export interface Fix {
  readonly kind: FixKind
  /** The keys from the root of the mapping to the line. */
  readonly at: ReadonlyArray<string>
  readonly value: FixValue
}

export const fixKinds = ["window", "policy", "system", "row", "assumption"] as const

export type FixKind = (typeof fixKinds)[number]
