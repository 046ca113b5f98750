import { Clock, Effect, Exit, Scope, Stream } from "effect"
import { plural } from "../../diagnostic/count.ts"
import { atLevels } from "../../diagnostic/levels.ts"
import { fillVisits } from "../../facility/beneficiary/fillVisits.ts"
import type { Facility } from "../../facility/Facility.ts"
import type { LoadedLists } from "../../facility/lists/StandardData.ts"
import { withoutWords } from "../../run/accounts/UnmappedCodes.ts"
import type { Conversion, ConvertedVisit, CountedCode } from "../../run/Conversion.ts"
import type { ConversionRequest, PartChoice } from "../../run/ConversionRequest.ts"
import { convertedState } from "../../submission/status/sendingOutcomes.ts"
import { loadedLists } from "../facility/standardLists.ts"
import { openOutput, visitLayout } from "../files/Output.ts"
import { type RejectedForm, rejectedLine } from "../files/Rejected.ts"
import { Pipeline } from "../PipelineApi.ts"
import { pace } from "../process/pace.ts"
import { version } from "../process/version.ts"
import { writeCoverage } from "../report/coverageFile.ts"
import { partReport, positions } from "../report/partReport.ts"
import { isOfOtherFacility, type Report, Tally } from "../report/Report.ts"
import { countedAssumptions } from "../screen/countedAssumptions.ts"
import { now } from "../screen/results.ts"
import { Screen } from "../screen/Screen.ts"
import { mapGroups } from "./mapGroups.ts"
import { noVisits } from "./noVisits.ts"

interface InputFlags {
  readonly inputs: ReadonlyArray<string>
  readonly showValues: boolean
}

/** The inputs of a conversion, and the files of its results. */
interface ConvertFlags extends InputFlags {
  readonly output?: string | undefined
  readonly rejected?: string | undefined
  readonly as?: RejectedForm
  readonly coverage?: string | undefined
  readonly part?: Pick<PartChoice, "index" | "count"> | undefined
  readonly parts?: string | undefined
  readonly lookUp?: boolean
  readonly withoutBase?: boolean
  readonly engine?: ConversionRequest["engine"]
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
    ...(flags.engine === undefined ? {} : { engine: flags.engine }),
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
      // The facility no longer has the visit, and the service may hold it under its code.
      if (isOfOtherFacility(visit)) tally.unsent.excluded.add(visit.source)
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
    const { levels } = facility.validation
    const mostlyUnused = part === undefined ? tally.mostlyUnused.problems(totals.used, levels) : []
    for (const problem of [...atLevels(totals.problems, levels), ...mostlyUnused]) {
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
    for (const reference of totals.excluded) tally.unsent.excluded.add(reference)
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
  { showValues }: Pick<InputFlags, "showValues">,
  codes: ReadonlyArray<CountedCode>
): ReadonlyArray<CountedCode> => showValues ? codes : withoutWords(codes)

/** The report of a run that converted. */
export const reportOf = (
  command: string,
  flags: Pick<InputFlags, "showValues">,
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
