import { Argument, Command } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../process/later.ts"

const what = Argument.String("what").pipe(
  Argument.withDescription("A problem code, or VISIT[.FIELD], for example V000117.vital_signs[3].recorded_by")
)

const inputs = Argument.String("input").pipe(
  Argument.withDescription("Input files, folders, or globs, or - for standard input"),
  Argument.variadic()
)

export const explain = Command.make(
  "explain",
  { what, inputs, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/explain.ts")).explain(flags))
).pipe(
  Command.withDescription(
    "For a problem code, print its page. For a visit and its inputs, print the problems of the visit, the rows of a section, or where a "
      + "field comes from: mapping line, record, element, and code table row. Values are shown only with --show-values."
  ),
  Command.withShortDescription("Explain a problem, or where a field comes from"),
  Command.withExamples([
    { command: "fhir2visit explain too-many-values", description: "Explain a problem" },
    {
      command: "fhir2visit explain V000117.admitted_at export/ --facility hospital-a/",
      description: "Show where a field comes from"
    },
    {
      command: "fhir2visit explain V000117 export/ --facility hospital-a/",
      description: "Show the problems of a visit"
    }
  ])
)
