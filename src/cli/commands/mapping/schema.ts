import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { facilitySchema } from "../../../facility/settings/facilityGrammar.ts"
import { mappingSchema } from "../../../mapping/language/mappingSchema.ts"
import { common, wordFlag } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { Screen } from "../../screen/Screen.ts"
import { withHelp } from "../../withHelp.ts"

const config = {
  of: wordFlag(
    "of",
    "KIND",
    ["mapping", "facility"],
    "Kind of file: mapping or facility (default: mapping)"
  ).pipe(Flag.withDefault("mapping")),
  ...common
}

export const schemaCommand = Command.make("schema", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Print the JSON Schema of a mapping file or of a facility.yaml, for completion and descriptions in an editor.",
  [
    "fhir2visit mapping schema > mapping.schema.json",
    "Refer to it in the first line of a mapping:  # yaml-language-server: $schema=mapping.schema.json"
  ],
  ["fhir2visit mapping schema --of facility > facility.schema.json", "Print the schema of the settings"]
))

/** `mapping schema`: for editors. */
const execute = Effect.fn("mapping schema")(function*({ of }: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  yield* screen.print(JSON.stringify(of === "mapping" ? mappingSchema() : facilitySchema(), null, 2))
})
