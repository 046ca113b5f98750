import { Effect } from "effect"
import { type Facility, noJournal } from "../../facility/Facility.ts"
import { JournalReader } from "../../submission/journal/JournalReader.ts"
import { wantsRuns } from "../screen/results.ts"
import { layerReader } from "../service.ts"
import type { Report } from "./Report.ts"

/** Maximum of runs on a page. */
const maxRuns = 30

/**
 * What the journal knows of the runs up to now, where a page tells of them. That it cannot be read stops no report; a
 * rehearsal has none.
 */
export const pastRuns = (
  files: ReadonlyArray<string>,
  facility: Facility
): Effect.Effect<Pick<Report, "runs">> =>
  wantsRuns(files) && facility.journal !== noJournal
    ? JournalReader.pipe(
      Effect.flatMap(({ countedRuns }) => countedRuns(maxRuns)),
      Effect.map((runs) => ({ runs })),
      Effect.provide(layerReader(facility)),
      Effect.orElseSucceed(() => ({}))
    )
    : Effect.succeed({})
