import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { html, linked, table } from "../page/page.ts"
import type { DayCounts, RejectedVisit, Report } from "./Report.ts"
import { code, type Making, marked, percentOf, share } from "./reportMaking.ts"

/** As many days stand in the open; more are told by month. */
const openDays = 31

/** The name of a place, where it may be told: `""` where it is not known or was met for few patients. */
const shownPlaces = ({ report, showValues }: Making): ReadonlySet<string> =>
  new Set([...report.places ?? []].flatMap(([name, { common }]) => name !== "" && (common || showValues) ? [name] : []))

const dayRow = (
  { texts }: Making,
  name: string,
  { ready, rejected }: DayCounts,
  to: string | undefined
) => {
  return [
    name,
    ready + rejected,
    ready,
    to === undefined ? rejected : linked(rejected, to),
    share(ready, ready + rejected, percentOf(texts)(ready, ready + rejected))
  ]
}

const plus = (all: Iterable<DayCounts>): DayCounts => {
  let ready = 0
  let rejected = 0
  for (const one of all) {
    ready += one.ready
    rejected += one.rejected
  }
  return { ready, rejected }
}

/** Visits by the day of admission. */
export const days = (making: Making): string => {
  const { report, texts } = making
  const words = texts.days
  const all = [...report.days ?? []]
  if (all.every(([day]) => day === "")) return ""
  const listed = new Set((report.rejectedVisits ?? []).map(({ day }) => day))
  const named = (day: string, told: (day: string) => string): string =>
    day === "" ? words.unknown : `<time datetime="${html(day)}">${html(told(day))}</time>`
  const everyDay = table(
    words.heads,
    all.map(([day, counts]) =>
      dayRow(making, named(day, texts.day), counts, listed.has(day) ? `rejected-on-${day}` : undefined)
    ),
    words.caption,
    { compact: true, number: texts.number }
  )
  if (all.length <= openDays) return everyDay
  const months = [...Map.groupBy(all, ([day]) => day.slice(0, 7))].map(([month, group]) =>
    dayRow(making, named(month, texts.month), plus(group.map(([, counts]) => counts)), undefined)
  )
  return `${
    table(words.monthHeads, months, words.monthsCaption, { compact: true, number: texts.number })
  }<details class="unfold"><summary>${words.everyDay(all.length)}</summary>${everyDay}</details>`
}

/** Visits by ward, department or service, each with its rejected visits. */
export const places = (making: Making): string => {
  const { report, texts } = making
  const words = texts.places
  const all = [...report.places ?? []]
  const shown = shownPlaces(making)
  if (shown.size === 0) return all.some(([name]) => name !== "") ? `<p class="dim">${words.none}</p>` : ""
  const rejected = Map.groupBy(numbered(report), ({ visit }) => (shown.has(visit.place) ? visit.place : ""))
  const named = all.filter(([name]) => shown.has(name))
  const few = plus(all.filter(([name]) => name !== "" && !shown.has(name)).map(([, counts]) => counts))
  const unknown = report.places?.get("") ?? { ready: 0, rejected: 0 }
  const rows = [
    ...named.map(([name, counts], at) =>
      dayRow(making, html(name), counts, rejected.has(name) ? `rejected-in-${at + 1}` : undefined)
    ),
    ...(few.ready + few.rejected === 0 ? [] : [dayRow(making, words.few, few, undefined)]),
    ...(unknown.ready + unknown.rejected === 0 ? [] : [dayRow(making, words.unknown, unknown, undefined)])
  ]
  const lists = named.flatMap(([name], at) => {
    const some = rejected.get(name)
    return some === undefined
      ? []
      : [
        `<details class="unfold"><summary>${words.rejectedIn(html(name), some.length)}</summary><p id="rejected-in-${
          at + 1
        }">${some.map(({ id, visit }) => `<a href="#${id}">${code(visit.name)}</a>`).join(", ")}</p></details>`
      ]
  })
  return `${table(words.heads, rows, words.caption, { compact: true, number: texts.number })}${lists.join("")}`
}

/** The rejected visits in the order of their days, each with its place in the list. */
const numbered = (
  { rejectedVisits = [] }: Report
): ReadonlyArray<{ readonly id: string; readonly visit: RejectedVisit }> =>
  rejectedVisits
    .toSorted((
      one,
      other
    ) => (one.day === other.day ? 0 : one.day === "" ? 1 : other.day === "" ? -1 : one.day < other.day ? -1 : 1))
    .map((visit, at) => ({ id: `rejected-${at + 1}`, visit }))

/** Every rejected visit: where it comes from, when and where it was, and what blocks it. */
export const rejected = (
  making: Making,
  kinds: ReadonlyArray<{ readonly first: Diagnostic; readonly id: string }>
): string => {
  const { report, texts } = making
  const words = texts.rejected
  const visits = numbered(report)
  const shown = shownPlaces(making)
  const ids = new Map(kinds.map(({ first, id }) => [first, id]))
  const seen = new Set<string>()
  const rows = visits.map(({ id, visit }) => {
    const begins = !seen.has(visit.day)
    seen.add(visit.day)
    return [
      `${begins ? `<span id="rejected-on-${html(visit.day)}"></span>` : ""}<span id="${id}">${code(visit.name)}</span>`,
      `<span class="dim">${html(visit.origin)}</span>`,
      `<span class="word">${visit.day === "" ? texts.days.unknown : html(texts.day(visit.day))}</span>`,
      shown.has(visit.place) ? html(visit.place) : "",
      [...new Set(visit.kinds)].slice(0, 5).map((first) =>
        `<a class="word" href="#${ids.get(first) ?? "problems"}">${html(first.code)}</a>`
      ).join("<br>")
    ]
  })
  const rest = report.counts.rejected - visits.length
  return rows.length === 0
    ? ""
    : `${table(words.heads, rows, words.caption, { number: texts.number })}${
      rest > 0 ? `<p>${words.rest(rest)}</p>` : ""
    }`
}

/** The visits that the service does not hold complete, by where they stand. */
export const open = ({ report, texts }: Making): string => {
  const words = texts.open
  const all = report.open ?? []
  const seen = new Set<string>()
  return table(
    words.heads,
    all.toSorted((one, other) => (one.standing < other.standing ? -1 : one.standing > other.standing ? 1 : 0)).map(
      ({ code: visit, source, standing, why }) => {
        const begins = !seen.has(standing)
        seen.add(standing)
        return [
          `${begins ? `<span id="open-${standing}"></span>` : ""}${code(visit)}`,
          texts.outcomes.names[standing],
          marked(why),
          source === null ? "" : `<span class="dim">${html(source)}</span>`
        ]
      }
    ),
    words.caption,
    { number: texts.number }
  )
}
