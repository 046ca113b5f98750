import { type ConvertedState, reportStates } from "../../../submission/status/sendingOutcomes.ts"

const wordOf = (state: ConvertedState): string => reportStates[state].words

/** How the page shows the state of a visit. */
export const shownStates: Readonly<
  Record<ConvertedState, { readonly sign: string; readonly word: string; readonly tone: string }>
> = {
  ready: { sign: "✓", word: wordOf("ready"), tone: "good" },
  rejected: { sign: "✕", word: wordOf("rejected"), tone: "bad" },
  open: { sign: "○", word: wordOf("open"), tone: "dim" }
}
