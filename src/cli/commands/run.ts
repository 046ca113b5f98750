import { Argument, Command, Flag } from "effect/cli"
import {
  batch,
  common,
  coverage,
  dryRun,
  facility,
  keepGoing,
  presentation,
  rejectedOk,
  results,
  sandbox,
  withoutBase
} from "../flags.ts"
import { later } from "../process/later.ts"

const inputs = Argument.String("input").pipe(
  Argument.withDescription(
    "File, folder, glob, or - (standard input); plain or gzip; detected by content. Required without --fetch"
  ),
  Argument.variadic({ min: 0 })
)

const fetch = Flag.Boolean("fetch").pipe(
  Flag.withDescription(
    "First export from the FHIR server in facility.yaml (`source:`); read its mirror as input too"
  ),
  Flag.withDefault(false)
)

export const run = Command.make(
  "run",
  {
    inputs,
    fetch,
    facility,
    dryRun,
    batch,
    sandbox,
    keepGoing,
    ...results,
    coverage,
    withoutBase,
    rejectedOk,
    ...presentation,
    ...common
  },
  (flags) => later(flags, async () => (await import("../handlers/run.ts")).run(flags))
).pipe(
  Command.withDescription(
    "Read, group, map, validate, submit, and report. Run it again after a stop or with more data: stored visits are skipped."
  ),
  Command.withShortDescription("Convert and submit"),
  Command.withExamples([
    { command: "fhir2visit run --facility hospital-a/ export/ --dry-run", description: "Show what would be sent" },
    { command: "fhir2visit run --facility hospital-a/ export/ --sandbox", description: "Rehearse on this machine" },
    {
      command: "fhir2visit run --facility hospital-a/ export/ --report report.json --rejected rejected.ndjson",
      description: "Send"
    },
    { command: "fhir2visit run --facility hospital-a/ --fetch", description: "Export from the FHIR server, then send" }
  ])
)
