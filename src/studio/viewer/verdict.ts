import { at } from "../../at.ts"
import {
  type Attention,
  type ReportState,
  reportStateNames,
  reportStates
} from "../../submission/status/sendingOutcomes.ts"
import type { ReportJson } from "./ReportJson.ts"
import type { ViewerTexts } from "./texts/texts.ts"

/** Returns what a reader is to do about a visit in this state. */
export const attentionTo = (state: ReportState): Attention => reportStates[state].attention

/** Whether the run sent the visits of a report. */
export const isSent = ({ command, plan, purpose }: Pick<Judged, "command" | "plan" | "purpose">): boolean =>
  purpose === undefined
    ? (command === "run" || command === "submit") && plan === undefined
    : purpose === "send" || purpose === "rehearsal"

/** Counts visits in each state; the counts add up to all visits. If nothing was sent, a visit that could be sent is `delivered`. */
export const countStates = (
  report: Pick<Judged, "counts" | "command" | "plan" | "purpose">
): Record<Attention, number> => {
  const { counts } = report
  const sums = { delivered: 0, open: 0, waiting: 0, correction: 0 }
  // The other states divide the ready visits.
  for (const name of reportStateNames) if (name !== "ready") sums[attentionTo(name)] += counts[name]
  if (isSent(report)) return sums
  const { correction, open } = sums
  return { correction, open, waiting: counts.doubt, delivered: counts.visits - correction - open - counts.doubt }
}

interface Judged extends Pick<ReportJson, "counts" | "command" | "purpose" | "ending" | "part" | "zone"> {
  readonly plan?: unknown
}

/** The summary that a reader needs first. */
interface Verdict {
  readonly states: Readonly<Record<Attention, number>>
  /** Whether it is done: one sentence. */
  readonly headline: string
  /** What the other visits need, each a part of one sentence; empty if there are none. */
  readonly rest: ReadonlyArray<readonly [state: Attention, text: string]>
  /** The next step after a run that did not end, and who takes it. */
  readonly next: string | undefined
}

/** Summarizes the report in a few sentences, the same for the page, its title and the terminal. */
export const verdictOf = (report: Judged, texts: ViewerTexts): Verdict => {
  const { counts, ending = { how: "done" }, part } = report
  const states = countStates(report)
  const words = texts.verdict
  const all = counts.visits
  const { delivered } = states
  // Reports of earlier versions do not have it.
  const { changedSince: changed = 0 } = counts
  const headline = all === 0
    ? words.nothing
    : !isSent(report)
    ? report.plan === undefined && report.purpose !== "plan"
      ? words.ready(delivered, all)
      : words.planned(delivered - counts.skipped, all, counts.skipped, changed)
    : ending.how !== "done" && delivered < all
    ? words.endings[ending.how](delivered, all)
    : report.purpose === "rehearsal"
    ? words.rehearsed(delivered, all)
    : words.delivered(delivered, all, changed)
  const parts = [
    ["correction", "correction", states.correction],
    ["open", "open", states.open],
    ["waiting", "waiting", states.waiting - counts.doubt],
    ["waiting", "doubt", counts.doubt]
  ] as const
  const rest = parts.flatMap(([state, name, count]) => count === 0 ? [] : [[state, words.rest[name](count)] as const])
  const next = ending.how !== "done"
    ? words.next[ending.how](ending.until === undefined ? undefined : texts.time(ending.until, report.zone ?? "UTC"))
    : all === 0
    ? words.nothingNext
    : undefined
  return {
    states,
    headline: part === undefined ? headline : `${words.part(part.index, part.count)} ${headline}`,
    rest,
    next
  }
}

/** The parts of what the other visits need as one sentence: `19 need a correction; nothing waits.` */
export const restSentence = ({ rest, states }: Verdict, texts: ViewerTexts): string =>
  rest.length === 0
    ? ""
    : `${rest.map(([, text]) => text).join(", ")}${
      states.waiting === 0 && states.open === 0 ? texts.verdict.nothingWaits : "."
    }`

/** The title of a report's page: whose it is, and the verdict. */
export const reportTitle = (
  report: Judged & Pick<ReportJson, "facility" | "name">,
  texts: ViewerTexts
): string => {
  const verdict = verdictOf(report, texts)
  return `${report.name ?? report.facility ?? "fhir2visit"}: ${verdict.headline} ${restSentence(verdict, texts)}`.trim()
}

/** Returns the title of a problem, with its field if another problem has the same title. */
export const problemTitle = ({ problems }: Pick<ReportJson, "problems">, index: number): string => {
  const { field, first: { message } } = at(problems, index)
  const isShared = problems.some(({ first }, other) => other !== index && first.message === message)
  return field === null || !isShared ? message : `${field}: ${message}`
}
