import { Context, Effect, Ref } from "effect"
import type { Report } from "../report/Report.ts"

/** What the command's run came to, once it is known. */
const RunEnd = Context.Reference<Ref.Ref<Report | null>>("fhir2visit/cli/RunEnd", {
  defaultValue: () => Ref.makeUnsafe<Report | null>(null)
})

/** Notes what a run came to. */
export const noteEnd = (report: Report): Effect.Effect<void> => Effect.flatMap(RunEnd, (end) => Ref.set(end, report))

/** Logs what the run of a command came to, if there was one: last of all, after its problems and whatever ended it. */
export const loggingEnd = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const end = Ref.makeUnsafe<Report | null>(null)
    const log = Effect.flatMap(Ref.get(end), (report) =>
      report === null ? Effect.void : Effect.logInfo("the run has ended").pipe(
        Effect.annotateLogs({ code: "run-ended", command: report.command, facility: report.facility, ...report.counts })
      ))
    return command.pipe(Effect.provideService(RunEnd, end), Effect.ensuring(log))
  })
