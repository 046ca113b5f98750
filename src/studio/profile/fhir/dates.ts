import { BoundedCounts } from "../bounded.ts"

/** How dates and times are written. */
export const dateForms = [
  "year",
  "month",
  "day",
  "time Z",
  "time with offset",
  "time without offset",
  "another form"
] as const
export type DateForm = (typeof dateForms)[number]

const form =
  /^\d{4}(?:(-(?:0[1-9]|1[0-2]))(?:(-(?:0[1-9]|[12]\d|3[01]))(?:(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?)?)?$/u

/** The forms of the dates of one element, and their offsets. */
export class Dates {
  readonly forms = new BoundedCounts<DateForm>()
  readonly offsets = new BoundedCounts()

  add(text: string): void {
    const found = form.exec(text)
    if (found === null) return this.forms.add("another form")
    const [, month, day, time, offset] = found
    if (month === undefined) this.forms.add("year")
    else if (day === undefined) this.forms.add("month")
    else if (time === undefined) this.forms.add("day")
    else if (offset === undefined) this.forms.add("time without offset")
    else {
      this.forms.add(offset === "Z" ? "time Z" : "time with offset")
      this.offsets.add(offset)
    }
  }
}
