import type { CollatedJson } from "../../../diagnostic/render/renderJson.ts"
import { Bar, type Cell, FactList, filterLink, Fold, Mark, Marked, save, Section, Table } from "../parts.tsx"
import type { GroupJson } from "../ReportJson.ts"
import { problemTitle } from "../verdict.ts"
import type { PageOf } from "./ReportPage.tsx"

/** A group is red above this share of visits to correct. */
const badShare = 0.05
const maxGroups = 12
const maxRows = 500

const levelOf = ({ correction, visits }: GroupJson): "bad" | "some" | "none" =>
  correction === 0 ? "none" : correction / visits > badShare ? "bad" : "some"

const tones = { bad: "correction", some: "waiting", none: "delivered" } as const

const worstFirst = <G extends GroupJson>(groups: ReadonlyArray<G>): ReadonlyArray<G> =>
  groups.toSorted((one, other) =>
    other.correction / other.visits - one.correction / one.visits || other.visits - one.visits
  )

/** Visits by ward and by day, worst first. */
export const Groups = ({ report, texts }: PageOf) => {
  const words = texts.groups
  const { days = [], wards = [] } = report
  const bad = worstFirst(wards).filter((one) => one.name !== null && levelOf(one) === "bad")
  const badDays = days.filter((one) => one.name !== null && levelOf(one) === "bad").length
  if (days.length + wards.length === 0) return null
  const rowsOf = (
    groups: ReadonlyArray<GroupJson & { readonly few?: true }>,
    key: "ward" | "day"
  ): ReadonlyArray<ReadonlyArray<Cell>> =>
    worstFirst(groups).map((one) => {
      const { correction, few: sample, name, visits } = one
      const shown = name === null ? sample === true ? words.few : words.unknown : key === "day" ? texts.day(name) : name
      return [
        name === null ? shown : <a href={filterLink({ [key]: name })}>{shown}</a>,
        visits,
        correction,
        <Mark tone={tones[levelOf(one)]}>
          {correction === 0 ? words.levels.none : texts.percent(correction, visits)}
        </Mark>
      ]
    })
  const tables = (groups: ReadonlyArray<GroupJson>, key: "ward" | "day", head: string, caption: string) => {
    if (groups.every(({ name }) => name === null)) return null
    const rows = rowsOf(groups, key)
    const heads = [head, words.visits, words.correction, words.share]
    return (
      <div class="even">
        <Table texts={texts} caption={caption} heads={heads} rows={rows.slice(0, maxGroups)} />
        {rows.length <= maxGroups ? null : (
          <Fold title={words.rest(rows.length - maxGroups)}>
            <Table texts={texts} caption={caption} heads={heads} rows={rows.slice(maxGroups, maxRows)} />
          </Fold>
        )}
      </div>
    )
  }
  const shown = bad.slice(0, 3).flatMap(({ name }) => name ?? [])
  return (
    <Section
      id="wards"
      title={`${shown.length === 0 ? words.wardsFine : words.wards(shown)}; ${words.days(badDays)}`}
      sub={words.limits}
    >
      <div class="halves">
        {tables(wards, "ward", words.ward, words.wardCaption)}
        {tables(days, "day", words.dayHead, words.dayCaption)}
      </div>
    </Section>
  )
}

/** The assumptions that the mapping makes where the source is silent. */
export const Assumptions = ({ report, texts }: PageOf) => {
  const { assumptions = [] } = report
  if (assumptions.length === 0) return null
  const words = texts.assumptions
  const open = assumptions.filter(({ accepted }) => !accepted)
  const rowOf = (
    { accepted, ask = "hospital", mapping, means, name, visits }: typeof assumptions[number]
  ): ReadonlyArray<Cell> => [
    <>
      <code>{name}</code>
      {means === undefined ? null : (
        <div class="sub" lang="en">
          <Marked text={means} />
        </div>
      )}
    </>,
    visits,
    <Mark tone={accepted ? "delivered" : "waiting"}>{accepted ? words.accepted : words.ask[ask]}</Mark>,
    <code class="at">{mapping.replace(/:\d+$/u, "")}</code>
  ]
  const rest = [...open.slice(8), ...assumptions.filter(({ accepted }) => accepted)]
  return (
    <Section id="assumptions" title={words.title(open.length, assumptions.length - open.length)} sub={words.sub}>
      {open.length === 0 ?
        null :
        <Table texts={texts} caption={words.caption} heads={words.heads} rows={open.slice(0, 8).map(rowOf)} />}
      {rest.length === 0 ? null : (
        <Fold title={texts.groups.rest(rest.length)} open={open.length === 0}>
          <Table texts={texts} caption={words.caption} heads={words.heads} rows={rest.map(rowOf)} />
        </Fold>
      )}
      {open.length === 0 ? null : <p class="sub">{words.next}</p>}
    </Section>
  )
}

