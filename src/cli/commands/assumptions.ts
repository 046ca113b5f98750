import { Argument, Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"

const inputs = Argument.String("input").pipe(
  Argument.withDescription("A file, a folder, a glob, or - for standard input; plain or gzip; found by content"),
  Argument.variadic({ min: 0 })
)

const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("FILE"),
  Flag.withDescription("Write .html for a meeting, .csv to fill in, .json, or text; - to standard output (default)"),
  Flag.optional
)

const accept = Flag.String("accept").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "Read a filled .csv back: rows with a text under `accept` go to the facility's assumptions.yaml"
  ),
  Flag.optional
)

export const assumptions = Command.make(
  "assumptions",
  { inputs, facility, output, accept, ...common },
  (flags) => later(flags, async () => (await import("../handlers/assumptions.ts")).assumptions(flags))
).pipe(
  Command.withDescription(
    "Convert, write no visits, and list every decision of the mapping that the source does not force, those of most visits first: what is "
      + "done, what could be done instead, and one place as an example, without values."
  ),
  Command.withShortDescription("List what the mapping assumes, by visits"),
  Command.withExamples([
    {
      command: "fhir2visit assumptions export/ --facility hospital-a/ -o assumptions.html",
      description: "For a meeting with the hospital"
    },
    {
      command: "fhir2visit assumptions export/ --facility hospital-a/ -o assumptions.csv",
      description: "To fill in the column `accept`: why, who, when"
    },
    {
      command: "fhir2visit assumptions --facility hospital-a/ --accept assumptions.csv",
      description: "Accept what was filled in"
    }
  ])
)
