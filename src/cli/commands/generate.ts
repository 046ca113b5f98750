import { Command, Flag } from "effect/cli"
import { common, facility, results } from "../flags.ts"
import { later } from "../later.ts"

const visits = Flag.Int("visits").pipe(Flag.withDescription("How many; 10 unless said"), Flag.withDefault(10))

const seed = Flag.Int("seed").pipe(
  Flag.withDescription("The same seed gives the same visits; 1 unless said"),
  Flag.withDefault(1)
)

const output = results.output.pipe(
  Flag.withDescription(
    "Write what is made up to a file; standard output, unless said. Visits of a .json file are one request"
  )
)

const form = Flag.Literals("as", ["visits", "fhir", "sandbox-data"]).pipe(
  Flag.withDescription(
    "visits, one a line, unless said; fhir: a Bundle a line; sandbox-data: what an embedded service knows from the start (sandbox --data)"
  ),
  Flag.withDefault("visits")
)

export const generate = Command.make(
  "generate",
  { visits, seed, as: form, facility, output, ...common },
  (flags) => later(flags, async () => (await import("../handlers/generate.ts")).generate(flags))
).pipe(
  Command.withDescription(
    "Make up visits to rehearse with: every section, values of the standard data, ready to be sent. The people look invented, and are."
  ),
  Command.withShortDescription("Make up visits to rehearse with"),
  Command.withExamples([
    {
      command: "fhir2visit generate --visits 1000 --facility hospital-a/ -o visits.ndjson",
      description: "A thousand visits for  submit --sandbox"
    },
    {
      command: "fhir2visit generate --as fhir | fhir2visit convert - -o -",
      description: "The same as FHIR, and back through the base mapping"
    }
  ])
)
