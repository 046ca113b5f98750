import { Argument, Command, Flag } from "effect/cli"
import { common } from "../flags.ts"
import { later } from "../later.ts"

const folder = Argument.String("dir").pipe(
  Argument.withDescription("The folder to begin with; it may be there already: no file in it is written over")
)
const from = Flag.String("from").pipe(
  Flag.withMetavar("INPUT"),
  Flag.withDescription("Sample data the folder is filled from; may be given more than once"),
  Flag.atLeast(0)
)
const timezone = Flag.String("timezone").pipe(
  Flag.withMetavar("ZONE"),
  Flag.withDescription("IANA name, such as Asia/Phnom_Penh; else what the sample's offsets say, else this machine's"),
  Flag.optional
)

export const init = Command.make(
  "init",
  { folder, from, timezone, ...common },
  (flags) => later(flags, async () => (await import("../handlers/init.ts")).init(flags))
).pipe(
  Command.withDescription(
    "Write a facility folder: facility.yaml, a mapping, code tables, cases and a README. With --from, the mapping has the lines that a "
      + "profile of the sample suggests, and the tables list its codes without a row; of a sample of CSV files it declares the tables. "
      + "`mapping check` passes on it at once. Files that "
      + "are there already stay as they are."
  ),
  Command.withShortDescription("Write a facility folder to begin with"),
  Command.withExamples([
    { command: "fhir2visit init hospital-a/ --from export/", description: "Filled from sample data" },
    { command: "fhir2visit init hospital-a/ --timezone Asia/Phnom_Penh", description: "Without any" }
  ])
)
