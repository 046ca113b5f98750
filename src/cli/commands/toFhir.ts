import { Argument, Command, Flag } from "effect/cli"
import { common, rejectedOk, results } from "../flags.ts"
import { later } from "../process/later.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("File of visits: .ndjson, or .json with a submission request, an array, or one visit"),
  Argument.variadic({ min: 1 })
)

const output = results.output.pipe(
  Flag.withDescription("Output file, one Bundle per line (default: standard output)")
)

export const toFhir = Command.make(
  "to-fhir",
  { files, output, rejectedOk, ...common },
  (flags) => later(flags, async () => (await import("../handlers/toFhir.ts")).toFhirBundles(flags))
).pipe(
  Command.withDescription(
    "Write visits as FHIR R4, one transaction Bundle per line. The base mapping converts it back to the same visits."
  ),
  Command.withShortDescription("Write visits as FHIR R4 Bundles"),
  Command.withExamples([
    { command: "fhir2visit to-fhir visits.ndjson -o bundles.ndjson", description: "Write one Bundle per line" },
    {
      command: "fhir2visit to-fhir visit.json -o - | fhir2visit convert - -o -",
      description: "Convert a visit to FHIR and back"
    }
  ])
)
