import { Argument, Command, Flag } from "effect/cli"
import { common } from "../flags.ts"
import { later } from "../process/later.ts"

const reports = Argument.String("report").pipe(
  Argument.withDescription("The JSON reports of the facilities, one or more of each"),
  Argument.variadic({ min: 1 })
)

const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("FILE"),
  Flag.withDescription("Write a page (.html) or JSON (.json)")
)

const staleDays = Flag.Int("stale-days").pipe(
  Flag.withMetavar("N"),
  Flag.filter((days) => days >= 1, () => "--stale-days must be 1 or more"),
  Flag.withDescription("A facility is stale if its last report is older than N days (default: 7)"),
  Flag.withDefault(7)
)

export const overview = Command.make(
  "overview",
  { reports, output, staleDays, ...common },
  (flags) => later(flags, async () => (await import("../handlers/overview.ts")).overview(flags))
).pipe(
  Command.withDescription(
    "Show the reports of many facilities on one page: readiness, frequent problems, unmapped codes in common, and stale facilities."
  ),
  Command.withShortDescription("Show many facilities' reports on one page"),
  Command.withExamples([
    { command: "fhir2visit overview */report.json -o nation.html", description: "Write a page for all facilities" }
  ])
)
