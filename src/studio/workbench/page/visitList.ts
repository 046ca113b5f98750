import type { PageStatus, VisitLine, VisitList } from "../Wire.ts"
import { byId, el, formatNumber, pluralOf, reveal } from "./dom.ts"
import { roving } from "./roving.ts"

/** Maximum number of visits listed; a search shows the others. */
const most = 400

/** Finds visits by code, state and problems, and moves from one to the next. */
export const visitList = (chosen: (key: string) => void) => {
  const find = byId<HTMLInputElement>("find")
  const state = byId<HTMLSelectElement>("state")
  const problem = byId<HTMLSelectElement>("problem")
  const box = byId("list")
  const position = byId("position")
  const outside = byId("outside")
  let list: VisitList = { listed: 0, visits: [], problems: [], outside: [] }
  let matches: ReadonlyArray<VisitLine> = []
  let current: string | undefined

  const { stopAt } = roving(box, (item) => chosen(item.dataset["key"]!))

  const filter = (): void => {
    const text = find.value.trim().toLowerCase()
    const expected = list.problems.findIndex(({ code, severity }) => `${severity} ${code}` === problem.value)
    matches = list.visits.filter((visit) =>
      (text === "" || (visit.code ?? "").toLowerCase().includes(text) || visit.key.toLowerCase().includes(text)) &&
      (state.value === "" || (state.value === "changed" ? visit.changed : visit.ready === (state.value === "ready"))) &&
      (problem.value === "" || visit.problems.includes(expected))
    )
    draw()
  }

  const draw = (): void => {
    const at = matches.findIndex(({ key }) => key === current)
    const focused = box.contains(document.activeElement)
    // The selected visit stays in the visible part of the list.
    const from = Math.max(0, Math.min(at - most / 2, matches.length - most))
    box.replaceChildren(
      ...matches.slice(from, from + most).map(({ changed, code, count, key, ready }) =>
        el(
          "div",
          {
            role: "option",
            "aria-selected": String(key === current),
            tabindex: -1,
            "data-item": true,
            "data-key": key,
            class: "item"
          },
          el(
            "span",
            { class: ready ? "good" : "bad", role: "img", "aria-label": ready ? "ready" : "rejected" },
            ready ? "✓" : "✕"
          ),
          el("span", { class: "code" }, code ?? key),
          changed
            ? el("span", { class: "tag", title: "Came out otherwise than before the last edit" }, "changed")
            : null,
          count === 0
            ? null
            : el(
              "span",
              { class: "count", title: pluralOf(count, "problem") },
              String(count)
            )
        )
      )
    )
    if (matches.length > most) {
      box.append(
        el(
          "p",
          { class: "dim" },
          `${formatNumber(from + 1)} to ${formatNumber(from + most)} of ${formatNumber(matches.length)}`
        )
      )
    }
    if (matches.length === 0) {
      box.append(el("p", { class: "dim" }, list.visits.length === 0 ? "No visits yet" : "No visit is like that"))
    }
    position.textContent = at < 0
      ? pluralOf(matches.length, "visit")
      : `${formatNumber(at + 1)} of ${formatNumber(matches.length)}`
    const item = at < 0 ? undefined : box.children[at - from] as HTMLElement
    stopAt(item)
    if (item !== undefined) reveal(box, item)
    if (focused) item?.focus({ preventScroll: true })
  }

  const step = (by: 1 | -1): void => {
    const at = matches.findIndex(({ key }) => key === current)
    const next = at < 0 ? matches[by === 1 ? 0 : matches.length - 1] : matches[at + by]
    if (next !== undefined) chosen(next.key)
  }

  find.addEventListener("input", filter)
  find.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") {
      event.preventDefault()
      box.querySelector<HTMLElement>("[data-item][tabindex='0']")?.focus()
    }
    if (event.key === "Enter" && matches[0] !== undefined) chosen(matches[0].key)
  })
  state.addEventListener("change", filter)
  problem.addEventListener("change", filter)
  byId("next").addEventListener("click", () => step(1))
  byId("previous").addEventListener("click", () => step(-1))

  return {
    show: (view: VisitList): void => {
      list = view
      const kept = problem.value
      problem.replaceChildren(
        el("option", { value: "" }, "any problem, or none"),
        ...view.problems.map(({ code, severity, visits }) =>
          el(
            "option",
            { value: `${severity} ${code}` },
            `${severity === "error" ? "✕" : "!"} ${code} (${formatNumber(visits)})`
          )
        )
      )
      problem.value = kept
      // No visit has this problem any longer, so the search is cleared.
      if (problem.value !== kept) problem.value = ""
      outside.hidden = view.outside.length === 0
      const count = view.outside.reduce((sum, one) => sum + one.count, 0)
      outside.replaceChildren(
        el("summary", {}, `Outside visits: ${pluralOf(count, "problem")}`),
        ...view.outside.slice(0, 50).map(({ count, drawn, title }) =>
          el(
            "details",
            {},
            el("summary", {}, count === 1 ? title : `${title} (${formatNumber(count)})`),
            el("pre", {}, drawn)
          )
        )
      )
      filter()
    },
    at: (key: string | undefined): void => {
      current = key
      draw()
    },
    step,
    find: (): void => {
      find.focus()
      find.select()
    },
    onlyChanged: (): void => {
      find.value = ""
      problem.value = ""
      state.value = "changed"
      filter()
    },
    /** Maps a visit to its number and back: the address can contain the number only. */
    indexOf: (key: string): number => list.visits.findIndex((visit) => visit.key === key),
    keyAt: (index: number): string | undefined => list.visits[index]?.key
  }
}

/** Shows the counts, and how the last edit changed them. */
export const formatCounts = (status: PageStatus, onlyChanged: () => void): void => {
  const { before, changed, mapped, phase, ready, records, rejected, total } = status
  const counts = byId("counts")
  const bar = byId<HTMLProgressElement>("progress")
  bar.hidden = phase === "done" || status.made + records === 0
  bar.max = Math.max(1, total)
  if (phase === "mapping") bar.value = mapped
  else bar.removeAttribute("value")
  if (phase === "reading") {
    counts.replaceChildren(
      status.mistakes.length > 0 && records === 0 ? "nothing is read yet" : `reading: ${pluralOf(records, "record")}`
    )
    return
  }
  const part = (name: string, from: number | undefined, to: number, tone: string) =>
    el(
      "span",
      { class: `figure ${tone}` },
      el("span", { class: "dim" }, `${name} `),
      from === undefined || (phase === "done" && from === to)
        ? null
        : el("span", { class: "dim" }, `${formatNumber(from)} → `),
      el("b", {}, formatNumber(to))
    )
  const more = changed === null || changed === 0
    ? null
    : el("button", { type: "button", class: "link" }, `${pluralOf(changed, "visit")} changed`)
  more?.addEventListener("click", onlyChanged)
  counts.replaceChildren(
    part("ready", before?.ready, ready, "good"),
    part("rejected", before?.rejected, rejected, "bad"),
    ...(phase === "mapping" ? [el("span", { class: "dim" }, `${formatNumber(mapped)} of ${formatNumber(total)}`)] : []),
    ...(more === null ? [] : [more]),
    ...(changed === 0 ? [el("span", { class: "dim" }, "no visit changed")] : [])
  )
}
