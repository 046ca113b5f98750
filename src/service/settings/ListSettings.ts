import { pageParameter } from "../wire.ts"

/** How one kind of list is asked for, page by page (§4.3, §4.6). */
export interface PageSettings {
  /** Rows of a page. */
  readonly perPage: number
  /** The parameter that asks for a page. */
  readonly pageParam: string
}

/** The facts of a row of the processed list, whose keys the specification does not show (§4.6). */
export const processedFacts = [
  "visitCode",
  "patientCode",
  "admittedAt",
  "status",
  "id",
  "createdAt",
  "facility"
] as const
export type ProcessedFact = (typeof processedFacts)[number]

/** Where a fact stands in a row: the keys that lead to it. What is not named is found by the usual keys. */
export type ProcessedFields = Readonly<Partial<Record<ProcessedFact, ReadonlyArray<string>>>>

/** The two paths under which §4.3 documents the standard data; `auto` asks the one, and where it is not there the other. */
export const referencePaths = ["auto", "/api/v1", "/v1"] as const
export type ReferencePath = (typeof referencePaths)[number]

/** How the lists of the service are asked for and read. */
export interface ListSettings {
  /** The standard data (§4.3). */
  readonly reference: PageSettings & {
    /** Where it is asked for. */
    readonly path: ReferencePath
  }
  /** The list of submitted visits (§4.6). */
  readonly processed: PageSettings & {
    /** The field it is to be sorted by; `null` asks for no order. */
    readonly sortBy: string | null
    readonly fields: ProcessedFields
  }
}

/** Large pages of the processed list spare requests (§8); a service that takes no such number is asked for the usual one. */
export const defaultLists: ListSettings = {
  reference: { perPage: 100, pageParam: pageParameter, path: "auto" },
  processed: { perPage: 500, pageParam: pageParameter, sortBy: "admitted_at", fields: {} }
}
