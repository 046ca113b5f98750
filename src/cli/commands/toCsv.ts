import { Argument, Command, Flag } from "effect/cli"
import { common, rejectedOk } from "../flags.ts"
import { later } from "../process/later.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("File of visits: .ndjson, or .json with a submission request, an array, or one visit"),
  Argument.variadic({ min: 1 })
)

const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("DIR"),
  Flag.withDescription("Output folder (created if missing)")
)

export const toCsv = Command.make(
  "to-csv",
  { files, output, rejectedOk, ...common },
  (flags) => later(flags, async () => (await import("../handlers/toCsv.ts")).toCsvTables(flags))
).pipe(
  Command.withDescription(
    "Write visits as a CSV extract, one file per table. The mapping `csv` converts it back to the same visits."
  ),
  Command.withShortDescription("Write visits as a CSV extract"),
  Command.withExamples([
    { command: "fhir2visit to-csv visits.ndjson -o extract/", description: "Write every table" }
  ])
)
