import { html } from "../page/page.ts"

/** One line of the picture, and the lines that hang from it. */
export interface Flow {
  readonly label: string
  readonly count: number
  /** Anchor of the list it leads to. */
  readonly to: string
  readonly tone: Tone
  readonly parts?: ReadonlyArray<Flow>
}

/** What a bar's colour adds to its words: plain, good, put aside, to be looked at, wrong. */
export type Tone = "b" | "g" | "o" | "w" | "x"

const rowHeight = 44
const barTop = 22
const barHeight = 12
/** Between two trees. */
const gap = 20

interface Row extends Flow {
  readonly top: number
  readonly depth: number
  /** Where the bar begins and how long it is, of the whole width. */
  readonly from: number
  readonly share: number
  /** The row it hangs from. */
  readonly parent: Row | null
}

/**
 * Trees of counts, as a drawing that fits any width with letters of one size: a line of words for each count, and under it a bar
 * that stands below its part of the bar it hangs from.
 */
export const flowPicture = (
  trees: ReadonlyArray<Flow>,
  { number, percent, title }: {
    readonly number: (count: number) => string
    readonly percent: (part: number, whole: number) => string
    readonly title: string
  }
): string => {
  const rows: Array<Row> = []
  let top = 0
  const add = (flow: Flow, depth: number, from: number, share: number, parent: Row | null): void => {
    const row: Row = { ...flow, top, depth, from, share, parent }
    rows.push(row)
    top += rowHeight
    let at = from
    for (const part of flow.parts ?? []) {
      const width = flow.count === 0 ? 0 : (share * part.count) / flow.count
      add(part, depth + 1, at, width, row)
      at += width
    }
  }
  for (const tree of trees) {
    if (top > 0) top += gap
    add(tree, 0, 0, tree.count === 0 ? 0 : 1, null)
  }
  const seen = rows.filter(({ count }) => count > 0)
  const bands = seen.map((row) =>
    row.parent === null ? "" : rect(
      row,
      row.parent.top + barTop + barHeight,
      row.top - row.parent.top - barHeight,
      `${row.tone} band`
    )
  )
  const bars = seen.map((row) => rect(row, row.top + barTop, barHeight, row.tone))
  const words = rows.map(({ count, depth, label, parent, to, top }) =>
    `<a href="#${to}"><text x="${depth * 14}" y="${top + 16}">${
      html(`${number(count)} ${label}${parent === null ? "" : ` · ${percent(count, parent.count)}`}`)
    }</text></a>`
  )
  return `<svg role="group" aria-label="${html(title)}" height="${top}">${[...bands, ...bars, ...words].join("")}</svg>`
}

const rect = ({ from, share }: Row, top: number, height: number, style: string): string =>
  `<rect class="${style}" x="${hundredths(from)}%" y="${top}" width="${hundredths(share)}%" height="${height}"/>`

const hundredths = (share: number): string => String(Math.round(share * 10_000) / 100)
