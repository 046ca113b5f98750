/**
 * Relations between a source code and its target in a FHIR ConceptMap, by the codes of R4 (`equivalence`) and R5 (`relationship`).
 * In R4 `wider` means that the target is wider than the source; R5 reverses the direction.
 */
export const relations: ReadonlyMap<string, Relation> = new Map(
  ([
    ["equivalent", "equal equivalent"],
    ["wider", "wider subsumes source-is-narrower-than-target"],
    ["narrower", "narrower specializes source-is-broader-than-target"],
    ["related", "relatedto related-to"],
    ["inexact", "inexact"],
    ["none", "unmatched disjoint not-related-to"]
  ] as const).flatMap(([relation, words]) => words.split(" ").map((word) => [word, relation] as const))
)
export type Relation = "equivalent" | "wider" | "narrower" | "related" | "inexact" | "none"

/** The relations that `accept:` can list. */
export const acceptWords: ReadonlyArray<string> = [...relations].filter(([, relation]) =>
  relation !== "none" && relation !== "equivalent"
).map(([word]) => word)
