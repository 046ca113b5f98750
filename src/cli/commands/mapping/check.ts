import { Clock, Effect } from "effect"
import { Command } from "effect/cli"
import { collate } from "../../../diagnostic/collate.ts"
import { number, plural } from "../../../diagnostic/count.ts"
import { shownFile } from "../../../diagnostic/Span.ts"
import { measureMapping } from "../../../mapping/load/loadMapping.ts"
import { requestedMapping } from "../../facility/mappingOf.ts"
import { common, facility, mapping, switchFlag } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { Ended, exitCodes } from "../../process/exitCode.ts"
import { Screen } from "../../screen/Screen.ts"
import { withHelp } from "../../withHelp.ts"

const config = { mapping, facility, strict: switchFlag("strict", "Treat warnings as errors"), ...common }

export const checkCommand = Command.make("check", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Check a mapping without data: keys, fields, paths, code tables, and overlays. All mistakes are shown at once. "
    + "Exit code 2: the mapping is invalid. Warnings do not stop a run.",
  ["fhir2visit mapping check --facility hospital-a/", "Check the facility's mapping"],
  ["fhir2visit mapping check mapping.yaml --format line", "Print one line per mistake, for an editor"]
))

/** `mapping check`: everything that is wrong with a mapping, or what was checked. */
const execute = Effect.fn("mapping check")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const started = yield* Clock.currentTimeMillis
  const { context, file, from } = yield* requestedMapping(flags)
  const { files, problems, size } = yield* measureMapping(file, from, context)
  const taken = (yield* Clock.currentTimeMillis) - started
  yield* screen.problems(collate(problems), flags.format === "human" ? "stderr" : "stdout")
  if (size === undefined) return yield* new Ended({ code: exitCodes.wrong })
  const { fields, functions, maps, name, paths, rows } = size
  const warnings = problems.length
  yield* screen.say([
    `${name}   ${shownFile(file)}`,
    "",
    `  ${plural(files, "file")}      ${plural(fields, "field")}      ${plural(paths, "path")}      ${
      plural(maps, "concept map")
    } with ${plural(rows, "row")}      ${plural(functions, "function")}`,
    `  ${warnings === 0 ? "no mistakes" : plural(warnings, "warning")}      checked in ${
      taken < 1000 ? "less than 1 s" : `${number(Math.ceil(taken / 1000))} s`
    }`
  ].join("\n"))
  if (flags.strict && warnings > 0) return yield* new Ended({ code: exitCodes.wrong })
})
