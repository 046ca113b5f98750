import { shown } from "../../../diagnostic/shown.ts"
import { isCalendarDate } from "../../../visit/values/CalendarDate.ts"
import { formatTimestamp, parseInstant } from "../../../visit/values/Timestamp.ts"
import type { PathPlan } from "../../MappingPlan.ts"
import type { FieldContext } from "./FieldContext.ts"
import { reportOn } from "./FieldReport.ts"

const maxTimestamps = 10_000

/** Converts a text to a timestamp as sent (§2), in the facility's zone; `undefined` if it is not one. */
export const leafTimestampOf = (
  filling: FieldContext,
  text: string,
  path: PathPlan | undefined
): string | undefined => {
  const { context, leaf } = filling
  const { time: { missingOffset }, timestamps } = context
  const known = timestamps.get(text)
  if (known !== undefined) return known
  const instant = parseInstant(text, { zone: context.zone })
  if ("reason" in instant) {
    return reportOn(filling, path)({
      code: "invalid-date",
      severity: leaf.field.mandatory ? "error" : "warning",
      title: `\`${leaf.name}\` found something that is not a date and time`,
      value: shown(text),
      label: instant.reason
    })
  }
  // As for a date, the day is unknown.
  if ((instant.precision === "year" || instant.precision === "month") && context.time.partialDate !== "first-day") {
    return reportOn(filling, path)({
      code: "partial-date",
      severity: leaf.field.mandatory ? "error" : "warning",
      title: `\`${leaf.name}\` needs a day and a time, and the source gives a ${instant.precision}`,
      value: shown(text),
      facts: [["policy", `partialDate: ${context.time.partialDate}`]],
      fix: firstDay
    })
  }
  if (instant.precision === "year" || instant.precision === "month" || instant.precision === "day") {
    const setting = ends.has(leaf.name) ? "partialEnd" : "partialTimestamp"
    const policy = context.time[setting]
    reportOn(filling, path)({
      code: "partial-date",
      severity: policy === "reject" ? "error" : "warning",
      title: `\`${leaf.name}\` needs a time and the source gives a ${instant.precision}`,
      value: shown(text),
      facts: [["policy", `${setting}: ${policy}`]]
    })
    if (policy === "reject") return undefined
    const clock = clocks[policy]
    return formatTimestamp(
      (clock === undefined ? undefined : momentOf(text, clock, context.zone)) ?? instant.epochMillis,
      context.zone
    )
  }
  if (!instant.hadOffset && (missingOffset !== "local" || instant.shown !== "once")) {
    const isRejected = missingOffset === "reject"
    reportOn(filling, path)({
      code: "missing-offset",
      severity: isRejected ? "error" : "warning",
      title: titles[isRejected ? "once" : instant.shown](leaf.name, context.zone),
      facts: [[
        "policy",
        isRejected ? "missingOffset: reject" : `missingOffset: ${missingOffset} (read as ${context.zone})`
      ]]
    })
    if (isRejected) return undefined
    return formatTimestamp(instant.epochMillis, context.zone)
  }
  const timestamp = formatTimestamp(instant.epochMillis, context.zone)
  if (timestamps.size > maxTimestamps) timestamps.clear()
  timestamps.set(text, timestamp)
  return timestamp
}

/** What is reported of a time without an offset that is sent, by how often the clocks of the facility show it. */
const titles = {
  once: (name: string) => `\`${name}\` found a time without an offset`,
  twice: (name: string, zone: string) =>
    `\`${name}\` found a time that the clocks of ${zone} show twice, because they go back: the first of the two is sent`,
  never: (name: string, zone: string) =>
    `\`${name}\` found a time that the clocks of ${zone} skip, because they go forward: it is moved forward by what they skip`
}

/** Fields for when something ended, or was last changed. An event on a given day cannot precede the beginning of that day. */
const ends: ReadonlySet<string> = new Set(["discharged_at", "ended_at", "updated_at"])

const clocks = { "start-of-day": undefined, "midday": "12:00:00", "end-of-day": "23:59:59.999" } as const

/**
 * Returns a time on the first day of the period in a text, in milliseconds since 1970. It is calculated in local time, because on a day
 * of 23 or 25 hours noon is not 12 hours after midnight.
 */
const momentOf = (text: string, clock: string, zone: string): number | undefined => {
  const moment = parseInstant(`${text}${"-01-01".slice(text.length - 4)}T${clock}`, { zone })
  return "reason" in moment ? undefined : moment.epochMillis
}

/** A year or a month is sent as its first day. */
const firstDay = { kind: "policy", at: ["time", "partialDate"], value: "first-day" } as const

/** Converts a text to a date as sent (§2); `undefined` if it is not one. */
export const dateOf = (filling: FieldContext, text: string, path: PathPlan | undefined): string | undefined => {
  if (isCalendarDate(text)) return text
  const { context, leaf } = filling
  const instant = parseInstant(text, { zone: "UTC" })
  if ("reason" in instant) {
    return reportOn(filling, path)({
      code: "invalid-date",
      // It is treated as an incomplete date.
      severity: leaf.field.mandatory || context.time.partialDate === "reject" ? "error" : "warning",
      title: `\`${leaf.name}\` found something that is not a date`,
      value: shown(text),
      label: instant.reason
    })
  }
  // The day as written: a date never passes through a time zone.
  if (instant.precision !== "year" && instant.precision !== "month") return text.slice(0, 10)
  const policy = context.time.partialDate
  reportOn(filling, path)({
    code: "partial-date",
    severity: policy === "reject" ? "error" : "warning",
    title: `\`${leaf.name}\` needs a day and the source gives a ${instant.precision}`,
    facts: [["policy", `partialDate: ${policy}`]],
    ...(policy === "reject"
      ? {
        help: ["choose the value:  time: {partialDate: first-day}  sends the first day,  blank  sends no value"],
        fix: firstDay
      }
      : {})
  })
  return policy !== "first-day" ? undefined : `${text.slice(0, 7)}${instant.precision === "year" ? "-01-01" : "-01"}`
}
