import type { MappingView, SourceLocation, VisitView } from "../Wire.ts"
import type { Bus } from "./Bus.ts"
import { byId, el, reveal } from "./dom.ts"
import { roving } from "./roving.ts"
import type { Lit, Selection } from "./Selection.ts"

/** The mapping's files, one at a time, with line numbers. Lines that produced a field of the visit can be selected. */
export const mappingPane = (bus: Bus) => {
  const files = byId<HTMLSelectElement>("file")
  const list = byId("lines")
  let mapping: MappingView | undefined
  let visit: VisitView | undefined
  let shown = -1
  let lit: Lit | undefined
  let picked: number | undefined

  const { stopAt } = roving(
    list,
    (item) => bus.select({ kind: "line", file: shown, line: Number(item.dataset["line"]) })
  )
  files.addEventListener("change", () => open(Number(files.value)))

  const open = (file: number): void => {
    if (mapping === undefined || mapping.files[file] === undefined) return
    if (file !== shown) {
      shown = file
      files.value = String(file)
      const used = usedLines(visit, file)
      list.replaceChildren(
        ...mapping.files[file].text.split("\n").map((text, index) => lineItem(text, index + 1, used.has(index + 1)))
      )
      list.classList.toggle("long", list.childElementCount > 3000)
      list.scrollTop = 0
      stopAt(undefined)
    }
    light()
  }

  const light = (): void => {
    for (const item of list.querySelectorAll(".lit, .over, [aria-selected=true]")) {
      item.classList.remove("lit", "over")
      item.setAttribute("aria-selected", "false")
      const text = item.querySelector<HTMLElement>(".text")!
      if (text.querySelector("mark") !== null) text.replaceChildren(...coloured(text.textContent))
    }
    const itemAt = ({ line }: SourceLocation) => list.children[line - 1] as HTMLElement | undefined
    for (const place of lit?.over ?? []) if (place.file === shown) itemAt(place)?.classList.add("over")
    for (const place of lit?.places ?? []) {
      const item = place.file === shown ? itemAt(place) : undefined
      if (item === undefined) continue
      item.classList.remove("over")
      item.classList.add("lit")
      if (lit!.places.length === 1 && place.endColumn > place.column) underline(item.querySelector(".text")!, place)
    }
    if (picked !== undefined) list.children[picked - 1]?.setAttribute("aria-selected", "true")
  }

  return {
    show: (view: MappingView): void => {
      const name = mapping?.files[shown]?.name
      const top = list.scrollTop
      const focused = list.contains(document.activeElement)
        ? Number((document.activeElement as HTMLElement).dataset["line"])
        : undefined
      mapping = view
      const group = (label: string, expected: boolean) => {
        const some = view.files.flatMap(({ name, own }, index) =>
          own === expected ? [el("option", { value: index }, name)] : []
        )
        return some.length === 0 ? [] : [el("optgroup", { label }, ...some)]
      }
      files.replaceChildren(...group("this facility", true), ...group("what it builds on", false))
      shown = -1
      const same = view.files.findIndex((file) => file.name === name)
      open(Math.max(0, same))
      if (same >= 0) list.scrollTop = top
      if (focused === undefined) return
      const item = list.children[focused - 1] as HTMLElement | undefined
      stopAt(item)
      item?.focus({ preventScroll: true })
    },
    showVisit: (view: VisitView): void => {
      visit = view
      const used = usedLines(visit, shown)
      ;[...list.children].forEach((item, index) => item.classList.toggle("used", used.has(index + 1)))
    },
    mark: (now: Lit, selection: Selection | undefined, scroll: boolean): void => {
      lit = now
      picked = selection?.kind === "line" ? selection.line : undefined
      const [first] = now.places
      if (first !== undefined && first.file >= 0 && scroll) open(first.file)
      else light()
      const item = list.querySelector<HTMLElement>(".lit")
      if (item !== null) {
        stopAt(item)
        if (scroll) reveal(list, item)
      }
    },
    reveal: (place: SourceLocation): void => {
      open(place.file)
      const item = list.children[place.line - 1] as HTMLElement | undefined
      if (item === undefined) return
      stopAt(item)
      reveal(list, item)
      item.focus()
    },
    lit: (): ReadonlyArray<HTMLElement> => [...list.querySelectorAll<HTMLElement>(".lit")],
    pane: list
  }
}

/** Returns the lines of a file that produced something in the visit. */
const usedLines = (visit: VisitView | undefined, file: number): ReadonlySet<number> =>
  new Set(
    (visit?.fields ?? []).flatMap(({ at, tale }) => [at, tale?.at ?? null]).flatMap((place) =>
      place?.file === file ? [place.line] : []
    )
  )

const lineItem = (text: string, line: number, used: boolean): HTMLElement => {
  const isLong = /^\s*- \S{24}/u.test(text)
  const written = el("span", { class: isLong ? "text whole" : "text" }, ...coloured(text))
  // Text that does not fit wraps below, indented a little further than its line.
  written.style.setProperty("--in", `${/^[\s-]*/u.exec(text)![0].length + 2}ch`)
  return el(
    "div",
    {
      role: "option",
      "aria-selected": "false",
      tabindex: -1,
      "data-item": true,
      "data-line": line,
      class: used ? "item used" : "item"
    },
    el("span", { class: "n" }, String(line)),
    written
  )
}

/** Marks up YAML so that keys and comments differ. */
const coloured = (text: string): ReadonlyArray<Node | string> => {
  const [, indent, key, rest] = /^(\s*(?:- )?)((?:"[^"]*"|[\w.*-]+):)(.*)$/u.exec(text) ?? ["", "", "", text]
  const at = /(^|\s)#.*$/u.exec(rest!)
  const body = at === null ? rest! : rest!.slice(0, at.index)
  return [
    indent!,
    key === "" ? "" : el("span", { class: "key" }, key!),
    body,
    at === null ? "" : el("span", { class: "comment" }, rest!.slice(at.index))
  ]
}

/** Marks the relevant part of a line. */
const underline = (text: HTMLElement, { column, endColumn }: SourceLocation): void => {
  const whole = text.textContent
  text.replaceChildren(
    whole.slice(0, column - 1),
    el("mark", {}, whole.slice(column - 1, endColumn - 1)),
    whole.slice(endColumn - 1)
  )
}
