import type { Profile } from "../../profile/Profile.ts"
import { formatColumn, formatLink } from "../../profile/tables/columns/formatColumn.ts"

/** A profile as data for its page: with descriptions of columns and links, and without values in problems. */
export interface ProfileJson extends Omit<Profile, "tables" | "problems"> {
  readonly tables: ReadonlyArray<
    Profile["tables"][number] & {
      /** The description of each column, in column order. */
      readonly seen: ReadonlyArray<ReadonlyArray<string>>
      /** The description of each link, in the same order. */
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
