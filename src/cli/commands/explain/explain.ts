import { Effect, FileSystem } from "effect"
import { Command } from "effect/cli"
import { join } from "node:path"
import { problems } from "../../../diagnostic/Problem.ts"
import { suggest } from "../../../diagnostic/suggest.ts"
import { packageFolder } from "../../../packageFolder.ts"
import { argumentFor, common, facility, optionalInputs } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { Screen } from "../../screen/Screen.ts"
import { UsageError } from "../../UsageError.ts"
import { withHelp } from "../../withHelp.ts"

const config = {
  what: argumentFor("what", "A problem code, or VISIT[.FIELD], for example V000117.vital_signs[3].recorded_by"),
  inputs: optionalInputs,
  facility,
  ...common
}

export const explainCommand = Command.make("explain", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Explain a problem, or where a field comes from. For a problem code, print its page. For a visit and its inputs, print the problems of the visit, the rows of a section, or where a "
    + "field comes from: mapping line, record, element, and code table row. Values are shown only with --show-values.",
  ["fhir2visit explain too-many-values", "Explain a problem"],
  ["fhir2visit explain V000117.admitted_at export/ --facility hospital-a/", "Show where a field comes from"],
  ["fhir2visit explain V000117 export/ --facility hospital-a/", "Show the problems of a visit"]
))

export type ExplainFlags = Command.Command.Config.Infer<typeof config>

/** `explain`: the page of a problem, or the provenance of a visit. */
const execute = Effect.fn("explain")(function*(flags: ExplainFlags) {
  if (Object.hasOwn(problems, flags.what)) return yield* page(flags.what)
  if (flags.inputs.length > 0) {
    const { explainVisit } = yield* Effect.promise(() => import("./visit.ts"))
    return yield* explainVisit(flags)
  }
  const near = suggest(flags.what, Object.keys(problems))
  return yield* new UsageError({
    title: `\`${flags.what}\` is not the code of a problem`,
    help: [
      ...(near === undefined ? [] : [`did you mean  fhir2visit explain ${near}`]),
      "for a visit, add its inputs:  fhir2visit explain V000117.admitted_at export/"
    ]
  })
})

const page = Effect.fnUntraced(function*(code: string) {
  const fs = yield* FileSystem.FileSystem
  const screen = yield* Screen
  const text = yield* Effect.orDie(fs.readFileString(join(packageFolder(), "docs", "problems", `${code}.md`)))
  yield* screen.print(text.trimEnd())
})
