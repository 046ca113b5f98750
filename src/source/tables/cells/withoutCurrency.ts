import { CellError } from "./CellError.ts"
import { escaped } from "./dateFormat.ts"
import type { CellReader } from "./readCell.ts"

/**
 * Reads the number of a cell that has one of these signs of a currency before or after it: `R$ 1.250,00`, `-$5`, `$ -5`, `5 USD`. Capitals do
 * not matter. The empty sign is for numbers without one. A number with another sign is other money, so its cell is an error.
 */
export const withoutCurrency = (signs: ReadonlyArray<string>, read: CellReader): CellReader => {
  const written = signs.filter((sign) => sign !== "")
  const noSign = new CellError(
    `it is not a number with the sign of its currency: ${written.map((sign) => `\`${sign}\``).join(" or ")}`
  )
  // The longest first: `Rs.` before `Rs`. The number next to a sign begins or ends with a digit, so that the point of `Rs.5` is no decimal sign.
  const any = written.toSorted((one, other) => other.length - one.length).map(escaped).join("|")
  const before = new RegExp(`^([+-]?)\\s*(?:${any})\\s*([+-]?\\d.*)$`, "iu")
  const after = new RegExp(`^(.*\\d)\\s*(?:${any})$`, "iu")
  return (cell) => {
    const text = cell.trim()
    const [, sign = "", number] = before.exec(text) ?? []
    // Two signs, as in `-$-5`, are no number.
    if (number !== undefined) return read(sign + number)
    const amount = after.exec(text)?.[1]
    if (amount !== undefined) return read(amount)
    return signs.includes("") ? read(cell) : noSign
  }
}
