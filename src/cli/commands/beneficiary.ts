import { Argument, Command } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../process/later.ts"

const card = Argument.String("card").pipe(Argument.withDescription("Card number"))

export const beneficiary = Command.make(
  "beneficiary",
  { card, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/beneficiary.ts")).beneficiary(flags))
).pipe(
  Command.withDescription(
    "Look up a benefit card at the service (§4.4) and print the record as JSON. It is written nowhere else. "
      + "Exit code 1: card not found. Can be used during a run; both share the service's rate limits."
  ),
  Command.withShortDescription("Look up a benefit card"),
  Command.withExamples([
    {
      command: "fhir2visit beneficiary --facility hospital-a/ CARD-000123",
      description: "Print the record of the cardholder"
    }
  ])
)
