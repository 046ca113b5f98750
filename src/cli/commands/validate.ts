import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { common, facility, results } from "../flags.ts"
import { Misused } from "../Misused.ts"
import { perform } from "../perform.ts"

const files = Argument.String("file").pipe(
  Argument.withDescription("A submission request, an array or a single visit (.json), or one visit a line (.ndjson)"),
  Argument.variadic()
)

const schema = Flag.Boolean("schema").pipe(
  Flag.withDescription("Print the JSON Schema of a visit, and check nothing"),
  Flag.withDefault(false)
)

export const validate = Command.make(
  "validate",
  { files, facility, schema, report: results.report, rejected: results.rejected, ...common },
  (flags) =>
    perform(
      flags,
      Effect.gen(function*() {
        const handler = yield* Effect.promise(() => import("../handlers/validate.ts"))
        if (flags.schema) return yield* handler.printSchema()
        if (flags.files.length === 0) {
          return yield* new Misused({
            title: "validate needs a file of visits",
            help: ["fhir2visit validate visits.ndjson"]
          })
        }
        yield* handler.validate(flags)
      })
    )
).pipe(
  Command.withDescription(
    "Check files of visits against the specification. Under --format json and line each problem is a line on standard output."
  ),
  Command.withShortDescription("Check files of visits"),
  Command.withExamples([
    { command: "fhir2visit validate visits.ndjson", description: "Check visits, one a line" },
    {
      command: "fhir2visit validate --format line visits.json",
      description: "One line for each problem, for an editor or grep"
    },
    { command: "fhir2visit validate --schema > visit.schema.json", description: "The JSON Schema of a visit" }
  ])
)
