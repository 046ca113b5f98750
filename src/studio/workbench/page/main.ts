import type { ElementRef, MappingView, PageStatus, SourceLocation, VisitList, VisitView } from "../Wire.ts"
import type { Bus } from "./Bus.ts"
import { byId, el, reveal, scrollerOf } from "./dom.ts"
import { mappingPane } from "./mappingPane.ts"
import { provenanceCard } from "./provenanceCard.ts"
import { followReference, type Selection } from "./Selection.ts"
import { sourcePane } from "./sourcePane.ts"
import { tabs } from "./tabs.ts"
import { threads } from "./threads.ts"
import { formatCounts, visitList } from "./visitList.ts"
import { visitPane } from "./visitPane.ts"

let visit: VisitView | undefined
/** The same visit as the mapping produced it before the last edit. */
let earlier: VisitView | undefined
let selection: Selection | undefined
let expected: string | undefined
let madeShown = -1
let listShown = 0

const select = (to: Selection | undefined, isNew = true): void => {
  selection = to
  const lit = followReference(visit, selection)
  // The pane that was clicked stays where it is; after an edit all do, but for the line, which may be another now.
  card.show(visit, selection)
  visits.mark(lit, selection, isNew && to?.kind !== "field")
  mapping.mark(lit, selection, to?.kind !== "line")
  source.mark(lit, selection, isNew && to?.kind !== "element")
  byId("clear").hidden = selection === undefined
  drawThreads()
  remember()
}

const bus: Bus = {
  select: (to) => {
    select(to)
  },
  showField: (path) => {
    select({ kind: "field", path })
    panes.show("visit")
    visits.focus(path)
  },
  showPlace: (place: SourceLocation) => {
    panes.show("mapping")
    mapping.reveal(place)
    drawThreads()
  },
  showElement: (element: ElementRef) => {
    panes.show("source")
    source.reveal(element)
    drawThreads()
  },
  showRecord: (record) => {
    panes.show("source")
    source.revealRecord(record)
    drawThreads()
  }
}

const card = provenanceCard(bus)
const visits = visitPane(bus)
const source = sourcePane(bus)
const mapping = mappingPane(bus)
const panes = tabs((name) => {
  // Lines cannot be drawn to items of a hidden pane.
  const pane = { source, mapping, visit: visits, visits: undefined }[name]
  const first = pane?.lit()[0]
  if (first !== undefined) reveal(pane!.pane, first)
  drawThreads()
})
const drawThreads = threads(source, mapping, visits)
const list = visitList((key) => void choose(key))

const get = async <A>(path: string): Promise<A | undefined> => {
  const response = await fetch(path)
  return response.ok ? await response.json() as A : undefined
}

/** Shows a visit. The selection stays if it is the same visit, converted again. */
const choose = async (key: string): Promise<void> => {
  expected = key
  const view = await get<VisitView | null>(`visit?of=${encodeURIComponent(key)}`)
  if (expected !== key) return
  if (view === undefined || view === null) {
    if (visit?.key === key) {
      byId("visit-head").append(el("span", { class: "state bad" }, "this mapping makes no visit of it any more"))
    }
    return
  }
  const before = visit
  const isSame = before?.key === key
  if (view.made !== madeShown) {
    const files = await get<MappingView>("mapping")
    if (expected !== key) return
    if (files !== undefined) {
      madeShown = files.made
      mapping.show(files)
      showWarnings(files)
    }
  }
  const keep = isSame && stillThere(before, view) ? selection : undefined
  const scrolls = [byId("fields"), byId("records")].map(scrollerOf).map((pane) => [pane, pane.scrollTop] as const)
  visit = view
  earlier = !isSame ? undefined : before.made === view.made ? earlier : before
  visits.show(view, earlier)
  source.show(view, isSame)
  mapping.showVisit(view)
  list.at(key)
  select(keep ?? remembered(), !isSame)
  for (const [pane, top] of isSame ? scrolls : []) pane.scrollTop = top
  drawThreads()
  if (!isSame) say(`Visit ${view.code ?? key}, ${view.ready ? "ready" : "rejected"}`)
}

/** Whether the selection means the same after the visit is converted again: a line of a file or of a record may have moved. */
const stillThere = (before: VisitView, now: VisitView): boolean => {
  if (selection?.kind === "line") return before.made === now.made
  if (selection?.kind !== "element") return true
  const [record, line] = selection.element
  const found = now.records[record]
  return found?.reference === before.records[record]!.reference && line < found.lines.length
}

/** Writes the visit's number and the field's name to the address, so that a reloaded page restores them. */
const remember = (): void => {
  if (visit === undefined) return
  const index = list.indexOf(visit.key)
  if (index < 0) return
  // A browser stores addresses and titles in its history, so neither identifies a visit.
  document.title = `Visit ${index + 1} · Bench`
  history.replaceState(
    null,
    "",
    `#${index + 1}${selection?.kind === "field" ? `/${encodeURIComponent(selection.path)}` : ""}`
  )
}
let fromAddress = /^#(\d+)(?:\/(.+))?$/u.exec(location.hash)
const remembered = (): Selection | undefined => {
  const path = fromAddress?.[2]
  fromAddress = null
  try {
    return path === undefined ? undefined : { kind: "field", path: decodeURIComponent(path) }
  } catch {
    return undefined
  }
}

