/** Maximum number of rows above a header. */
const maxAbove = 30

/**
 * Returns which of the first rows of a table names its columns, from 0. Rows above it are titles. They have fewer than half as many
 * filled cells as the others, and often fewer cells. Without such titles, it is the first row.
 */
export const headerRow = (rows: ReadonlyArray<ReadonlyArray<string>>): number => {
  const filled = rows.map((row) => row.filter((cell) => cell.trim() !== "").length)
  const usual = filled.toSorted((one, other) => one - other)[Math.floor(filled.length / 2)] ?? 0
  if (usual < 3) return 0
  const at = filled.findIndex((count) => count * 2 >= usual)
  if (at < 1 || at > maxAbove) return 0
  const names = rows[at]!.filter((cell) => cell.trim() !== "")
  // A row of numbers and dates is not a header; neither is a row that repeats a text.
  const isNamed =
    names.filter((name) => /\p{L}/u.test(name) && !/^\d/u.test(name.trim())).length * 3 >= names.length * 2
  return isNamed ? at : 0
}
