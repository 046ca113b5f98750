import { Clock, Effect } from "effect"
import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import { mappingEntriesOf, type Syntax } from "../../../mapping/language/MappingSyntax.ts"
import { readIndex } from "../../../run/read/readIndex.ts"
import { RecordCollector, type RecordIndex } from "../../../source/records/RecordIndex.ts"
import type { LocatedUnreadableRecord } from "../../../source/records/UnreadableRecord.ts"
import { reportMissing } from "../../../source/tables/missingTables.ts"
import { pauseForRequests } from "../server/pauseForRequests.ts"
import type { ReportStatus } from "../server/Status.ts"
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

  const read = Effect.fnUntraced(function*({ found, good, input }: ValidDisk) {
    const { plan } = good.checked
    // Which records are missed depends on the types that the mapping reads.
    const layout = [layoutOf(good.syntax), ...[...plan.followed.types ?? []].toSorted(), input].join("\n")
    if (known?.layout === layout) return known
    yield* report({ phase: "reading", records: 0 })
    let reported = 0
    const { checks, reading, records } = yield* readIndex(found, plan, {
      sameServer: good.facility.sameServer,
      fhirVersion: good.facility.fhirVersion,
      now: yield* Clock.currentTimeMillis,
      onRead: Effect.fnUntraced(function*(count: number) {
        if (count - reported < 1000) return
        reported = count
        yield* report({ records: reported })
        yield* pauseForRequests
      })
    })
    const { incomplete, missing, severalServers, unreadable } = checks
    // Records of two servers can have the same ids, so a visit could have those of another patient.
    const usable = severalServers.length === 0
      ? records
      : new RecordCollector({ sameServer: [], copies: plan.grouping.copies }).index()
    known = {
      layout,
      records: usable,
      unreadable,
      problems: [
        ...severalServers,
        ...reading.otherVersions(),
        ...reading.passedOver,
        ...reading.unreadable,
        ...incomplete,
        ...reportMissing(plan.grouping.rootType, missing, found.inputs, reading.tables),
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
