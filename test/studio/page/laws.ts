/** What is looked for on a page that is open in a browser; each list is empty on a page that keeps the laws. */
export interface Seen {
  /** How wide the page is, against the screen. */
  readonly width: number
  readonly texts: number
  /** Elements that reach beyond the screen, outside a part that scrolls. */
  readonly beyond: ReadonlyArray<string>
  /** Texts with too little contrast to their background: under 4.5. */
  readonly faint: ReadonlyArray<string>
  /** Links to places that the page does not have; places that have the same name. */
  readonly lost: ReadonlyArray<string>
  readonly doubled: ReadonlyArray<string>
  /** Headings that skip a level. */
  readonly skipped: ReadonlyArray<string>
  /** Tables without a caption, cells without a head, meters and pictures without a name. */
  readonly nameless: ReadonlyArray<string>
  /** Columns of a table that is shown as one and is wider than its place. */
  readonly cut: ReadonlyArray<string>
}

/** Runs in the page. */
export const look = `(() => {
  const shown = (one) => one.outerHTML.slice(0, 90)
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => {
      const share = part / 255
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const parts = (color) => color.match(/[\\d.]+/g).map(Number)
  const paperOf = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = parts(getComputedStyle(at).backgroundColor)
      if (color.length < 4 || color[3] > 0.9) return color
    }
    return [255, 255, 255]
  }
  const faint = [], beyond = [], cut = []
  let texts = 0
  for (const one of document.querySelectorAll("main *")) {
    const box = one.getBoundingClientRect()
    const hidden = box.width === 0 || one.closest("thead") !== null && getComputedStyle(one.closest("thead")).position === "absolute"
    if (box.right > innerWidth + 1 && !hidden && one.closest(".scroll, .long, nav") === null) beyond.push(shown(one))
    if (one.localName === "title" || hidden) continue
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")) continue
    texts++
    const style = getComputedStyle(one)
    const ink = light(parts(one instanceof SVGElement ? style.fill : style.color))
    const paper = light(paperOf(one))
    if ((Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5) faint.push(shown(one))
  }
  for (const scroll of document.querySelectorAll(".scroll:has(table)")) {
    if (scroll.scrollWidth > scroll.clientWidth + 1) cut.push(shown(scroll))
  }
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id)
  const lost = [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href"))
    .filter((to) => !to.startsWith("#") || !ids.includes(decodeURIComponent(to.slice(1).split("?")[0])))
  const skipped = []
  let level = 0
  for (const heading of document.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    const own = Number(heading.localName[1])
    if (own > level + 1) skipped.push(shown(heading))
    level = own
  }
  const nameless = [
    ...[...document.querySelectorAll("table")].filter((one) => !one.caption?.textContent.trim()),
    ...[...document.querySelectorAll("th")].filter((one) => one.textContent.trim() === "" || one.scope === ""),
    ...[...document.querySelectorAll("td")].filter((one) => !one.dataset.head),
    ...[...document.querySelectorAll("meter,svg:not([aria-hidden])")].filter((one) => !one.getAttribute("aria-label"))
  ].map(shown)
  return {
    width: document.documentElement.scrollWidth,
    texts, beyond, faint, lost, skipped, nameless, cut,
    doubled: ids.filter((id, at) => ids.indexOf(id) !== at)
  }
})()`

/** Widths of letters: two machines with the same ones draw the same page. Runs in the page. */
export const fontsOf = `(() => {
  const context = document.createElement("canvas").getContext("2d")
  return ["system-ui", "ui-monospace, monospace"].flatMap((family) => ["", "bold "].map((weight) => {
    context.font = weight + "100px " + family
    return [..."Hamburgefonstiv 0123456789 %·ក"].map((letter) => context.measureText(letter).width.toFixed(2)).join(" ")
  })).join(" | ")
})()`
