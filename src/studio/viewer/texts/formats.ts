/** Every language writes these with the same digits. The first formatter of a process takes a twentieth of the time of a short command. */
const isSmall = (count: number): boolean => Number.isInteger(count) && count >= 0 && count < 1000

/** Numbers and times as a language writes them; `locale` is BCP 47. */
export const formats = (locale: string) => {
  // Made on first use: every language is loaded, and one is read.
  let numbers: Intl.NumberFormat | undefined
  let percents: Intl.NumberFormat | undefined
  const percent = (share: number): string =>
    (percents ??= new Intl.NumberFormat(locale, { style: "percent" })).format(share)
  const date = (options: Intl.DateTimeFormatOptions) => (iso: string): string =>
    new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options }).format(new Date(iso))
  const minute = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" } as const
  return {
    number: (count: number): string =>
      isSmall(count) ? String(count) : (numbers ??= new Intl.NumberFormat(locale)).format(count),
    /** Returns a share: 100 % only if nothing is missing, 0 % only if there is nothing. */
    percent: (part: number, whole: number): string => {
      const share = whole === 0 ? 0 : part / whole
      if (share > 0 && share < 0.01) return `< ${percent(0.01)}`
      return percent(share === 1 ? 1 : Math.min(0.99, share))
    },
    /** Formats a day, or the day of a time, in ISO 8601. */
    day: date({ dateStyle: "medium" }),
    shortDay: date({ day: "numeric", month: "short" }),
    time: (iso: string, zone: string): string => date({ timeZone: zone, ...minute })(iso),
    /** `Asia/Phnom_Penh, UTC+7` */
    zone: (iso: string, zone: string): string => {
      const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: "shortOffset" })
        .formatToParts(new Date(iso))
      const offset = parts.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "UTC")
      return offset === undefined || offset === zone ? zone : `${zone}, ${offset}`
    }
  }
}
