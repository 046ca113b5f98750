/** Returns the year of an instant in milliseconds. A clock that shows an earlier year than 2026 is wrong: this program is not older. */
export const thisYear = (now: number): number => Math.max(new Date(now).getUTCFullYear(), 2026)
