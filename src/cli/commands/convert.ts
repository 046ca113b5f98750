import { Clock, Effect, Exit, Scope, Stream } from "effect"
import { Command } from "effect/cli"
import { number, plural } from "../../diagnostic/count.ts"
import { fillVisits } from "../../facility/beneficiary/fillVisits.ts"
import type { Facility } from "../../facility/Facility.ts"
import type { LoadedLists } from "../../facility/lists/StandardData.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { withoutWords } from "../../run/accounts/UnmappedCodes.ts"
import type { Conversion, ConvertedVisit, CountedCode } from "../../run/Conversion.ts"
import type { PartChoice } from "../../run/ConversionRequest.ts"
import { convertedState } from "../../submission/sendingOutcomes.ts"
import {
  common,
  coverage,
  facility,
  facilityFlag,
  inputs,
  part,
  parts,
  presentation,
  rejectedOk,
  results,
  switchFlag,
  withoutBase
} from "../flags.ts"
import { mapGroups } from "../mapGroups.ts"
import { noVisits } from "../noVisits.ts"
import { openOutput, visitLayout } from "../Output.ts"
import { partReport, positions } from "../partReport.ts"
import { perform } from "../perform.ts"
import { Pipeline } from "../PipelineApi.ts"
import { someNotDone } from "../process/exitCode.ts"
import { pace } from "../process/pace.ts"
import { version } from "../process/version.ts"
import { rejectedLine } from "../Rejected.ts"
import { writeCoverage } from "../report/coverageFile.ts"
import { pastRuns } from "../report/pastRuns.ts"
import { isIncomplete, type Report, Tally } from "../report/Report.ts"
import { countedAssumptions, withoutCounted } from "../screen/countedAssumptions.ts"
import { reportWaits } from "../screen/reportWaits.ts"
import { checkResults, now, rejectedStep, writeReports } from "../screen/results.ts"
import { Screen } from "../screen/Screen.ts"
import { summary } from "../screen/summary.ts"
import { loadedLists } from "../standardLists.ts"

const config = {
  inputs,
  facility,
  lookUp: switchFlag(
    "look-up",
    "Look up cards at the service to complete patients, as set in facility.yaml (needs network)"
  ),
  ...results,
  coverage,
  part,
  parts,
  withoutBase,
  rejectedOk,
  ...presentation,
  ...common
}

export const convertCommand = Command.make("convert", config, (flags) => perform(flags, execute(flags))).pipe(
  Command.withDescription(
    "Convert FHIR or CSV into visits, without submitting them. Exit code 1: some visits were rejected."
  ),
  Command.withExamples([
    { command: "fhir2visit convert export/ -o visits.ndjson", description: "Use the base mapping" },
    {
      command:
        "fhir2visit convert --facility hospital-a/ in.ndjson.gz -o visits.ndjson --rejected rejected.ndjson --report report.json",
      description: "Use the facility's settings; write rejected visits and a report"
    },
    {
      command: "cat bundle.json | fhir2visit convert - -o -",
      description: "Read standard input, write standard output"
    },
    {
      command: "fhir2visit convert parts/ --part 7/64 -o visits-7.ndjson --report report-7.json",
      description: "Convert one part of a partitioned export"
    }
  ])
)

type Flags = Command.Command.Config.Infer<typeof config>

/** `convert`: reads, groups, maps, validates, and writes the visits. Needs a network only for card lookups. */
const execute = Effect.fn("convert")(function*(flags: Flags) {
  const screen = yield* Screen
  yield* checkResults(flags, flags.inputs)
  const facility = yield* readFacility(flags.facility)
  const tally = new Tally(flags.report.length > 0)
  const started = yield* now
  const conversion = yield* Effect.scoped(Effect.gen(function*() {
    const { conversion, visits } = yield* convertInputs(flags, facility, yield* loadedLists(facility), tally)
    const drained = Effect.onInterrupt(
      Stream.runDrain(visits),
      () => screen.say(interrupted(tally.counts.visits, conversion.groups, flags))
    )
    yield* flags.lookUp ? withService(reportWaits(drained), facility) : drained
    return conversion
  }))
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
            `fhir2visit assumptions${facilityFlag(flags)} ${flags.inputs.join(" ")} -o assumptions.html`,
            "lists the decisions to make"
          ] as const
        ]
        : []),
      ...(flags.output !== undefined && flags.output !== "-" && counts.ready > 0
        ? [
          [
            `fhir2visit submit${facilityFlag(flags)} ${flags.output}`,
            `sends ${readyOnes(counts.ready)}${
              facility.service.authUrl === null || facility.code === null
                ? "; first write  facility:  system:  and  service:  in facility.yaml, and set FHIR2VISIT_USERNAME and the other credentials"
                : ""
            }`
          ] as const
        ]
        : [])
    ]
  }))
  yield* writeReports(flags.report, report)
  if (isIncomplete(report) && !flags.rejectedOk) return yield* someNotDone
})

