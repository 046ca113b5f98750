import { html } from "../page/page.ts"

/** One bar of the picture: so much of it is good. */
export interface TrendBar {
  /** What it stands for, in words: its time, its share. */
  readonly told: string
  readonly share: number
  /** Nothing was counted. */
  readonly empty: boolean
  /** Anchor of the row it leads to. */
  readonly to: string
}

const barHeight = 96

/** Shares one after the other as bars of one height, the good part from below: the oldest to the left, at most thirty. */
export const trendPicture = (
  bars: ReadonlyArray<TrendBar>,
  title: string
): string => {
  const width = Math.min(7, 100 / bars.length)
  const drawn = bars.map(({ empty, share, to, told }, at) => {
    const good = Math.round(share * barHeight * 10) / 10
    const rect = (tone: string, y: number, tall: number): string =>
      tall <= 0 ?
        "" :
        `<rect class="${tone}" x="${place(at * width)}%" y="${tenth(y)}" width="${place(width * 0.8)}%" height="${
          tenth(tall)
        }"/>`
    return `<a href="#${to}"><title>${html(told)}</title>${
      empty ? rect("o", barHeight - 2, 2) : `${rect("x soft", 0, barHeight - good)}${rect("g", barHeight - good, good)}`
    }</a>`
  })
  return `<svg role="group" aria-label="${html(title)}" height="${barHeight}">${drawn.join("")}</svg>`
}

const tenth = (value: number): string => String(Math.round(value * 10) / 10)
const place = (value: number): string => String(Math.round(value * 100) / 100)
