import { Effect, Stream } from "effect"
import type { FillVisit } from "../facility/beneficiary/fillVisits.ts"
import type { RecordIndex } from "../source/records/RecordIndex.ts"
import { duplicatesOf } from "../source/records/RecordIndex.ts"
import type { LocatedUnreadableRecord } from "../source/records/UnreadableRecord.ts"
import { UnreadableRecords } from "./accounts/UnreadableRecords.ts"
import { convertRecords } from "./convertRecords.ts"
import type { Run, RunOptions } from "./Run.ts"

/** Small chunks, so that the first visits are written while others are still being made. */
const fewAtOnce = { chunkSize: 16 }

/** A run whose records are in memory. */
export const inMemoryRun = (
  options: RunOptions & { readonly coverage: boolean },
  records: RecordIndex,
  unread: ReadonlyArray<LocatedUnreadableRecord>,
  fill: FillVisit | undefined
): Run => {
  const { levels } = options
  const lost = new UnreadableRecords(unread, levels?.get("incomplete-visit"))
  const { drafts, groups, fieldOriginOf: homeOf, totals, visits } = convertRecords({ ...options, records, lost })
  return {
    groups,
    homeOf,
    totals,
    problems: () => duplicatesOf(records, options.checked.plan.followed.types).map(({ problem }) => problem),
    visits: fill === undefined
      ? Stream.fromIterable(visits, fewAtOnce)
      : Stream.mapEffect(
        Stream.fromIterable(drafts, fewAtOnce),
        (draft) => Effect.map(fill(draft.visit), ({ problems, visit }) => draft.finish(visit, problems))
      )
  }
}
