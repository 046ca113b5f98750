import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Cause, Config, ConfigProvider, Effect, Exit, Layer, Option, Tracer } from "effect"
import { OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import { version } from "./version.ts"

/**
 * Sends traces and metrics to the OpenTelemetry collector that the standard `OTEL_*` variables name. They contain the names and durations
 * of steps, the kinds of errors, and the counts of a run. They contain no record values, file names, addresses, or error messages.
 */
export const layerTelemetry: Layer.Layer<never> = Layer.unwrap(Effect.gen(function*() {
  const resource = {
    serviceName: Option.getOrElse(yield* variable("OTEL_SERVICE_NAME"), () => "fhir2visit"),
    serviceVersion: version
  }
  const json = Option.getOrUndefined(yield* variable("OTEL_EXPORTER_OTLP_PROTOCOL")) === "http/json"
  const quiet = Layer.effect(
    Tracer.Tracer,
    Effect.map(Tracer.Tracer, (tracer) =>
      Tracer.make({
        ...tracer,
        span: (options) => withoutValues(tracer.span(options))
      }))
  ).pipe(Layer.provide(OtlpTracer.layerFromConfig({ resource })))
  return Layer.merge(quiet, OtlpMetrics.layerFromConfig({ resource })).pipe(
    Layer.provide(json ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(NodeHttpClient.layerUndici),
    // OpenTelemetry's default, which the library does not take.
    Layer.provide(ConfigProvider.layerAdd(
      ConfigProvider.fromEnvRecord({ OTEL_TRACES_EXPORTER: "otlp", OTEL_METRICS_EXPORTER: "otlp" })
    ))
  )
}))

const variable = (name: string) => Effect.orDie(Config.option(Config.NonEmptyString(name)))

/** A span that keeps only numbers, and the kind of an error. */
const withoutValues = (span: Tracer.Span): Tracer.Span => {
  const { attribute, end } = span
  return Object.assign(span, {
    attribute: (key: string, value: unknown) => {
      if (typeof value === "number" || typeof value === "boolean") attribute.call(span, key, value)
    },
    event: () => {},
    end: (at: bigint, exit: Exit.Exit<unknown, unknown>) => end.call(span, at, withoutWords(exit))
  })
}

const withoutWords = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit)) return Exit.void
  if (Cause.hasInterruptsOnly(exit.cause)) return Exit.interrupt()
  const error: unknown = Cause.squash(exit.cause)
  const kind = typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"
    ? error._tag
    : "Defect"
  const plain = new Error(kind)
  plain.name = kind
  plain.stack = kind
  return Exit.fail(plain)
}
