import { Effect, Redacted } from "effect"
import { Command } from "effect/cli"
import { at } from "../../at.ts"
import { number, plural } from "../../diagnostic/count.ts"
import { printable } from "../../diagnostic/render/printable.ts"
import { readFacility } from "../../facility/readFacility.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import { visitStates } from "../../submission/journal/VisitState.ts"
import type { Comparison, Discrepancy } from "../../submission/list/compareStored.ts"
import { reconcileOptions } from "../../submission/list/reconcile.ts"
import type { StatusForecast } from "../../submission/plan/forecast.ts"
import { isPending, stateWords } from "../../submission/status/sendingOutcomes.ts"
import { type JournalStatus, journalStatus, statusRemote, type StatusVisit } from "../../submission/status/status.ts"
import { layerAsking, layerReader, realAccess } from "../facility/service.ts"
import { type Common, common, facility, switchFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { someNotDone } from "../process/exitCode.ts"
import { minute, roundedUp, waitWords } from "../process/minute.ts"
import { completeCommands, type Typed } from "../screen/completeCommands.ts"
import { reportWaits } from "../screen/reportWaits.ts"
import { Screen } from "../screen/Screen.ts"
import { openWords } from "../screen/summary.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  facility,
  remote: switchFlag("remote", "Look up visits with an unknown outcome first"),
  ...common
}

export const statusCommand = Command.make("status", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Show how many visits are in each state, and the next step for each pending or refused visit. Can be used during a run.",
  ["fhir2visit status --facility hospital-a/", "Read the journal"],
  ["fhir2visit status --facility hospital-a/ --remote", "Look up unknown outcomes first"]
))

/** `status`: shows the journal; with `--remote`, unknown outcomes are looked up first. */
const execute = Effect.fn("status")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const facility = yield* readFacility(flags.facility)
  if (!flags.remote) {
    const known = yield* Effect.provide(journalStatus, layerReader(facility))
    return yield* screen.print(drawn(flags, completed(known, screen.complete)), "prose")
  }
  const access = yield* realAccess(facility)
  const { comparison, reconciled, status } = yield* Effect.scoped(
    Effect.andThen(
      screen.progress(() => "asking the service"),
      Effect.provide(
        reportWaits(
          statusRemote({
            ...reconcileOptions(access.facility.reconcile),
            statuses: access.facility.responseRules,
            perPage: access.facility.lists.processed.perPage,
            onForecast: (forecast) => screen.say(forecastWords(forecast, access.facility.limits.requestsPerHour))
          })
        ),
        layerAsking(access)
      )
    )
  )
  yield* screen.say(
    reconciled.asked === 0
      ? "nothing was pending\n"
      : `looked up ${plural(reconciled.asked, "visit")}${
        reconciled.unreadable === 0
          ? ""
          : `; ${plural(reconciled.unreadable, "listing")} could not be read${whyNot(reconciled.error)}`
      }\n`
  )
  // This command itself holds the journal.
  yield* screen.print(drawn(flags, completed({ ...status, inUse: false }, screen.complete), comparison), "prose")
  // An unreachable service has not responded; a service without a list has, but nothing was resolved.
  if (comparison.failure?.reason._tag === "Unreachable") return yield* comparison.failure
  const isOpen = status.visits.some(({ state }) => isPending(state))
  if (comparison.disagreements.length > 0 || comparison.untold > 0 || isOpen) return yield* someNotDone
})

/** The status with next steps that work when they are typed. */
const completed = (status: JournalStatus, complete: (text: string) => string): JournalStatus => ({
  ...status,
  visits: status.visits.map((visit) => ({ ...visit, why: complete(visit.why), next: complete(visit.next) }))
})

/** How many requests the comparison needs, before the first of them. */
const forecastWords = ({ listings, used, visits }: StatusForecast, perHour: number): string =>
  `comparing ${plural(visits, "visit")} with the service's list: at least ${plural(listings, "request")}; ${
    number(used)
  } of ${number(perHour)} an hour are used\n`

/** Why no list could be read. */
const whyNot = (error: OperatorError | null): string => {
  if (error === null) return ""
  const { reason } = error
  switch (reason._tag) {
    case "AccessDenied":
      return `: ${reason.detail}`
    case "ServiceFailed":
      return `: the service responded with status ${reason.status}`
    case "UnexpectedResponse":
      if (reason.status === 0 || reason.incomplete === true) return `: ${reason.detail}`
      return `: the service responded with status ${reason.status}${reason.status < 400 ? `: ${reason.detail}` : ""}`
    case "Unreachable":
      return `: ${reason.detail}`
    default:
      return ""
  }
}

