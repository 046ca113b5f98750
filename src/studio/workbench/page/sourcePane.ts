import type { ElementRef, RecordView, VisitView } from "../Wire.ts"
import type { Bus } from "./Bus.ts"
import { byId, el, linkElement, pluralOf, reveal } from "./dom.ts"
import { roving } from "./roving.ts"
import { elementText, endOf, type Lit, type Selection } from "./Selection.ts"

/** The records of a visit as trees; a record is expanded on demand. */
export const sourcePane = (bus: Bus) => {
  const head = byId("source-head")
  const tree = byId("records")
  let visit: VisitView | undefined
  let groups: ReadonlyArray<HTMLElement> = []
  let lit: Lit | undefined

  const linesOf = (group: HTMLElement): HTMLElement => group.lastElementChild as HTMLElement
  const turn = (group: HTMLElement, open: boolean): void => {
    const record = Number(group.dataset["record"])
    const box = linesOf(group)
    group.firstElementChild!.setAttribute("aria-expanded", String(open))
    box.hidden = !open
    if (!open || box.childElementCount > 0) return
    box.append(...visit!.records[record]!.lines.map(([depth, key, value, read], line) =>
      el(
        "div",
        {
          role: "treeitem",
          "aria-level": depth + 2,
          "aria-selected": "false",
          tabindex: -1,
          "data-item": true,
          "data-line": line,
          class: `item in d${Math.min(depth + 1, 9)}${read === 0 && value !== null ? " unread" : ""}`
        },
        el("span", { class: "key" }, key),
        " ",
        value === null ? null : el("span", { class: "value" }, value)
      )
    ))
    if (lit !== undefined) light(group)
  }
  const { stopAt } = roving(tree, (item) => {
    const group = item.closest<HTMLElement>(".record")!
    const { line } = item.dataset
    if (item.classList.contains("reason")) item.querySelector("button")?.click()
    else if (line === undefined) turn(group, item.getAttribute("aria-expanded") !== "true")
    else bus.select({ kind: "element", element: [Number(group.dataset["record"]), Number(line)] })
  }, (item, open) => {
    const group = item.closest<HTMLElement>(".record")!
    if (item !== group.firstElementChild) return open ? undefined : group.firstElementChild as HTMLElement
    turn(group, open)
    return undefined
  })

  /** Lights the lines of an open record: what was found with all below it, what was looked at by itself. */
  const light = (group: HTMLElement): void => {
    const record = Number(group.dataset["record"])
    const items = linesOf(group).children
    for (const item of group.querySelectorAll(".lit, .looked")) item.classList.remove("lit", "looked")
    for (const [, line] of of(lit!.looked, record)) items[line]?.classList.add("looked")
    for (const [, line] of of(lit!.found, record)) {
      for (let at = line; at < endOf(visit!, record, line); at++) {
        items[at]?.classList.remove("looked")
        items[at]?.classList.add("lit")
      }
    }
  }

  return {
    show: (shown: VisitView, keepOpen: boolean): void => {
      const open = new Set(
        keepOpen
          ? groups.filter((group) => !linesOf(group).hidden).map((group) =>
            visit!.records[Number(group.dataset["record"])]!.reference
          )
          : []
      )
      lit = undefined
      const unread = shown.records.filter((record) => record.unread).length
      head.replaceChildren(
        `${pluralOf(shown.records.length, "record")}`,
        unread === 0 ? "" : el("span", { class: "dim" }, ` · ${unread} that nothing read`)
      )
      const focused = tree.contains(document.activeElement)
        ? focusOf(document.activeElement as HTMLElement, visit)
        : undefined
      visit = shown
      groups = shown.records.map((record, index) => recordGroup(record, index, bus))
      tree.replaceChildren(...groups)
      groups.forEach((group, index) => {
        if (open.has(shown.records[index]!.reference) || (!keepOpen && index === 0)) turn(group, true)
      })
      const record = shown.records.findIndex(({ reference }) => reference === focused?.reference)
      const item = record < 0
        ? undefined
        : focused!.line === undefined
        ? groups[record]!.firstElementChild as HTMLElement
        : linesOf(groups[record]!).children[focused!.line] as HTMLElement | undefined
      stopAt(item)
      item?.focus({ preventScroll: true })
    },
    mark: (now: Lit, selection: Selection | undefined, scroll: boolean): void => {
      if (visit === undefined) return
      lit = now
      const expected = new Set([...now.found, ...(now.found.length === 0 ? now.looked : [])].map(([record]) => record))
      // Only a limited number of records are expanded, because more are unreadable.
      for (const record of [...expected].slice(0, 12)) turn(groups[record]!, true)
      for (const group of groups) {
        light(group)
        const record = Number(group.dataset["record"])
        group.classList.toggle("has-lit", now.records.has(record) || now.found.some(([one]) => one === record))
      }
      for (const item of tree.querySelectorAll("[aria-selected=true]")) item.setAttribute("aria-selected", "false")
      if (selection?.kind === "element") {
        const [record, line] = selection.element
        turn(groups[record]!, true)
        const item = linesOf(groups[record]!).children[line] as HTMLElement
        item.setAttribute("aria-selected", "true")
        stopAt(item)
      }
      const first = tree.querySelector<HTMLElement>(".item.lit") ?? tree.querySelector<HTMLElement>(".item.looked")
        ?? tree.querySelector<HTMLElement>(".has-lit > .head")
      if (first !== null && scroll) reveal(tree, first)
    },
    lit: (): ReadonlyArray<HTMLElement> => {
      const found = [...tree.querySelectorAll<HTMLElement>(".item.lit")].filter((item) =>
        !item.previousElementSibling?.classList.contains("lit")
      )
      if (found.length > 0) return found
      const looked = [...tree.querySelectorAll<HTMLElement>(".item.looked")]
      return looked.length > 0 ? looked : [...tree.querySelectorAll<HTMLElement>(".has-lit > .head")]
    },
    reveal: ([record, line]: ElementRef): void => {
      turn(groups[record]!, true)
      const item = linesOf(groups[record]!).children[line] as HTMLElement
      reveal(tree, item)
      item.focus()
    },
    revealRecord: (record: number): void => {
      turn(groups[record]!, true)
      const item = groups[record]!.firstElementChild as HTMLElement
      reveal(tree, item)
      item.focus()
    },
    pane: tree,
    textOf: (element: ElementRef): string =>
      visit === undefined ? "" : `${visit.records[element[0]]!.reference} › ${elementText(visit, element)}`
  }
}

