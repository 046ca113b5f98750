import { Argument, Command, Flag } from "effect/cli"
import { common, rejectedOk, results } from "../flags.ts"
import { later } from "../later.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("A submission request, an array or a single visit (.json), or one visit a line (.ndjson)"),
  Argument.variadic({ min: 1 })
)

const output = results.output.pipe(
  Flag.withDescription("Write the Bundles to a file, one a line; standard output, unless said")
)

export const toFhir = Command.make(
  "to-fhir",
  { files, output, rejectedOk, ...common },
  (flags) => later(flags, async () => (await import("../handlers/toFhir.ts")).toFhirBundles(flags))
).pipe(
  Command.withDescription(
    "Write visits as FHIR R4: one transaction Bundle a line, which the base mapping turns into the same visit again."
  ),
  Command.withShortDescription("Write visits as FHIR R4 Bundles"),
  Command.withExamples([
    { command: "fhir2visit to-fhir visits.ndjson -o bundles.ndjson", description: "A Bundle a line" },
    { command: "fhir2visit to-fhir visit.json -o - | fhir2visit convert - -o -", description: "There and back" }
  ])
)
