import { Command, Flag } from "effect/cli"
import { common, facility, results } from "../flags.ts"
import { later } from "../process/later.ts"

const visits = Flag.Int("visits").pipe(Flag.withDescription("Number of visits (default: 10)"), Flag.withDefault(10))

const seed = Flag.Int("seed").pipe(
  Flag.withDescription("Random seed (default: 1)"),
  Flag.withDefault(1)
)

const output = results.output.pipe(
  Flag.withDescription(
    "Output file (default: standard output). Visits in a .json file are one request"
  )
)

const form = Flag.Literals("as", ["visits", "fhir", "sandbox-data"]).pipe(
  Flag.withDescription(
    "visits: one per line; fhir: one Bundle per line; sandbox-data: input for `sandbox --data` (default: visits)"
  ),
  Flag.withDefault("visits")
)

export const generate = Command.make(
  "generate",
  { visits, seed, as: form, facility, output, ...common },
  (flags) => later(flags, async () => (await import("../handlers/generate.ts")).generate(flags))
).pipe(
  Command.withDescription(
    "Generate synthetic visits for rehearsals. They cover every section and use values of the standard data."
  ),
  Command.withShortDescription("Generate synthetic visits"),
  Command.withExamples([
    {
      command: "fhir2visit generate --visits 1000 --facility hospital-a/ -o visits.ndjson",
      description: "Generate 1,000 visits for `submit --sandbox`"
    },
    {
      command: "fhir2visit generate --as fhir | fhir2visit convert - -o -",
      description: "Generate FHIR, and convert it with the base mapping"
    }
  ])
)
