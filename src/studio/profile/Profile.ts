import type { Collated } from "../../diagnostic/collate.ts"
import type { Suggestions } from "./draft/suggest.ts"
import type { ShownIdentifiers, ShownSystem } from "./fhir/Codes.ts"
import type { DateForm } from "./fhir/dates.ts"
import type { LinksOfType } from "./fhir/Links.ts"
import type { ReferenceStyle } from "./fhir/References.ts"
import type { TableProfile } from "./tables/facts/TableProfile.ts"

/** Items and how often each occurs, the most frequent first. */
export type Frequencies<K extends string = string> = ReadonlyArray<readonly [name: K, count: number]>

/** An element and how many records of its type have it. */
export interface ElementProfile {
  /** As FHIRPath writes it. */
  readonly path: string
  readonly records: number
  /** Fraction of the records of the type, 0 to 1. */
  readonly share: number
  /** R4 has no such element. */
  readonly unknown?: true
}

/** The statistics of an input. No values are included, except codes that identify no person. */
export interface Profile {
  readonly files: number
  readonly records: number
  readonly unreadable: number
  readonly problems: ReadonlyArray<Collated>
  readonly bundles: Frequencies
  readonly contained: Frequencies
  readonly types: ReadonlyArray<{
    readonly type: string
    readonly records: number
    readonly elements: ReadonlyArray<ElementProfile>
    /** Elements R4 does not have, and extensions, that are not named: they may name a person. */
    readonly withheld: number
  }>
  readonly identifiers: ReadonlyArray<{ readonly element: string; readonly systems: ReadonlyArray<ShownIdentifiers> }>
  readonly codes: ReadonlyArray<{
    readonly element: string
    readonly systems: ReadonlyArray<ShownSystem>
    /** Values with words and no code. */
    readonly words: number
  }>
  readonly dates: {
    readonly forms: Frequencies<DateForm>
    readonly offsets: Frequencies
    readonly elements: ReadonlyArray<{ readonly element: string; readonly forms: Frequencies<DateForm> }>
  }
  readonly references: {
    readonly styles: Frequencies<ReferenceStyle>
    readonly elements: ReadonlyArray<{
      readonly element: string
      readonly styles: Frequencies<ReferenceStyle>
      readonly targets: Frequencies
      readonly resolved: number
      readonly unresolved: number
      readonly notFollowed: number
    }>
    /** Base addresses that only references have, and whose targets the input has under the same type and id. */
    readonly servers: ReadonlyArray<readonly [base: string, references: number]>
    /** There were more than could be held: unresolved ones are not all known. */
    readonly overflown: boolean
  }
  readonly links: ReadonlyArray<LinksOfType>
  readonly encounters: {
    readonly records: number
    readonly notVisits: number
    readonly members: number
    /** Levels of `partOf`; 1 when there is none. */
    readonly depth: number
    /** Encounters that are part of themselves, by way of others or not: no visit can be made of them. */
    readonly inCircle: number
    readonly parentsMissing: number
    readonly noStart: number
    readonly finished: number
    readonly finishedWithoutEnd: number
    readonly unknownWithoutEnd: number
    readonly noClass: number
    /** Encounters that begin when another of the same patient begins. */
    readonly sameStart: number
  }
  /** Records that occur again: copies and older versions, which are not counted, and other versions that are. */
  readonly again: { readonly same: number; readonly older: number; readonly changed: number }
  readonly deletions: number
  readonly scripts: ReadonlyArray<{ readonly place: string; readonly scripts: Frequencies }>
  /** Texts with invisible characters: zero-width spaces, direction marks. */
  readonly unseenSigns: number
  /** Files of tables, in the order in which they were read. */
  readonly tables: ReadonlyArray<TableProfile>
  readonly suggestions: Suggestions
}
