import { Argument, Command, Flag } from "effect/cli"
import { common, parts } from "../flags.ts"
import { later } from "../process/later.ts"

const reports = Argument.String("report").pipe(
  Argument.withDescription("The JSON reports of all parts of a run"),
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
  { reports, parts, output, ...common },
  (flags) => later(flags, async () => (await import("../handlers/mergeReports.ts")).mergeReportFiles(flags))
).pipe(
  Command.withDescription(
    "Merge the reports of all parts of a run into the report of the run. Fails if a part is missing, is given twice, or is of another run."
  ),
  Command.withShortDescription("Merge the reports of all parts"),
  Command.withExamples([
    {
      command: "fhir2visit merge-reports report-*.json --parts parts/parts.json -o run.json",
      description: "Merge all parts"
    }
  ])
)
