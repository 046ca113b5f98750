import { Effect } from "effect"
import { type Facility, noJournal } from "../../facility/Facility.ts"
import { wantsRuns } from "../screen/results.ts"
import type { Report } from "./Report.ts"

/** Maximum of runs on a page. */
const maxRuns = 30

/**
 * Returns the runs in the journal, if a page shows them. A journal that cannot be read stops no report; a
 * rehearsal has none. The journal's code is loaded on demand.
 */
export const pastRuns = (
  files: ReadonlyArray<string>,
  facility: Facility
): Effect.Effect<Pick<Report, "runs">> =>
  wantsRuns(files) && facility.journal !== noJournal
    ? Effect.promise(() =>
      Promise.all([import("../../submission/journal/JournalReader.ts"), import("../facility/service.ts")])
    )
      .pipe(
        Effect.flatMap(([{ JournalReader }, { layerReader }]) =>
          Effect.provide(
            Effect.flatMap(JournalReader, ({ countedRuns }) => countedRuns(maxRuns)),
            layerReader(facility)
          )
        ),
        Effect.map((runs) => ({ runs })),
        Effect.orElseSucceed(() => ({}))
      )
    : Effect.succeed({})