/** The record and the line in it that have the focus. */
const focusOf = (item: HTMLElement, visit: VisitView | undefined) => {
  const record = Number(item.closest<HTMLElement>(".record")?.dataset["record"])
  const { line } = item.dataset
  return { reference: visit?.records[record]?.reference, line: line === undefined ? undefined : Number(line) }
}

const of = (elements: ReadonlyArray<ElementRef>, record: number): ReadonlyArray<ElementRef> =>
  elements.filter(([one]) => one === record)

const recordGroup = ({ file, keptOut, line, reference, unread }: RecordView, index: number, bus: Bus): HTMLElement =>
  el(
    "div",
    { role: "group", class: `record${unread ? " none" : ""}`, "data-record": index, "aria-label": reference },
    el(
      "div",
      {
        role: "treeitem",
        "aria-level": 1,
        "aria-expanded": "false",
        tabindex: -1,
        "data-item": true,
        class: "item head"
      },
      el("span", { class: "name", title: reference }, ...named(reference)),
      unread ? el("span", { class: "tag" }, "not read") : null,
      el("span", { class: "origin", title: `${file}:${line}` }, el("span", {}, file.split("/").at(-1)!), `:${line}`)
    ),
    el(
      "div",
      { class: "kept-out", hidden: keptOut.length === 0 },
      ...keptOut.map(({ at, condition, section }) =>
        el(
          "p",
          { role: "treeitem", "aria-level": 2, tabindex: -1, "data-item": true, class: "reason" },
          el("span", { class: "dim" }, "no row of "),
          section,
          el("span", { class: "dim" }, ": "),
          at.file < 0
            ? el("code", {}, condition)
            : linkElement(condition, () => bus.showPlace(at), `${at.name}:${at.line}`)
        )
      )
    ),
    el("div", { role: "group", hidden: true })
  )

/** `Observation` and its id. */
const named = (reference: string): ReadonlyArray<Node | string> => {
  const slash = reference.indexOf("/")
  return slash < 0 ? [reference] : [reference.slice(0, slash), el("span", { class: "id" }, reference.slice(slash))]
}
