import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { shownFile } from "../../diagnostic/Span.ts"
import { readFacility } from "../../facility/readFacility.ts"
import type { ConvertedVisit } from "../../run/Conversion.ts"
import { acceptFile } from "../assumptions/acceptFile.ts"
import { isConcerned, questionRows, questionsCsv, readOpenPoints } from "../assumptions/operatorQuestions.ts"
import { countVisits } from "../conversion/convertInputs.ts"
import { validMapping } from "../facility/mappingOf.ts"
import { openOutput } from "../files/Output.ts"
import { expectOutputApart } from "../files/outputTargets.ts"
import { common, facility, facilityFlag, optional, optionalInputs, outputFlag, switchFlag, textFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { near } from "../PipelineApi.ts"
import { tablesPage } from "../report/tablesPage.ts"
import { type Sheet, sheetCsv, sheetOf, sheetTables, sheetText } from "../screen/assumptionSheet.ts"
import { countedAssumptions, inVisitOrder } from "../screen/countedAssumptions.ts"
import { describeInput } from "../screen/describeInput.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  inputs: optionalInputs,
  facility,
  output: outputFlag(
    "FILE",
    "Write FILE: .html (to show), .csv (to fill in), .json, or .txt (default: standard output)"
  ).pipe(Flag.withDefault("-")),
  accept: optional(textFlag(
    "accept",
    "FILE",
    "Read a filled-in .csv: rows with a text in the column `accept` are written to assumptions.yaml"
  )),
  operator: switchFlag(
    "operator",
    "Make the questionnaire for the operator: the open points of the specification, and the assumptions that the operator decides"
  ),
  ...common
}

export const assumptionsCommand = Command.make("assumptions", config, (flags) => perform(flags, execute(flags))).pipe(
  withHelp(
    "List the assumptions of a mapping, by number of visits. Each shows what is done, what could be done instead, and one location as an "
      + "example, without values. No visits are written.",
    [
      "fhir2visit assumptions export/ --facility hospital-a/ -o assumptions.html",
      "Prepare a meeting with the hospital"
    ],
    [
      "fhir2visit assumptions export/ --facility hospital-a/ -o assumptions.csv",
      "Fill in the column `accept`: why, who, when"
    ],
    [
      "fhir2visit assumptions export/ --facility hospital-a/ --operator -o questions.csv",
      "Ask the operator, most visits first"
    ],
    ["fhir2visit assumptions --facility hospital-a/ --accept assumptions.csv", "Accept the filled-in assumptions"]
  )
)

/** `assumptions`: converts, and lists the decisions of the mapping that the source does not force, by affected visits. */
const execute = Effect.fn("assumptions")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const points = yield* readOpenPoints
  if (flags.accept !== undefined) {
    const facility = yield* readFacility(flags.facility)
    const { plan } = yield* validMapping(facility)
    const { answers, count, facilityFile, file } = yield* acceptFile(flags.accept, facility, plan.assumptions, points)
    if (file !== undefined) yield* screen.say(`${plural(count, "assumption")} accepted in ${near(file)}`)
    if (answers > 0) {
      yield* screen.say(`${plural(answers, "answer")} of the operator written to ${near(facilityFile)}`)
    }
    if (count + answers === 0) yield* screen.say("no row of the sheet has a text under `accept`: nothing was written")
    if (flags.inputs.length === 0) return
  }
  if (flags.inputs.length === 0) {
    return yield* new UsageError({
      title: "no input is given, and visits of an input are counted",
      help: ["fhir2visit assumptions export/ --facility hospital-a/"]
    })
  }
  const name = flags.output
  if (!/^-$|\.(?:html|csv|json|txt)$/u.test(name)) {
    return yield* new UsageError({
      title: `\`${name}\` is not a file of a known kind`,
      help: ["its name ends in .html, .csv, .json or .txt; - is the standard output"]
    })
  }
  yield* expectOutputApart(name, flags.inputs)
  const facility = yield* readFacility(flags.facility)
  const examples = new Map<string, Diagnostic>()
  const counted = points.map((point) => ({ point, visits: 0 }))
  const onVisit = ({ json }: ConvertedVisit): void => {
    const visit: unknown = JSON.parse(json)
    for (const one of counted) if (isConcerned(one.point, visit)) one.visits++
  }
  const { conversion, tally } = yield* countVisits(
    { ...flags, onVisit: flags.operator ? onVisit : undefined },
    facility
  )
  for (const { first } of tally.problems.all()) {
    const { assumption } = first
    if (assumption !== undefined && !examples.has(assumption)) examples.set(assumption, first)
  }
  const assumed = sheetOf(
    countedAssumptions(tally.assumed, conversion.assumptions),
    conversion.assumptions,
    examples
  )
  const rows = flags.operator
    ? inVisitOrder([...assumed.filter(({ ask }) => ask === "operator"), ...questionRows(counted)])
    : assumed
  const sheet: Sheet = {
    mapping: shownFile(near(facility.mapping)),
    visits: tally.counts.visits,
    rows,
    unseen: flags.operator ? 0 : conversion.assumptions.size - rows.length
  }
  const form = /\.(html|csv|json)$/u.exec(name)?.[1] ?? (flags.format === "json" ? "json" : undefined)
  const text = form === "html"
    ? yield* tablesPage(sheetTables(sheet))
    : form === "csv"
    ? flags.operator ? questionsCsv(rows, points) : sheetCsv(sheet)
    : form === "json"
    ? `${JSON.stringify(rows)}\n`
    : `${sheetText(sheet)}\n`
  const output = yield* openOutput(name)
  yield* output.write(text)
  yield* output.commit
  if (form === "csv") {
    yield* screen.say(
      `fill in the column \`accept\` (${flags.operator ? "the answer, who, when" : "why, who, when"})${
        flags.operator ? ", and `value` if a setting follows from it" : ""
      }, then\n\n  next   fhir2visit assumptions${facilityFlag(flags)} --accept ${name}`
    )
  }
  yield* describeInput(tally.problems.all())
}, Effect.scoped)