const readyOnes = (count: number): string =>
  count === 1 ? "the one that is ready" : `the ${number(count)} that are ready`

/** The next step for the problem that rejects most visits, if none is ready. */
const topProblemStep = (
  flags: Pick<Flags, "facility" | "inputs">,
  { counts, problems }: Report
): ReadonlyArray<readonly [command: string, why: string]> => {
  const [most] = problems.filter(({ first }) => first.severity === "error" && first.visit !== undefined)
    .toSorted((one, other) => other.visits - one.visits)
  if (counts.ready > 0 || most === undefined) return []
  const why = `${plural(most.visits, "visit")} of ${number(counts.rejected)} rejected: ${most.first.title}`
  return [
    most.first.code === "unmapped-code" && flags.facility !== undefined
      ? [`fhir2visit codes unmapped ${flags.inputs.join(" ")}${facilityFlag(flags)}`, why]
      : [`fhir2visit explain ${most.first.code}`, why]
  ]
}

/** Provides the service. The HTTP client is loaded here, because most conversions need no network. */
const withService = Effect.fnUntraced(function*<A, E, R>(work: Effect.Effect<A, E, R>, facility: Facility) {
  const { layerOperator, realAccess } = yield* Effect.promise(() => import("../service.ts"))
  return yield* Effect.provide(work, layerOperator(yield* realAccess(facility)))
})

/** The state after an interruption, and the next command. */
const interrupted = (done: number, all: number, { output }: Pick<Flags, "output">): string =>
  `interrupted after ${number(done)} of ${plural(all, "visit")}: ${
    output === "-"
      ? "the output is incomplete"
      : "no file was written; existing files are unchanged"
  }\n\n  next   run the same command again`

/** The inputs of a conversion, and the files of its results. */
interface ConvertFlags extends Pick<Flags, "inputs" | "showValues"> {
  readonly output?: string | undefined
  readonly rejected?: string | undefined
  readonly as?: Flags["as"]
  readonly coverage?: string | undefined
  readonly part?: Flags["part"]
  readonly parts?: string | undefined
  readonly lookUp?: boolean
  readonly withoutBase?: boolean
  /** Report what no mapping line reads, also without `--coverage`. */
  readonly withCoverage?: boolean
  /** Called for every visit, also for those that are rejected. */
  readonly onVisit?: ((visit: ConvertedVisit) => void) | undefined
}

/**
 * Reads and maps the inputs, and returns the ready visits as a stream. While it is consumed, visits and rejected ones are written and
 * counted. The files appear when the stream has ended.
 */
