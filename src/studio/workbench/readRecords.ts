import { Effect, Stream } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import { mappingEntriesOf, type Syntax } from "../../mapping/language/MappingSyntax.ts"
import { RunReading } from "../../run/read/RunReading.ts"
import { readInputs } from "../../source/read/readInput.ts"
import { RecordCollector, type RecordIndex } from "../../source/records/RecordIndex.ts"
import type { LocatedUnreadableRecord } from "../../source/records/UnreadableRecord.ts"
import { reportMissing } from "../../source/tables/missingTables.ts"
import { pauseForRequests } from "./pauseForRequests.ts"
import type { ReportStatus } from "./Status.ts"
import type { ValidDisk } from "./watchDisk.ts"

/** The records of the inputs, and the problems of reading them. */
export interface ReadRecords {
  readonly records: RecordIndex
  readonly unreadable: ReadonlyArray<LocatedUnreadableRecord>
  readonly problems: ReadonlyArray<Diagnostic>
}

/** Reads the inputs for a mapping, and reads them again only if they change or the mapping declares other tables. */
export const inputReader = (report: ReportStatus) => {
  let known: (ReadRecords & { readonly layout: string }) | undefined

  const read = Effect.fnUntraced(function*({ found: { inputs, problems }, good, input }: ValidDisk) {
    const { plan } = good.checked
    // Which records are missed depends on the types that the mapping reads.
    const layout = [layoutOf(good.syntax), ...[...plan.followed.types ?? []].toSorted(), input].join("\n")
    if (known?.layout === layout) return known
    yield* report({ phase: "reading", records: 0 })
    const collector = new RecordCollector({
      sameServer: good.facility.sameServer,
      copies: plan.grouping.copies
    })
    const versions = watchVersions(plan, good.facility.fhirVersion)
    const reading = new RunReading(collector, plan, versions)
    for (const diagnostic of problems) reading.problem({ _tag: "Problem", diagnostic, breaksOff: true })
    let reported = 0
    yield* Stream.runForEachArray(
      readInputs(inputs, { tables: plan.tables, versions }),
      (items) =>
        Effect.gen(function*() {
          reading.items(items)
          if (reading.records - reported < 1000) return
          reported = reading.records
          yield* report({ records: reported })
          yield* pauseForRequests
        })
    )
    const records = collector.index()
    const { incomplete, missing, unreadable } = reading.finish(inputs)
    known = {
      layout,
      records,
      unreadable,
      problems: [
        ...versions.problems(),
        ...reading.passedOver,
        ...reading.unreadable,
        ...incomplete,
        ...reportMissing(plan.grouping.rootType, missing, inputs, reading.tables),
        ...records.problems
      ]
    }
    yield* report({ records: reading.records })
    return known
  })

  /** `latest` is the result of the last reading. */
  return { read, latest: (): ReadRecords | undefined => known }
}

/** The mapping's table declarations as text: equal texts read the same records. */
const layoutOf = (syntax: Syntax): string =>
  JSON.stringify(
    syntax.kind === "map"
      ? [
        syntax.entries.get("table")?.value,
        ...["copies", "status"].map((key) => mappingEntriesOf(syntax, "grouping").get(key))
      ]
      : undefined,
    (key, value: unknown) =>
      key === "span" || key === "key" || key === "textColumn" ? undefined : value instanceof Map ? [...value] : value
  ) ?? ""
