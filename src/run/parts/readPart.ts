import { Effect } from "effect"
import { FileLabels } from "../accounts/fileLabels.ts"
import { InvalidPart } from "../Conversion.ts"
import type { ConversionRequest, PartChoice } from "../ConversionRequest.ts"
import type { PreparedRun } from "../prepareRun.ts"
import type { ReadRun } from "../read/readRun.ts"
import { openPart } from "./openPart.ts"

/**
 * Opens one part of a run that was read before. It must belong to this facility and mapping. The first part reports what
 * concerns the run as a whole.
 */
export const readPart = Effect.fnUntraced(function*(
  choice: PartChoice,
  { facility, inputs, showValues, system }: ConversionRequest,
  { checked, joins, labels, memoryLimits }: PreparedRun
) {
  const opened = yield* openPart(choice, inputs)
  const { directory, file, index, key, manifest, of, part, run, from } = opened
  const other = manifest.mapping !== checked.plan.hash
    ? "another mapping"
    : manifest.facility !== facility || manifest.system !== system
    ? "another facility or system"
    : undefined
  if (other !== undefined) {
    return yield* new InvalidPart({
      title: `\`${file}\` was made for ${other}`,
      help: ["convert with the settings that the export was partitioned with, or partition it again"]
    })
  }
  const hidden = showValues ? new FileLabels() : labels
  for (const [name, words] of run.hidden) hidden.hide(name, words)
  const isFirst = index === 1
  const read: ReadRun = {
    directory,
    forThreads: {
      ...from,
      deletions: run.deletions,
      joins,
      unreadable: run.lost,
      sharedBytes: memoryLimits.sharedBytes
    },
    records: part.records + (isFirst ? run.unused.reduce((sum, [, count]) => sum + count, 0) : 0),
    unreadable: isFirst ? run.unreadable : [],
    problems: isFirst ? run.problems : [],
    tables: isFirst ? run.tables : [],
    part: { index, count: manifest.count, of, file, key }
  }
  return read
})
