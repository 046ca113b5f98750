import { withoutIndexes } from "../diagnostic/collate.ts"
import type { Collated } from "../diagnostic/collate.ts"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { type Owner, problemOf } from "../diagnostic/Problem.ts"
import { html, page, section, table } from "../page/page.ts"
import { wordsFor } from "../submission/explainPlan.ts"
import { type Flow, flowPicture } from "./flowPicture.ts"
import type { DayCounts, Report } from "./Report.ts"
import { english, outcomes, type ReportTexts } from "./reportTexts.ts"

export interface ReportPageOptions {
  /** Shows values of the source; they may be patient data. */
  readonly showValues?: boolean
  /** What `explain` says of a problem, by its code. */
  readonly pages?: ReadonlyMap<string, string>
  readonly texts?: ReportTexts
}

interface Making extends Required<ReportPageOptions> {
  readonly report: Report
}

/** As many blockers are named at the top. */
const topBlockers = 8
/** As many kinds of problems are told; a mapping with more is a mapping to be written anew. */
const mostKinds = 1000
const mostCodes = 1000
/** As many days stand in the open; more are told by month. */
const openDays = 31

/** A run as one page that needs nothing else, for those who look after the data and those who ask how many visits went through. */
export const reportPage = (
  report: Report,
  { pages = new Map(), showValues = false, texts = english }: ReportPageOptions = {}
): string => {
  const making: Making = { report, pages, showValues, texts }
  const { language, navigation, title } = texts
  const part = (id: string, title: string, body: string) => [id, title, section(id, title, body)] as const
  return page({
    language,
    title: title(report.command),
    lead: lead(making),
    navigation,
    parts: [
      part("score", texts.score.title, score(making)),
      part("flow", texts.flow.title, flow(making)),
      part("blockers", texts.blockers.title, blockers(making)),
      part("outcomes", texts.outcomes.title, standing(making)),
      part("days", texts.days.title, days(making)),
      part("problems", texts.problems.title, problems(making)),
      part("unmapped", texts.unmapped.title, unmapped(making)),
      part("types", texts.types.title, types(making)),
      part("runs", texts.runs.title, runs(making)),
      part("meanings", texts.meanings.title, meanings(making))
    ],
    footer: `${showValues ? `<strong>${texts.footer.withValues}</strong>` : texts.footer.withoutValues} ${
      html(texts.footer.made(report.version))
    }`
  })
}

const lead = ({ report, texts }: Making): string => {
  const { ended, facility, mapping, plan, started } = report
  return [
    `<strong>${html(facility ?? texts.noFacility)}</strong>`,
    `<time datetime="${html(ended)}">${html(ended.slice(0, 16).replace("T", " "))} UTC</time>`,
    texts.took(texts.number(Math.max(0, Math.round((Date.parse(ended) - Date.parse(started)) / 1000)))),
    ...(mapping === null ? [] : [html(texts.mapping(mapping.slice(0, 12)))]),
    ...(plan === undefined ? [] : [texts.dryRun])
  ].join(" · ")
}

/** A share in words: 100 only when nothing is missing, 0 only when nothing is there. */
const percentOf = (texts: ReportTexts) => (part: number, whole: number): string => {
  if (part === 0 || whole === 0) return texts.percent(0)
  if (part * 100 < whole) return texts.underOne
  return texts.percent(part === whole ? 100 : Math.min(99, Math.round((part * 100) / whole)))
}

const meter = (part: number, whole: number, percent: string): string =>
  `<meter min="0" max="1" value="${
    whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000
  }" aria-label="${percent}"></meter>`

/** Whether the command sends, and did. */
const isSent = ({ command, plan }: Report): boolean => (command === "run" || command === "submit") && plan === undefined

