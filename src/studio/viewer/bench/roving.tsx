/**
 * Gives a list of many items a single Tab stop. Arrows, Home and End move between items; Enter, Space and a click select one.
 * The owner of a tree handles Left and Right.
 */
export const roving = (
  list: HTMLElement,
  picked: (item: HTMLElement) => void,
  turned: (item: HTMLElement, to: "open" | "closed") => HTMLElement | undefined = () => undefined
): { readonly stopAt: (item: HTMLElement | undefined) => void } => {
  const items = (): Array<HTMLElement> =>
    [...list.querySelectorAll<HTMLElement>("[data-item]")].filter((item) => item.offsetParent !== null)
  const stopAt = (item: HTMLElement | undefined): void => {
    list.querySelector("[data-item][tabindex='0']")?.setAttribute("tabindex", "-1")
    ;(item ?? list.querySelector("[data-item]"))?.setAttribute("tabindex", "0")
  }
  const go = (item: HTMLElement | undefined): void => {
    if (item === undefined) return
    stopAt(item)
    item.focus()
  }
  list.addEventListener("click", (event) => {
    const { target } = event
    if (!(target instanceof Element)) return
    const item = target.closest<HTMLElement>("[data-item]")
    if (item === null || target.closest("button, a, input, select") !== null) return
    stopAt(item)
    picked(item)
  })
  list.addEventListener("keydown", (event) => {
    const { target } = event
    if (
      !(target instanceof HTMLElement) || !target.matches("[data-item]") || event.ctrlKey || event.metaKey ||
      event.altKey
    ) return
    const at = (step: number) => {
      const all = items()
      return all[Math.max(0, Math.min(all.length - 1, all.indexOf(target) + step))]
    }
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(at(1)),
      ArrowUp: () => go(at(-1)),
      PageDown: () => go(at(12)),
      PageUp: () => go(at(-12)),
      Home: () => go(items()[0]),
      End: () => go(items().at(-1)),
      ArrowRight: () => go(turned(target, "open")),
      ArrowLeft: () => go(turned(target, "closed")),
      Enter: () => picked(target),
      " ": () => picked(target)
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  })
  return { stopAt }
}
