import { ticks } from "d3-array"
import { at } from "../../../at.ts"
import { increment } from "../../../maps.ts"
import type { CountedRun } from "../../../submission/journal/JournalReader.ts"
import { countNeeding } from "../../../submission/status/sendingOutcomes.ts"
import { Fold, Section, Table } from "../parts.tsx"
import { countStates, isSent } from "../verdict.ts"
import type { PageOf } from "./ReportPage.tsx"

/** A run as the charts show it. */
interface Point {
  readonly at: string
  readonly visits: number
  readonly delivered: number
  readonly correction: number
  readonly blockers: ReadonlyArray<readonly [code: string, visits: number]>
  readonly ending: CountedRun["ending"]
  readonly isNow: boolean
}

const pointOf = ({ counts, ending, startedAt, summary }: CountedRun): ReadonlyArray<Point> =>
  summary === undefined ? [] : [{
    at: startedAt,
    visits: summary.visits,
    delivered: countNeeding(counts, "delivered"),
    correction: summary.rejected + countNeeding(counts, "correction"),
    blockers: summary.blockers,
    ending,
    isNow: false
  }]

const maxRuns = 30
const dayMillis = 86_400_000

/** Shows the trend: visits delivered and visits that need a correction over the last runs. */
export const Trend = ({ report, texts }: PageOf) => {
  const words = texts.trend
  const states = countStates(report)
  const blockers = new Map<string, number>()
  for (const { problems, state } of report.visits ?? []) {
    if (state !== "rejected") continue
    for (const code of new Set(problems.map((index) => at(report.problems, index).code))) {
      increment(blockers, code)
    }
  }
  const now: Point = {
    at: report.started,
    visits: report.counts.visits,
    delivered: states.delivered,
    correction: states.correction,
    blockers: [...blockers],
    ending: (report.ending?.how ?? "done") === "done" ? "done" : "stopped",
    isNow: true
  }
  const past = (report.runs ?? []).filter(({ startedAt }) => startedAt < report.started).flatMap(pointOf)
  const points = [...past.slice(1 - maxRuns), now]
  const before = points.find(({ visits }) => visits > 0)
  const last = past.findLast(({ visits }) => visits > 0)
  if (before === undefined || last === undefined) {
    return (
      <Section id="trend" title={words.titles.first}>
        <p class="sub">{words.none}</p>
      </Section>
    )
  }
  const shareOf = ({ correction, visits }: Point): number => (visits === 0 ? 0 : correction / visits)
  const reported = ({ correction, visits }: Point): string =>
    `${texts.number(correction)} (${texts.percent(correction, visits)})`
  const change = shareOf(now) - shareOf(before)
  const isLevel = Math.abs(change) < 0.005 || now.visits === 0
  return (
    <Section
      id="trend"
      title={isLevel
        ? words.titles.level(reported(now))
        : words.titles[change < 0 ? "better" : "worse"](reported(before), reported(now))}
      sub={words.since(texts.day(before.at), before === last ? undefined : reported(last))}
    >
      <Shares points={points} report={report} texts={texts} />
      <Corrections points={points} report={report} texts={texts} />
      <Fold title={words.figures}>
        <Table
          texts={texts}
          caption={words.caption}
          heads={words.heads}
          rows={points.map((point) => [
            <time dateTime={point.at}>{point.isNow ? words.now : texts.time(point.at, report.zone ?? "UTC")}</time>,
            point.visits,
            point.delivered,
            point.correction,
            point.isNow
              ? texts.run.endings[report.ending?.how ?? "done"]
              : point.ending === null
              ? words.unknown
              : words.ended[point.ending]
          ])}
        />
        <ProblemTable points={points.slice(-6)} report={report} texts={texts} />
      </Fold>
    </Section>
  )
}

interface Charted extends PageOf {
  readonly points: ReadonlyArray<Point>
}

const box = { width: 560, left: 44, right: 12 }

