import { html, table } from "../page/page.ts"
import type { DayCounts, ListedVisit, Report } from "./Report.ts"
import type { Anchors } from "./reportCounts.ts"
import { anchorsOf, countRow, plus } from "./reportCounts.ts"
import type { Making } from "./reportMaking.ts"

/** Days, months and years, each by how much of a day names it: as many stand in the open, as many are told at all. */
const spans = {
  day: { letters: 10, open: 31, most: 366 },
  month: { letters: 7, open: 24, most: 120 },
  year: { letters: 4, open: 30, most: 30 }
} as const

/** As many are unfolded on paper. */
const mostOnPaper = 62

type Span = keyof typeof spans

/** The first listed visits, where they are from before a day: lists are in the order of days. */
const anchorsBefore = ({ readyVisits = [], rejectedVisits = [] }: Report, limit: string): Anchors => {
  const first = (listed: ReadonlyArray<ListedVisit>, list: string): string | undefined => {
    const [day] = listed.map((visit) => visit.day).filter((one) => one !== "" && one < limit).toSorted()
    return day === undefined ? undefined : `${list}-on-${day}`
  }
  return { ready: first(readyVisits, "ready"), rejected: first(rejectedVisits, "rejected") }
}

/** Visits by the day of admission; where days are many by month, and where months are many by year, with the smaller ones below. */
export const days = (making: Making): string => {
  const { report, texts } = making
  const words = texts.days
  const all = [...report.days ?? []]
  if (all.every(([day]) => day === "")) return ""
  const told = (span: Span): readonly [count: number, body: string] => {
    const { letters, most } = spans[span]
    const unknown = all.filter(([day]) => day === "")
    const known = [...Map.groupBy(all.filter(([day]) => day !== ""), ([day]) => day.slice(0, letters))]
      .map(([name, group]) => [name, plus(group.map(([, counts]) => counts))] as const)
    const shown = known.slice(-most)
    const before = known.slice(0, -most)
    const time = (name: string): string => `<time datetime="${html(name)}">${html(texts[span](name))}</time>`
    const row = (name: string, counts: DayCounts) =>
      countRow(
        making,
        name === "" ? words.unknown : time(name),
        counts,
        anchorsOf(report, ({ day }) => (name === "" ? day === "" : day.startsWith(name)), `on-${name}`)
      )
    return [
      known.length,
      table(
        [words.spans[span], ...words.heads],
        [
          ...(before.length === 0
            ? []
            : [
              countRow(
                making,
                words.before(time(shown[0]![0])),
                plus(before.map(([, counts]) => counts)),
                anchorsBefore(report, shown[0]![0])
              )
            ]),
          ...shown.map(([name, counts]) => row(name, counts)),
          ...unknown.map(([name, counts]) => row(name, counts))
        ],
        words.captions[span],
        { compact: true, number: texts.number }
      )
    ]
  }
  const [days, everyDay] = told("day")
  if (days <= spans.day.open) return everyDay
  const folded = (count: number, every: string, body: string): string =>
    `<details${count > mostOnPaper ? "" : ` class="unfold"`}><summary>${every}</summary>${body}</details>`
  const [months, everyMonth] = told("month")
  const byDay = folded(days, words.every.day(Math.min(days, spans.day.most), days), everyDay)
  if (months <= spans.month.open) return `${everyMonth}${byDay}`
  return `${told("year")[1]}${
    folded(months, words.every.month(Math.min(months, spans.month.most), months), everyMonth)
  }${byDay}`
}
