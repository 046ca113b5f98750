import { useEffect, useMemo, useState } from "preact/hooks"
import { at } from "../../../at.ts"
import { compareTexts } from "../../../compareTexts.ts"
import { writeCsv } from "../../../source/tables/rows/writeCsv.ts"
import { type Attention, attentions } from "../../../submission/status/sendingOutcomes.ts"
import { csvCell, Mark, Marked, save, Section } from "../parts.tsx"
import type { ReportJson, VisitJson } from "../ReportJson.ts"
import type { ViewerTexts } from "../texts/texts.ts"
import { attentionTo, countStates, problemTitle } from "../verdict.ts"
import type { PageOf } from "./ReportPage.tsx"

/** The state of the list. It is in the address after `#visits?`, so that a link can restore it. */
interface Filter {
  readonly find: string
  /** A state, `not-delivered`, or `all`. */
  readonly state: string
  readonly ward: string
  readonly day: string
  /** An index into the report's problems. */
  readonly problem: string
  readonly sort: Column
  readonly down: boolean
}

const columns = ["visit", "day", "ward", "state", "needs", "origin"] as const
type Column = (typeof columns)[number]

/** Number of rows shown initially, and added with each click. */
const page = 25

const firstFilter = (report: ReportJson): Filter => {
  const { delivered } = countStates(report)
  return {
    find: "",
    state: delivered === report.counts.visits ? "all" : "not-delivered",
    ward: "",
    day: "",
    problem: "",
    sort: "state",
    down: true
  }
}

const filterIn = (hash: string, first: Filter): Filter | undefined => {
  if (!hash.startsWith("#visits?")) return undefined
  const stated = new URLSearchParams(hash.slice("#visits?".length))
  const sort = columns.find((name) => name === stated.get("sort"))
  return {
    find: stated.get("find") ?? "",
    // a link to a ward, a day or a problem shows all of its visits
    state: stated.get("state") ?? "all",
    ward: stated.get("ward") ?? "",
    day: stated.get("day") ?? "",
    problem: stated.get("problem") ?? "",
    sort: sort ?? first.sort,
    down: stated.has("sort") ? stated.get("down") === "true" : first.down
  }
}

const hashOf = (filter: Filter): string =>
  `#visits?${new URLSearchParams(
    Object.entries(filter).filter(([, value]) => value !== "").map(([name, value]) => [name, String(value)])
  )}`

/** A visit, with its searchable and displayed texts. */
const needsOf = (
  report: ReportJson,
  texts: ViewerTexts,
  { problems, ready, state }: VisitJson
): ReadonlyArray<string> => {
  if (state === "open") {
    return [ready == null ? texts.notOver : texts.openFrom(texts.time(ready, report.zone ?? "UTC"))]
  }
  const errors = problems.filter((index) => at(report.problems, index).severity === "error")
  if (errors.length > 0) return errors.map((index) => problemTitle(report, index))
  const meaning = texts.placeMeanings[state]
  return meaning === "" ? [] : [meaning]
}

const rankOf = (state: VisitJson["state"]): number => attentions.indexOf(attentionTo(state))

const orders: Readonly<Record<Column, (one: VisitJson, other: VisitJson) => number>> = {
  visit: (one, other) => compareTexts(one.visit, other.visit),
  day: (one, other) => compareTexts(one.day ?? "", other.day ?? ""),
  ward: (one, other) => compareTexts(one.ward ?? "", other.ward ?? ""),
  state: (one, other) => rankOf(one.state) - rankOf(other.state),
  needs: (one, other) => (one.problems[0] ?? Infinity) - (other.problems[0] ?? Infinity) || 0,
  origin: (one, other) => compareTexts(one.origin, other.origin)
}

