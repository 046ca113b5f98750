import { Effect, FileSystem, Stream } from "effect"
import { Command } from "effect/cli"
import { join } from "node:path"
import { plural } from "../../diagnostic/count.ts"
import { extractTables } from "../../studio/canonical/extractTables.ts"
import { CsvWriter, extractHeader } from "../../studio/canonical/toCsv.ts"
import { makeCheckVisit } from "../checkVisit.ts"
import { common, outputFlag, rejectedOk, visitFiles } from "../flags.ts"
import { perform } from "../perform.ts"
import { someNotDone } from "../process/exitCode.ts"
import { checkFiles, readVisits } from "../readVisits.ts"
import { Tally } from "../report/Report.ts"
import { Screen } from "../screen/Screen.ts"
import { visitIn } from "../visitIn.ts"
import { openWhole, OutputError, type WholeFile } from "../WholeFile.ts"

const config = {
  files: visitFiles,
  output: outputFlag("DIR", "Output folder. It is created if missing"),
  rejectedOk,
  ...common
}

export const toCsvCommand = Command.make("to-csv", config, (flags) => perform(flags, execute(flags))).pipe(
  Command.withDescription(
    "Write visits as a CSV extract, one file per table. The mapping `csv` converts it back to the same visits."
  ),
  Command.withExamples([
    { command: "fhir2visit to-csv visits.ndjson -o extract/", description: "Write every table" }
  ])
)

type Flags = Command.Command.Config.Infer<typeof config>

/**
 * `to-csv`: each visit that has the specification's form, as rows of the canonical extract (docs/reference/csv.md). Every table is written,
 * those without rows too: an extract is complete, and nothing of an older one stays in the folder.
 */
const execute = Effect.fn("toCsvTables")(function*(flags: Flags) {
  const screen = yield* Screen
  const fs = yield* FileSystem.FileSystem
  yield* checkFiles(flags.files)
  const tally = new Tally()
  // Only the form counts here: nothing is about to be sent, so no time lies in the future.
  const check = makeCheckVisit({ now: Number.MAX_SAFE_INTEGER })
  const writer = new CsvWriter()
  yield* Effect.scoped(Effect.gen(function*() {
    yield* fs.makeDirectory(flags.output, { recursive: true, mode: 0o700 }).pipe(
      Effect.mapError(() => new OutputError({ file: flags.output, reason: "cannot be written" }))
    )
    const outputs = new Map<string, WholeFile>()
    for (const table of extractTables) {
      const output = yield* openWhole(join(flags.output, `${table.name}.csv`))
      yield* output.write(extractHeader(table))
      outputs.set(table.name, output)
    }
    yield* Stream.runForEachArray(readVisits(flags.files), (items) =>
      Effect.gen(function*() {
        for (const item of items) {
          const visit = visitIn(item)
          tally.add("visits")
          if (visit === undefined) {
            tally.add("rejected")
            const { code, origin, problems } = check(item)
            tally.problems.addAll(
              problems.filter(({ severity }) => severity === "error"),
              code ?? `${origin.file}:${origin.line}`
            )
            continue
          }
          const rows = writer.rows(visit)
          if (rows === undefined) {
            tally.add("rejected")
            tally.problems.add({
              code: "duplicate-code",
              severity: "error",
              title: "an extract holds one visit of each code: the second was left out",
              field: "code",
              visit: visit.code,
              ...(item._tag === "Unreadable" ? {} : { origin: { file: item.file, line: item.line, reference: "" } }),
              help: ["write the visits of another facility into another folder"]
            })
            continue
          }
          tally.add("ready")
          for (const [table, text] of rows) yield* outputs.get(table)!.write(text)
        }
      }))
    for (const output of outputs.values()) yield* output.commit
  }))
  yield* screen.problems(tally.problems.all())
  const { ready, rejected } = tally.counts
  yield* screen.say(`${plural(ready, "visit")} as CSV${rejected === 0 ? "" : `, ${rejected} left out`}`)
  if (rejected > 0 && !flags.rejectedOk) return yield* someNotDone
})
