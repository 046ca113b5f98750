import { Clock, DateTime, Effect, type FileSystem, Scope, type Stream } from "effect"
import { number, plural } from "../../diagnostic/count.ts"
import { atLevels } from "../../diagnostic/levels.ts"
import type { Origin } from "../../diagnostic/Origin.ts"
import { type Facility, noJournal } from "../../facility/Facility.ts"
import { type NamedFacility, requireCode } from "../../facility/settings/readOperatorConfig.ts"
import type { Conversion } from "../../run/Conversion.ts"
import { JournalReader } from "../../submission/journal/JournalReader.ts"
import { reconcileOptions } from "../../submission/list/reconcile.ts"
import {
  countPlanned,
  explainPlan,
  planReasons,
  type PlanSummary,
  summarisePlan
} from "../../submission/plan/explainPlan.ts"
import { forecast } from "../../submission/plan/forecast.ts"
import { planAgainst } from "../../submission/plan/intake.ts"
import { otherVisitsOf } from "../../submission/plan/otherVisits.ts"
import { isOutsideJournal, type Plan, type PlanOptions } from "../../submission/plan/plan.ts"
import { countNeeding } from "../../submission/status/sendingOutcomes.ts"
import type { SubmitResult } from "../../submission/status/tally.ts"
import type { Submission } from "../../submission/Submission.ts"
import { submit as submitAll } from "../../submission/submit.ts"
import {
  type Access,
  layerReader,
  layerRehearsal,
  layerRun,
  realAccess,
  rehearsal,
  rehearsalFacility
} from "../facility/service.ts"
import { facilityFlag } from "../flags.ts"
import { Ended, exitCodes, someNotDone } from "../process/exitCode.ts"
import { waitWords } from "../process/minute.ts"
import { pace } from "../process/pace.ts"
import { pastRuns } from "../report/pastRuns.ts"
import { isIncomplete, type Report, summaryOf, type Tally } from "../report/Report.ts"
import { withoutCounted } from "../screen/countedAssumptions.ts"
import { otherProblems, outcomeProblems } from "../screen/outcomeProblems.ts"
import { reportError } from "../screen/reportError.ts"
import { reportWaits } from "../screen/reportWaits.ts"
import { rejectedStep, topProblemStep, writeReports } from "../screen/results.ts"
import { Screen } from "../screen/Screen.ts"
import { summary } from "../screen/summary.ts"
import { endingOf, needsCorrection, stoppedBy, stoppedWords } from "./stopped.ts"

interface SubmitFlags {
  readonly facility: string | undefined
  readonly report: ReadonlyArray<string>
  readonly rejected: string | undefined
  readonly dryRun: boolean
  readonly batch: number
  readonly sandbox: boolean
  readonly keepGoing: boolean
  readonly rejectedOk: boolean
}

/** Visits to submit, as `run` and `submit` prepare them. */
export interface PreparedVisits<E, R> {
  readonly flags: SubmitFlags
  readonly tally: Tally
  /** The valid visits, in the order of sending. Problems of the others are in the tally. */
  readonly visits: Stream.Stream<Submission, E, R>
  /** Hash of the mapping, when one made the visits. */
  readonly mapping: string | null
  /** Where a field of a visit came from, when a mapping made the visits. */
  readonly fieldOrigin?: Conversion["fieldOrigin"]
  /** Returns the location of a visit from a file of visits, by its source. */
  readonly originOf?: (source: string) => Origin | undefined
  readonly report: Effect.Effect<Report>
}

/** Submits the visits that `prepare` returns for a facility. With `--dry-run`, it shows the plan instead. */
export const planOrSubmit = <E, R, E2, R2>(
  flags: SubmitFlags,
  facility: Facility,
  prepare: (facility: NamedFacility) => Effect.Effect<PreparedVisits<E, R>, E2, R2>
) =>
  flags.dryRun
    ? Effect.flatMap(
      requireCode(facility),
      (known) => Effect.scoped(Effect.flatMap(prepare(known), (prepared) => showPlan(prepared, known)))
    )
    : withAccess(
      flags,
      facility,
      (access) => Effect.scoped(Effect.flatMap(prepare(access.facility), (prepared) => submitVisits(prepared, access)))
    )

/** Provides access to the service, or to the embedded one under `--sandbox`. */
const withAccess = <A, E, R>(
  flags: SubmitFlags,
  facility: Facility,
  use: (access: Access) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    if (!flags.sandbox) return yield* Effect.flatMap(realAccess(facility), use)
    yield* screen.say(rehearsalWords(facility))
    return yield* Effect.flatMap(rehearsal(facility), use).pipe(Effect.scoped, Effect.provide(layerRehearsal))
  })

const rehearsalWords = ({ code }: Facility): string =>
  [
    "rehearsal   embedded sandbox; nothing leaves this machine and nothing is saved",
    ...(code === null
      ? [
        `            as ${rehearsalFacility}, because facility.yaml has no \`facility:\` yet; visits that name theirs are rejected`
      ]
      : []),
    ""
  ].join("\n")

