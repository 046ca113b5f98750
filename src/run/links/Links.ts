import type { FhirPath, Variables } from "../../fhirpath/FhirPath.ts"
import type { GroupingPlan } from "../../mapping/grouping/GroupingPlan.ts"

/** The links by which the records of a visit are found; part of a mapping. */
export interface LinkRules {
  readonly fhirPath: Pick<FhirPath, "elementOf">
  readonly constants: Variables
  readonly grouping: GroupingPlan
  /** The elements that are followed backwards: `DiagnosticReport.result`. */
  readonly backwards: ReadonlySet<string>
  /** Those by which a record may reach its visit. */
  readonly backwardsToVisit: ReadonlySet<string>
  /** Names of elements; References under others are never followed. `undefined`: any may be. */
  readonly followed: ReadonlySet<string> | undefined
  /** Types that lines read. `undefined`: any type. */
  readonly read: ReadonlySet<string> | undefined
  /**
   * Types that are assigned to visits: those that lines read, and clinical ones, which are only reported. Records of other types count
   * only if one of these refers to them. `undefined`: any type.
   */
  readonly assigned: ReadonlySet<string> | undefined
}

/** Returns true if a type is not among those that are read, or assigned. A row of a table, which begins with a small letter, always is. */
export const isSpareType = (among: ReadonlySet<string> | undefined, type: string): boolean =>
  among !== undefined && !among.has(type) && /^[A-Z]/u.test(type)

/** The relation of a name to a record, as bits. */
export const Link = {
  /** A name that identifies the record: records that share it are copies or versions of one. Example: `Patient/17`. */
  own: 1,
  /** A name that several unrelated records may share. Example: `17`, the id without a type, of Patient/17 and of Encounter/17. */
  loose: 2,
  /** Its Bundle is a document, and it determines the visit of that document. Example: the Composition of the document. */
  leads: 4,
  /** It refers to the name in an element that the mapping follows from target to source. Example: `Observation/5` in `DiagnosticReport.result`. */
  backwards: 8,
  /** The same, and the target may reach its visit that way. Example: an Observation without an encounter is in the visit of its report. */
  leading: 16,
  /** It refers to the name, and belongs to a patient. Example: `Patient/17` in `AllergyIntolerance.patient`. */
  ofPatient: 32,
  /** It refers to the name, and is assigned to a visit by patient and time. Example: `Patient/17` in an Observation, if `window` has the type. */
  timed: 64,
  /** It is an encounter to which such records can be assigned. Example: `Patient/17` in `Encounter.subject`. */
  timedEncounter: 128,
  /** It refers to the name, and a mapping may follow the reference. */
  followed: 256,
  refers: 512,
  /** Its Bundle is a document. */
  inDocument: 1024,
  /** The source states that it deleted the record with this name. */
  deleted: 2048
} as const

/** The flags of links by which a record has a name. */
export const hasFlag = Link.own | Link.loose | Link.leads

/** The kind of a record, as bits. */
export const RecordFlags = {
  encounter: 1,
  /** It may represent a patient. */
  patient: 2,
  /** It has an id or a `fullUrl`. */
  named: 4,
  /** It is in a document, and without an encounter it belongs to the visit of that document. */
  ofDocument: 8
} as const
/** The number of the type is in the bits above these. */
export const flagBits = 4
