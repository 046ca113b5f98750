import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { toFhir } from "../../studio/canonical/toFhir.ts"
import { openOutput } from "../files/Output.ts"
import { expectOutputApart } from "../files/outputTargets.ts"
import { common, outputFlag, rejectedOk, visitFiles } from "../flags.ts"
import { perform } from "../perform.ts"
import { rewriteVisits } from "../visits/rewriteVisits.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  files: visitFiles,
  output: outputFlag("FILE", "Output file, one Bundle per line (default: standard output)").pipe(Flag.withDefault("-")),
  rejectedOk,
  ...common
}

export const toFhirCommand = Command.make("to-fhir", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Write visits as FHIR R4, one transaction Bundle per line. The base mapping converts it back to the same visits.",
  ["fhir2visit to-fhir visits.ndjson -o bundles.ndjson", "Write one Bundle per line"],
  ["fhir2visit to-fhir visit.json -o - | fhir2visit convert - -o -", "Convert a visit to FHIR and back"]
))

/** `to-fhir`: writes each visit that has the specification's form as a Bundle on one line (docs/canonical-fhir.md). */
const execute = Effect.fn("toFhirBundles")((flags: Command.Command.Config.Infer<typeof config>) =>
  rewriteVisits(
    flags,
    "FHIR",
    Effect.map(
      Effect.andThen(expectOutputApart(flags.output, flags.files), openOutput(flags.output)),
      ({ commit, write }) => ({
        write: (visit) => Effect.as(write(`${JSON.stringify(toFhir(visit))}\n`), undefined),
        commit
      })
    )
  )
)
