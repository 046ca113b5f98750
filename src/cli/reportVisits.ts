import { withoutIndexes } from "../diagnostic/collate.ts"
import type { Diagnostic } from "../diagnostic/Diagnostic.ts"
import { html, table } from "../page/page.ts"
import { wordsFor } from "../submission/explainPlan.ts"
import type { Decision } from "../submission/plan.ts"
import { longTable } from "./longTable.ts"
import { type ListedVisit, type OutcomeName, outcomes, type Report } from "./Report.ts"
import { anchorsOf, countRow, plus } from "./reportCounts.ts"
import { code, type Making, marked } from "./reportMaking.ts"

/** As many wards are told one by one. */
const mostPlaces = 100
/** A name of as many letters stays on one line. */
const mostLetters = 24
/** As many kinds of problems are named beside a visit. */
const mostKindsOfVisit = 5

/** The name of a place, where it may be told: `""` where it is not known or was met for few patients. */
const shownPlaces = ({ report, showValues }: Making): ReadonlySet<string> =>
  new Set([...report.places ?? []].flatMap(([name, { common }]) => name !== "" && (common || showValues) ? [name] : []))

/** Visits by ward, department or service, each with its visits. */
export const places = (making: Making): string => {
  const { report, texts } = making
  const words = texts.places
  const all = [...report.places ?? []]
  const shown = shownPlaces(making)
  if (shown.size === 0) return all.some(([name]) => name !== "") ? `<p class="dim">${words.none}</p>` : ""
  const named = all.filter(([name]) => shown.has(name))
  const told = named.slice(0, mostPlaces)
  const more = plus(named.slice(mostPlaces).map(([, counts]) => counts))
  const few = plus(all.filter(([name]) => name !== "" && !shown.has(name)).map(([, counts]) => counts))
  const unknown = report.places?.get("") ?? { ready: 0, rejected: 0 }
  const others = [[words.more, more], [words.few, few], [words.unknown, unknown]] as const
  const rows = [
    ...told.map(([name, counts], at) =>
      countRow(making, html(name), counts, anchorsOf(report, (visit) => visit.place === name, `in-${at + 1}`))
    ),
    ...others.flatMap((
      [name, counts]
    ) => (counts.ready + counts.rejected === 0 ? [] : [countRow(making, name, counts)]))
  ]
  const lists = (["rejected", "ready"] as const).map((list) => {
    const byPlace = Map.groupBy(numbered(report, list), ({ visit }) => visit.place)
    const each = told.flatMap(([name, counts], at) => {
      const some = byPlace.get(name)
      if (some === undefined) return []
      const links = some.map(({ id, visit }) => `<a href="#${id}">${code(visit.name)}</a>`)
      return [
        `<p id="${list}-in-${at + 1}"><strong>${html(name)}</strong> ${words.listed(some.length, counts[list])}: ${
          links.join(", ")
        }</p>`
      ]
    })
    return each.length === 0
      ? ""
      : `<details${list === "rejected" ? ` class="unfold"` : ""}><summary>${words.lists[list]}</summary>${
        each.join("")
      }</details>`
  })
  return `${table(words.heads, rows, words.caption, { compact: true, number: texts.number })}${lists.join("")}`
}

type List = "ready" | "rejected"

interface Numbered {
  readonly id: string
  readonly visit: ListedVisit
}

/** The listed visits in the order of their days, each with its place in the list. */
const numbered = ({ readyVisits = [], rejectedVisits = [] }: Report, list: List): ReadonlyArray<Numbered> =>
  (list === "ready" ? readyVisits : rejectedVisits)
    .toSorted((one, other) =>
      one.day === other.day ? 0 : one.day === "" ? 1 : other.day === "" ? -1 : one.day < other.day ? -1 : 1
    )
    .map((visit, at) => ({ id: `${list}-${at + 1}`, visit }))

/** Anchors of the visits that are listed, by their names. */
export const idsOf = (report: Report): ReadonlyMap<string, string> =>
  new Map(
    (["ready", "rejected"] as const).flatMap((list) => numbered(report, list).map(({ id, visit }) => [visit.name, id]))
  )

/** The name of a visit, with the anchors that counts lead to where it is the first of its day, month, year or standing. */
const nameCell = (list: List, { id, visit }: Numbered, standing: string | undefined, seen: Set<string>): string => {
  const { day, name } = visit
  const groups = [
    ...(day === "" ? ["on-"] : [`on-${day.slice(0, 4)}`, `on-${day.slice(0, 7)}`, `on-${day}`]),
    ...(standing === undefined ? [] : [standing])
  ].filter((group) => !seen.has(group))
  for (const group of groups) seen.add(group)
  return `${groups.map((group) => `<span id="${list}-${html(group)}"></span>`).join("")}<span id="${id}"${
    name.length > mostLetters ? "" : ` class="word"`
  }>${code(name)}</span>`
}

/** What is wrong with a visit or a record, each leading to what is told of it. */
const kindsCell = (kinds: ReadonlyArray<Diagnostic>, ids: ReadonlyMap<Diagnostic, string>): string =>
  [...new Set(kinds)].slice(0, mostKindsOfVisit).map((first) =>
    `<a class="word" href="#${ids.get(first) ?? "problems"}">${html(first.code)}</a>${
      first.field === undefined ? "" : ` <span class="dim">${html(withoutIndexes(first.field))}</span>`
    }`
  ).join("<br>")

/** The same in short: each code once, leading to the first kind of it. */
const codesCell = (kinds: ReadonlyArray<Diagnostic>, ids: ReadonlyMap<Diagnostic, string>): string =>
  [...Map.groupBy(kinds, ({ code }) => code)].map(([name, [first]]) =>
    `<a href="#${ids.get(first!) ?? "problems"}">${html(name)}</a>`
  ).join(", ")