/** All records are accounted for: in a visit, not used, or rejected. */
export const Records = ({ report, texts }: PageOf) => {
  const words = texts.records
  const { copies = {}, counts, placedByTime, rejectedRecords = [], unmapped, unresolved, unused, used = {} } = report
  const copied = Object.values(copies).reduce((sum, count) => sum + count, 0)
  const names = [...new Set([used, unused, unresolved, placedByTime].flatMap(Object.keys))].toSorted()
  return (
    <Section id="records" title={words.title(texts.percent(counts.usedRecords, counts.records), counts.records)}>
      {counts.records === 0 ? null : (
        <>
          <Bar
            thin
            label={words.bar}
            parts={[["used", counts.usedRecords], ["unused", counts.unusedRecords], [
              "correction",
              counts.rejectedRecords
            ]]}
          />
          <p class="sub">
            {texts.number(counts.usedRecords)} {words.parts.used}, {texts.number(counts.unusedRecords)}{" "}
            {words.parts.unused}
            {copied === 0 ? "" : ` (${texts.number(copied)} ${words.parts.copies})`},{" "}
            {texts.number(counts.rejectedRecords)} {words.parts.rejected}
            {counts.unreadable === 0 ? "" : `, ${texts.number(counts.unreadable)} ${words.parts.unreadable}`}.
          </p>
        </>
      )}
      {names.length === 0 ? null : (
        <Fold title={words.caption}>
          <Table
            texts={texts}
            caption={words.caption}
            heads={words.heads}
            rows={names.map((name) => [
              name === "" ? words.unnamed : name,
              used[name] ?? 0,
              unused[name] ?? 0,
              unresolved[name] ?? 0,
              placedByTime[name] ?? 0
            ])}
          />
          <p class="sub">{words.list}</p>
        </Fold>
      )}
      {rejectedRecords.length === 0 ? null : (
        <Fold title={words.rejected(counts.rejectedRecords)}>
          <Table
            texts={texts}
            caption={words.rejectedCaption}
            heads={words.rejectedHeads}
            rows={rejectedRecords.map(({ origin, problems, record }) => [
              record === "" ? words.line : <code>{record}</code>,
              <code>{origin}</code>,
              <span lang="en">
                {problems.map((index) => (
                  <a key={index} href={`#problem-${index + 1}`}>
                    <Marked text={problemTitle(report, index)} />
                  </a>
                ))}
              </span>
            ])}
          />
          {counts.rejectedRecords > rejectedRecords.length
            ? <p class="sub">{words.rest(counts.rejectedRecords - rejectedRecords.length)}</p>
            : null}
        </Fold>
      )}
      {unmapped.length === 0 ? null : (
        <Fold title={words.unmapped(unmapped.length)}>
          <Table
            texts={texts}
            caption={words.unmappedCaption}
            heads={words.unmappedHeads}
            rows={unmapped.slice(0, maxRows).map(({ blocked = 0, code, count, display, system, table, visits = 0 }) => [
              table,
              <code>{code}</code>,
              system === null ? "" : <code>{system}</code>,
              display ?? "",
              count,
              visits,
              blocked
            ])}
          />
          <p class="sub">{words.unmappedNext}</p>
        </Fold>
      )}
    </Section>
  )
}

const maxKinds = 300

