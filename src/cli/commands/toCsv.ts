import { Argument, Command, Flag } from "effect/cli"
import { common, rejectedOk } from "../flags.ts"
import { later } from "../later.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("A submission request, an array or a single visit (.json), or one visit a line (.ndjson)"),
  Argument.variadic({ min: 1 })
)

const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("DIR"),
  Flag.withDescription("The folder of the tables; it is made if need be")
)

export const toCsv = Command.make(
  "to-csv",
  { files, output, rejectedOk, ...common },
  (flags) => later(flags, async () => (await import("../handlers/toCsv.ts")).toCsvTables(flags))
).pipe(
  Command.withDescription(
    "Write visits as the canonical CSV extract: a file for each table, which the mapping `csv` turns into the same visits again."
  ),
  Command.withShortDescription("Write visits as a CSV extract"),
  Command.withExamples([
    { command: "fhir2visit to-csv visits.ndjson -o extract/", description: "Every table, those without rows too" }
  ])
)
