import { Effect, Stream } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import { mappingEntriesOf, type Syntax } from "../../mapping/language/MappingSyntax.ts"
import { readInputs } from "../../source/read/readInput.ts"
import { RecordCollector, type RecordIndex } from "../../source/records/RecordIndex.ts"
import { pauseForRequests } from "./pauseForRequests.ts"
import type { ReportStatus } from "./Status.ts"
import type { ValidDisk } from "./watchDisk.ts"

/** The records of the inputs, and the problems of reading them. */
export interface ReadRecords {
  readonly records: RecordIndex
  readonly problems: ReadonlyArray<Diagnostic>
}

/** Reads the inputs for a mapping, and reads them again only if they change or the mapping declares other tables. */
export const inputReader = (report: ReportStatus) => {
  let known: (ReadRecords & { readonly layout: string }) | undefined

  const read = Effect.fnUntraced(function*({ found: { inputs, problems }, good, input }: ValidDisk) {
    const layout = `${layoutOf(good.syntax)}\n${input}`
    if (known?.layout === layout) return known
    yield* report({ phase: "reading", records: 0 })
    const collector = new RecordCollector({
      sameServer: good.facility.sameServer,
      copies: good.checked.plan.grouping.copies
    })
    const found: Array<Diagnostic> = [...problems]
    const versions = watchVersions(good.checked.plan, good.facility.fhirVersion)
    let count = 0
    let reported = 0
    yield* Stream.runForEachArray(
      readInputs(inputs, { tables: good.checked.plan.tables, versions }),
      (items) =>
        Effect.gen(function*() {
          for (const item of items) {
            if (item._tag === "Problem") found.push(item.diagnostic)
            else collector.add(item)
            if (item._tag === "Record") count++
          }
          if (count - reported < 1000) return
          reported = count
          yield* report({ records: count })
          yield* pauseForRequests
        })
    )
    const records = collector.index()
    known = { layout, records, problems: [...versions.problems(), ...versions.notes(), ...found, ...records.problems] }
    yield* report({ records: count })
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