/** The facility's settings for decisions about visits, at a given time (milliseconds). */
const planOptionsOf = (
  { code, partial, retry, sameAdmission, sameEncounter, settleMillis, validation }: NamedFacility,
  now: number
): PlanOptions => ({
  facility: code,
  ...(settleMillis === null ? {} : { settle: { millis: settleMillis, now } }),
  holdPartial: partial === "hold",
  sendSameAdmission: sameAdmission === "send",
  sendSameEncounter: sameEncounter === "send",
  holdSameMinute: validation.levels?.get("same-admission-time") === "error",
  ...(retry.unknownPatientMillis === null
    ? {}
    : { unknownPatientBefore: DateTime.formatIso(DateTime.makeUnsafe(now - retry.unknownPatientMillis)) })
})

/** `--dry-run`: what would be sent, according to the journal. It writes nothing and sends no request. */
const showPlan = <E, R>(
  { flags, report, tally, visits }: PreparedVisits<E, R>,
  facility: NamedFacility
) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const decided = yield* planAgainst(visits, planOptionsOf(facility, yield* Clock.currentTimeMillis))
    tally.addOpen(decided.visits)
    const { notOver } = tally
    const plan = {
      visits: {
        *[Symbol.iterator]() {
          yield* decided.visits
          yield* notOver
        }
      }
    }
    const expected = yield* forecast(plan, yield* JournalReader, {
      ...facility.reconcile,
      perPage: facility.lists.processed.perPage
    })
    const options = { perHour: perHour(facility), batch: flags.batch, forecast: expected }
    const summarised = summarisePlan(plan, options)
    const { open: _open, ...counts } = countPlanned(plan)
    const changed = summarised.lines.find(({ why }) => why === "stored-and-changed")
    tally.set({ ...counts, changedSince: changed?.count ?? 0 })
    tally.problems.addAll(otherProblems(yield* otherVisitsOf(yield* JournalReader, decided, tally.unsent)))
    const made = {
      ...yield* report,
      plan: plan.visits,
      purpose: "plan" as const,
      ...yield* pastRuns(flags.report, facility)
    }
    yield* screen.details(withoutCounted(made.problems, screen.format))
    if (screen.format === "json") yield* screen.print(JSON.stringify({ dryRun: true, ...summarised }))
    yield* screen.say(explainPlan(plan, options))
    const sends = verbCount(summarised, "send") + verbCount(summarised, "ask") > 0
    if (expected.waitUntil !== null) yield* screen.say(`${waitWords(expected.waitUntil)}\n`)
    yield* screen.say(
      summary(made, { ...screen, dryRun: true, next: sends ? [["the same without --dry-run", "sends them"]] : [] })
    )
    yield* writeReports(flags.report, made)
    if (isIncomplete(made) && !flags.rejectedOk) return yield* someNotDone
  }).pipe(Effect.scoped, Effect.provide(layerReader(facility)))