/** The positions of points on an axis of time: days without a run are gaps. For a single day it is an axis of hours. */
const axisOf = (points: ReadonlyArray<Point>): (point: Point) => number => {
  const times = points.map(({ at }) => Date.parse(at))
  const first = Math.min(...times)
  const span = Math.max(...times) - first || 1
  const pad = 14
  const width = box.width - box.left - box.right - 2 * pad
  return ({ at }) => box.left + pad + ((Date.parse(at) - first) / span) * width
}

/** Returns the dates to print below the points: as many as fit, always including the last. */
const Days = (
  { points, report, texts, x, y }: Charted & { readonly x: (point: Point) => number; readonly y: number }
) => {
  const span = Date.parse(at(points, points.length - 1).at) - Date.parse(at(points, 0).at)
  const zone = report.zone ?? "UTC"
  const shown: Array<Point> = []
  for (const point of points.toReversed()) {
    const next = shown.at(-1)
    if (next === undefined || x(next) - x(point) > 62) shown.push(point)
  }
  return (
    <>
      {shown.map((point, index) => (
        <text key={index} x={x(point).toFixed(1)} y={y} text-anchor="middle">
          {span < dayMillis ? texts.time(point.at, zone).replace(/^.*,/su, "").trim() : texts.shortDay(point.at)}
        </text>
      ))}
    </>
  )
}

const Shares = ({ points, report, texts }: Charted) => {
  const words = texts.trend
  const x = axisOf(points)
  const counted = points.filter(({ visits }) => visits > 0)
  const low = Math.min(0.9, ...counted.map(({ delivered, visits }) => delivered / visits))
  const from = low >= 0.5 ? 0.5 : 0
  const height = 110
  const y = (share: number): number => 10 + (1 - (share - from) / (1 - from)) * (height - 34)
  const yOf = ({ delivered, visits }: Point): number => y(delivered / visits)
  const last = counted.at(-1)
  return (
    <figure>
      <figcaption>{isSent(report) ? words.delivered : words.ready}</figcaption>
      <svg
        class="chart"
        viewBox={`0 0 ${box.width} ${height}`}
        role="img"
        aria-label={isSent(report) ? words.delivered : words.ready}
      >
        {[from, (1 + from) / 2, 1].map((share) => (
          <g key={share}>
            <line class="grid" x1={box.left} x2={box.width - box.right} y1={y(share)} y2={y(share)} />
            <text x={box.left - 6} y={y(share) + 4} text-anchor="end">{texts.percent(share, 1)}</text>
          </g>
        ))}
        {counted.slice(1).map((point, index) => {
          const before = at(counted, index)
          return (
            <line
              key={index}
              class={[before, point].every(({ ending }) => ending === "done") ? "curve" : "curve away"}
              x1={x(before).toFixed(1)}
              x2={x(point).toFixed(1)}
              y1={yOf(before).toFixed(1)}
              y2={yOf(point).toFixed(1)}
            />
          )
        })}
        {counted.map((point, at) => (
          <circle
            key={at}
            class={point.ending === "done" ? "dot" : "hollow"}
            cx={x(point).toFixed(1)}
            cy={yOf(point).toFixed(1)}
            r="4"
          >
            <title>
              {`${texts.time(point.at, report.zone ?? "UTC")}: ${texts.percent(point.delivered, point.visits)}${
                point.ending === "done" ? "" : `, ${words.notDone}`
              }`}
            </title>
          </circle>
        ))}
        {last === undefined ?
          null :
          (
            <text
              class="strong"
              x={x(last).toFixed(1)}
              y={Math.min(height - 22, yOf(last) + 20).toFixed(1)}
              text-anchor="end"
            >
              {texts.percent(last.delivered, last.visits)}
            </text>
          )}
        <Days points={points} report={report} texts={texts} x={x} y={height - 4} />
      </svg>
    </figure>
  )
}

/** The problems that blocked most over all runs, at most three. */
const byBlockedVisits = (points: ReadonlyArray<Point>, most: number): ReadonlyArray<string> => {
  const sums = new Map<string, number>()
  for (const { blockers } of points) {
    for (const [code, visits] of blockers) increment(sums, code, visits)
  }
  return [...sums].toSorted(([, one], [, other]) => other - one).slice(0, most).map(([code]) => code)
}

