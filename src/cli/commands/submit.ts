import { Argument, Command } from "effect/cli"
import { batch, common, dryRun, facility, keepGoing, rejectedOk, results, sandbox } from "../flags.ts"
import { later } from "../later.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("A file of visits: .ndjson, or .json with a submission request, an array or a single visit"),
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
    rejectedOk,
    ...common
  },
  (flags) => later(flags, async () => (await import("../handlers/submit.ts")).submit(flags))
).pipe(
  Command.withDescription(
    "Submit files of visits through the journal: what is stored is not sent again, and what had no answer is asked about first. "
      + "Run it again after a stop; it goes on where it ended."
  ),
  Command.withShortDescription("Submit files of visits through the journal"),
  Command.withExamples([
    { command: "fhir2visit submit --facility hospital-a/ visits.ndjson --dry-run", description: "What would be sent" },
    {
      command: "fhir2visit submit --facility hospital-a/ visits.ndjson --sandbox",
      description: "A rehearsal on this machine"
    },
    { command: "fhir2visit submit --facility hospital-a/ visits.ndjson --report report.json", description: "Send them" }
  ])
)