/** Every kind of problem: its meaning, its source and its remedy. */
export const Problems = ({ report, texts }: PageOf) => {
  const words = texts.problems
  const kinds = report.problems.map((problem, index) => ({ problem, index })).slice(0, maxKinds)
  const [errors, warnings] = [
    kinds.filter(({ problem }) => problem.severity === "error"),
    kinds.filter(({ problem }) => problem.severity !== "error")
  ]
  const listed = new Set((report.visits ?? []).flatMap(({ problems }) => problems))
  const draw = (some: typeof kinds) =>
    some.map(({ index, problem }) => (
      <Problem key={index} report={report} texts={texts} problem={problem} index={index} isListed={listed.has(index)} />
    ))
  return (
    <Section id="problems" title={kinds.length === 0 ? words.none : words.title(report.problems.length)}>
      {draw(errors)}
      {warnings.length === 0 ? null : <Fold title={words.warnings(warnings.length)}>{draw(warnings)}</Fold>}
      {report.problems.length > kinds.length
        ? <p class="sub">{words.rest(report.problems.length - kinds.length)}</p>
        : null}
    </Section>
  )
}

const Problem = ({ index, isListed, problem, report, texts }: PageOf & {
  readonly problem: CollatedJson
  readonly index: number
  readonly isListed: boolean
}) => {
  const words = texts.problems
  const { code, count, field, first, mapping, severity, visits } = problem
  const known = report.codes?.[code]
  const facts: ReadonlyArray<readonly [string, Cell]> = [
    [
      words.help,
      first.help.split("\n").map((line) => (
        <div key={line} lang="en">
          <Marked text={line} />
        </div>
      ))
    ],
    [words.owner, known && texts.owners[known.owner]],
    [
      words.meaning,
      known && (
        <span lang="en">
          <Marked text={known.meaning} />
        </span>
      )
    ],
    [words.mapping, mapping && <code>{mapping}</code>],
    [words.path, first.path && <code>{first.path}</code>],
    [words.field, field && <code>{field}</code>],
    [
      words.first,
      (first.source ?? first.origin) && <code>{[first.source, first.origin].filter(Boolean).join(" ")}</code>
    ],
    ...(first.facts ?? []).map(([name, text]) => [name, <span lang="en">{text}</span>] as const),
    [words.value, first.value && <code>{first.value}</code>],
    [words.said, first.said && <code>{first.said}</code>],
    [
      words.more,
      (
        <>
          <code>fhir2visit explain {code}</code>
          {isListed
            ? (
              <>
                {" "}
                <a href={filterLink({ problem: String(index) })}>{texts.todo.show(visits)}</a>
              </>
            )
            : null}
        </>
      )
    ]
  ]
  return (
    <details id={`problem-${index + 1}`} class="problem">
      <summary>
        <Mark tone={severity === "error" ? "correction" : "waiting"}>
          {words.severities[severity === "error" ? "error" : "warning"]}
        </Mark>{" "}
        <strong lang="en">
          <Marked text={problemTitle(report, index)} />
        </strong>{" "}
        <span class="dim">{words.times(count, visits)}</span>
      </summary>
      <FactList rows={facts} />
    </details>
  )
}

/** What was run, when, and with which mapping; and the data of this page. */
export const RunSection = ({ report, texts }: PageOf) => {
  const words = texts.run
  const zone = report.zone ?? "UTC"
  const seconds = Math.max(0, Math.round((Date.parse(report.ended) - Date.parse(report.started)) / 1000))
  const facts: ReadonlyArray<readonly [string, Cell]> = [
    [words.facility, [report.name, report.facility].filter(Boolean).join(", ") || texts.noFacility],
    [words.command, <code>fhir2visit {report.command}</code>],
    [words.started, `${texts.time(report.started, zone)} (${texts.zone(report.started, zone)})`],
    [words.took, words.seconds(seconds)],
    [words.ending, words.endings[report.ending?.how ?? "done"]],
    [
      words.message,
      report.ending?.message && (
        <span lang="en">
          <Marked text={report.ending.message} />
        </span>
      )
    ],
    [words.mapping, report.mapping && <code>{report.mapping.slice(0, 12)}</code>],
    [words.program, <code>fhir2visit {report.version}</code>]
  ]
  return (
    <Section id="run" title={words.title} sub={report.values === true ? words.withValues : words.withoutValues}>
      <FactList rows={facts} />
      <p class="more">
        <button
          type="button"
          class="button"
          onClick={() => save("report.json", "application/json", JSON.stringify(report))}
        >
          {words.json}
        </button>
      </p>
    </Section>
  )
}
