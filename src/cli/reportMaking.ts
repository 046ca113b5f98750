import { html } from "../page/page.ts"
import type { Report } from "./Report.ts"
import type { ReportTexts } from "./reportTexts.ts"

/** What a page is made of. */
export interface Making {
  readonly report: Report
  /** Shows values of the source; they may be patient data. */
  readonly showValues: boolean
  /** What `explain` says of a problem, by its code. */
  readonly pages: ReadonlyMap<string, string>
  readonly texts: ReportTexts
}

/** A share in words: 100 % only when nothing is missing, 0 % only when nothing is there. */
export const percentOf =
  ({ percent, underOne }: Pick<ReportTexts, "percent" | "underOne">) => (part: number, whole: number): string => {
    if (part === 0 || whole === 0) return percent(0)
    if (part * 100 < whole) return underOne
    return percent(part === whole ? 1 : Math.min(99, Math.round((part * 100) / whole)) / 100)
  }

/** A share as a small bar. */
export const meter = (part: number, whole: number, told: string): string =>
  `<meter min="0" max="1" value="${
    whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000
  }" aria-label="${told}"></meter>`

/** The bar, and its words beside it. */
export const share = (part: number, whole: number, told: string): string =>
  `<span class="share">${meter(part, whole, told)} ${told}</span>`

/** A moment, in the facility's zone and the reader's language. */
export const moment = ({ report, texts }: Pick<Making, "report" | "texts">, iso: string): string =>
  `<time datetime="${html(iso)}">${html(texts.time(iso, report.zone ?? "UTC"))}</time>`

export const code = (text: string): string => `<code>${html(text)}</code>`

/** Words in backticks are names. */
export const marked = (text: string): string => html(text).replace(/`([^`]+)`/gu, "<code>$1</code>")
