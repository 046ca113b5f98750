import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"

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

/**
 * Gives a list of many items a single Tab stop, whatever is rendered in it. Arrows, Home and End move between items; Enter, Space and
 * a click select one. The owner of a tree handles Left and Right.
 */
export const useRoving = (
  ref: { readonly current: HTMLElement | null },
  picked: (item: HTMLElement) => void,
  turned: (item: HTMLElement, to: "open" | "closed") => HTMLElement | undefined = () => undefined
): void => {
  useEffect(() => {
    const list = mounted(ref)
    const stopAt = (item: HTMLElement | undefined): void => {
      for (const stop of list.querySelectorAll("[data-item][tabindex='0']")) stop.setAttribute("tabindex", "-1")
      ;(item ?? list.querySelector("[data-item]"))?.setAttribute("tabindex", "0")
    }
    const go = (item: HTMLElement | undefined): void => {
      if (item === undefined) return
      stopAt(item)
      item.focus()
    }
    const clicked = ({ target }: Event): void => {
      if (!(target instanceof Element)) return
      const item = target.closest<HTMLElement>("[data-item]")
      if (item === null || target.closest("button, a, input, select") !== null) return
      stopAt(item)
      picked(item)
    }
    const pressed = (event: KeyboardEvent): void => {
      const { target } = event
      if (
        !(target instanceof HTMLElement) || !target.matches("[data-item]") || event.ctrlKey || event.metaKey ||
        event.altKey
      ) return
      const items = [...list.querySelectorAll<HTMLElement>("[data-item]")].filter((item) => item.offsetParent !== null)
      const at = (step: number) => items[Math.max(0, Math.min(items.length - 1, items.indexOf(target) + step))]
      const moves: Readonly<Record<string, () => void>> = {
        ArrowDown: () => go(at(1)),
        ArrowUp: () => go(at(-1)),
        PageDown: () => go(at(12)),
        PageUp: () => go(at(-12)),
        Home: () => go(items[0]),
        End: () => go(items.at(-1)),
        ArrowRight: () => go(turned(target, "open")),
        ArrowLeft: () => go(turned(target, "closed")),
        Enter: () => picked(target),
        " ": () => picked(target)
      }
      const move = moves[event.key]
      if (move === undefined) return
      event.preventDefault()
      move()
    }
    list.addEventListener("click", clicked)
    list.addEventListener("keydown", pressed)
    const chosen = list.querySelector<HTMLElement>("[data-item][aria-selected='true']") ?? undefined
    if (chosen !== undefined || list.querySelectorAll("[data-item][tabindex='0']").length !== 1) stopAt(chosen)
    return () => {
      list.removeEventListener("click", clicked)
      list.removeEventListener("keydown", pressed)
    }
  })
}
