import { Effect, Option } from "effect"
import { readFacility } from "../../facility/readFacility.ts"
import { Operator } from "../../service/Operator.ts"
import type { Common } from "../flags.ts"
import { someNotDone } from "../process/exitCode.ts"
import { reportWaits } from "../screen/reportWaits.ts"
import { Screen } from "../screen/Screen.ts"
import { layerOperator, realAccess } from "../service.ts"
import { UsageError } from "../UsageError.ts"

interface BeneficiaryFlags extends Common {
  readonly card: string
  readonly facility: Option.Option<string>
}

/** `beneficiary`: prints the record of each card (§4.4), only to standard output. */
export const beneficiary = Effect.fn("beneficiary")(function*(flags: BeneficiaryFlags) {
  const screen = yield* Screen
  const card = flags.card.trim()
  if (card === "") return yield* new UsageError({ title: "the card has no number" })
  const access = yield* realAccess(yield* readFacility(Option.getOrUndefined(flags.facility)))
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
  yield* screen.answer(found.map((record) => JSON.stringify(record, null, indent)).join("\n"))
})
