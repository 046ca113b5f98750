import { Argument, Command, Flag } from "effect/cli"
import { common } from "../flags.ts"
import { later } from "../later.ts"

const reports = Argument.String("report").pipe(
  Argument.withDescription("The JSON reports of all shards of a run"),
  Argument.variadic({ min: 1 })
)

const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("FILE"),
  Flag.withDescription("Output file (default: standard output)"),
  Flag.optional
)

export const mergeReports = Command.make(
  "merge-reports",
  { reports, output, ...common },
  (flags) => later(flags, async () => (await import("../handlers/mergeReports.ts")).mergeReportFiles(flags))
).pipe(
  Command.withDescription(
    "Merge the reports of all shards of a run. Fails if a shard is missing or given twice."
  ),
  Command.withShortDescription("Merge the reports of all shards"),
  Command.withExamples([
    { command: "fhir2visit merge-reports shard-1.json shard-2.json -o run.json", description: "Merge two shards" }
  ])
)
