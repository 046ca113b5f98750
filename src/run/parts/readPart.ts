import { Effect } from "effect"
import { FileLabels } from "../accounts/fileLabels.ts"
import { PartitionRefused } from "../Conversion.ts"
import type { ConversionRequest, PartitionChoice } from "../ConversionRequest.ts"
import type { PreparedRun } from "../prepareRun.ts"
import type { ReadRun } from "../read/readRun.ts"
import { openPart } from "./openPart.ts"

/**
 * Opens one partition of a run that was read before. It must belong to this facility and mapping. The first partition reports what
 * concerns the run as a whole.
 */
export const readPart = Effect.fnUntraced(function*(
  choice: PartitionChoice,
  { facility, inputs, showValues, system }: ConversionRequest,
  { checked, joins, labels, room }: PreparedRun
) {
  const opened = yield* openPart(choice, inputs)
  const { directory, file, index, key, manifest, of, part, run, from } = opened
  const other = manifest.mapping !== checked.plan.hash
    ? "another mapping"
    : manifest.facility !== facility || manifest.system !== system
    ? "another facility or system"
    : undefined
  if (other !== undefined) {
    return yield* new PartitionRefused({
      title: `\`${file}\` was made for ${other}`,
      help: ["convert with the settings that the export was partitioned with, or partition it again"]
    })
  }
  const hidden = showValues ? new FileLabels() : labels
  for (const [name, words] of run.hidden) hidden.hide(name, words)
  const isFirst = index === 1
  return {
    directory: { ...directory, expected: part.visits },
    shared: { ...from, deletions: run.deletions, joins, lost: run.lost, sharedBytes: room.sharedBytes },
    records: part.records + (isFirst ? run.unused.reduce((sum, [, count]) => sum + count, 0) : 0),
    unreadable: isFirst ? run.unreadable : [],
    problems: isFirst ? run.problems : [],
    tables: isFirst ? run.tables : [],
    partition: { index, count: manifest.count, of, file, key }
  } satisfies ReadRun as ReadRun
})
