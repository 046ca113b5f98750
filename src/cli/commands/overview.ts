import { Clock, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { plural } from "../../diagnostic/count.ts"
import { expectOutputApart } from "../files/outputTargets.ts"
import { writeWhole } from "../files/WholeFile.ts"
import { argumentFor, common, numberFlag, outputFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { facilityCount, overviewOf, overviewTables } from "../report/overview.ts"
import { readReport } from "../report/readReport.ts"
import { tablesPage } from "../report/tablesPage.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  reports: argumentFor("report", "The JSON reports of the facilities, one or more of each").pipe(
    Argument.variadic({ min: 1 })
  ),
  output: outputFlag("FILE", "Write a page (.html) or JSON (.json)"),
  staleDays: numberFlag("stale-days", "A facility is stale if its last report is older than N days (default: 7)").pipe(
    Flag.withDefault(7)
  ),
  ...common
}

export const overviewCommand = Command.make("overview", config, (flags) => perform(flags, execute(flags))).pipe(
  withHelp(
    "Show the reports of many facilities on one page: readiness, frequent problems, unmapped codes in common, and stale facilities.",
    ["fhir2visit overview */report.json -o nation.html", "Write a page for all facilities"]
  )
)

/** `overview`: the last reports of many facilities on one page. */
const execute = Effect.fn("overview")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const isPage = /\.html?$/u.test(flags.output)
  if (!isPage && !flags.output.endsWith(".json")) {
    return yield* new UsageError({ title: `--output writes a .html or a .json file, not \`${flags.output}\`` })
  }
  yield* expectOutputApart(flags.output, flags.reports)
  const read = yield* Effect.forEach(
    flags.reports,
    (file) => Effect.map(readReport(file), (report) => ({ file, report }))
  )
  const part = read.find(({ report }) => report.part !== undefined)
  if (part !== undefined) {
    return yield* new UsageError({
      title: `\`${part.file}\` is the report of a part, not of a run`,
      help: [
        "fhir2visit merge-reports REPORT… --parts parts/parts.json -o run.json  makes one report of those of all parts"
      ]
    })
  }
  const made = overviewOf(read, {
    now: yield* Clock.currentTimeMillis,
    staleDays: flags.staleDays,
    showValues: flags.showValues
  })
  yield* writeWhole(
    flags.output,
    isPage ? yield* tablesPage(overviewTables(made)) : `${JSON.stringify(made, null, 2)}\n`
  )
  const stale = made.facilities.filter((one) => one.stale).length
  yield* screen.say(
    `${facilityCount(made.facilities.length)} in ${flags.output}${
      stale === 0 ? "" : `; ${facilityCount(stale)} stale`
    }${made.olderReports === 0 ? "" : `; ${plural(made.olderReports, "older report")} not used`}\n`
  )
})
