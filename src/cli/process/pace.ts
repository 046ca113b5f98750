import { number, plural } from "../../diagnostic/count.ts"

/** Describes the progress and speed of long work, and the time left once it can be estimated. */
export const pace = (doing: string, done: number, total: number, millis: number): string => {
  const rate = done / Math.max(0.1, millis / 1000)
  const left = done === 0 ? 0 : Math.ceil((total - done) / rate)
  return [
    `${doing}   ${number(done)} of ${plural(total, "visit")}`,
    `${rate < 10 ? rate.toFixed(1) : number(Math.round(rate))} a second`,
    ...(left > 0 ? [`${left < 120 ? plural(left, "second") : plural(Math.ceil(left / 60), "minute")} left`] : [])
  ].join("   ")
}
