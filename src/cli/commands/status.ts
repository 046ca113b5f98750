import { Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"

const remote = Flag.Boolean("remote").pipe(
  Flag.withDescription("Ask the service about every visit whose outcome is open, first"),
  Flag.withDefault(false)
)

export const status = Command.make(
  "status",
  { facility, remote, ...common },
  (flags) => later(flags, async () => (await import("../handlers/status.ts")).status(flags))
).pipe(
  Command.withDescription(
    "What the journal knows: how many visits are in each state, and each unsettled or refused one with what to do. A run may go on meanwhile."
  ),
  Command.withShortDescription("What the journal knows"),
  Command.withExamples([
    { command: "fhir2visit status --facility hospital-a/", description: "Read the journal" },
    { command: "fhir2visit status --facility hospital-a/ --remote", description: "Ask the service first" }
  ])
)
