import { Effect, FileSystem } from "effect"
import { Argument, Command } from "effect/cli"
import { dirname, join } from "node:path"
import { plural } from "../../diagnostic/count.ts"
import { manifestName } from "../../run/parts/Manifest.ts"
import { openManifest } from "../../run/parts/openPart.ts"
import type { ReportJson } from "../../studio/viewer/ReportJson.ts"
import { expectOutputApart } from "../files/outputTargets.ts"
import { argumentFor, common, optional, outputFlag, parts } from "../flags.ts"
import { perform } from "../perform.ts"
import { mergeReports, NotOneRun } from "../report/mergeReports.ts"
import { readReport } from "../report/readReport.ts"
import { reportJson, reportText } from "../report/reportJson.ts"
import { writeReport } from "../screen/results.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  reports: argumentFor("report", "The JSON reports of all parts of a run").pipe(
    Argument.variadic({ min: 1 })
  ),
  parts,
  output: optional(outputFlag("FILE", "Output file (default: standard output)")),
  ...common
}

export const mergeReportsCommand = Command.make("merge-reports", config, (flags) => perform(flags, execute(flags)))
  .pipe(withHelp(
    "Merge the reports of all parts of a run into the report of the run. Fails if a part is missing, is given twice, or is of another run.",
    ["fhir2visit merge-reports report-*.json --parts parts/parts.json -o run.json", "Merge all parts"]
  ))

type Flags = Command.Command.Config.Infer<typeof config>

/** `merge-reports`: the reports of the parts of a run become the report of the run. */
const execute = Effect.fn("mergeReportFiles")(function*(flags: Flags) {
  const screen = yield* Screen
  const output = flags.output ?? "-"
  yield* expectOutputApart(output, [...flags.reports, ...(flags.parts === undefined ? [] : [flags.parts])])
  const reports = yield* Effect.forEach(flags.reports, readReport)
  const { key, manifest, of } = yield* openManifest(yield* manifestOf(flags, reports))
  const { showValues } = screen.renderOptions
  const run = mergeReports(reports, { key, of, count: manifest.count }, showValues)
  if (run instanceof NotOneRun) {
    return yield* new UsageError({
      title: `these reports are not one run: ${run.reason}`,
      help: ["name the report of every part of one run, each once"]
    })
  }
  if (output === "-") return yield* screen.print(reportText(reportJson(run, showValues)).trimEnd())
  yield* writeReport(output, run)
  yield* screen.say(`${plural(flags.reports.length, "report")} merged into ${output}\n`)
})

/** Returns the named file; otherwise the one that the reports name, or the one next to them. */
const manifestOf = Effect.fnUntraced(function*(
  { parts, reports }: Flags,
  read: ReadonlyArray<ReportJson>
) {
  if (parts !== undefined) return parts
  const fs = yield* FileSystem.FileSystem
  const near = [
    ...new Set([
      ...read.flatMap(({ part }) => part?.parts ?? []),
      ...reports.flatMap((file) => [join(dirname(file), manifestName), join(dirname(file), "parts", manifestName)])
    ])
  ]
  for (const file of near) if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return file
  return yield* new UsageError({
    title: `the \`${manifestName}\` that the parts were made with is not at the path that the reports state`,
    help: [`--parts FOLDER/${manifestName}`]
  })
})
