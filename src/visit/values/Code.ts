import { Brand } from "effect"

// Codes of two kinds are texts that look alike, and a swap would send a visit to a wrong place. Therefore each kind is a type of its own.
// A text becomes a code only where data enters: a schema, a response, a setting, the journal, or a visit that a mapping made.

/** Unique for each health facility (§4.5 rule 2). */
export type VisitCode = Brand.Branded<string, "VisitCode">
export const VisitCode = Brand.nominal<VisitCode>()

/** Unique in the whole system; the service must know it already (§4.5 rule 1). */
export type PatientCode = Brand.Branded<string, "PatientCode">
export const PatientCode = Brand.nominal<PatientCode>()

/** Unique in a record system (§4.5 rule 3). */
export type EncounterCode = Brand.Branded<string, "EncounterCode">
export const EncounterCode = Brand.nominal<EncounterCode>()

/** The code of a health facility; the operator issues it (§4.1). */
export type FacilityCode = Brand.Branded<string, "FacilityCode">
export const FacilityCode = Brand.nominal<FacilityCode>()

/** The code of a record system; the operator issues it (§4.1). */
export type SystemCode = Brand.Branded<string, "SystemCode">
export const SystemCode = Brand.nominal<SystemCode>()
