import { Effect, Stream } from "effect"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import type { MappingPlan } from "../../mapping/MappingPlan.ts"
import type { FoundInputs } from "../../source/read/findInputs.ts"
import { readInputs } from "../../source/read/readInput.ts"
import type { LazyParseState } from "../../source/records/LazyRecord.ts"
import { RecordCollector } from "../../source/records/RecordIndex.ts"
import type { FhirVersionSetting } from "../../source/versions/FhirVersion.ts"
import type { FileLabels } from "../accounts/fileLabels.ts"
import { RunReading } from "./RunReading.ts"

/** How inputs are read into an index. */
interface IndexOptions {
  /** Addresses of one server, as the facility states. */
  readonly sameServer: ReadonlyArray<string>
  readonly fhirVersion: FhirVersionSetting | undefined
  /** The time of the run, in milliseconds since 1970. */
  readonly now: number
  /** Learns which parts of file names must not be shown. */
  readonly labels?: FileLabels | undefined
  /** Lines are parsed when they are first used. */
  readonly later?: LazyParseState | undefined
  /** Runs after some records have been read; receives their number so far. */
  readonly onRead?: (records: number) => Effect.Effect<void>
}

/**
 * Reads all inputs into one index in memory, for a reader of single visits: `explain` and the workbench. A run reads them into a store
 * that can be larger than the memory (`readRun`). Both sort what they read in the same way (`RunReading`).
 */
export const readIndex = Effect.fnUntraced(function*(
  { inputs, problems }: FoundInputs,
  plan: MappingPlan,
  { fhirVersion, labels, later, now, onRead = () => Effect.void, sameServer }: IndexOptions
) {
  const collector = new RecordCollector({ sameServer, copies: plan.grouping.copies })
  const versions = watchVersions(plan, fhirVersion)
  if (later !== undefined) later.versions = versions
  const reading = new RunReading(collector, plan, versions, labels)
  for (const diagnostic of problems) reading.problem({ _tag: "Problem", diagnostic, breaksOff: true })
  yield* Stream.runForEachArray(
    readInputs(inputs, { tables: plan.tables, versions, now, ...(later === undefined ? {} : { later }) }),
    (items) =>
      Effect.suspend(() => {
        reading.items(items)
        return onRead(reading.records)
      })
  )
  const checks = reading.finish(inputs, sameServer)
  return { records: collector.index(), reading, checks }
})
