import type { OverlayWriter } from "../OverlayWriter.ts"
import { TableFinder } from "./TableFinder.ts"
import type { Role } from "./TableRole.ts"

/** What comes together while lines for tables are suggested. */
export interface Suggesting {
  readonly writer: OverlayWriter
  readonly roles: ReadonlyArray<Role>
  readonly notes: Array<string>
  readonly standIns: Array<string>
  /** Tables some section reads. */
  readonly used: Set<Role>
}

/** Rows that name the visit, whose row another names, or that can be placed by their patient and time. */
export const reaches = (role: Role, { roles }: Suggesting): boolean =>
  namesVisit(role) || throughOf(role, roles) !== undefined ||
  (role.links.some(([name]) => name === "patient") && new TableFinder(role, roles).time() !== undefined)

export const namesVisit = ({ links }: Role): boolean => links.some(([name]) => name === "visit")

/** The row of another table that names the visit. */
export const throughOf = (role: Role, roles: ReadonlyArray<Role>) =>
  role.links.find(([, , target]) =>
    target !== "visit" && target !== "patient" &&
    roles.some((other) =>
      other.name === target && (namesVisit(other) || other.links.some(([name]) => name === "patient"))
    )
  )

/**
 * Takes a table for a section. Rows that can name no visit are placed by their patient and time; where some name one and others do not, it
 * is left to people: whoever leaves the visit out may mean that there was none.
 */
export const use = (role: Role, { notes, roles, used, writer }: Suggesting): void => {
  if (used.has(role)) return
  used.add(role)
  const link = (role.links.find(([name]) => name === "visit") ?? throughOf(role, roles))?.[1]
  const share = role.table.columns.find(({ name }) => name === link?.column)?.share ?? 0
  const time = new TableFinder(role, roles).time()
  if (share >= 1 || time === undefined || !role.links.some(([name]) => name === "patient")) return
  const window = `{patient: patient, time: ${time.name}}`
  if (link === undefined) {
    writer.put(["grouping", "window", role.name], window, "names no visit: placed by its patient and time")
  } else {
    notes.push(
      `${
        Math.max(1, Math.round((1 - share) * 100))
      }% of the rows of \`${role.name}\` name no visit: to place them by their patient and time, say  grouping: {window: {${role.name}: ${window}}}`
    )
  }
}

/** Codes for rows that have none of their own. */
export const mintCodes = ({ writer }: Suggesting): void => {
  writer.put(["key", "record"], "{path: \"{}\", mint: R}", "codes for rows that have none of their own")
}
