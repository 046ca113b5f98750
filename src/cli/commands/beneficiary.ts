import { Effect, Option, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { readFacility } from "../../facility/readFacility.ts"
import { Operator } from "../../service/Operator.ts"
import { layerOperator, realAccess } from "../facility/service.ts"
import { argumentFor, common, facility } from "../flags.ts"
import { perform } from "../perform.ts"
import { someNotDone } from "../process/exitCode.ts"
import { reportWaits } from "../screen/reportWaits.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  card: argumentFor("card", "Card number, or - to read it from standard input"),
  facility,
  ...common
}

export const beneficiaryCommand = Command.make("beneficiary", config, (flags) => perform(flags, execute(flags))).pipe(
  withHelp(
    "Look up a benefit card at the service (§4.4) and print the record as JSON. It is written nowhere else. "
      + "Exit code 1: card not found. Can be used during a run; both share the service's rate limits.",
    ["fhir2visit beneficiary --facility hospital-a/ CARD-000123", "Print the record of the cardholder"],
    [
      "fhir2visit beneficiary --facility hospital-a/ - < card.txt",
      "The same; other users of this machine cannot see the number"
    ]
  )
)

/** `beneficiary`: prints the record of each card (§4.4), only to standard output. */
const execute = Effect.fn("beneficiary")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const card = (flags.card === "-" ? yield* firstLine : flags.card).trim()
  if (card === "") return yield* new UsageError({ title: "the card has no number" })
  const access = yield* realAccess(yield* readFacility(flags.facility))
  const found = yield* Operator.use((operator) => operator.beneficiaries(card)).pipe(
    reportWaits,
    Effect.provide(layerOperator(access)),
    Effect.scoped
  )
  if (found.length === 0) {
    yield* screen.say("card not found")
    return yield* someNotDone
  }
  const indent = flags.format === "human" ? 2 : 0
  yield* screen.print(found.map((record) => JSON.stringify(record, null, indent)).join("\n"))
})

/** The first line of standard input. */
const firstLine = Effect.flatMap(
  Stdio.Stdio,
  ({ stdin }) => Stream.runHead(Stream.splitLines(Stream.decodeText(stdin)))
).pipe(
  Effect.map(Option.getOrElse(() => "")),
  Effect.catch(() => new UsageError({ title: "standard input cannot be read" }))
)
