import { Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../process/later.ts"

const remote = Flag.Boolean("remote").pipe(
  Flag.withDescription("Look up visits with an unknown outcome first"),
  Flag.withDefault(false)
)

export const status = Command.make(
  "status",
  { facility, remote, ...common },
  (flags) => later(flags, async () => (await import("../handlers/status.ts")).status(flags))
).pipe(
  Command.withDescription(
    "Show how many visits are in each state, and the next step for each pending or refused visit. Can be used during a run."
  ),
  Command.withShortDescription("Show the state of the visits in the journal"),
  Command.withExamples([
    { command: "fhir2visit status --facility hospital-a/", description: "Read the journal" },
    { command: "fhir2visit status --facility hospital-a/ --remote", description: "Look up unknown outcomes first" }
  ])
)
