import { Argument, Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"

const visits = Argument.String("visit").pipe(
  Argument.withDescription("The code of a visit that is refused, in conflict, a duplicate or in doubt"),
  Argument.variadic({ min: 0 })
)
const wait = Flag.Boolean("wait").pipe(
  Flag.withDescription("Set aside the wait the service asked for, after the operator has said that it is over"),
  Flag.withDefault(false)
)

export const release = Command.make(
  "release",
  { visits, wait, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/release.ts")).release(flags))
).pipe(
  Command.withDescription(
    "Let visits be sent once more as they are, after the operator has freed their codes: the next run with them in its input sends them. "
      + "Nothing is sent now. All are released, or none."
  ),
  Command.withShortDescription("Let visits be sent once more, after the operator has freed them"),
  Command.withExamples([
    {
      command: "fhir2visit release --facility hospital-a/ V000117",
      description: "The operator has removed the record"
    },
    { command: "fhir2visit release --facility hospital-a/ --wait", description: "The operator has raised the limit" }
  ])
)
