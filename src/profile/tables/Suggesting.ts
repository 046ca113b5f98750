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

/** Takes a table for a section. Rows without a visit are placed by their patient and time. */
export const use = (role: Role, out: Suggesting): void => {
  out.used.add(role)
  const link = (role.links.find(([name]) => name === "visit") ?? throughOf(role, out.roles))?.[1]
  const share = role.table.columns.find(({ name }) => name === link?.column)?.share ?? 0
  const time = new TableFinder(role, out.roles).time()
  if (share >= 1 || time === undefined || !role.links.some(([name]) => name === "patient")) return
  out.writer.put(
    ["grouping", "window", role.name],
    `{patient: patient, time: ${time.name}}`,
    link === undefined
      ? "names no visit: placed by its patient and time"
      : "rows that name no visit are placed by their patient and time"
  )
}

/** Codes for rows that have none of their own. */
export const mintCodes = ({ writer }: Suggesting): void => {
  writer.put(["key", "record"], "{path: \"{}\", mint: R}", "codes for rows that have none of their own")
}