const dayCell = ({ texts }: Making, day: string): string =>
  `<span class="word">${day === "" ? texts.days.unknown : html(texts.day(day))}</span>`

/** Every rejected visit: where it comes from, when and where it was, and what blocks it. */
export const rejected = (making: Making, kinds: ReadonlyMap<Diagnostic, string>): string => {
  const { report, texts } = making
  const words = texts.rejected
  const shown = shownPlaces(making)
  const seen = new Set<string>()
  const rows = numbered(report, "rejected").map((one) => [
    nameCell("rejected", one, undefined, seen),
    `<span class="dim">${html(one.visit.origin)}</span>`,
    dayCell(making, one.visit.day),
    shown.has(one.visit.place) ? html(one.visit.place) : "",
    kindsCell(one.visit.kinds, kinds)
  ])
  const rest = report.counts.rejected - rows.length
  return rows.length === 0
    ? ""
    : `${longTable(making, words.heads, rows, words.caption)}${rest > 0 ? `<p>${words.rest(rest)}</p>` : ""}`
}

/** Where a ready visit stands: after sending, or as it is planned. */
const standingOf = (
  { report: { plan, standings }, texts }: Making
): (name: string) => readonly [id: string, told: string] | undefined => {
  const planned = new Map((plan ?? []).map(({ code, decision }) => [code, decision]))
  return (name) => {
    const standing = standings?.get(name)
    if (standing !== undefined) return [standing, texts.outcomes.names[standing]]
    const decision = planned.get(name)
    return decision === undefined
      ? undefined
      : [`to-${decision._tag}`, `${texts.outcomes.verbs[decision._tag]}: ${html(wordsFor(decision))}`]
  }
}

/** The ready visits one by one: where each stands, when and where it was, and what it is warned of. */
export const ready = (making: Making, kinds: ReadonlyMap<Diagnostic, string>): string => {
  const { report, texts } = making
  const words = texts.ready
  const shown = shownPlaces(making)
  const standing = standingOf(making)
  const seen = new Set<string>()
  const all = numbered(report, "ready")
  const isPlaced = all.some(({ visit }) => standing(visit.name) !== undefined)
  const rows = all.map((one) => {
    const [id, told] = standing(one.visit.name) ?? []
    return [
      nameCell("ready", one, id, seen),
      ...(isPlaced ? [told ?? ""] : []),
      `<span class="dim">${html(one.visit.origin)}</span>`,
      dayCell(making, one.visit.day),
      shown.has(one.visit.place) ? html(one.visit.place) : "",
      codesCell(one.visit.kinds, kinds)
    ]
  })
  if (rows.length === 0) return ""
  const rest = report.counts.ready - rows.length
  const [name, ...heads] = words.heads
  return `${
    longTable(
      making,
      [
        name!,
        ...(isPlaced ? [report.plan === undefined ? words.standing : texts.outcomes.planHeads[0]!] : []),
        ...heads
      ],
      rows,
      words.caption,
      { open: 0, fold: words.fold }
    )
  }${
    rest > 0
      ? `<p>${
        report.command === "validate" || report.command === "submit" ? words.restOfFile(rest) : words.rest(rest)
      }</p>`
      : ""
  }`
}

/** Records that belong to no visit, and lines that are none: where each is, and why. */
export const rejectedRecords = (making: Making, kinds: ReadonlyMap<Diagnostic, string>): string => {
  const { report, texts } = making
  const words = texts.rejectedRecords
  const all = report.rejectedRecords ?? []
  const rest = report.counts.rejectedRecords - all.length
  const rows = all.map(({ kinds: own, name, origin }) => [
    name === "" ? words.unnamed : code(name),
    `<span class="dim">${html(origin)}</span>`,
    kindsCell(own, kinds)
  ])
  return rows.length === 0
    ? ""
    : `${longTable(making, words.heads, rows, words.caption)}${rest > 0 ? `<p>${words.rest(rest)}</p>` : ""}`
}

/** The visits that the service does not hold complete, by where they stand. */
export const open = (making: Making): string => {
  const { report, texts } = making
  const words = texts.open
  const all = report.open ?? []
  const seen = new Set<string>()
  const rows = all.toSorted((one, other) => outcomes.indexOf(one.standing) - outcomes.indexOf(other.standing)).map(
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
  )
  const { counts } = report
  const rest = counts.ready - counts.stored - counts.skipped - rows.length
  return rows.length === 0
    ? ""
    : `${longTable(making, words.heads, rows, words.caption)}${rest > 0 ? `<p>${words.rest(rest)}</p>` : ""}`
}

/** Where the ready visits that would be done the same with are listed one by one. */
export const listOfPlan = ({ plan = [], readyVisits = [] }: Report, tag: Decision["_tag"]): string | undefined => {
  const codes = new Set(plan.flatMap(({ code, decision }) => (decision._tag === tag ? [code] : [])))
  return readyVisits.some(({ name }) => codes.has(name)) ? `ready-to-${tag}` : undefined
}

/** Where the visits of a standing are listed one by one. */
export const listOfStanding = (
  { open = [], plan, readyVisits = [], standings }: Report,
  name: OutcomeName
): string | undefined =>
  open.some(({ standing }) => standing === name)
    ? `open-${name}`
    : readyVisits.some((visit) => standings?.get(visit.name) === name)
    ? `ready-${name}`
    : plan !== undefined && readyVisits.length > 0
    ? "ready"
    : undefined
