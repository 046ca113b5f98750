import { Clock, Effect } from "effect"
import { plural } from "../../diagnostic/count.ts"
import type { Common } from "../flags.ts"
import { facilityCount, overviewOf, overviewTables } from "../overview.ts"
import { readReport } from "../readReport.ts"
import { Screen } from "../screen/Screen.ts"
import { tablesPage } from "../tablesPage.ts"
import { UsageError } from "../UsageError.ts"
import { writeWhole } from "../WholeFile.ts"

interface OverviewFlags extends Common {
  readonly reports: ReadonlyArray<string>
  readonly output: string
  readonly staleDays: number
}

/** `overview`: the last reports of many facilities on one page. */
export const overview = Effect.fn("overview")(function*(flags: OverviewFlags) {
  const screen = yield* Screen
  const isPage = /\.html?$/u.test(flags.output)
  if (!isPage && !flags.output.endsWith(".json")) {
    return yield* new UsageError({ title: `--output writes a .html or a .json file, not \`${flags.output}\`` })
  }
  const read = yield* Effect.forEach(
    flags.reports,
    (file) => Effect.map(readReport(file), (report) => ({ file, report }))
  )
  const part = read.find(({ report }) => report.part !== undefined)
  if (part !== undefined) {
    return yield* new UsageError({
      title: `\`${part.file}\` is the report of a part, not of a run`,
      help: ["fhir2visit merge-reports makes one report of those of all parts"]
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
    }${made.olderReports === 0 ? "" : `; ${plural(made.olderReports, "older report")} left out`}\n`
  )
})
