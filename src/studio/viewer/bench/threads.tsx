/** A pane and its highlighted items. */
interface End {
  readonly pane: HTMLElement
  readonly lit: () => ReadonlyArray<HTMLElement>
}

/** More threads than this are unreadable. */
const most = 24

/** Draws lines from the highlighted items of one pane to those of the next. They are decoration: words and colours show the same. */
export const threads = (svg: SVGSVGElement, source: End, mapping: End, visit: End): () => void => {
  let requested = false

  const middleOf = (item: HTMLElement, pane: HTMLElement): { readonly y: number; readonly seen: boolean } => {
    const [box, around] = [item.getBoundingClientRect(), pane.getBoundingClientRect()]
    const y = box.top + Math.min(box.height, 20) / 2
    const low = around.top + 4
    const high = around.bottom - 4
    return { y: Math.max(low, Math.min(high, y)), seen: y >= low && y <= high }
  }

  const draw = (): void => {
    requested = false
    const base = svg.getBoundingClientRect()
    const curves: Array<SVGPathElement> = []
    const join = (left: End, right: End): void => {
      const [a, b] = [left.pane.getBoundingClientRect(), right.pane.getBoundingClientRect()]
      if (a.width === 0 || b.width === 0) return
      const [from, to] = [a.right - base.left, b.left - base.left]
      for (const one of left.lit().slice(0, most)) {
        for (const other of right.lit().slice(0, most)) {
          if (curves.length >= most * 2) return
          const [p, q] = [middleOf(one, left.pane), middleOf(other, right.pane)]
          if (!p.seen && !q.seen) continue
          const bend = (to - from) / 2
          const curve = document.createElementNS("http://www.w3.org/2000/svg", "path")
          curve.setAttribute(
            "d",
            `M${from - 6},${p.y - base.top}H${from}C${from + bend},${p.y - base.top} ${to - bend},${
              q.y - base.top
            } ${to},${q.y - base.top}H${to + 6}`
          )
          if (!p.seen || !q.seen) curve.setAttribute("class", "away")
          curves.push(curve)
        }
      }
    }
    join(source, mapping)
    join(mapping, visit)
    svg.replaceChildren(...curves)
  }

  const soon = (): void => {
    if (requested) return
    requested = true
    requestAnimationFrame(draw)
  }
  document.addEventListener("scroll", soon, { capture: true, passive: true })
  addEventListener("resize", soon)
  return soon
}