const score = ({ report, texts }: Making): string => {
  const { counts } = report
  const words = texts.score
  const percent = percentOf(texts)
  const n = texts.number
  const figure = (
    name: string,
    part: number,
    whole: number,
    told: string,
    more: ReadonlyArray<readonly [string, string]>
  ) =>
    `<div class="figure"><h3>${name}</h3>${
      whole === 0
        ? `<p>${words.nothing}</p>`
        : `<strong>${percent(part, whole)}</strong>${meter(part, whole, percent(part, whole))}`
    }<p>${told}</p>${more.map(([to, text]) => `<p><a href="#${to}">${text}</a></p>`).join("")}</div>`
  const open = counts.ready - counts.stored - counts.skipped
  return `<div class="figures">${
    figure(
      words.ready,
      counts.ready,
      counts.visits,
      words.readyOf(n(counts.ready), n(counts.visits)),
      counts.rejected === 0 ? [] : [["blockers", words.rejected(n(counts.rejected))]]
    )
  }${
    isSent(report)
      ? figure(words.stored, counts.stored, counts.ready, words.storedOf(n(counts.stored), n(counts.ready)), [
        ...(counts.skipped === 0 ? [] : [["outcomes", words.skipped(n(counts.skipped))] as const]),
        ...(open <= 0 ? [] : [["outcomes", words.open(n(open))] as const])
      ])
      : ""
  }</div>`
}

const tones: Readonly<Record<(typeof outcomes)[number], Flow["tone"]>> = {
  stored: "g",
  partial: "w",
  refused: "x",
  duplicate: "x",
  conflict: "x",
  doubt: "w",
  unknown: "w",
  skipped: "o",
  left: "o"
}

const flow = (making: Making): string => {
  const { report, texts } = making
  const { counts } = report
  const words = texts.flow
  const byType = types(making) === "" ? "score" : "types"
  const leaf = (
    name: "usedRecords" | "unusedRecords" | "rejectedRecords" | "unreadable" | "rejected",
    to: string,
    tone: Flow["tone"]
  ) => ({ label: words[name], count: counts[name], to, tone })
  const records: Flow = {
    label: words.records,
    count: counts.records,
    to: byType,
    tone: "b",
    parts: [
      leaf("usedRecords", "score", "b"),
      leaf("unusedRecords", byType, "o"),
      {
        ...leaf("rejectedRecords", "problems", "x"),
        parts: counts.unreadable === 0 ? [] : [leaf("unreadable", "problems", "x")]
      }
    ]
  }
  const visits: Flow = {
    label: words.visits,
    count: counts.visits,
    to: "score",
    tone: "b",
    parts: [
      {
        label: words.ready,
        count: counts.ready,
        to: isSending(report) ? "outcomes" : "score",
        tone: "g",
        parts: (isSending(report) ? outcomes : []).filter((name) => counts[name] > 0).map((name) => ({
          label: texts.outcomes.names[name],
          count: counts[name],
          to: "outcomes",
          tone: tones[name]
        }))
      },
      leaf("rejected", "blockers", "x")
    ]
  }
  const trees = counts.records + counts.unreadable > 0 ? [records, visits] : [visits]
  return `<figure>${
    flowPicture(trees, { number: texts.number, percent: percentOf(texts), title: words.picture })
  }<figcaption>${words.caption}</figcaption></figure>`
}

const isSending = ({ command }: Report): boolean => command === "run" || command === "submit"

const standing = ({ report, texts }: Making): string => {
  const { command, counts, plan } = report
  if (!isSending(report)) return ""
  const words = texts.outcomes
  const percent = percentOf(texts)
  const kinds = Map.groupBy(plan ?? [], ({ decision }) => decision.why)
  return `${
    table(
      words.heads,
      outcomes.filter((name) => counts[name] > 0).map((name) => [
        words.names[name],
        counts[name],
        percent(counts[name], counts.ready),
        words.meanings[name]
      ]),
      words.caption
    )
  }${
    table(
      words.planHeads,
      [...kinds.values()].map((visits) => {
        const { decision } = visits[0]!
        return [words.verbs[decision._tag], html(wordsFor(decision)), visits.length]
      }),
      words.planCaption
    )
  }<p>${words.list} <code>${
    plan === undefined ? "fhir2visit status" : `fhir2visit ${command} --dry-run --report plan.json`
  }</code></p>`
}

