import { Cause, Config, Effect, Layer, Logger, Option, References } from "effect"
import { GlobalFlag } from "effect/cli"
import { jsonLine } from "../diagnostic/render/jsonLine.ts"
import { printable } from "../diagnostic/render/printable.ts"
import type { Common } from "./flags.ts"
import { Ended } from "./process/exitCode.ts"
import type { Typed } from "./screen/completeCommands.ts"
import { reportError } from "./screen/reportError.ts"
import { loggingEnd } from "./screen/runEnd.ts"
import { Screen } from "./screen/Screen.ts"

/**
 * Runs a command. Every error becomes a message in the requested format and an exit code.
 * Interruption passes through.
 */
export const perform = <E, R>(
  flags: Common & Typed,
  work: Effect.Effect<void, E, R>
) =>
  observed(work).pipe(
    Effect.catchCause((cause) =>
      // A cause that has only interrupts has no error.
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : reportCause(cause)
    ),
    loggingEnd,
    Effect.provide(Layer.merge(Screen.layer(flags), logging(flags)))
  )

/** Traces and metrics, if the environment names their destination; otherwise nothing is loaded. */
const observed = <E, R>(work: Effect.Effect<void, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(isObserved, (expected) =>
    expected
      ? Effect.flatMap(
        Effect.promise(() => import("./process/telemetry.ts")),
        ({ layerTelemetry }) => Effect.provide(Effect.withSpan(work, "fhir2visit"), layerTelemetry)
      )
      : work)

const isObserved = Effect.map(
  Effect.orDie(Effect.forEach(
    ["", "TRACES_", "METRICS_"],
    (signal) => Config.option(Config.NonEmptyString(`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`))
  )),
  (endpoints) => endpoints.some(Option.isSome)
)

const reportCause = Effect.fnUntraced(function*(cause: Cause.Cause<unknown>) {
  const error = Cause.squash(cause)
  if (error instanceof Ended) return yield* error
  return yield* new Ended({ code: yield* reportError(error) })
})

const levels: Readonly<Record<string, "error" | "warning" | "info" | "debug">> = {
  FATAL: "error",
  ERROR: "error",
  WARN: "warning",
  INFO: "info"
}

/** A log as a line of JSON, with its annotations as facts. */
const jsonLogger = Logger.map(
  Logger.formatStructured,
  ({ annotations: { code, ...facts }, cause, level, message, timestamp }) => {
    const words = Array.isArray(message) ? message.join(" ") : String(message)
    const known = levels[level] ?? "debug"
    return jsonLine({
      time: Date.parse(timestamp),
      level: known,
      code: typeof code === "string" ? code : "log",
      message: words,
      text: `${known}: ${printable(words)}`,
      facts: cause === undefined ? facts : { ...facts, cause }
    })
  }
)

/** Logs go to stderr, by default warnings and errors (`--log-level`); as JSON lines under `--format json`. */
const logging = ({ format, quiet }: Common) =>
  Layer.mergeAll(
    Layer.succeed(References.LogToStderr, true),
    format === "json" ? Logger.layer([Logger.withConsoleError(jsonLogger)]) : Layer.empty,
    Layer.effect(
      References.MinimumLogLevel,
      Effect.map(
        GlobalFlag.LogLevel,
        (level) => (level._tag === "Some" ? level.value : quiet ? "Error" as const : "Warn" as const)
      )
    )
  )
