import { Argument, Command, Flag } from "effect/cli"
import { common, coverage, facility, rejectedOk, results, shard, withoutBase } from "../flags.ts"
import { later } from "../later.ts"

/** What `run` and `convert` read. */
export const inputs = Argument.String("input").pipe(
  Argument.withDescription("A file, a folder, a glob, or - for standard input; plain or gzip; found by content"),
  Argument.variadic({ min: 1 })
)

const lookUp = Flag.Boolean("look-up").pipe(
  Flag.withDescription("Ask the service for cards that facility.yaml wants patients filled from; needs the network"),
  Flag.withDefault(false)
)

export const convert = Command.make(
  "convert",
  { inputs, facility, lookUp, ...results, coverage, shard, withoutBase, rejectedOk, ...common },
  (flags) => later(flags, async () => (await import("../handlers/convert.ts")).convert(flags))
).pipe(
  Command.withDescription(
    "Read, group, map and validate; write the visits. Submits nothing and needs no network. Exit code 1: some were rejected."
  ),
  Command.withShortDescription("Turn FHIR into visits; submit nothing"),
  Command.withExamples([
    { command: "fhir2visit convert export/ -o visits.ndjson", description: "A folder of files, with the base mapping" },
    {
      command:
        "fhir2visit convert --facility hospital-a/ in.ndjson.gz -o visits.ndjson --rejected rejected.ndjson --report report.json",
      description: "With a facility's own settings, and what could not be converted beside it"
    },
    { command: "cat bundle.json | fhir2visit convert - -o -", description: "From standard input to standard output" }
  ])
)
