/** A time to the second or the millisecond, with its offset; none of the spellings in which libraries differ. */
const exact =
  /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?(?:Z|\+(?:0\d|1[0-3]):[0-5]\d|-(?:0[1-9]|1[0-3]):[0-5]\d)$/u

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const known = new Map<string, number | undefined>()

/** The moment that a text names to the second, in milliseconds since 1970; `undefined` for every other text. */
export const momentOf = (text: string): number | undefined => {
  const moment = known.get(text)
  if (moment !== undefined || known.has(text)) return moment
  if (known.size > 10_000) known.clear()
  const parts = exact.exec(text)
  const found = parts === null || Number(parts[2]) > days[Number(parts[1]) - 1]! ? undefined : Date.parse(text)
  known.set(text, found)
  return found
}
