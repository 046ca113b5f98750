import { Argument, Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../process/later.ts"

const inputs = Argument.String("input").pipe(
  Argument.withDescription("Input files, folders, or globs, or - for standard input; gzip is detected"),
  Argument.variadic({ min: 0 })
)

const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("FILE"),
  Flag.withDescription("Write FILE: .html (to show), .csv (to fill in), .json, or .txt (default: standard output)"),
  Flag.optional
)

const accept = Flag.String("accept").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "Read a filled-in .csv: rows with a text in the column `accept` are written to assumptions.yaml"
  ),
  Flag.optional
)

const operator = Flag.Boolean("operator").pipe(
  Flag.withDescription(
    "Make the questionnaire for the operator: the open points of the specification, and the assumptions that the operator decides"
  ),
  Flag.withDefault(false)
)

export const assumptions = Command.make(
  "assumptions",
  { inputs, facility, output, accept, operator, ...common },
  (flags) => later(flags, async () => (await import("../handlers/assumptions.ts")).assumptions(flags))
).pipe(
  Command.withDescription(
    "List the decisions of the mapping that the source does not force, by number of visits: what is done, what could be done instead, and "
      + "one location as an example, without values. No visits are written."
  ),
  Command.withShortDescription("List the assumptions of a mapping"),
  Command.withExamples([
    {
      command: "fhir2visit assumptions export/ --facility hospital-a/ -o assumptions.html",
      description: "Prepare a meeting with the hospital"
    },
    {
      command: "fhir2visit assumptions export/ --facility hospital-a/ -o assumptions.csv",
      description: "Fill in the column `accept`: why, who, when"
    },
    {
      command: "fhir2visit assumptions export/ --facility hospital-a/ --operator -o questions.csv",
      description: "Ask the operator, most visits first"
    },
    {
      command: "fhir2visit assumptions --facility hospital-a/ --accept assumptions.csv",
      description: "Accept the filled-in assumptions"
    }
  ])
)
