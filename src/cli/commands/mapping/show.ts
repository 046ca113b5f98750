import { Effect } from "effect"
import { Command } from "effect/cli"
import { shownFile } from "../../../diagnostic/Span.ts"
import { showMapping } from "../../../mapping/language/showMapping.ts"
import { loadMapping } from "../../../mapping/load/loadMapping.ts"
import { InvalidMapping } from "../../../run/Conversion.ts"
import { requestedMapping } from "../../facility/mappingOf.ts"
import { common, facility, mapping } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { Screen } from "../../screen/Screen.ts"
import { withHelp } from "../../withHelp.ts"

const config = { mapping, facility, ...common }

export const showCommand = Command.make("show", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Print the effective mapping, with the source of each line. It is the mapping merged with everything it extends, and can be read back "
    + "as a mapping.",
  ["fhir2visit mapping show --facility hospital-a/", "Show which overlay sets each line"],
  ["fhir2visit mapping show fhir-r4 > all.yaml", "Write the base mapping as one file"]
))

/** `mapping show`: the effective mapping, each line with its source location. */
const execute = Effect.fn("mapping show")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const { context, file, from } = yield* requestedMapping(flags)
  const { checked, problems, syntax } = yield* loadMapping(file, from, context)
  if (syntax === undefined || checked === undefined) return yield* new InvalidMapping({ problems })
  yield* screen.print(showMapping(syntax, shownFile).trimEnd())
})
