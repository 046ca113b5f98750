import { withoutIndexes } from "../diagnostic/collate.ts"
import type { Collated } from "../diagnostic/collate.ts"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { helpOf } from "../diagnostic/helpOf.ts"
import { type Owner, problemOf } from "../diagnostic/Problem.ts"
import { html, linked, page, section, table } from "../page/page.ts"
import { wordsFor } from "../submission/explainPlan.ts"
import { type Flow, flowPicture } from "./flowPicture.ts"
import { longTable } from "./longTable.ts"
import { type OutcomeName, outcomes, type Report } from "./Report.ts"
import { countTo } from "./reportCounts.ts"
import { days } from "./reportDays.ts"
import { code, type Making, marked, meter, moment, percentOf } from "./reportMaking.ts"
import { runs, trends } from "./reportRuns.ts"
import { english, type ReportTexts } from "./reportTexts.ts"
import { idsOf, listOfPlan, listOfStanding, open, places, ready, rejected, rejectedRecords } from "./reportVisits.ts"

export interface ReportPageOptions {
  /** Shows values of the source; they may be patient data. */
  readonly showValues?: boolean
  /** What `explain` says of a problem, by its code. */
  readonly pages?: ReadonlyMap<string, string>
  readonly texts?: ReportTexts
}

/** As many blockers are named at the top. */
const topBlockers = 8
/** As many kinds of problems are told; a mapping with more is a mapping to be written anew. */
const mostKinds = 1000
const mostCodes = 1000

/** A run as one page that needs nothing else, for those who look after the data and those who ask how many visits went through. */
export const reportPage = (
  report: Report,
  { pages = new Map(), showValues = false, texts = english }: ReportPageOptions = {}
): string => {
  const making: Making = { report, pages, showValues, texts }
  const { language, navigation, title } = texts
  const kinds = new Map(kindsOf(report).map(({ first, id }) => [first, id]))
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
      part("places", texts.places.title, places(making)),
      part("trends", texts.trends.title, trends(making)),
      part("rejected", texts.rejected.title, rejected(making, kinds)),
      part("open", texts.open.title, open(making)),
      part("ready", texts.ready.title, ready(making, kinds)),
      part("records", texts.rejectedRecords.title, rejectedRecords(making, kinds)),
      part("problems", texts.problems.title, problems(making)),
      part("assumptions", texts.assumptions.title, assumptions(making)),
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
    moment({ report, texts }, ended),
    texts.took(texts.number(Math.max(0, Math.round((Date.parse(ended) - Date.parse(started)) / 1000)))),
    ...(mapping === null ? [] : [html(texts.mapping(mapping.slice(0, 12)))]),
    ...(plan === undefined ? [] : [texts.dryRun])
  ].join(" · ")
}

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
  const done = counts.stored + counts.skipped
  return `<div class="figures">${
    figure(
      words.ready,
      counts.ready,
      counts.visits,
      words.readyOf(n(counts.ready), n(counts.visits)),
      [
        ...((report.readyVisits ?? []).length === 0 ? [] : [["ready", words.readyList(n(counts.ready))] as const]),
        ...(counts.rejected === 0
          ? []
          : [[listOf(report, "rejected"), words.rejected(n(counts.rejected))] as const])
      ]
    )
  }${
    isSent(report)
      ? figure(words.done, done, counts.ready, words.doneOf(n(done), n(counts.ready)), [
        ...(counts.stored === 0
          ? []
          : [[listOfStanding(report, "stored") ?? "outcomes", words.stored(n(counts.stored))] as const]),
        ...(counts.skipped === 0
          ? []
          : [[listOfStanding(report, "skipped") ?? "outcomes", words.skipped(n(counts.skipped))] as const]),
        ...(counts.ready === done ? [] : [[listOf(report, "open"), words.open(n(counts.ready - done))] as const])
      ])
      : ""
  }</div>`
}

/** The list that a figure leads to: of the visits themselves, or of what is told of them where they are not listed. */
const listOf = (report: Report, list: "rejected" | "open"): string =>
  list === "rejected"
    ? (report.rejectedVisits ?? []).length > 0 ? "rejected" : "blockers"
    : (report.open ?? []).length > 0
    ? "open"
    : "outcomes"

const tones: Readonly<Record<OutcomeName, Flow["tone"]>> = {
  stored: "g",
  partial: "w",
  refused: "x",
  duplicate: "x",
  conflict: "x",
  doubt: "w",
  unknown: "w",
  skipped: "o",
  left: "o",
  open: "o"
}