const say = (words: string): void => {
  byId("said").textContent = words
}

const follows = new EventSource("events")
follows.addEventListener("message", ({ data }: MessageEvent<string>) => {
  byId("lost").hidden = true
  void take(JSON.parse(data) as PageStatus)
})
follows.addEventListener("error", () => {
  byId("lost").hidden = false
})

let last: PageStatus | undefined
const take = async (status: PageStatus): Promise<void> => {
  const before = last
  last = status
  byId("about").textContent = [status.facility, status.mapping].filter((one) => one !== null).join(" · ")
  formatCounts(status, () => {
    panes.show("visits")
    list.onlyChanged()
  })
  showMistakes(status)
  if (status.listed > listShown) {
    listShown = status.listed
    const all = await get<VisitList>("visits")
    if (all !== undefined) list.show(all)
    if (visit === undefined) {
      const first = list.keyAt(Number(fromAddress?.[1] ?? 1) - 1) ?? list.keyAt(0)
      if (first !== undefined) await choose(first)
    } else {
      remember()
      // The comparison of a visit is known only after all visits are converted.
      const line = all?.visits.find(({ key }) => key === visit!.key)
      if (line !== undefined && (line.ready !== visit.ready || line.problems.length !== kindsOf(visit))) {
        await choose(visit.key)
      }
    }
  } else if (expected === undefined && status.first !== null && fromAddress === null) await choose(status.first)
  // The selected visit is fetched first, before all others are converted again.
  if (visit !== undefined && status.made > visit.made && status.made > (before?.made ?? 0)) await choose(visit.key)
  if (status.phase === "done" && before !== undefined && before.phase !== "done") {
    say(`${status.ready} ready, ${status.rejected} rejected`)
  }
}

const kindsOf = ({ problems }: VisitView): number =>
  new Set(problems.map(({ code, severity }) => `${severity} ${code}`)).size

let drawnMistakes = ""
const showMistakes = ({ made, madeAt, mistakes }: PageStatus): void => {
  const drawing = JSON.stringify([made, mistakes])
  if (drawing === drawnMistakes) return
  drawnMistakes = drawing
  const box = byId("mistakes")
  box.hidden = mistakes.length === 0
  document.body.classList.toggle("old", mistakes.length > 0 && made > 0)
  byId("old").hidden = mistakes.length === 0 || made === 0
  if (mistakes.length === 0) return box.replaceChildren()
  const errors = mistakes.filter(({ severity }) => severity === "error")
  const shown = errors.length > 0 ? errors : mistakes
  box.replaceChildren(
    el(
      "p",
      {},
      el("strong", {}, "The mapping on disk is wrong. "),
      made === 0
        ? "No visit can be made with it; correct it, and this page goes on."
        : `What you see is old: it was made at ${
          new Date(madeAt).toLocaleTimeString("en-GB")
        }, by the mapping that was right.`
    ),
    ...shown.slice(0, 20).map(({ drawn }) => el("pre", {}, drawn)),
    ...(shown.length > 20 ? [el("p", {}, `and ${shown.length - 20} more: fhir2visit mapping check`)] : [])
  )
}

const showWarnings = ({ warnings }: MappingView): void => {
  const box = byId("warnings")
  box.hidden = warnings.length === 0
  box.replaceChildren(
    el("summary", {}, `${warnings.length} ${warnings.length === 1 ? "warning" : "warnings"}`),
    ...warnings.map(({ drawn }) => el("pre", {}, drawn))
  )
}

const keys: Readonly<Record<string, () => void>> = {
  n: () => list.step(1),
  p: () => list.step(-1),
  "/": () => {
    panes.show("visits")
    list.find()
  },
  Escape: () => select(undefined),
  "1": () => panes.focus("visits"),
  "2": () => panes.focus("source"),
  "3": () => panes.focus("mapping"),
  "4": () => panes.focus("visit"),
  "?": () => byId<HTMLDialogElement>("keys").showModal()
}
document.addEventListener("keydown", (event) => {
  const { altKey, ctrlKey, metaKey, target } = event
  if (altKey || ctrlKey || metaKey || (target as HTMLElement).closest("input, select, dialog") !== null) return
  const act = keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
})
byId("clear").addEventListener("click", () => select(undefined))
byId("help").addEventListener("click", () => byId<HTMLDialogElement>("keys").showModal())
byId("blanks").addEventListener("change", (event) => {
  document.body.classList.toggle("no-blanks", !(event.target as HTMLInputElement).checked)
  drawThreads()
})
