import type { Profile } from "../../profile/Profile.ts"
import { formatColumn, formatLink } from "../../profile/tables/formatColumn.ts"

/** A profile as its page needs it: with what is said of columns and links, and of problems nothing that may hold a value. */
export interface ProfileJson extends Omit<Profile, "tables" | "problems"> {
  readonly tables: ReadonlyArray<
    Profile["tables"][number] & {
      /** What is said of each column, in its order. */
      readonly seen: ReadonlyArray<ReadonlyArray<string>>
      /** What is said of each link, in its order. */
      readonly leads: ReadonlyArray<string>
    }
  >
  readonly problems: ReadonlyArray<{ readonly code: string; readonly message: string; readonly count: number }>
}

export const profileJson = (profile: Profile): ProfileJson => ({
  ...profile,
  tables: profile.tables.map((table) => ({
    ...table,
    seen: table.columns.map((column) => formatColumn(column, table)),
    leads: table.links.map(formatLink)
  })),
  problems: profile.problems.map(({ count, first: { code, title } }) => ({ code, message: title, count }))
})