export const convertInputs = Effect.fn("convertInputs")(function*(
  flags: ConvertFlags,
  facility: Facility,
  { lists, problems }: LoadedLists,
  tally: Tally
) {
  const pipeline = yield* Pipeline
  const part = partOf(flags)
  const clock = yield* Clock.Clock
  const output = flags.output === undefined ? undefined : yield* openOutput(flags.output)
  const rejected = flags.rejected === undefined ? undefined : yield* openOutput(flags.rejected)
  const layout = visitLayout(flags.output)
  const started = clock.currentTimeMillisUnsafe()
  const screen = yield* Screen
  const progress = yield* Scope.fork(yield* Effect.scope)
  let groups = 0
  let read = 0
  let grouped = started
  yield* Scope.provide(
    screen.progress(() =>
      groups === 0
        ? `reading   ${plural(read, "record")}`
        : pace("converting", tally.counts.visits, groups, clock.currentTimeMillisUnsafe() - grouped)
    ),
    progress
  )
  const fill = yield* fillVisits(facility, flags.lookUp === true)
  const conversion = yield* pipeline.convertAll({
    inputs: flags.inputs,
    facility,
    ...(fill === null ? {} : { fill }),
    onRead: (records) => {
      read = records
    },
    now: started,
    showValues: flags.showValues,
    lists,
    withoutBase: flags.withoutBase === true,
    coverage: flags.withCoverage === true || flags.coverage !== undefined,
    ...(part === undefined ? {} : { part })
  }).pipe(
    Effect.onInterrupt(() =>
      screen.say(
        "interrupted while the input was read: nothing was written and nothing was sent\n\n  next   run the same command again"
      )
    )
  )
  tally.problems.addAll(problems)
  groups = conversion.groups
  grouped = clock.currentTimeMillisUnsafe()
  let written = 0

  const take = Effect.fnUntraced(function*(visits: ReadonlyArray<ConvertedVisit>) {
    const ready = visits.filter((visit) => visit.ready)
    for (const visit of visits) {
      tally.addVisit(visit)
      flags.onVisit?.(visit)
      tally.mostlyUnused.add(visit.problems, visit.position)
    }
    if (output !== undefined && ready.length > 0) {
      yield* output.write(
        (written === 0 ? layout.head : layout.between) + ready.map(({ json }) => json).join(layout.between)
      )
      written += ready.length
    }
    if (rejected !== undefined && ready.length < visits.length) {
      const kept = visits.filter((visit) => convertedState(visit) === "rejected")
      yield* rejected.write(kept.map((visit) => rejectedLine(visit, flags.as)).join(""))
    }
    return ready
  })

  const finish = Effect.gen(function*() {
    const totals = conversion.totals()
    for (const record of totals.rejectedRecords) {
      tally.problems.position = record.rank === undefined ? positions.unreadable : positions.records
      tally.addRejectedRecord(record)
      if (rejected !== undefined) yield* rejected.write(rejectedLine({ code: null, ...record }, flags.as))
    }
    // A part cannot know whether these records are the majority in the whole run.
    const mostlyUnused = part === undefined
      ? tally.mostlyUnused.problems(totals.used, facility.validation.levels)
      : []
    for (const problem of [...totals.problems, ...mostlyUnused]) {
      tally.problems.position = problem.code === "duplicate-record" ? positions.copies : positions.run
      tally.problems.add(problem)
    }
    if (totals.groups === 0 && part === undefined && tally.problems.errors === 0) {
      tally.problems.add(noVisits(totals.records))
    }
    if (output !== undefined) {
      yield* output.write((written === 0 ? layout.head : "") + layout.tail(written))
      yield* output.commit
    }
    if (rejected !== undefined) yield* rejected.commit
    if (totals.coverage !== undefined && flags.coverage !== undefined) {
      yield* writeCoverage(flags.coverage, totals.coverage, seenCodes(flags, totals.unmapped))
    }
    tally.set({
      records: totals.records,
      groups: totals.groups,
      unreadable: conversion.unreadable,
      usedRecords: totals.usedRecords,
      unusedRecords: totals.unused.values().reduce((sum, count) => sum + count, 0)
    })
    yield* Scope.close(progress, Exit.void)
  })

  const visits = conversion.visits.pipe(
    mapGroups(take),
    Stream.concat(Stream.drain(Stream.fromEffect(finish)))
  )
  return { conversion, visits }
})

/** Converts, and counts the visits. Writes nothing, looks up no card, and does not require the base of an incremental export. */
export const countVisits = Effect.fnUntraced(
  function*(flags: Pick<ConvertFlags, "inputs" | "showValues" | "withCoverage" | "onVisit">, facility: Facility) {
    const tally = new Tally()
    const { inputs, onVisit, showValues, withCoverage = false } = flags
    const { conversion, visits } = yield* convertInputs(
      { inputs, onVisit, showValues, withCoverage, withoutBase: true },
      facility,
      yield* loadedLists(facility),
      tally
    )
    yield* Stream.runDrain(visits)
    return { conversion, tally }
  },
  Effect.scoped
)

const partOf = ({ part, parts }: ConvertFlags): PartChoice | undefined =>
  part === undefined ? undefined : { ...part, ...(parts === undefined ? {} : { file: parts }) }

const seenCodes = (
  { showValues }: Pick<Flags, "showValues">,
  codes: ReadonlyArray<CountedCode>
): ReadonlyArray<CountedCode> => showValues ? codes : withoutWords(codes)

/** The report of a run that converted. */
export const reportOf = (
  command: string,
  flags: Pick<Flags, "showValues">,
  facility: Facility,
  conversion: Conversion,
  tally: Tally,
  started: string
) =>
  Effect.map(now, (ended): Report => {
    const { part } = conversion
    const { copies, placedByTime, unmapped, unresolved, unused, used } = conversion.totals()
    const report: Report = {
      command,
      facility: facility.code,
      counts: tally.counts,
      problems: tally.problems.all(),
      unmapped: seenCodes(flags, unmapped),
      assumptions: countedAssumptions(tally.assumed, conversion.assumptions),
      unused,
      copies,
      used,
      unresolved,
      placedByTime,
      tables: conversion.tables,
      started,
      ended,
      version,
      mapping: conversion.mappingHash,
      zone: facility.timezone,
      ...(facility.name === null ? {} : { name: facility.name }),
      ...tally.facets
    }
    return part === undefined
      ? report
      : { ...report, part: partReport(part, tally, report, facility.validation.levels) }
  })