const drawn = (
  { facility, format, showValues }: Common & Typed,
  status: JournalStatus,
  comparison?: Comparison
): string => {
  const stated = showValues ? wordsOf : () => []
  if (format === "json") {
    const visits = status.visits.map((visit) => ({
      ...visit,
      said: stated(visit)[0] ?? (visit.said && "hidden: --show-values")
    }))
    return JSON.stringify({
      ...status,
      visits,
      ...(comparison === undefined ? {} : { comparison: reported(comparison) })
    })
  }
  if (format === "line") {
    return [
      ...visitStates.map((state) => `${state}: ${status.counts[state]}`),
      `rejected: ${status.rejected?.visits ?? 0}`,
      `still open: ${status.stillOpen?.visits ?? 0}`,
      ...status.visits.map((visit) =>
        [
          `${printable(visit.code)}: ${visit.state}: ${printable(visit.why)}`,
          ...stated(visit).map((words) => printable(JSON.stringify(words)))
        ].join(": ")
      ),
      ...(comparison?.disagreements ?? []).map(({ code, what }) => `${printable(code)}: ${what}: ${differences[what]}`)
    ].join("\n")
  }
  return [
    completeCommands({ facility })(statusScreen(status, stated, comparison !== undefined, facility !== undefined)),
    ...(comparison === undefined ? [] : [comparisonScreen(comparison)])
  ].join(
    "\n\n"
  )
}

const reported = ({ failure: _failure, ...comparison }: Comparison) => comparison

/** The service's reasons for a refusal; may be empty. */
const wordsOf = ({ said: stated }: StatusVisit): ReadonlyArray<string> =>
  stated === null ? [] : [Redacted.value(stated)]

const differences: Readonly<Record<Discrepancy, string>> = {
  "not-listed": "stored according to the journal, but not in the service's list",
  "listed-as-anothers": "ours according to the journal, but the list shows other details under the code",
  "listed-in-part": "complete according to the journal, but waiting for an update according to the list",
  "listed-otherwise":
    "stored according to the journal, but listed with a status that does not mean stored: the service may have rejected it later",
  "listed-and-not-stored": "ours according to the list, but not stored according to the journal",
  "unknown-here": "in the service's list, but not in this journal"
}

/** The journal compared with the service's list, for people. */
const comparisonScreen = (
  { compared, disagreements, failure, settled, statuses, untold }: Comparison
): string => {
  const agree = compared - disagreements.filter(({ state }) => state !== null).length
  return [
    `  ${plural(compared, "visit")} compared with the service's list: ${plural(agree, "agrees", "agree")}${
      untold === 0 ? "" : `; no list could be read for ${number(untold)}${whyNot(failure)}`
    }`,
    ...(settled.length === 0
      ? []
      : [
        `  ${
          plural(settled.length, "visit")
        } that the list shows as ours, and that the journal did not have as stored: stored now`
      ]),
    ...listedStatuses(statuses),
    ...Array.from(Map.groupBy(disagreements, ({ what }) => what), ([what, group]) =>
      [
        "",
        `  ${number(group.length)} ${differences[what]}`,
        ...group.map(({ code, state }) => `      ${printable(code)}${state === null ? "" : `   ${stateWords(state)}`}`),
        `      next   ${nextOf(what)}`
      ].join("\n"))
  ].join("\n")
}

/** What the service calls the statuses of its list; the specification shows two of them (§3). */
const listedStatuses = (statuses: Comparison["statuses"]): ReadonlyArray<string> => {
  const counts = Object.entries(statuses).toSorted(([, a], [, b]) => b - a)
  if (counts.length === 0) return []
  return [
    `  statuses in the list:   ${
      counts.map(([status, count]) => `${plural(count, "visit")} with status ${printable(status)}`).join("   ")
    }`
  ]
}

const nextOf = (what: Discrepancy): string =>
  what === "unknown-here"
    ? "another system submits for this facility, or a journal was lost: see docs/operations.md"
    : what === "listed-otherwise"
    ? "ask the operator what the status means; if it means stored, add it to  submit: storedStatus:  in facility.yaml"
    : "compare again later, because the list can lag behind; then ask the operator"

