/** As many rows may stand above a header. */
const maxAbove = 30

/**
 * Which of the first rows of a table names its columns, from 0. Rows above it are titles: they have fewer than half the cells of the others
 * filled, and often fewer cells. It is the first row unless such rows stand above.
 */
export const headerRow = (rows: ReadonlyArray<ReadonlyArray<string>>): number => {
  const filled = rows.map((row) => row.filter((cell) => cell.trim() !== "").length)
  const usual = filled.toSorted((one, other) => one - other)[Math.floor(filled.length / 2)] ?? 0
  if (usual < 3) return 0
  const at = filled.findIndex((count) => count * 2 >= usual)
  if (at < 1 || at > maxAbove) return 0
  const names = rows[at]!.filter((cell) => cell.trim() !== "")
  // A row of numbers and dates names nothing; neither does one that says the same twice.
  const isNamed =
    names.filter((name) => /\p{L}/u.test(name) && !/^\d/u.test(name.trim())).length * 3 >= names.length * 2
  return isNamed ? at : 0
}
