import { Effect, Stream } from "effect"
import { Command } from "effect/cli"
import type { Facility } from "../../facility/Facility.ts"
import { readFacility } from "../../facility/readFacility.ts"
import type { Visit } from "../../visit/Visit.ts"
import { convertInputs, reportOf } from "../conversion/convertInputs.ts"
import { loadedLists } from "../facility/standardLists.ts"
import {
  batch,
  common,
  coverage,
  dryRun,
  engine,
  facility,
  keepGoing,
  optionalInputs,
  presentation,
  rejectedOk,
  results,
  sandboxFlag,
  switchFlag,
  withoutBase
} from "../flags.ts"
import { perform } from "../perform.ts"
import { someNotDone } from "../process/exitCode.ts"
import { Tally } from "../report/Report.ts"
import { checkResults, now } from "../screen/results.ts"
import { Screen } from "../screen/Screen.ts"
import { planOrSubmit } from "../sending/submitVisits.ts"
import { UsageError } from "../UsageError.ts"
import { submissionOf } from "../visits/checkVisit.ts"
import { withHelp } from "../withHelp.ts"
import { fetchFirst } from "./fetch.ts"

const config = {
  inputs: optionalInputs,
  fetch: switchFlag(
    "fetch",
    "First export from the FHIR server in facility.yaml (`source:`), and read its mirror as input, too"
  ),
  facility,
  dryRun,
  batch,
  sandbox: sandboxFlag,
  keepGoing,
  ...results,
  coverage,
  engine,
  withoutBase,
  rejectedOk,
  ...presentation,
  ...common
}

export const runCommand = Command.make("run", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Convert FHIR or CSV into visits, and submit them. Run it again after a stop or with more data: stored visits are skipped.",
  ["fhir2visit run --facility hospital-a/ export/ --dry-run", "Show what would be sent"],
  ["fhir2visit run --facility hospital-a/ export/ --sandbox", "Rehearse on this machine"],
  ["fhir2visit run --facility hospital-a/ export/ --report report.json --rejected rejected.ndjson", "Send"],
  ["fhir2visit run --facility hospital-a/ --fetch", "Export from the FHIR server, then send"]
))

type Flags = Command.Command.Config.Infer<typeof config>

/** `run`: reads, groups, maps, validates, submits, and reports. Running it again resumes. */
const execute = Effect.fn("run")(function*(flags: Flags) {
  if (!flags.fetch && flags.inputs.length === 0) {
    return yield* new UsageError({
      title: "no input is given",
      help: ["name files or folders:  fhir2visit run export/", "or fetch them from a FHIR server:  --fetch"]
    })
  }
  if (flags.fetch && flags.dryRun) {
    return yield* new UsageError({
      title: "`--dry-run` sends no request, but `--fetch` starts an export of the FHIR server",
      help: ["fetch first:  fhir2visit fetch", "then give the mirror as the input:  fhir2visit run MIRROR --dry-run"]
    })
  }
  yield* checkResults(flags, flags.inputs)
  const facility = yield* readFacility(flags.facility)
  if (!flags.fetch) return yield* runInputs(flags, facility)
  const { isComplete, mirror } = yield* fetchFirst(facility)
  const withMirror = { ...flags, inputs: [mirror, ...flags.inputs] }
  // A screen of its own, because the commands of messages name the inputs.
  yield* Effect.provide(runInputs(withMirror, facility), Screen.layer(withMirror))
  if (!isComplete && !flags.rejectedOk) return yield* someNotDone
})

const runInputs = (flags: Flags, facility: Facility) =>
  planOrSubmit(flags, facility, (facility) => prepare(flags, facility))

/** Reads the inputs and checks the mapping; visits are converted on demand. */
const prepare = Effect.fnUntraced(function*(flags: Flags, facility: Facility) {
  const started = yield* now
  const tally = new Tally(flags.report.length > 0)
  const { conversion, visits } = yield* convertInputs(
    { ...flags, lookUp: !flags.dryRun },
    facility,
    yield* loadedLists(facility, flags),
    tally
  )
  return {
    flags,
    tally,
    visits: Stream.map(visits, ({ json, newestAt, source }) =>
      // `convertInputs` emits only visits without errors, so this holds as in `checkVisit`.
      submissionOf(JSON.parse(json) as Visit, json, source, newestAt)),
    mapping: conversion.mappingHash,
    fieldOrigin: conversion.fieldOrigin,
    report: reportOf("run", flags, facility, conversion, tally, started)
  }
})