const blockedBy = ({ blockers }: Point, code: string): number => blockers.find(([one]) => one === code)?.[1] ?? 0

const Corrections = ({ points, report, texts }: Charted) => {
  const words = texts.trend
  const x = axisOf(points)
  const height = 170
  const top = Math.max(1, ...points.map(({ correction }) => correction))
  const marks = ticks(0, top, 4).filter(Number.isInteger)
  const limit = Math.max(top, marks.at(-1) ?? top)
  const y = (count: number): number => 16 + (1 - count / limit) * (height - 40)
  const codes = byBlockedVisits(points, 3)
  const gaps = points.slice(1).map((point, index) => x(point) - x(at(points, index)))
  // Two runs of one night may overlap; the bars of the other nights keep their width.
  const usual = gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? Infinity
  const width = Math.max(4, Math.min(22, usual * 0.7))
  const canNumber = Math.min(...gaps) >= 20
  return (
    <figure>
      <figcaption>{words.correction}</figcaption>
      <svg class="chart" viewBox={`0 0 ${box.width} ${height}`} role="img" aria-label={words.correction}>
        {marks.map((mark) => (
          <g key={mark}>
            <line class="grid" x1={box.left} x2={box.width - box.right} y1={y(mark)} y2={y(mark)} />
            <text x={box.left - 6} y={y(mark) + 4} text-anchor="end">{texts.number(mark)}</text>
          </g>
        ))}
        {points.map((point, at) => (
          <g key={at}>
            <rect
              class={point.ending === "done" ? "f-all" : "f-all faint"}
              x={(x(point) - width / 2).toFixed(1)}
              width={width.toFixed(1)}
              y={y(point.correction).toFixed(1)}
              height={Math.max(1, y(0) - y(point.correction)).toFixed(1)}
            >
              <title>{`${texts.time(point.at, report.zone ?? "UTC")}: ${texts.number(point.correction)}`}</title>
            </rect>
            {canNumber || point.isNow
              ? (
                <text
                  class="strong"
                  x={x(point).toFixed(1)}
                  y={(y(point.correction) - 5).toFixed(1)}
                  text-anchor="middle"
                >
                  {texts.number(point.correction)}
                </text>
              )
              : null}
          </g>
        ))}
        {codes.map((code, at) => (
          <g key={code}>
            <polyline
              class={`line l-p${at + 1}`}
              points={points.map((point) => `${x(point).toFixed(1)},${y(blockedBy(point, code)).toFixed(1)}`).join(" ")}
            />
            {points.map((point, index) => (
              <circle
                key={index}
                class={`f-p${at + 1}`}
                cx={x(point).toFixed(1)}
                cy={y(blockedBy(point, code)).toFixed(1)}
                r="3"
              />
            ))}
          </g>
        ))}
        <Days points={points} report={report} texts={texts} x={x} y={height - 4} />
      </svg>
      <ul class="key">
        <li>
          <Swatch tone="all" />
          {words.all}
        </li>
        {codes.map((code, at) => (
          <li key={code} lang="en">
            <Swatch tone={`p${at + 1}`} />
            {report.codes?.[code]?.meaning.replace(/\.$/u, "") ?? code}
          </li>
        ))}
      </ul>
    </figure>
  )
}

const Swatch = ({ tone }: { readonly tone: string }) => (
  <svg viewBox="0 0 10 10" aria-hidden="true">
    <rect class={`f-${tone}`} width="10" height="10" />
  </svg>
)

const ProblemTable = ({ points, report, texts }: Charted) => {
  const words = texts.trend
  const codes = byBlockedVisits(points, 12)
  const zone = report.zone ?? "UTC"
  return codes.length === 0 ? null : (
    <Table
      texts={texts}
      caption={words.problemCaption}
      heads={[words.problem, ...points.map(({ at, isNow }) => (isNow ? words.now : texts.time(at, zone)))]}
      rows={codes.map((code) => [<code>{code}</code>, ...points.map((point) => blockedBy(point, code))])}
    />
  )
}
