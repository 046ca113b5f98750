import type { ProfileJson } from "./profile/ProfileJson.ts"
import type { ReportJson } from "./ReportJson.ts"

/** A page of a title and tables. In each text, words in backticks are names. A cell can have several lines: the first is what it says. */
export interface TablesJson {
  readonly title: string
  readonly lead: string
  /** What needs a person; shown in red. */
  readonly alert?: string
  /** Parts without rows are omitted. */
  readonly parts: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly heads: ReadonlyArray<string>
    readonly rows: ReadonlyArray<ReadonlyArray<string | number>>
    /** What the table does not show. */
    readonly note?: string
  }>
  readonly notes: string
}

/** The data of a page, as it is embedded in it; `language` is one of `languageNames`. */
export type PageData =
  | { readonly page: "report"; readonly language: string; readonly report: ReportJson }
  | { readonly page: "profile"; readonly language: string; readonly profile: ProfileJson; readonly overlay: string }
  | { readonly page: "tables"; readonly language: string; readonly tables: TablesJson }
