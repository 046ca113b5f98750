import { displayWidth, printable } from "./printable.ts"

/** Aligns cells in columns, three blanks apart. */
export const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const cells = rows.map((row) => row.map(printable))
  const widths: Array<number> = []
  for (const row of cells) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell))
    })
  }
  return cells.map((row) =>
    row.map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - displayWidth(cell))).join("   ").trimEnd()
  )
}
