import { byId } from "./dom.ts"

const names = ["visits", "source", "mapping", "visit"] as const
export type PaneName = (typeof names)[number]

/** Shows the panes side by side on a wide screen. On a narrow screen one pane is visible at a time, under its tab. */
export const tabs = (seen: (name: PaneName) => void) => {
  const narrow = matchMedia("(max-width: 68.99rem)")
  let shown: PaneName = "visit"
  const tabOf = (name: PaneName) => byId(`tab-${name}`)

  const draw = (): void => {
    for (const name of names) {
      const tab = tabOf(name)
      tab.setAttribute("aria-selected", String(name === shown))
      tab.setAttribute("tabindex", name === shown ? "0" : "-1")
      const pane = byId(name)
      pane.classList.toggle("away", narrow.matches && name !== shown)
      pane.setAttribute("role", narrow.matches ? "tabpanel" : "region")
    }
  }
  const show = (name: PaneName): void => {
    shown = name
    draw()
    seen(name)
  }
  names.forEach((name, index) => {
    tabOf(name).addEventListener("click", () => show(name))
    tabOf(name).addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? names.length - 1 : 0
      if (step === 0) return
      event.preventDefault()
      const next = names[(index + step) % names.length]!
      show(next)
      tabOf(next).focus()
    })
  })
  narrow.addEventListener("change", draw)
  draw()
  return {
    show: (name: PaneName): void => {
      if (narrow.matches) show(name)
    },
    focus: (name: PaneName): void => {
      show(name)
      byId(name).querySelector<HTMLElement>("[data-item][tabindex='0']")?.focus()
    }
  }
}
