import { Effect, Stream } from "effect"
import { Command } from "effect/cli"
import { number, plural } from "../../diagnostic/count.ts"
import type { Facility } from "../../facility/Facility.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { describeDifference, EngineDiffers } from "../../run/checks/EngineDiffers.ts"
import { convertInputs, reportOf } from "../conversion/convertInputs.ts"
import { loadedLists } from "../facility/standardLists.ts"
import {
  common,
  coverage,
  engine,
  facility,
  facilityFlag,
  inputs,
  part,
  parts,
  presentation,
  rejectedOk,
  results,
  shellWord,
  switchFlag,
  withoutBase
} from "../flags.ts"
import { perform } from "../perform.ts"
import { someNotDone } from "../process/exitCode.ts"
import { pastRuns } from "../report/pastRuns.ts"
import { isIncomplete, Tally } from "../report/Report.ts"
import { withoutCounted } from "../screen/countedAssumptions.ts"
import { reportWaits } from "../screen/reportWaits.ts"
import { checkResults, now, rejectedStep, topProblemStep, writeReports } from "../screen/results.ts"
import { Screen } from "../screen/Screen.ts"
import { summary } from "../screen/summary.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  inputs,
  facility,
  lookUp: switchFlag(
    "look-up",
    "Look up cards at the service to complete patients, as set in facility.yaml (needs network)"
  ),
  ...results,
  coverage,
  engine,
  part,
  parts,
  withoutBase,
  rejectedOk,
  ...presentation,
  ...common
}

export const convertCommand = Command.make("convert", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Convert FHIR or CSV into visits, without submitting them. Exit code 1: some visits were rejected.",
  ["fhir2visit convert export/ -o visits.ndjson", "Use the base mapping"],
  [
    "fhir2visit convert --facility hospital-a/ in.ndjson.gz -o visits.ndjson --rejected rejected.ndjson --report report.json",
    "Use the facility's settings; write rejected visits and a report"
  ],
  ["cat bundle.json | fhir2visit convert - -o -", "Read standard input, write standard output"],
  [
    "fhir2visit convert parts/ --part 7/64 -o visits-7.ndjson --report report-7.json",
    "Convert one part of a partitioned export"
  ]
))

type Flags = Command.Command.Config.Infer<typeof config>

/** Reads the inputs and writes the visits. */
const converted = Effect.fnUntraced(function*(flags: Flags, facility: Facility) {
  const screen = yield* Screen
  const tally = new Tally(flags.report.length > 0)
  const conversion = yield* Effect.scoped(Effect.gen(function*() {
    const { conversion, visits } = yield* convertInputs(flags, facility, yield* loadedLists(facility), tally)
    const drained = Effect.onInterrupt(
      Stream.runDrain(visits),
      () => screen.say(interrupted(tally.counts.visits, conversion.groups, flags))
    )
    yield* flags.lookUp ? withService(reportWaits(drained), facility) : drained
    return conversion
  }))
  return { conversion, tally }
})

const beganAgain = (difference: EngineDiffers): string =>
  `${describeDifference(difference)}. It makes all visits again, with  --engine definition. ` +
  "Report this line: it is a defect of the program"

/** Whether a conversion can begin again: it has read and written nothing that can be read or written only once. */
const isRepeatable = ({ coverage, inputs, output, rejected }: Flags): boolean =>
  ![...inputs, output, rejected, coverage].includes("-")

/** `convert`: reads, groups, maps, validates, and writes the visits. Needs a network only for card lookups. */
const execute = Effect.fn("convert")(function*(flags: Flags) {
  const screen = yield* Screen
  yield* checkResults(flags, flags.inputs)
  const facility = yield* readFacility(flags.facility)
  const started = yield* now
  const { conversion, tally } = yield* Effect.catchDefect(converted(flags, facility), (defect) => {
    if (!(defect instanceof EngineDiffers) || !isRepeatable(flags)) return Effect.die(defect)
    const { source, what } = defect
    return Effect.andThen(
      screen.note("engine-differs", beganAgain(defect), { source, what }, true),
      converted({ ...flags, engine: "definition" }, facility)
    )
  })
  const report = {
    ...yield* reportOf("convert", flags, facility, conversion, tally, started),
    ...yield* pastRuns(flags.report, facility)
  }
  yield* screen.details(withoutCounted(report.problems, screen.format))
  const { counts } = report
  yield* screen.say(summary(report, {
    ...screen,
    next: [
      ...(flags.output === undefined && counts.ready > 0
        ? [["add -o visits.ndjson", `writes ${readyOnes(counts.ready)}`] as const]
        : []),
      ...topProblemStep(flags, report),
      ...rejectedStep(flags, counts),
      ...(report.assumptions?.some(({ accepted }) => !accepted) === true
        ? [
          [
            `fhir2visit assumptions${facilityFlag(flags)} ${
              flags.inputs.includes("-") ? "INPUT" : flags.inputs.map(shellWord).join(" ")
            } -o assumptions.html`,
            "lists the decisions to make"
          ] as const
        ]
        : []),
      ...(flags.output !== undefined && flags.output !== "-" && counts.ready > 0
        ? [
          [
            `fhir2visit submit${facilityFlag(flags)} ${shellWord(flags.output)}`,
            `sends ${readyOnes(counts.ready)}${beforeSending(facility)}`
          ] as const
        ]
        : [])
    ]
  }))
  yield* writeReports(flags.report, report)
  if (isIncomplete(report) && !flags.rejectedOk) return yield* someNotDone
})

/** The settings that sending needs and that are missing. */
const beforeSending = ({ code, service, system }: Facility): string => {
  const missing = [
    ...(code === null ? ["facility:"] : []),
    ...(system === null ? ["system:"] : []),
    ...(service.authUrl === null ? ["service:"] : [])
  ]
  const last = missing.at(-1)
  if (last === undefined) return ""
  const settings = missing.length === 1 ? last : `${missing.slice(0, -1).join("  ")}  and  ${last}`
  return `; first write  ${settings}  in facility.yaml, and set FHIR2VISIT_USERNAME and the other credentials`
}

const readyOnes = (count: number): string =>
  count === 1 ? "the one that is ready" : `the ${number(count)} that are ready`

/** Provides the service. The HTTP client is loaded here, because most conversions need no network. */
const withService = Effect.fnUntraced(function*<A, E, R>(work: Effect.Effect<A, E, R>, facility: Facility) {
  const { layerOperator, realAccess } = yield* Effect.promise(() => import("../facility/service.ts"))
  return yield* Effect.provide(work, layerOperator(yield* realAccess(facility)))
})

/** The state after an interruption, and the next command. */
const interrupted = (done: number, all: number, { output }: Pick<Flags, "output">): string =>
  `interrupted after ${number(done)} of ${plural(all, "visit")}: ${
    output === "-"
      ? "the output is incomplete"
      : "no file was written; existing files are unchanged"
  }\n\n  next   run the same command again`