/** Sends, prints the outcome, and ends with the matching exit code. */
const submitVisits = <E, R>(
  { flags, fieldOrigin, mapping, originOf, report, tally, visits }: PreparedVisits<E, R>,
  access: Access
) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const clock = yield* Clock.Clock
    const context = yield* Effect.context<FileSystem.FileSystem | Screen>()
    /** Print the outcome before writing the reports, so that a full disk does not hide it. */
    const conclude = (result: SubmitResult, how: "through" | "interrupted" | "broken" = "through") =>
      Effect.gen(function*() {
        const { open: _open, visits: _visits, ...counts } = result.counts
        tally.set(counts)
        for (const notable of [...result.notable, ...result.contradicted]) {
          tally.addOutcome(
            notable.code,
            atLevels(outcomeProblems(notable, fieldOrigin, originOf), access.facility.validation.levels)
          )
        }
        tally.problems.addAll(otherProblems(result))
        const made = {
          ...yield* report,
          outcomes: result.first,
          purpose: access.facility.journal === noJournal ? "rehearsal" as const : "send" as const,
          ending: endingOf(result.stopped, how, yield* stoppedWords(result.stopped)),
          ...yield* pastRuns(flags.report, access.facility)
        }
        yield* screen.details(withoutCounted(made.problems, screen.format))
        if (how === "interrupted") yield* screen.say("interrupted: requests in flight are in the journal\n")
        yield* screen.say(summary(made, { ...screen, next: nextSteps(made, result, flags, how !== "through") }))
        const isWritten = yield* writeReports(flags.report, made).pipe(
          Effect.as(true),
          Effect.catch((error) => Effect.as(reportError(error), false))
        )
        return { made, isWritten }
      })
    const progress = yield* Scope.make()
    let planned = false
    const result = yield* submitAll(visits, {
      batch: flags.batch,
      ...reconcileOptions(access.facility.reconcile),
      statuses: access.facility.responseRules,
      retry: access.facility.retry,
      nameAttempts: access.facility.sending.requestIdHeader !== null,
      form: access.facility.sending,
      ...planOptionsOf(access.facility, clock.currentTimeMillisUnsafe()),
      keepGoing: flags.keepGoing,
      unsent: () => tally.unsent,
      summary: () => summaryOf({ counts: tally.counts, ...tally.facets }),
      ...(mapping === null ? {} : { mapping }),
      onPlan: (plan, used) =>
        Effect.gen(function*() {
          planned = true
          tally.addOpen(plan.visits)
          const total = yield* announce(screen, plan, access, flags.batch, used)
          const started = clock.currentTimeMillisUnsafe()
          yield* Scope.provide(
            screen.progress(() => pace("sending", tally.counts.sent, total, clock.currentTimeMillisUnsafe() - started)),
            progress
          )
        }),
      onSent: (sent) => Effect.sync(() => tally.set({ sent })),
      onInterrupted: (result) => Effect.ignore(Effect.provideContext(conclude(result, "interrupted"), context)),
      onBroken: (result) => Effect.ignore(Effect.provideContext(conclude(result, "broken"), context))
    }).pipe(
      reportWaits,
      Effect.onExit((exit) => Scope.close(progress, exit)),
      Effect.onInterrupt(() =>
        planned
          ? Effect.void
          : screen.say(
            `interrupted after ${
              plural(tally.counts.visits, "visit")
            } before anything was sent\n\n  next   run the same command again`
          )
      ),
      Effect.provide(layerRun(access))
    )
    const { isWritten, made } = yield* conclude(result)
    if (result.stopped !== null) return yield* stoppedBy(result.stopped)
    const { counts } = made
    if (counts.unknown > 0 || !isWritten) return yield* new Ended({ code: exitCodes.stopped })
    const unlisted = result.contradicted.filter(({ visit }) => visit?.unlisted === true).length
    const notDone = countNeeding(counts, "waiting") + countNeeding(counts, "correction") + unlisted
    if ((notDone > 0 || isIncomplete(made)) && !flags.rejectedOk) return yield* someNotDone
  }).pipe(Effect.scoped)

const perHour = ({ limits }: Facility): number => limits.requestsPerHour - limits.reserve

const verbCount = ({ lines }: PlanSummary, verb: string): number =>
  lines.reduce((sum, line) => (line.verb === verb ? sum + line.count : sum), 0)

/** Before the first request: how many visits, which it returns, and how long the facility's limit makes it wait (§8). */
const announce = Effect.fnUntraced(function*(
  screen: Screen["Service"],
  plan: Plan,
  { facility }: Access,
  batch: number,
  used: number
) {
  const summarised = summarisePlan(plan, {
    perHour: perHour(facility),
    batch,
    forecast: { asked: 0, listings: 0, used, waitUntil: null }
  })
  const { minutes, requests } = summarised
  const [visits, open] = [verbCount(summarised, "send"), verbCount(summarised, "ask")]
  if (requests === 0) return visits
  const long = minutes === 0 ?
    "" :
    `: about ${plural(Math.ceil(minutes / 60), "hour")}, because only ${
      number(perHour(facility))
    } requests an hour are allowed`
  const again = open === 0 ? "" : `, and looks up ${number(open)} with an unknown outcome`
  yield* screen.say(`sending ${plural(visits, "visit")}${again}${long}\n`)
  return visits
})

const nextSteps = (
  report: Report,
  { contradicted, leftElsewhere, notable, openElsewhere, stopped }: SubmitResult,
  flags: SubmitFlags,
  isCutShort: boolean
): ReadonlyArray<readonly [string, string]> => {
  const { counts } = report
  const corrections = countNeeding(counts, "correction")
  const outside = notable.filter(({ decision }) => isOutsideJournal(decision))
  const [first] = outside
  return [
    ...((isCutShort || stopped !== null || counts.unknown > 0) && !needsCorrection(stopped)
      ? [["the same command again", "resumes this run; nothing is sent twice"] as const]
      : []),
    ...(counts.doubt + openElsewhere + contradicted.length > 0
      ? [[`fhir2visit status${facilityFlag(flags)} --remote`, "looks up what is pending"] as const]
      : []),
    ...(corrections - outside.length + leftElsewhere > 0
      ? [[`fhir2visit status${facilityFlag(flags)}`, "each visit that is not stored, and what to do"] as const]
      : []),
    // what the service refused has a step of its own
    ...(first === undefined
      ? []
      : [
        [
          `fhir2visit explain ${first.decision.why === "other-facility" ? "foreign-code" : "duplicate-code"}`,
          `${plural(outside.length, "visit")} not sent: ${planReasons[first.decision.why].words}`
        ] as const
      ]),
    ...(corrections === outside.length ? topProblemStep(flags, report) : []),
    ...rejectedStep(flags, counts)
  ]
}
