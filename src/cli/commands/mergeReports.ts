import { Argument, Command, Flag } from "effect/cli"
import { common } from "../flags.ts"
import { later } from "../later.ts"

const reports = Argument.String("report").pipe(
  Argument.withDescription("What --report FILE.json wrote, of every shard of a run"),
  Argument.variadic({ min: 1 })
)

const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("FILE"),
  Flag.withDescription("Where the report of the run goes; standard output, unless said"),
  Flag.optional
)

export const mergeReports = Command.make(
  "merge-reports",
  { reports, output, ...common },
  (flags) => later(flags, async () => (await import("../handlers/mergeReports.ts")).mergeReportFiles(flags))
).pipe(
  Command.withDescription(
    "Make one report of the reports of all shards of a run. It is refused when one of them is missing or is there twice."
  ),
  Command.withShortDescription("Make one report of those of all shards"),
  Command.withExamples([
    { command: "fhir2visit merge-reports shard-1.json shard-2.json -o run.json", description: "After both have ended" }
  ])
)
