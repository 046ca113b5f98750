import { Argument, Command } from "effect/cli"
import { batch, common, dryRun, facility, keepGoing, presentation, rejectedOk, results, sandbox } from "../flags.ts"
import { later } from "../process/later.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("File of visits: .ndjson, or .json with a submission request, an array, or one visit"),
  Argument.variadic({ min: 1 })
)

export const submit = Command.make(
  "submit",
  {
    files,
    facility,
    dryRun,
    batch,
    sandbox,
    keepGoing,
    report: results.report,
    rejected: results.rejected,
    as: results.as,
    rejectedOk,
    ...presentation,
    ...common
  },
  (flags) => later(flags, async () => (await import("../handlers/submit.ts")).submit(flags))
).pipe(
  Command.withDescription(
    "Submit files of visits. Stored visits are skipped, and unknown outcomes are looked up first. "
      + "Run it again after a stop to resume."
  ),
  Command.withShortDescription("Submit files of visits"),
  Command.withExamples([
    {
      command: "fhir2visit submit --facility hospital-a/ visits.ndjson --dry-run",
      description: "Show what would be sent"
    },
    {
      command: "fhir2visit submit --facility hospital-a/ visits.ndjson --sandbox",
      description: "Rehearse on this machine"
    },
    { command: "fhir2visit submit --facility hospital-a/ visits.ndjson --report report.json", description: "Submit" }
  ])
)
