type Child = Node | string | null | undefined | false

/** Creates an element. Attributes that are `null` or `false` are omitted; texts stay text nodes. */
export const el = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number | boolean | null>> = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : String(value))
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false))
  return made
}

/** Returns the element of the page with this id. */
export const byId = <E extends HTMLElement = HTMLElement>(id: string): E => document.getElementById(id) as E

/** Creates a button that looks like a link and leads to another part of the page. */
export const linkElement = (text: string, go: () => void, title?: string): HTMLButtonElement => {
  const button = el("button", { type: "button", class: "link", title: title ?? null }, text)
  button.addEventListener("click", go)
  return button
}

export const formatNumber = (count: number): string => count.toLocaleString("en")

/** `1 visit`, `2 visits` */
export const pluralOf = (count: number, noun: string): string =>
  `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`

/** Returns the element that scrolls a pane: the pane itself, or its container on a narrow screen. */
export const scrollerOf = (pane: HTMLElement): HTMLElement =>
  getComputedStyle(pane).overflowY === "visible" ? pane.parentElement! : pane

/** Scrolls an item of a pane to a third from the top. Nothing around the pane moves. */
export const reveal = (pane: HTMLElement, item: HTMLElement): void => {
  const scroller = scrollerOf(pane)
  const [outer, inner] = [scroller.getBoundingClientRect(), item.getBoundingClientRect()]
  if (inner.top >= outer.top + 30 && inner.bottom <= outer.bottom - 8) return
  scroller.scrollTop += inner.top - outer.top - outer.height / 3
}
