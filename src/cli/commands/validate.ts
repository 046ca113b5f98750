import { Clock, Effect, Stream } from "effect"
import { Command } from "effect/cli"
import { collate, type Collated } from "../../diagnostic/collate.ts"
import { plural } from "../../diagnostic/count.ts"
import { renderJson } from "../../diagnostic/render/renderJson.ts"
import { renderLine } from "../../diagnostic/render/renderLine.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { runSettings } from "../../run/checks/visitChecks.ts"
import { loadedLists } from "../facility/standardLists.ts"
import { openOutput } from "../files/Output.ts"
import { common, facility, optionalVisitFiles, presentation, rejectedOk, results, switchFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { someNotDone } from "../process/exitCode.ts"
import { Tally } from "../report/Report.ts"
import { checkResults, now, writeReports } from "../screen/results.ts"
import { Screen } from "../screen/Screen.ts"
import { summary } from "../screen/summary.ts"
import { UsageError } from "../UsageError.ts"
import { checkedLine, checkedReport, countChecked } from "../visits/checkedVisits.ts"
import { makeCheckVisit } from "../visits/checkVisit.ts"
import { checkFiles, readVisits, type VisitText } from "../visits/readVisits.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  files: optionalVisitFiles,
  facility,
  schema: switchFlag("schema", "Print the JSON Schema of a visit and exit"),
  report: results.report,
  rejected: results.rejected,
  rejectedOk,
  ...presentation,
  ...common
}

export const validateCommand = Command.make("validate", config, (flags) => perform(flags, execute(flags))).pipe(
  withHelp(
    "Check files of visits against the specification. With --format json or line, each problem is one line on standard output.",
    ["fhir2visit validate visits.ndjson", "Check a file of visits"],
    ["fhir2visit validate --format line visits.json", "Print one line per problem, for an editor or grep"],
    ["fhir2visit validate --schema > visit.schema.json", "Print the JSON Schema of a visit"]
  )
)

/** `validate`: checks files of visits against the specification (§2.4 to §2.6, §4.5). */
const execute = Effect.fn("validate")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  if (flags.schema) return yield* printSchema
  if (flags.files.length === 0) {
    return yield* new UsageError({
      title: "validate needs a file of visits",
      help: ["fhir2visit validate visits.ndjson"]
    })
  }
  const screen = yield* Screen
  yield* checkResults(flags, flags.files)
  const facility = yield* readFacility(flags.facility)
  yield* checkFiles(flags.files)
  const started = yield* now
  const tally = new Tally(flags.report.length > 0)
  const { lists, problems } = yield* loadedLists(facility)
  tally.problems.addAll(problems)
  const at = yield* Clock.currentTimeMillis
  const check = makeCheckVisit(runSettings(facility.validation, { now: at, facility: facility.code, lists }), "once")
  // Machine formats list every occurrence with its source location; people get one message for each kind of problem.
  const form = flags.format === "human"
    ? undefined
    : flags.format === "line"
    ? renderLine
    : (collated: Collated) => renderJson(collated, at)
  if (form !== undefined) yield* screen.problems(collate(problems), "stdout")
  yield* Effect.scoped(Effect.gen(function*() {
    const rejected = flags.rejected === undefined ? undefined : yield* openOutput(flags.rejected)
    yield* screen.progress(() => `checking   ${plural(tally.counts.visits, "visit")}`)
    const take = Effect.fnUntraced(function*(items: ReadonlyArray<VisitText>) {
      const lines: Array<string> = []
      for (const item of items) {
        const visit = check(item)
        countChecked(tally, visit)
        if (form !== undefined) {
          for (const first of visit.problems) {
            if (!flags.quiet || first.severity === "error") lines.push(form({ first, count: 1, visits: 1 }))
          }
        }
        if (visit.submission === undefined && rejected !== undefined) yield* rejected.write(checkedLine(visit))
      }
      if (lines.length > 0) yield* screen.print(lines.join("\n"))
    })
    yield* Stream.runForEachArray(readVisits(flags.files), take)
    if (rejected !== undefined) yield* rejected.commit
  }))
  const report = checkedReport("validate", facility, tally, started, yield* now)
  if (form === undefined) yield* screen.details(report.problems)
  yield* screen.say(summary(report, screen))
  yield* writeReports(flags.report, report)
  if (report.counts.rejected > 0 && !flags.rejectedOk) return yield* someNotDone
})

/** `validate --schema`: the JSON Schema of a visit, for editors and other programs. */
const printSchema = Effect.gen(function*() {
  const screen = yield* Screen
  const { visitJsonSchema } = yield* Effect.promise(() => import("../../visit/jsonSchema.ts"))
  yield* screen.print(JSON.stringify(visitJsonSchema(), null, 2))
})