/** What is told of a kind, with the anchor of its place in the list of all. */
interface Kind extends Collated {
  readonly id: string
  readonly owner: Owner
}

const kindsOf = ({ problems }: Report): ReadonlyArray<Kind> =>
  problems.map((collated, index) => ({
    ...collated,
    id: index < mostKinds ? `problem-${index + 1}` : "problems",
    owner: problemOf(collated.first.code).owner
  }))

const blockers = ({ report, texts }: Making): string => {
  const words = texts.blockers
  const kinds = kindsOf(report)
  const errors = kinds.filter(({ first }) => first.severity === "error")
  const top = errors.toSorted((a, b) => b.visits - a.visits || b.count - a.count).slice(0, topBlockers)
  const owners = [...Map.groupBy(kinds, ({ owner }) => owner)].map(([owner, group]) => {
    const told = (severity: Diagnostic["severity"]) => {
      const some = group.filter(({ first }) => first.severity === severity)
      return [some.length, some.reduce((sum, { count }) => sum + count, 0)] as const
    }
    return [html(owner), texts.owners[owner], ...told("error"), ...told("warning")] as const
  })
  return `${
    top.length === 0 ? `<p>${words.none}</p>` : table(
      words.heads,
      top.map(({ count, first, id, owner, visits }) => [
        `<a href="#${id}">${marked(first.title)}</a>${place(first)}`,
        html(owner),
        visits,
        count
      ]),
      words.caption
    )
  }${errors.length > top.length ? `<p><a href="#problems">${words.more(errors.length - top.length)}</a></p>` : ""}${
    owners.length === 0 ? "" : `<h3>${words.owners}</h3>${table(words.ownerHeads, owners, words.ownersCaption)}`
  }`
}

