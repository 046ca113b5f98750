import { type Attention, attentions } from "../../../submission/status/sendingOutcomes.ts"
import { Bar, filterLink, Marked, TopBar } from "../parts.tsx"
import type { ReportJson } from "../ReportJson.ts"
import type { ViewerTexts } from "../texts/texts.ts"
import { isSent, verdictOf } from "../verdict.ts"
import { Assumptions, Groups, Problems, Records, RunSection } from "./sections.tsx"
import { Todo } from "./Todo.tsx"
import { Trend } from "./Trend.tsx"
import { Visits } from "./Visits.tsx"

export interface PageOf {
  readonly report: ReportJson
  readonly texts: ViewerTexts
}

/** Answers a manager's first questions: is it done, what must be done, is it improving. Everything else follows. */
export const ReportPage = ({ report, texts }: PageOf) => {
  const sections = [
    ["todo", texts.todo.short],
    ["trend", texts.trend.short],
    ["visits", texts.visits.short],
    ["wards", texts.groups.short],
    ...((report.assumptions ?? []).length > 0 ? [["assumptions", texts.assumptions.short] as const] : []),
    ["records", texts.records.short],
    ["problems", texts.problems.short],
    ["run", texts.run.short]
  ] as const
  return (
    <>
      <a class="skip" href="#visits">{texts.skip}</a>
      <TopBar
        title={report.name ?? report.facility ?? texts.noFacility}
        label={texts.navigation}
        links={sections}
      />
      <main class="wrap">
        <Hero report={report} texts={texts} />
        <div class="two">
          <Todo report={report} texts={texts} />
          <Trend report={report} texts={texts} />
        </div>
        <Visits report={report} texts={texts} />
        <Groups report={report} texts={texts} />
        <Assumptions report={report} texts={texts} />
        <Records report={report} texts={texts} />
        <Problems report={report} texts={texts} />
        <RunSection report={report} texts={texts} />
      </main>
    </>
  )
}

const Hero = ({ report, texts }: PageOf) => {
  const verdict = verdictOf(report, texts)
  const zone = report.zone ?? "UTC"
  const rest = verdict.rest.map(([state, text], at) => (
    <span key={at}>
      {at === 0 ? "" : ", "}
      <span class={state === "correction" ? "correction" : undefined}>{text}</span>
    </span>
  ))
  return (
    <div class="hero">
      <p class="when">
        {texts.finished(texts.time(report.ended, zone), texts.zone(report.ended, zone))}
      </p>
      <h1>
        {verdict.headline}
        {rest.length === 0
          ? null
          : (
            <span class="rest">
              {rest}
              {verdict.states.waiting + verdict.states.open === 0 ? texts.verdict.nothingWaits : "."}
            </span>
          )}
      </h1>
      {verdict.next === undefined ? null : <p class="next" role="status">{verdict.next}</p>}
      {report.ending?.message === undefined ? null : (
        <p class="sub" lang="en">
          <Marked text={report.ending.message} />
        </p>
      )}
      {report.values === true ? <p class="values">{texts.run.withValues}</p> : null}
      <Bar label={texts.stateBar} parts={attentions.map((state) => [state, verdict.states[state]] as const)} />
      <ul class="states">
        {attentions.map((state) => (
          <li key={state}>
            <a class={`b-${state}`} href={filterLink({ state })}>
              <span class="n">{texts.number(verdict.states[state])}</span>{" "}
              <span class="t">
                {state !== "delivered" || isSent(report)
                  ? texts.states[state]
                  : report.counts.skipped === 0
                  ? texts.canBeSent
                  : texts.canBeSentOrSkipped}
              </span>
              <span class="d">{detailOf(report, texts, state, verdict.states[state])}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** When the next visit that is still open can be sent. */
export const nextOpen = ({ stillOpen = [], zone = "UTC" }: ReportJson, texts: ViewerTexts): string | undefined => {
  const next = stillOpen.flatMap(({ ready }) => ready ?? []).toSorted()[0]
  return next === undefined ? undefined : texts.time(next, zone)
}

const detailOf = (report: ReportJson, texts: ViewerTexts, state: Attention, count: number): string => {
  const { counts } = report
  const words = texts.stateDetails
  if (count === 0) return words.none
  switch (state) {
    case "delivered":
      return isSent(report)
        ? words.delivered(counts.stored, counts.skipped)
        : counts.skipped === 0
        ? words.sendable
        : words.planned(count - counts.skipped, counts.skipped)
    case "open":
      return words.open(nextOpen(report, texts))
    case "waiting":
      return words.waiting(counts.unknown, counts.doubt, counts.left)
    case "correction":
      return words.correction(counts.rejected, count - counts.rejected)
  }
}
