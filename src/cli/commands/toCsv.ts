import { Effect } from "effect"
import { Command } from "effect/cli"
import { join } from "node:path"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { extractTables } from "../../studio/canonical/extractTables.ts"
import { CsvWriter, extractHeader } from "../../studio/canonical/toCsv.ts"
import { expectOutputFolder } from "../files/outputTargets.ts"
import { makeOutputFolder, openWhole, type WholeFile } from "../files/WholeFile.ts"
import { common, outputFlag, rejectedOk, visitFiles } from "../flags.ts"
import { perform } from "../perform.ts"
import { rewriteVisits, type VisitWriter } from "../visits/rewriteVisits.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  files: visitFiles,
  output: outputFlag("DIR", "Output folder. It is created if missing"),
  rejectedOk,
  ...common
}

export const toCsvCommand = Command.make("to-csv", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Write visits as a CSV extract, one file per table. The mapping `csv` converts it back to the same visits.",
  ["fhir2visit to-csv visits.ndjson -o extract/", "Write every table"]
))

/** `to-csv`: writes each visit that has the specification's form as rows of the canonical extract (docs/reference/csv.md). */
const execute = Effect.fn("toCsvTables")((flags: Command.Command.Config.Infer<typeof config>) =>
  rewriteVisits(flags, "CSV", openTables(flags.output))
)

/** Opens every table, also those that will have no rows: the extract is complete, and replaces an older one in the folder. */
const openTables = Effect.fnUntraced(function*(folder: string) {
  yield* expectOutputFolder(folder)
  yield* makeOutputFolder(folder)
  const outputs = new Map<string, WholeFile>()
  for (const table of extractTables) {
    const output = yield* openWhole(join(folder, `${table.name}.csv`))
    yield* output.write(extractHeader(table))
    outputs.set(table.name, output)
  }
  const writer = new CsvWriter()
  const made: VisitWriter = {
    write: Effect.fnUntraced(function*(visit) {
      const rows = writer.rows(visit)
      if (rows === undefined) return secondVisit
      for (const [table, text] of rows) yield* outputs.get(table)?.write(text) ?? Effect.void
      return undefined
    }),
    commit: Effect.forEach(outputs.values(), ({ commit }) => commit, { discard: true })
  }
  return made
})

const secondVisit: Diagnostic = {
  code: "duplicate-code",
  severity: "error",
  title: "an extract has one visit for each code: the second was dropped",
  field: "code",
  help: ["write the visits of another facility into another folder"]
}
