declare const kind: unique symbol

/**
 * A code of one kind. Every text can be used as one, because codes come from records and responses. A code of one kind cannot be used as
 * one of another kind: two that are swapped are an error of the compiler.
 */
type CodeOf<Kind extends string> = string & { readonly [kind]?: Kind }

/** Unique for each health facility (§4.5 rule 2). */
export type VisitCode = CodeOf<"visit">

/** Unique in the whole system; the service must know it already (§4.5 rule 1). */
export type PatientCode = CodeOf<"patient">

/** Unique in a record system (§4.5 rule 3). */
export type EncounterCode = CodeOf<"encounter">

/** The code of a health facility; the operator issues it (§4.1). */
export type FacilityCode = CodeOf<"facility">

/** The code of a record system; the operator issues it (§4.1). */
export type SystemCode = CodeOf<"system">
