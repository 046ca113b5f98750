import { Argument, Command } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"

const what = Argument.String("what").pipe(
  Argument.withDescription("The code of a problem, or a visit and a field of it: V000117.vital_signs[3].recorded_by")
)

const inputs = Argument.String("input").pipe(
  Argument.withDescription("What the visit is made of: files, folders, globs, or - for standard input"),
  Argument.variadic()
)

export const explain = Command.make(
  "explain",
  { what, inputs, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/explain.ts")).explain(flags))
).pipe(
  Command.withDescription(
    "Given the code of a problem, its page. Given a visit and its inputs, where it came from: for a field the line of the mapping, the "
      + "record and element, the code table's row; for a section its rows; for a visit its problems. Values only with --show-values."
  ),
  Command.withShortDescription("What a problem means, or where a field came from"),
  Command.withExamples([
    { command: "fhir2visit explain too-many-values", description: "What it means, and what to do" },
    {
      command: "fhir2visit explain V000117.admitted_at export/ --facility hospital-a/",
      description: "Where a field came from"
    },
    { command: "fhir2visit explain V000117 export/ --facility hospital-a/", description: "What is wrong with a visit" }
  ])
)
