/**
 * Relations between a source code and its target in a FHIR ConceptMap, by the codes of R4 (`equivalence`) and R5 (`relationship`).
 * In R4 `wider` means that the target is wider than the source; R5 reverses the direction.
 */
export const relations: ReadonlyMap<string, Relation> = new Map<string, Relation>([
  ["equal", "equivalent"],
  ["equivalent", "equivalent"],
  ["wider", "wider"],
  ["subsumes", "wider"],
  ["source-is-narrower-than-target", "wider"],
  ["narrower", "narrower"],
  ["specializes", "narrower"],
  ["source-is-broader-than-target", "narrower"],
  ["relatedto", "related"],
  ["related-to", "related"],
  ["inexact", "inexact"],
  ["unmatched", "none"],
  ["disjoint", "none"],
  ["not-related-to", "none"]
])
export type Relation = "equivalent" | "wider" | "narrower" | "related" | "inexact" | "none"

/** The relations that `accept:` can list. */
export const acceptWords: ReadonlyArray<string> = [...relations].filter(([, relation]) =>
  relation !== "none" && relation !== "equivalent"
).map(([word]) => word)
