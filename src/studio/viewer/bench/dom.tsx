import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { roving } from "./roving.tsx"

/** Returns the element that scrolls a pane: the pane itself, or its container on a narrow screen. */
const scrollerOf = (pane: HTMLElement): HTMLElement =>
  getComputedStyle(pane).overflowY === "visible" ? pane.parentElement ?? pane : pane

/** Scrolls an item of a pane to a third from the top. Nothing around the pane moves. */
export const reveal = (pane: HTMLElement, item: HTMLElement): void => {
  const scroller = scrollerOf(pane)
  const [outer, inner] = [scroller.getBoundingClientRect(), item.getBoundingClientRect()]
  if (inner.top >= outer.top + 30 && inner.bottom <= outer.bottom - 8) return
  scroller.scrollTop += inner.top - outer.top - outer.height / 3
}

/** A button that looks like a link and leads to another part of the page. */
export const Go = ({ children, to, title }: {
  readonly to: () => void
  readonly title?: string | undefined
  readonly children: ComponentChildren
}) => <button type="button" class="link" title={title} onClick={to}>{children}</button>

/** Separates items by commas. */
export const between = (items: ReadonlyArray<ComponentChildren>): ReadonlyArray<ComponentChildren> =>
  items.flatMap((item, index) => (index === 0 ? [item] : [", ", item]))

/** Returns the end of a file path: the folder and the file name. */
export const short = (name: string): string => name.split("/").slice(-2).join("/")

/** Names a record by its type and the beginning of its id, or by its line if it has no id. */
export const shortLabel = (reference: string, line?: number): string =>
  reference.includes("/") || line === undefined
    ? reference.replace(/([\w-]{8})[\w-]{8,}$/u, "$1…")
    : `${reference}, line ${line}`

/** The element or object that a reference holds while its component is shown. */
export const mounted = <A extends object>({ current }: { readonly current: A | null | undefined }): A => {
  if (current === null || current === undefined) throw new Error("the component is not shown")
  return current
}

/** Gives a list one Tab stop and arrow keys, whatever is rendered in it. */
export const useRoving = (
  list: { readonly current: HTMLElement | null },
  picked: (item: HTMLElement) => void,
  turned?: (item: HTMLElement, to: "open" | "closed") => HTMLElement | undefined
): void => {
  const handlers = { picked, turned }
  useEffect(() => {
    const { stopAt } = roving(
      mounted(list),
      (item) => latest.get(list)?.picked(item),
      (item, to) => latest.get(list)?.turned?.(item, to)
    )
    stops.set(list, stopAt)
  }, [])
  useEffect(() => {
    latest.set(list, handlers)
    const all = mounted(list).querySelectorAll("[data-item][tabindex='0']")
    const chosen = mounted(list).querySelector<HTMLElement>("[data-item][aria-selected='true']")
    if (chosen !== null || all.length !== 1) {
      for (const item of all) item.setAttribute("tabindex", "-1")
      stops.get(list)?.(chosen ?? undefined)
    }
  })
}

const latest = new WeakMap<object, {
  readonly picked: (item: HTMLElement) => void
  readonly turned: ((item: HTMLElement, to: "open" | "closed") => HTMLElement | undefined) | undefined
}>()
const stops = new WeakMap<object, (item: HTMLElement | undefined) => void>()
