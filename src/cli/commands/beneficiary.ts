import { Argument, Command } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"

const card = Argument.String("card").pipe(Argument.withDescription("The number of a benefit card"))

export const beneficiary = Command.make(
  "beneficiary",
  { card, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/beneficiary.ts")).beneficiary(flags))
).pipe(
  Command.withDescription(
    "Look a card up at the service (§4.4). The record is printed on standard output as JSON, and nothing of it anywhere else. "
      + "Exit code 1: nobody has this card. A run may go on meanwhile; both share the service's limits."
  ),
  Command.withShortDescription("Look a benefit card up"),
  Command.withExamples([
    { command: "fhir2visit beneficiary --facility hospital-a/ CARD-000123", description: "Who has this card" }
  ])
)