/** Returns the visits that match a filter, in the filter's order. */
const select = (report: ReportJson, filter: Filter): ReadonlyArray<VisitJson> => {
  const find = filter.find.trim().toLowerCase()
  const problem = filter.problem === "" ? undefined : Number(filter.problem)
  const named = find === "" ? new Set<number>() : new Set(
    report.problems.flatMap(({ code, first }, index) =>
      `${code} ${first.message}`.toLowerCase().includes(find) ? [index] : []
    )
  )
  const found = (report.visits ?? []).filter((visit) => {
    const state = attentionTo(visit.state)
    return (filter.state === "all" ||
      (filter.state === "not-delivered" ? state !== "delivered" : state === filter.state))
      && (filter.ward === "" || visit.ward === filter.ward)
      && (filter.day === "" || visit.day === filter.day)
      && (problem === undefined || visit.problems.includes(problem))
      && (find === ""
        || visit.visit.toLowerCase().includes(find)
        || visit.origin.toLowerCase().includes(find)
        || (visit.ward ?? "").toLowerCase().includes(find)
        || visit.problems.some((index) => named.has(index)))
  })
  const order = orders[filter.sort]
  return found.sort((one, other) => (filter.down ? order(other, one) : order(one, other)) || orders.day(one, other))
}

/** Lists each visit by code, with search, filters, sorting and download. */
export const Visits = ({ report, texts }: PageOf) => {
  const words = texts.visits
  const first = useMemo(() => firstFilter(report), [report])
  const [filter, setFilter] = useState(first)
  const [max, setMost] = useState(page)
  const listed = report.visits ?? []
  const shown = useMemo(() => select(report, filter), [report, filter])
  useEffect(() => {
    const follow = () => {
      const expected = filterIn(location.hash, first)
      if (expected === undefined) return
      setFilter(expected)
      setMost(page)
      document.getElementById("visits")?.scrollIntoView()
    }
    const onSlash = (event: KeyboardEvent) => {
      const at = event.target instanceof Element ? event.target.localName : ""
      if (event.key !== "/" || at === "input" || at === "select") return
      event.preventDefault()
      document.getElementById("find")?.focus()
    }
    follow()
    addEventListener("hashchange", follow)
    addEventListener("keydown", onSlash)
    return () => {
      removeEventListener("hashchange", follow)
      removeEventListener("keydown", onSlash)
    }
  }, [first])
  if (listed.length === 0) return null
  const change = (part: Partial<Filter>) => {
    const next = { ...filter, ...part }
    setFilter(next)
    setMost(page)
    history.replaceState(null, "", hashOf(next))
  }
  const wards = wardsOf(report)
  const kinds = kindsOf(report)
  const rest = report.counts.visits - listed.length
  const choice = (
    name: "state" | "ward" | "problem" | "day",
    label: string,
    options: ReadonlyArray<readonly [value: string, text: string]>
  ) => (
    <label>
      {label}
      <select value={filter[name]} onChange={(event) => change({ [name]: event.currentTarget.value })}>
        {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  )
  const count = countStates(report)
  return (
    <Section id="visits" title={words.title} sub={report.values === true ? words.subValues : words.sub}>
      <form class="tools" onSubmit={(event) => event.preventDefault()} role="search">
        <label>
          {words.find}
          <input
            id="find"
            type="search"
            placeholder={words.findHint}
            value={filter.find}
            onInput={(event) => change({ find: event.currentTarget.value })}
          />
        </label>
        {choice("state", words.state, [
          ["all", `${words.all} (${texts.number(report.counts.visits)})`],
          ...(count.delivered === report.counts.visits
            ? []
            : [
              [
                "not-delivered",
                `${words.notDelivered} (${texts.number(report.counts.visits - count.delivered)})`
              ] as const
            ]),
          ...attentions.flatMap((state): ReadonlyArray<readonly [Attention, string]> =>
            count[state] === 0 ? [] : [[state, `${texts.states[state]} (${texts.number(count[state])})`]]
          )
        ])}
        {wards.length === 0
          ? null
          : choice("ward", words.ward, [["", words.all], ...wards.map((name) => [name, name] as const)])}
        {kinds.length === 0 ? null : choice("problem", words.problem, [
          ["", words.anyProblem],
          ...kinds.map((index) => [String(index), problemTitle(report, index).replaceAll("`", "")] as const)
        ])}
        {filter.day === "" ? null : choice("day", words.day, [["", words.all], [filter.day, texts.day(filter.day)]])}
        <button type="button" class="button" onClick={() => change(first)}>{words.reset}</button>
        <button
          type="button"
          class="button main"
          onClick={() => save("visits.csv", "text/csv;charset=utf-8", csvOf(report, texts, shown))}
        >
          {words.download(shown.length)}
        </button>
      </form>
      <p class="sub" role="status">{words.shown(shown.length, report.counts.visits)}</p>
      <div class="scroll" tabIndex={0} role="group" aria-label={words.caption}>
        <table role="table" class="visits">
          <caption class="hush">{words.caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((name) => (
                <th
                  key={name}
                  scope="col"
                  role="columnheader"
                  aria-sort={filter.sort !== name ? undefined : filter.down ? "descending" : "ascending"}
                >
                  <button
                    type="button"
                    onClick={() => change({ sort: name, down: filter.sort === name && !filter.down })}
                  >
                    {words.heads[name]}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.slice(0, max).map((visit, at) => (
              <Row key={`${at} ${visit.visit}`} report={report} texts={texts} visit={visit} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length <= max ? null : (
        <p class="more">
          <button type="button" class="button" onClick={() => setMost(max + 4 * page)}>
            {words.more(Math.min(4 * page, shown.length - max))}
          </button>
        </p>
      )}
      {rest > 0 ? <p class="sub">{words.rest(rest)}</p> : null}
    </Section>
  )
}

const Row = ({ report, texts, visit }: PageOf & { readonly visit: VisitJson }) => {
  const words = texts.visits
  const needs = [...new Set(needsOf(report, texts, visit))]
  const isMessage = visit.problems.length > 0
  return (
    <tr role="row">
      <td role="cell" data-head={words.heads.visit}>
        <code>{visit.visit}</code>
      </td>
      <td role="cell" data-head={words.heads.day}>{visit.day === null ? words.unknown : texts.day(visit.day)}</td>
      <td role="cell" data-head={words.heads.ward}>{visit.ward ?? ""}</td>
      <td role="cell" data-head={words.heads.state}>
        <Mark tone={attentionTo(visit.state)}>{texts.placeNames[visit.state]}</Mark>
      </td>
      <td role="cell" data-head={words.heads.needs} lang={isMessage ? "en" : undefined}>
        {needs.slice(0, 2).map((text) => (
          <div key={text}>
            <Marked text={text} />
          </div>
        ))}
        {needs.length > 2 ? <div class="dim">{words.andMore(needs.length - 2)}</div> : null}
      </td>
      <td role="cell" data-head={words.heads.origin}>
        <code>{visit.origin}</code>
      </td>
    </tr>
  )
}

const wardsOf = ({ visits = [] }: ReportJson): ReadonlyArray<string> =>
  [...new Set(visits.flatMap(({ ward }) => ward ?? []))].toSorted()

/** The problems that visits have, errors first. */
const kindsOf = ({ problems, visits = [] }: ReportJson): ReadonlyArray<number> => {
  const seen = new Set(visits.flatMap((visit) => visit.problems))
  return problems.flatMap((_, index) => (seen.has(index) ? [index] : [])).slice(0, 200)
}

const csvOf = (report: ReportJson, texts: ViewerTexts, visits: ReadonlyArray<VisitJson>): string => {
  const { heads } = texts.visits
  return writeCsv([
    [heads.visit, heads.day, heads.ward, heads.state, heads.outcome, heads.needs, heads.origin],
    ...visits.map((visit) => [
      csvCell(visit.visit),
      visit.day ?? "",
      csvCell(visit.ward ?? ""),
      texts.states[attentionTo(visit.state)],
      texts.placeNames[visit.state],
      csvCell(needsOf(report, texts, visit).join("; ")),
      csvCell(visit.origin)
    ])
  ])
}
