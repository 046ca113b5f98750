import { Effect, Option } from "effect"
import { plural } from "../../diagnostic/count.ts"
import { readTextFile } from "../../source/readTextFile.ts"
import { NotFound, SourceError } from "../../source/SourceError.ts"
import type { ReportJson } from "../../viewer/ReportJson.ts"
import type { Common } from "../flags.ts"
import { mergeReports, NotOneRun } from "../mergeReports.ts"
import { Misused } from "../Misused.ts"
import { Screen } from "../Screen.ts"
import { writeWhole } from "../WholeFile.ts"

export interface MergeReportsFlags extends Common {
  readonly reports: ReadonlyArray<string>
  readonly output: Option.Option<string>
}

/** `merge-reports`: the reports of the shards of a run become the report of the run. */
export const mergeReportFiles = Effect.fn("mergeReportFiles")(function*(flags: MergeReportsFlags) {
  const screen = yield* Screen
  const run = mergeReports(yield* Effect.forEach(flags.reports, readReport))
  if (run instanceof NotOneRun) {
    return yield* new Misused({
      title: `these reports are not one run: ${run.reason}`,
      help: ["name the report of every shard of one run, each once"]
    })
  }
  const text = `${JSON.stringify(run, null, 2)}\n`
  if (Option.isNone(flags.output)) return yield* screen.answer(text.trimEnd())
  yield* writeWhole(flags.output.value, text)
  yield* screen.say(`${plural(flags.reports.length, "report")} merged into ${flags.output.value}\n`)
})

const maxReportBytes = 256 * 1024 * 1024

const readReport = Effect.fnUntraced(function*(file: string) {
  const read = yield* readTextFile(file, maxReportBytes)
  if (read._tag === "Unreadable") {
    return yield* read.isMissing
      ? new SourceError({ reason: new NotFound({ input: file }) })
      : new Misused({ title: `\`${file}\` cannot be read: ${read.why}` })
  }
  const { text } = read
  const report = yield* Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: () =>
      new Misused({ title: `\`${file}\` is not JSON`, help: ["--report FILE.json writes what can be merged"] })
  })
  if (!isReport(report)) {
    return yield* new Misused({
      title: `\`${file}\` is not the report of a run`,
      help: ["--report FILE.json writes what can be merged"]
    })
  }
  return report
})

const isReport = (value: unknown): value is ReportJson =>
  typeof value === "object" && value !== null && "counts" in value && typeof value.counts === "object" &&
  "problems" in value && Array.isArray(value.problems) && "unmapped" in value && Array.isArray(value.unmapped)
