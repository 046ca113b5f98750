import type { FhirPath, Variables } from "../../fhirpath/FhirPath.ts"
import type { GroupingPlan } from "../../mapping/grouping/GroupingPlan.ts"

/** By which links the records of a visit are found; part of a mapping. */
export interface Linking {
  readonly fhirPath: FhirPath
  readonly constants: Variables
  readonly grouping: GroupingPlan
  /** The elements that are followed backwards: `DiagnosticReport.result`. */
  readonly backwards: ReadonlySet<string>
  /** Those of them by which a record may reach its visit. */
  readonly backwardsToVisit: ReadonlySet<string>
  /** Names of elements; References under others are never followed. `undefined`: any may be. */
  readonly followed: ReadonlySet<string> | undefined
  /** Types that make visits; records of others only count where one of these refers to them. `undefined`: it may be any. */
  readonly types: ReadonlySet<string> | undefined
}

/** What a name is to a record, in bits. */
export const Link = {
  /** A name by which records are one record, or versions of one. */
  own: 1,
  /** A name that several may have which have nothing to do with each other: an id alone, an identifier. */
  loose: 2,
  /** Its Bundle is a document, and it says what visit that is of. */
  leads: 4,
  /** It refers to the name in an element that a mapping goes from target to source. */
  backwards: 8,
  /** The same, and the record may reach its visit that way. */
  leading: 16,
  /** It refers to the name, and belongs to a patient. */
  ofPatient: 32,
  /** It refers to the name, and is placed by a patient's time. */
  timed: 64,
  /** The same of an encounter, which others are placed in. */
  timedEncounter: 128,
  /** It refers to the name, and a mapping may go there. */
  followed: 256,
  refers: 512,
  /** Its Bundle is a document. */
  inDocument: 1024,
  /** The source says that it deleted what has the name. */
  deleted: 2048
} as const

/** The bits by which somebody has a name. */
export const hasFlag = Link.own | Link.loose | Link.leads

/** What kind of record one is, in bits. */
export const RecordFlags = {
  encounter: 1,
  /** It may stand for a patient. */
  patient: 2,
  /** It has an id or a `fullUrl`. */
  named: 4
} as const
/** Above them stands the number of the type. */
export const recordFlags = 3