const flow = (making: Making): string => {
  const { report, texts } = making
  const { counts } = report
  const words = texts.flow
  const byType = types(making) === "" ? "score" : "types"
  const ofNoVisit = (report.rejectedRecords ?? []).length > 0 ? "records" : "problems"
  const byDay = days(making) === "" ? "score" : "days"
  const leaf = (
    name: "usedRecords" | "unusedRecords" | "rejectedRecords" | "unreadable" | "rejected" | "open",
    to: string,
    tone: Flow["tone"]
  ) => ({ label: words[name], count: counts[name], to, tone })
  const records: Flow = {
    label: words.records,
    count: counts.records,
    to: byType,
    tone: "b",
    parts: [
      leaf("usedRecords", byType, "b"),
      leaf("unusedRecords", byType, "o"),
      {
        ...leaf("rejectedRecords", ofNoVisit, "x"),
        parts: counts.unreadable === 0 ? [] : [leaf("unreadable", ofNoVisit, "x")]
      }
    ]
  }
  const visits: Flow = {
    label: words.visits,
    count: counts.visits,
    to: byDay,
    tone: "b",
    parts: [
      {
        label: words.ready,
        count: counts.ready,
        to: (report.readyVisits ?? []).length > 0 ? "ready" : isSending(report) ? "outcomes" : byDay,
        tone: "g",
        parts: (isSending(report) ? outcomes : []).filter((name) => name !== "open" && counts[name] > 0).map((
          name
        ) => ({
          label: texts.outcomes.names[name],
          count: counts[name],
          to: listOfStanding(report, name) ?? "outcomes",
          tone: tones[name]
        }))
      },
      leaf("rejected", listOf(report, "rejected"), "x"),
      leaf("open", isSending(report) ? "outcomes" : byDay, "o")
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
        countTo(counts[name], listOfStanding(report, name)),
        name === "open" ? "" : percent(counts[name], counts.ready),
        words.meanings[name]
      ]),
      words.caption,
      { number: texts.number }
    )
  }${
    table(
      words.planHeads,
      [...kinds.values()].map((visits) => {
        const { decision } = visits[0]!
        return [
          words.verbs[decision._tag],
          html(wordsFor(decision)),
          countTo(visits.length, listOfPlan(report, decision._tag))
        ]
      }),
      words.planCaption,
      { number: texts.number }
    )
  }<p>${words.list} <code>${
    plan === undefined ? "fhir2visit status" : `fhir2visit ${command} --dry-run --report plan.json`
  }</code></p>`
}

/** What is told of a kind, with the anchor of its place in the list of all. */
export interface Kind extends Collated {
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
      const to = some[0]?.id ?? "problems"
      return [linked(some.length, to), linked(some.reduce((sum, { count }) => sum + count, 0), to)] as const
    }
    return [texts.ownerNames[owner], texts.owners[owner], ...told("error"), ...told("warning")] as const
  })
  return `${
    top.length === 0 ? `<p>${words.none}</p>` : table(
      words.heads,
      top.map(({ count, first, id, owner, visits }) => [
        `<a href="#${id}">${marked(first.title)}</a>${place(first)}`,
        html(texts.ownerNames[owner]),
        linked(visits, id),
        linked(count, id)
      ]),
      words.caption,
      { number: texts.number }
    )
  }${errors.length > top.length ? `<p><a href="#problems">${words.more(errors.length - top.length)}</a></p>` : ""}${
    owners.length === 0 ?
      "" :
      `<h3>${words.owners}</h3>${table(words.ownerHeads, owners, words.ownersCaption, { number: texts.number })}`
  }`
}

const place = ({ field, mapping }: Diagnostic): string => {
  const where = mapping === undefined
    ? field === undefined ? undefined : withoutIndexes(field)
    : `${mapping.file.split("/").at(-1)}:${mapping.line}:${mapping.column}`
  return where === undefined ? "" : ` <span class="dim">${html(where)}</span>`
}

const problems = (making: Making): string => {
  const { report, showValues, texts } = making
  const words = texts.problems
  const kinds = kindsOf(report)
  if (kinds.length === 0) return `<p>${words.none}</p>`
  const listed = idsOf(report)
  const told = kinds.slice(0, mostKinds).map(({ count, first, id, owner, visits }) => {
    const { field, mapping, origin, path, said, severity, source, value } = first
    const word = problemOf(first.code).refusal === true ? words.refused : words.severities[severity]
    const file = origin === undefined ? undefined : `${origin.file}:${origin.line}`
    const facts: ReadonlyArray<readonly [name: string, html: string | undefined]> = [
      [words.owner, `${texts.ownerNames[owner]}: ${texts.owners[owner]}`],
      [words.mapping, mapping && code(`${mapping.file}:${mapping.line}:${mapping.column}`)],
      [words.path, path && code(path)],
      [words.field, field && code(withoutIndexes(field))],
      [
        words.first,
        [source ?? (origin?.reference || undefined), file].filter(Boolean).map((text) => code(text!)).join(" ")
      ],
      [words.visits, named(making, first, visits, listed)],
      ...(first.facts ?? []).map(([name, text]) => [html(name), html(text)] as const),
      [words.value, showValues && value !== undefined ? code(JSON.stringify(value)) : undefined],
      [words.said, showValues && said !== undefined ? code(JSON.stringify(said)) : undefined],
      [words.help, helpOf(first).map(marked).join("<br>")],
      [words.more, `<a href="#about-${first.code}">${code(first.code)}</a>`]
    ]
    const tone = severity === "error" ? "bad" : "warn"
    return `<article id="${id}"><details${
      severity === "error" ? " open" : ""
    }><summary><h3><span class="${tone}">${word}</span> ${marked(first.title)}</h3> <span class="dim">${
      words.times(count, visits)
    }</span></summary><dl>${
      facts.map(([name, text]) => (text ? `<dt>${name}</dt><dd>${text}</dd>` : "")).join("")
    }</dl></details></article>`
  })
  const rest = kinds.length - told.length
  return `${told.join("")}${rest > 0 ? `<p>${words.rest(rest)}</p>` : ""}`
}

/** The first visits that have a problem of this kind, each leading to its place in a list, and where the others are found. */
const named = (
  { report, texts: { problems: words } }: Making,
  first: Diagnostic,
  visits: number,
  listed: ReadonlyMap<string, string>
): string => {
  const names = report.named?.get(first) ?? (first.visit === undefined ? [] : [first.visit])
  const rest = visits - names.length
  const isListed = (report.rejectedVisits ?? []).length === report.counts.rejected
  const whereOthersAre = first.severity !== "error" ? words.allWarned : isListed ? words.inList : words.allRejected
  const links = names.map((name) => {
    const id = listed.get(name)
    return id === undefined ? code(name) : `<a href="#${id}">${code(name)}</a>`
  })
  return `${links.join(", ")}${
    rest > 0 && names.length > 0
      ? ` ${words.others(rest)}: ${whereOthersAre}`
      : ""
  }`
}

const assumptions = (making: Making): string => {
  const { report, texts } = making
  const { caption, heads, standing } = texts.assumptions
  const rows = (report.assumptions ?? []).map(({ accepted, ask, mapping, means, name, visits }) => [
    code(name),
    html(means),
    texts.number(visits),
    accepted ? standing.accepted : standing[ask],
    `<span class="dim">${html(mapping)}</span>`
  ])
  return rows.length === 0 ? "" : longTable(making, heads, rows, caption)
}

const unmapped = (making: Making): string => {
  const { report, texts } = making
  const kinds = kindsOf(report).filter(({ first }) => first.code === "unmapped-code")
  const of = (table: string): string | undefined => kinds.find(({ first }) => first.title.includes(`\`${table}\``))?.id
  return report.unmapped.length === 0 ? "" : `${
    longTable(
      making,
      texts.unmapped.heads,
      report.unmapped.slice(0, mostCodes).map((one) => [
        html(one.table),
        code(one.code),
        one.system === null ? "" : code(one.system),
        html(one.display ?? ""),
        countTo(one.count, of(one.table)),
        countTo(one.visits, of(one.table)),
        one.blocked
      ]),
      texts.unmapped.caption
    )
  }${
    report.unmapped.length > mostCodes ? `<p>${texts.unmapped.rest(report.unmapped.length - mostCodes)}</p>` : ""
  }<p>${texts.unmapped.next} <code>fhir2visit codes unmapped</code></p>`
}

const types = ({ report, texts }: Making): string => {
  const { placedByTime, unresolved, unused, used = new Map<string, number>() } = report
  const names = [...new Set([...used.keys(), ...unused.keys(), ...unresolved.keys(), ...placedByTime.keys()])]
    .toSorted()
  const rows = names.map((type) => [
    type === "" ? texts.types.unnamed : html(type),
    used.get(type) ?? 0,
    unused.get(type) ?? 0,
    unresolved.get(type) ?? 0,
    placedByTime.get(type) ?? 0
  ])
  return rows.length === 0
    ? ""
    : `${
      table(texts.types.heads, rows, texts.types.caption, { number: texts.number })
    }<p>${texts.types.list} <code>--coverage FILE</code></p>`
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
