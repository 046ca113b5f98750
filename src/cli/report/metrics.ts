import { Effect, Metric } from "effect"
import { reportStateNames } from "../../submission/status/sendingOutcomes.ts"
import type { Report } from "./Report.ts"

const visits = Metric.gauge("fhir2visit_visits", { description: "Visits of the last run, by outcome" })
const records = Metric.gauge("fhir2visit_records", { description: "Records of the last run, by use" })
const problems = Metric.gauge("fhir2visit_problems", { description: "Problems of the last run, by code and severity" })
const unmapped = Metric.gauge("fhir2visit_unmapped_codes", { description: "Unmapped codes, by concept map" })
const seconds = Metric.gauge("fhir2visit_run_duration_seconds", { description: "How long the last run took" })
const ended = Metric.gauge("fhir2visit_run_ended_timestamp_seconds", { description: "When the last run ended" })

/** Updates the metrics with the counts of a run. */
export const measure = Effect.fnUntraced(function*(report: Report) {
  const { command, counts, facility } = report
  const of = { command, facility: facility ?? "" }
  const set = (gauge: Metric.Gauge<number>, value: number, attributes: Readonly<Record<string, string>> = {}) =>
    Metric.update(Metric.withAttributes(gauge, { ...of, ...attributes }), value)
  // `ready`, `rejected` and `open` add up to all visits. After sending, the other states divide the ready ones.
  for (const state of reportStateNames) yield* set(visits, counts[state], { state })
  yield* set(records, counts.usedRecords, { state: "used" })
  yield* set(records, counts.unusedRecords, { state: "unused" })
  yield* set(records, counts.rejectedRecords, { state: "rejected" })
  const kinds = Map.groupBy(report.problems, ({ first: { code, severity } }) => `${severity} ${code}`)
  for (const [kind, group] of kinds) {
    const [severity = "", code = ""] = kind.split(" ")
    yield* set(problems, group.reduce((sum, { count }) => sum + count, 0), { code, severity })
  }
  for (const [table, codes] of Map.groupBy(report.unmapped, ({ table }) => table)) {
    yield* set(unmapped, codes.length, { table })
  }
  yield* set(seconds, Math.max(0, Date.parse(report.ended) - Date.parse(report.started)) / 1000)
  yield* set(ended, Math.floor(Date.parse(report.ended) / 1000))
})

/** The counts of a run in the Prometheus text format, as a node exporter's textfile collector reads it. */
export const metricsText = Effect.gen(function*() {
  const { PrometheusMetrics } = yield* Effect.promise(() => import("effect/observability"))
  return yield* PrometheusMetrics.format()
})
