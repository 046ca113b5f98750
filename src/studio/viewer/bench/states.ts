import type { ConvertedState } from "./Wire.ts"

/** How the page shows the state of a visit. */
export const shownStates: Readonly<
  Record<ConvertedState, { readonly sign: string; readonly word: string; readonly tone: string }>
> = {
  ready: { sign: "✓", word: "ready", tone: "good" },
  rejected: { sign: "✕", word: "rejected", tone: "bad" },
  open: { sign: "○", word: "still open", tone: "dim" }
}
