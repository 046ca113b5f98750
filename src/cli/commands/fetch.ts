import { Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../process/later.ts"

const full = Flag.Boolean("full").pipe(
  Flag.withDescription("Export everything, not only what changed since the last export"),
  Flag.withDefault(false)
)

export const fetch = Command.make(
  "fetch",
  { facility, full, ...common },
  (flags) => later(flags, async () => (await import("../handlers/fetch.ts")).fetchSource(flags))
).pipe(
  Command.withDescription(
    "Export from the FHIR server of facility.yaml (`source:`) into its mirror folder, which `run` and `convert` take as input. Each "
      + "export has a folder of its own, in the layout of SMART bulk data clients. After an interruption, run it again: it continues. "
      + "Exit code 1: the server could not export everything."
  ),
  Command.withShortDescription("Export from a FHIR server into a mirror folder"),
  Command.withExamples([
    {
      command: "fhir2visit fetch --facility hospital-a/",
      description: "Export everything the first time, then only changes"
    },
    {
      command: "fhir2visit fetch --facility hospital-a/ --full",
      description: "Export everything again"
    }
  ])
)
