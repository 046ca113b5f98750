import { Context, Effect, Ref } from "effect"
import type { Report } from "../report/Report.ts"

/** The report of the command's run, once it is known. */
const RunEnd = Context.Reference<Ref.Ref<Report | null>>("fhir2visit/cli/RunEnd", {
  defaultValue: () => Ref.makeUnsafe<Report | null>(null)
})

/** Stores the report of a run for `loggingEnd`. */
export const noteEnd = (report: Report): Effect.Effect<void> => Effect.flatMap(RunEnd, (end) => Ref.set(end, report))

/** Logs the result of a command's run, if there was one. It is the last line, after the problems and any failure. */
export const loggingEnd = <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const end = Ref.makeUnsafe<Report | null>(null)
    const log = Effect.flatMap(Ref.get(end), (report) =>
      report === null ? Effect.void : Effect.logInfo("the run has ended").pipe(
        Effect.annotateLogs({ code: "run-ended", command: report.command, facility: report.facility, ...report.counts })
      ))
    return command.pipe(Effect.provideService(RunEnd, end), Effect.ensuring(log))
  })
