import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { common, facility, presentation, rejectedOk, results } from "../flags.ts"
import { later } from "../process/later.ts"
import { UsageError } from "../UsageError.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("File of visits: .ndjson, or .json with a submission request, an array, or one visit"),
  Argument.variadic()
)

const schema = Flag.Boolean("schema").pipe(
  Flag.withDescription("Print the JSON Schema of a visit and exit"),
  Flag.withDefault(false)
)

export const validate = Command.make(
  "validate",
  {
    files,
    facility,
    schema,
    report: results.report,
    rejected: results.rejected,
    rejectedOk,
    ...presentation,
    ...common
  },
  (flags) =>
    later(flags, async () => {
      if (!flags.schema && flags.files.length === 0) {
        const help = ["fhir2visit validate visits.ndjson"]
        return Effect.fail(new UsageError({ title: "validate needs a file of visits", help }))
      }
      const { printSchema, validate } = await import("../handlers/validate.ts")
      return flags.schema ? printSchema() : validate(flags)
    })
).pipe(
  Command.withDescription(
    "Check files of visits against the specification. With --format json or line, each problem is one line on standard output."
  ),
  Command.withShortDescription("Check files of visits"),
  Command.withExamples([
    { command: "fhir2visit validate visits.ndjson", description: "Check a file of visits" },
    {
      command: "fhir2visit validate --format line visits.json",
      description: "Print one line per problem, for an editor or grep"
    },
    { command: "fhir2visit validate --schema > visit.schema.json", description: "Print the JSON Schema of a visit" }
  ])
)
