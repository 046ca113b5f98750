import type { ProfileJson } from "./profile/ProfileJson.ts"
import type { ReportJson } from "./ReportJson.ts"

/** The data of a page, as it is embedded in it; `language` is one of `languages`. */
export type PageData =
  | { readonly page: "report"; readonly language: string; readonly report: ReportJson }
  | { readonly page: "profile"; readonly language: string; readonly profile: ProfileJson; readonly overlay: string }