/** Words in backticks are names. */
const marked = (text: string): string => html(text).replace(/`([^`]+)`/gu, "<code>$1</code>")

const place = ({ field, mapping }: Diagnostic): string => {
  const where = mapping === undefined
    ? field === undefined ? undefined : withoutIndexes(field)
    : `${mapping.file.split("/").at(-1)}:${mapping.line}:${mapping.column}`
  return where === undefined ? "" : ` <span class="dim">${html(where)}</span>`
}

const days = ({ report, texts }: Making): string => {
  const words = texts.days
  const all = [...report.days ?? []]
  if (all.every(([day]) => day === "")) return ""
  const percent = percentOf(texts)
  const rows = (counted: ReadonlyArray<readonly [string, DayCounts]>) =>
    counted.map(([day, { ready, rejected }]) => {
      const share = percent(ready, ready + rejected)
      return [
        day === "" ? words.unknown : html(day),
        ready + rejected,
        ready,
        rejected,
        `${meter(ready, ready + rejected, share)} ${share}`
      ]
    })
  const everyDay = table(words.heads, rows(all), words.caption)
  if (all.length <= openDays) return everyDay
  const months = [...Map.groupBy(all, ([day]) => day.slice(0, 7))].map(([month, group]) =>
    [month, {
      ready: group.reduce((sum, [, { ready }]) => sum + ready, 0),
      rejected: group.reduce((sum, [, { rejected }]) => sum + rejected, 0)
    }] as const
  )
  return `${table(words.monthHeads, rows(months), words.monthsCaption)}<details><summary>${
    words.everyDay(all.length)
  }</summary>${everyDay}</details>`
}

const problems = ({ report, showValues, texts }: Making): string => {
  const words = texts.problems
  const kinds = kindsOf(report)
  if (kinds.length === 0) return `<p>${words.none}</p>`
  const told = kinds.slice(0, mostKinds).map(({ count, first, id, owner, visits }) => {
    const { field, help, mapping, origin, path, severity, source, value, visit } = first
    const word = problemOf(first.code).refusal === true ? words.refused : words.severities[severity]
    const file = origin === undefined ? undefined : `${origin.file}:${origin.line}`
    const facts: ReadonlyArray<readonly [name: string, html: string | undefined]> = [
      [words.seen, words.times(count, visits)],
      [words.owner, `${html(owner)}: ${texts.owners[owner]}`],
      [words.mapping, mapping && code(`${mapping.file}:${mapping.line}:${mapping.column}`)],
      [words.path, path && code(path)],
      [words.field, field && code(withoutIndexes(field))],
      [
        words.first,
        [source ?? (origin?.reference || undefined), file].filter(Boolean).map((text) => code(text!)).join(" ")
      ],
      [words.visit, visit && code(visit)],
      ...(first.facts ?? []).map(([name, text]) => [html(name), html(text)] as const),
      [words.value, showValues && value !== undefined ? code(JSON.stringify(value)) : undefined],
      [words.help, help?.map(marked).join("<br>")],
      [words.more, `<a href="#about-${first.code}">${code(first.code)}</a>`]
    ]
    return `<article id="${id}"><h3><span class="${severity === "error" ? "bad" : "warn"}">${word}</span> ${
      marked(first.title)
    }</h3><dl>${facts.map(([name, text]) => (text ? `<dt>${name}</dt><dd>${text}</dd>` : "")).join("")}</dl></article>`
  })
  const rest = kinds.length - told.length
  return `${told.join("")}${rest > 0 ? `<p>${words.rest(rest)}</p>` : ""}`
}

const code = (text: string): string => `<code>${html(text)}</code>`

const unmapped = ({ report, texts }: Making): string =>
  report.unmapped.length === 0 ? "" : `${
    table(
      texts.unmapped.heads,
      report.unmapped.slice(0, mostCodes).map((one) => [
        html(one.table),
        code(one.code),
        one.system === null ? "" : code(one.system),
        html(one.display ?? ""),
        one.count,
        one.visits,
        one.blocked
      ]),
      texts.unmapped.caption
    )
  }${
    report.unmapped.length > mostCodes ? `<p>${texts.unmapped.rest(report.unmapped.length - mostCodes)}</p>` : ""
  }<p>${texts.unmapped.next} <code>fhir2visit codes unmapped</code></p>`

const types = ({ report, texts }: Making): string => {
  const { placedByTime, unresolved, unused } = report
  const names = [...new Set([...unused.keys(), ...unresolved.keys(), ...placedByTime.keys()])].toSorted()
  const rows = names.map((type) => [
    type === "" ? texts.types.unnamed : html(type),
    unused.get(type) ?? 0,
    unresolved.get(type) ?? 0,
    placedByTime.get(type) ?? 0
  ])
  return table(texts.types.heads, rows, texts.types.caption)
}

const runs = ({ report, texts }: Making): string => {
  const words = texts.runs
  const percent = percentOf(texts)
  return table(
    words.heads,
    (report.runs ?? []).map(({ counts, ending, startedAt }) => {
      const of = (...names: ReadonlyArray<string>) => names.reduce((sum, name) => sum + (counts[name] ?? 0), 0)
      const share = percent(of("stored", "skipped"), of("visits"))
      return [
        html(startedAt.slice(0, 16).replace("T", " ")),
        ending === null ? words.unknown : words.endings[ending],
        of("visits"),
        of("sent"),
        of("stored"),
        of("skipped"),
        of("partial"),
        of("refused", "duplicate", "conflict", "doubt"),
        of("unknown"),
        of("left"),
        `${meter(of("stored", "skipped"), of("visits"), share)} ${share}`
      ]
    }),
    words.caption
  )
}

const meanings = ({ pages, report }: Making): string =>
  [...new Set(report.problems.map(({ first }) => first.code))].toSorted().map((name) => {
    const text = pages.get(name)
    return `<article id="about-${name}"><h3>${code(name)}</h3><p>${marked(problemOf(name).meaning)}</p>${
      text === undefined || text === "" ?
        `<p><code>fhir2visit explain ${name}</code></p>` :
        `<details><summary><code>fhir2visit explain ${name}</code></summary><pre>${
          text.trim().split("\n").map(html).join("\n")
        }</pre></details>`
    }</article>`
  }).join("")
