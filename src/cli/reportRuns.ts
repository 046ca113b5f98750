import { html, table } from "../page/page.ts"
import type { CountedRun } from "../submission/JournalReader.ts"
import type { RunSummary } from "../submission/RunSummary.ts"
import { summaryOf } from "./Report.ts"
import { countOf } from "./reportCounts.ts"
import { code, type Making, moment, percentOf, share } from "./reportMaking.ts"
import { trendPicture } from "./trendPicture.ts"

/** One run and what its input was worth. */
interface Point {
  readonly id: string
  readonly at: string
  readonly summary: RunSummary
}

/** As many problems, and of as many runs, stand side by side. */
const mostBlockers = 8
const mostColumns = 5

/** The runs that said what their input was worth, oldest first; this one last, whether the journal knows of it or not. */
const pointsOf = ({ report }: Making): ReadonlyArray<Point> => {
  const past = (report.runs ?? []).filter(({ startedAt }) => startedAt < report.started)
  return [
    ...past.flatMap(({ id, startedAt, summary }) =>
      summary === undefined ? [] : [{ id: `run-${id}`, at: startedAt, summary }]
    ),
    { id: "run-now", at: report.started, summary: summaryOf(report) }
  ]
}

/** How the quality of the data went over the runs: readiness, what was rejected, what blocked. */
export const trends = (making: Making): string => {
  const { texts } = making
  const words = texts.trends
  const points = pointsOf(making)
  if (points.length < 2) return `<p class="dim">${words.none}</p>`
  const percent = percentOf(texts)
  const told = ({ at, summary: { ready, visits } }: Point): string =>
    words.bar(texts.time(at, making.report.zone ?? "UTC"), percent(ready, visits), texts.number(visits))
  const picture = trendPicture(
    points.map((point) => ({
      told: told(point),
      share: point.summary.visits === 0 ? 0 : point.summary.ready / point.summary.visits,
      empty: point.summary.visits === 0,
      to: point.id
    })),
    words.picture
  )
  const rows = points.map(({ at, id, summary }) => {
    const now = id === "run-now"
    return [
      `${moment(making, at)}${now ? ` <span class="dim">${words.now}</span>` : ""}`,
      summary.records,
      now ? countOf(making.report, "records", summary.rejectedRecords) : summary.rejectedRecords,
      summary.visits,
      now ? countOf(making.report, "ready", summary.ready) : summary.ready,
      now ? countOf(making.report, "rejected", summary.rejected) : summary.rejected,
      share(summary.ready, summary.visits, percent(summary.ready, summary.visits))
    ]
  })
  return `<figure>${picture}<figcaption>${
    words.caption(texts.day(points[0]!.at), texts.day(points.at(-1)!.at))
  }</figcaption></figure>${
    table(words.heads, rows, words.tableCaption, { number: texts.number, ids: points.map(({ id }) => id) })
  }${blockersOver(making, points)}`
}

/** What blocked most in the last runs, side by side. */
const blockersOver = ({ report, texts }: Making, points: ReadonlyArray<Point>): string => {
  const words = texts.trends
  const shown = points.slice(-mostColumns)
  const most = new Map<string, number>()
  for (const { summary } of shown) {
    for (const [name, visits] of summary.blockers) most.set(name, Math.max(most.get(name) ?? 0, visits))
  }
  const names = [...most].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, mostBlockers)
  const known = new Set(report.problems.map(({ first }) => first.code as string))
  const days = shown.map(({ at }) => texts.day(at))
  const isOften = new Set(days).size < days.length
  const when = (at: string): string => (isOften ? texts.time(at, report.zone ?? "UTC") : texts.day(at))
  const rows = names.map(([name]) => [
    known.has(name) ? `<a href="#about-${html(name)}">${code(name)}</a>` : code(name),
    ...shown.map(({ summary }) => summary.blockers.find(([one]) => one === name)?.[1] ?? 0)
  ])
  return table(
    [words.problem, ...shown.map(({ at, id }) => (id === "run-now" ? words.now : when(at)))],
    rows,
    words.blockersCaption,
    { number: texts.number }
  )
}

/** What became of sending, run by run. */
export const runs = (making: Making): string => {
  const { report, texts } = making
  const words = texts.runs
  const percent = percentOf(texts)
  return table(
    words.heads,
    (report.runs ?? []).map(({ counts, ending, startedAt }: CountedRun) => {
      const of = (...names: ReadonlyArray<string>) => names.reduce((sum, name) => sum + (counts[name] ?? 0), 0)
      return [
        moment(making, startedAt),
        ending === null ? words.unknown : words.endings[ending],
        of("visits"),
        of("sent"),
        of("stored"),
        of("skipped"),
        of("partial"),
        of("refused", "duplicate", "conflict", "doubt"),
        of("unknown"),
        of("left"),
        share(of("stored", "skipped"), of("visits"), percent(of("stored", "skipped"), of("visits")))
      ]
    }),
    words.caption,
    { number: texts.number }
  )
}