/** The journal for people: its facility, the number of visits in each state, and unresolved visits by next step. */
const statusScreen = (
  status: JournalStatus,
  stated: typeof wordsOf,
  isCompared: boolean,
  isNamed: boolean
): string => {
  const head = `${printable(status.facility === "" ? "no facility" : status.facility)}   ${printable(status.file)}`
  if (!status.exists) {
    return `${head}\n\n  no journal yet: nothing was submitted${
      isNamed ? "" : "\n      next   fhir2visit status --facility FOLDER  reads the journal of a facility"
    }`
  }
  const counts = visitStates.toReversed().filter((state) => status.counts[state] > 0).map((state) =>
    `${number(status.counts[state])} ${stateWords(state)}`
  )
  const run = status.lastRun
  const { rejected, stillOpen } = status
  const open = openWords(stillOpen ?? undefined)
  const sections = [
    [`${head}   ${printable(status.service)}${status.environment === "" ? "" : `   ${printable(status.environment)}`}`],
    [`  ${plural(status.total, "visit")}${counts.length === 0 ? "" : `:   ${counts.join("   ")}`}`],
    ...(isCompared || status.counts.STORED === 0 ? [] : [[
      `  the service can reject a stored visit later, and only its list shows this: ${number(status.listedSince)} of ${
        plural(status.counts.STORED, "stored visit was", "stored visits were")
      } looked up`,
      "      next   fhir2visit status --remote  compares all of them"
    ]]),
    ...(run === null ? [] : [[
      `  ${
        status.inUse
          ? "a run is in progress"
          : `the last run ended ${endings[run.ending ?? "killed"]}`
      }; it began ${minute(run.startedAt)}`
    ]]),
    ...(rejected === null ? [] : [[
      `  ${plural(rejected.visits, "visit was", "visits were")} rejected by the run that began ${
        minute(rejected.startedAt)
      }; its report lists them`,
      ...rejected.blockers.map(([code, visits]) => `      ${plural(visits, "visit")}   ${code}`),
      `      next   correct what rejects them, and run again; fhir2visit explain ${
        rejected.blockers[0]?.[0] ?? "CODE"
      }  explains it`
    ]]),
    ...(open === null || stillOpen === null ? [] : [[
      `  ${plural(stillOpen.visits, "visit")} of that run still open: ${open}`,
      ...stillOpen.first.slice(0, 20).map(({ readyAt, visit }) =>
        `      ${printable(visit)}   ${readyAt === null ? "not over" : `to be sent from ${roundedUp(readyAt)} on`}`
      ),
      ...(stillOpen.visits > 20 ? [`      and ${number(stillOpen.visits - 20)} more`] : [])
    ]]),
    ...(status.waitUntil === null
      ? []
      : [[waitWords(status.waitUntil)]]),
    ...groups(status.visits, stated)
  ]
  return sections.map((lines) => lines.join("\n")).join("\n\n")
}

const endings = {
  done: "normally",
  stopped: "early",
  interrupted: "by an interruption",
  "no-room": "because a disk was full",
  failed: "with an error",
  killed: "unexpectedly"
} as const

/** Visits in the same state, under one heading. */
const groups = (visits: ReadonlyArray<StatusVisit>, stated: typeof wordsOf): ReadonlyArray<ReadonlyArray<string>> => {
  const alike = Map.groupBy(visits, ({ changedSince, state, why }) => `${state} ${changedSince} ${why}`)
  return Array.from(alike.values(), (group) => {
    const { next, state, why } = at(group, 0)
    const width = group.reduce((most, { code }) => Math.max(most, code.length), 0)
    const lines = [`  ${number(group.length)} ${stateWords(state)}: ${printable(why)}`]
    // Visits that only wait to be sent need no action, so the first few are enough.
    const listed = state === "READY" ? group.slice(0, fewReady) : group
    for (const visit of listed) {
      const { attempts, code, httpStatus, since, source } = visit
      const facts = [
        printable(code).padEnd(width),
        `since ${minute(since)}`,
        plural(attempts, "attempt"),
        ...(httpStatus === null ? [] : [`status ${httpStatus}`]),
        ...(source === null ? [] : [printable(source)])
      ]
      lines.push(`      ${facts.join("   ")}`)
      for (const words of stated(visit)) lines.push(`        said   ${printable(JSON.stringify(words))}`)
    }
    if (group.length > listed.length) {
      lines.push(`      and ${number(group.length - listed.length)} more; --format line lists them all`)
    }
    lines.push(`      next   ${printable(next)}`)
    return lines
  })
}

const fewReady = 20
