import { Effect } from "effect"
import { type Facility, noJournal } from "../../facility/Facility.ts"
import { wantsRuns } from "../screen/results.ts"
import type { Report } from "./Report.ts"

/** Maximum of runs on a page. */
const maxRuns = 30

/**
 * What the journal knows of the runs up to now, where a page tells of them. That it cannot be read stops no report; a
 * rehearsal has none. What reads a journal is loaded only for that.
 */
export const pastRuns = (
  files: ReadonlyArray<string>,
  facility: Facility
): Effect.Effect<Pick<Report, "runs">> =>
  wantsRuns(files) && facility.journal !== noJournal
    ? Effect.promise(() => Promise.all([import("../../submission/journal/JournalReader.ts"), import("../service.ts")]))
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
