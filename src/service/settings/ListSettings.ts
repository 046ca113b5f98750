import { pageParameter } from "../wire.ts"

/** The requests for one kind of list, page by page (§4.3, §4.6). */
interface PageSettings {
  readonly perPage: number
  /** The parameter with the page number. */
  readonly pageParam: string
}

/** The facts of a row of the processed list, whose keys the specification does not show (§4.6). */
export const processedFacts = [
  "visitCode",
  "patientCode",
  "admittedAt",
  "status",
  "id",
  "facility"
] as const
export type ProcessedFact = (typeof processedFacts)[number]

/** The path of each fact in a row, as keys. Facts without a path are found by the default keys. */
export type ProcessedFields = Readonly<Partial<Record<ProcessedFact, ReadonlyArray<string>>>>

/** The two paths under which §4.3 documents the standard data; `auto` requests the first, and the second if the first is not found. */
export const referencePaths = ["auto", "/api/v1", "/v1"] as const
/** The requests for the service's lists, and how they are read. */
export interface ListSettings {
  /** The standard data (§4.3). */
  readonly reference: PageSettings & {
    /** The path of the requests. */
    readonly path: (typeof referencePaths)[number]
  }
  /** The list of submitted visits (§4.6). */
  readonly processed: PageSettings & {
    /** The field to sort by; `null` requests no order. */
    readonly sortBy: string | null
    readonly fields: ProcessedFields
  }
}

/** Large pages of the processed list need fewer requests (§8); a service that rejects this number gets the default. */
export const defaultLists: ListSettings = {
  reference: { perPage: 100, pageParam: pageParameter, path: "auto" },
  processed: { perPage: 500, pageParam: pageParameter, sortBy: "admitted_at", fields: {} }
}
