import { Clock, Effect, Stream } from "effect"
import { Command } from "effect/cli"
import { number, plural } from "../../../diagnostic/count.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import type { FieldDifference, VisitDifferences } from "../../../run/compareVisits.ts"
import { compareVisits } from "../../../run/compareVisits.ts"
import { mappingFile } from "../../facility/mappingOf.ts"
import { loadedLists } from "../../facility/standardLists.ts"
import { argumentFor, common, facility, inputs } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { Pipeline } from "../../PipelineApi.ts"
import { Screen } from "../../screen/Screen.ts"
import { UsageError } from "../../UsageError.ts"
import { withHelp } from "../../withHelp.ts"

const config = {
  before: argumentFor("before", "A mapping file, or the name of a shipped mapping"),
  after: argumentFor("after", "The new mapping"),
  inputs,
  facility,
  ...common
}

export const diffCommand = Command.make("diff", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Convert the same input with two mappings, and compare the visits. Shows which fields change, in how many visits, and which visits "
    + "become ready or rejected.",
  ["fhir2visit mapping diff fhir-r4 hospital-a/mapping.yaml export/", "Show what an overlay changes"]
))

/** `mapping diff A B INPUT…`: the differences in the visits of an input if mapping B replaces A. */
const execute = Effect.fn("mapping diff")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const pipeline = yield* Pipeline
  if (flags.inputs.includes("-")) {
    return yield* new UsageError({
      title: "mapping diff cannot read standard input",
      help: ["write the records into a file: it is read twice, once for each mapping"]
    })
  }
  const facility = yield* readFacility(flags.facility)
  const now = yield* Clock.currentTimeMillis
  const { lists } = yield* loadedLists(facility)
  const convert = Effect.fnUntraced(function*(name: string) {
    const mapping = yield* mappingFile({ facility: flags.facility, mapping: name })
    const conversion = yield* pipeline.convertAll({
      inputs: flags.inputs,
      facility: { ...facility, mapping },
      now,
      lists,
      showValues: flags.showValues,
      withoutBase: true
    })
    return yield* Stream.runCollect(conversion.visits)
  }, Effect.scoped)
  const differences = compareVisits(yield* convert(flags.before), yield* convert(flags.after))
  yield* screen.print(flags.format === "json" ? JSON.stringify(differences) : asText(differences))
})

const shown = 40

const asText = (found: VisitDifferences): string => {
  const width = Math.max(0, ...found.fields.slice(0, shown).map(({ field }) => field.length))
  const moved = ([
    ["becomes ready", "become ready", found.becomeReady],
    ["becomes rejected", "become rejected", found.becomeRejected],
    ["is a visit with the first mapping only", "are visits with the first mapping only", found.onlyBefore],
    ["is a visit with the second mapping only", "are visits with the second mapping only", found.onlyAfter]
  ] as const).filter(([, , sources]) => sources.length > 0)
  return [
    `${plural(found.visits, "visit")} compared      ${number(found.changed)} changed`,
    ...moved.map(([one, many, sources]) =>
      `  ${plural(sources.length, one, many)}: ${sources.slice(0, 5).join(", ")}${sources.length > 5 ? " …" : ""}`
    ),
    ...found.fields.slice(0, shown).map((difference) =>
      `  ${difference.field.padEnd(width)}   ${whatChanges(difference)} in ${plural(difference.visits, "visit")}`
    ),
    ...(found.fields.length > shown ? [`  and ${plural(found.fields.length - shown, "other field")}`] : [])
  ].join("\n")
}

const whatChanges = ({ rowsAdded = 0, rowsRemoved = 0, values }: FieldDifference): string =>
  [
    ...(rowsAdded === 0 ? [] : [`${plural(rowsAdded, "row")} more`]),
    ...(rowsRemoved === 0 ? [] : [`${plural(rowsRemoved, "row")} less`]),
    ...(values === 0 ? [] : [plural(values, "value")])
  ].join(", ")
