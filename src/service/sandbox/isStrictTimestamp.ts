const timestampForm =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}(?!-00:00)[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)$/u

/** Whether the text is `YYYY-MM-DDTHH:mm:ss.sss+HH:MM` on a day that exists (§2). `Z` is not an offset in this form. */
export const isStrictTimestamp = (text: string): boolean => {
  const found = timestampForm.exec(text)
  return found !== null && isDate(found[1]!)
}

/** Whether the text is `YYYY-MM-DD` of a day that exists (§2). */
export const isDate = (text: string): boolean => {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text)
  if (found === null) return false
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])]
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return year > 0 && day > 0 && day <= (lengths[month - 1] ?? 0)
}
