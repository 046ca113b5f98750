import { Clock, Effect, Option, Result, Stream } from "effect"
import { Command } from "effect/cli"
import { atLevels } from "../../diagnostic/levels.ts"
import { fillVisits } from "../../facility/beneficiary/fillVisits.ts"
import type { Facility } from "../../facility/Facility.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { jsonObjectOf } from "../../json/JsonObject.ts"
import { runSettings } from "../../run/checks/visitChecks.ts"
import type { OperatorError } from "../../service/OperatorError.ts"
import { parseJson } from "../../visit/decode.ts"
import { FacilityCode } from "../../visit/values/Code.ts"
import { mapGroups } from "../conversion/mapGroups.ts"
import { loadedLists } from "../facility/standardLists.ts"
import { openOutput } from "../files/Output.ts"
import {
  batch,
  common,
  dryRun,
  facility,
  keepGoing,
  presentation,
  rejectedOk,
  results,
  sandboxFlag,
  visitFiles
} from "../flags.ts"
import { perform } from "../perform.ts"
import { Tally } from "../report/Report.ts"
import { checkResults, now } from "../screen/results.ts"
import { planOrSubmit, type PreparedVisits } from "../sending/submitVisits.ts"
import { checkedLine, checkedReport, countChecked, visitOriginOf } from "../visits/checkedVisits.ts"
import { asDiagnostic, type CheckedVisit, makeCheckVisit } from "../visits/checkVisit.ts"
import { checkFiles, readVisits } from "../visits/readVisits.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  files: visitFiles,
  facility,
  dryRun,
  batch,
  sandbox: sandboxFlag,
  keepGoing,
  report: results.report,
  rejected: results.rejected,
  as: results.as,
  rejectedOk,
  ...presentation,
  ...common
}

export const submitCommand = Command.make("submit", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Submit files of visits. Stored visits are skipped, and unknown outcomes are looked up first. "
    + "Run it again after a stop to resume.",
  ["fhir2visit submit --facility hospital-a/ visits.ndjson --dry-run", "Show what would be sent"],
  ["fhir2visit submit --facility hospital-a/ visits.ndjson --sandbox", "Rehearse on this machine"],
  ["fhir2visit submit --facility hospital-a/ visits.ndjson --report report.json", "Submit"]
))

type Flags = Command.Command.Config.Infer<typeof config>

/** `submit`: checks files of visits and submits the valid ones through the journal. */
const execute = Effect.fn("submit")(function*(flags: Flags) {
  yield* checkResults(flags, flags.files)
  const facility = yield* readFacility(flags.facility)
  yield* checkFiles(flags.files)
  const code = flags.sandbox && !flags.dryRun ? facility.code ?? (yield* firstFacility(flags.files)) : facility.code
  yield* planOrSubmit(flags, { ...facility, code }, (facility) => prepare(flags, facility))
})

/** A rehearsal without settings is for the facility of the first visit. */
const firstFacility = (files: ReadonlyArray<string>) =>
  files.includes("-")
    ? Effect.succeed(null)
    : readVisits(files).pipe(
      Stream.map((item) => (item._tag === "Text" ? facilityOf(item.text) : null)),
      Stream.filter((code) => code !== null),
      Stream.runHead,
      Effect.map(Option.getOrNull)
    )

const facilityOf = (text: string): FacilityCode | null => {
  const { health_facility_code: code } = jsonObjectOf(Result.getOrElse(parseJson(text), () => null))
  return typeof code === "string" ? FacilityCode(code) : null
}

/** The valid visits of the files; the others are counted and written to the rejected file as they come. */
const prepare = Effect.fnUntraced(function*(flags: Flags, facility: Facility) {
  const started = yield* now
  const tally = new Tally(flags.report.length > 0)
  const { lists, problems } = yield* loadedLists(facility, flags)
  tally.problems.addAll(problems)
  const settings = runSettings(facility.validation, {
    now: yield* Clock.currentTimeMillis,
    facility: facility.code,
    lists
  })
  const check = makeCheckVisit(settings, "once")
  const rejected = flags.rejected === undefined ? undefined : yield* openOutput(flags.rejected)
  const take = Effect.fnUntraced(function*(visits: ReadonlyArray<CheckedVisit>) {
    for (const visit of visits) {
      countChecked(tally, visit)
      if (visit.submission === undefined && rejected !== undefined) yield* rejected.write(checkedLine(visit, flags.as))
    }
    return visits.flatMap(({ submission }) => (submission === undefined ? [] : [submission]))
  })
  const cards = flags.dryRun ? null : yield* checkCards(facility)
  const checked = Stream.map(readVisits(flags.files), check)
  const visits = (cards === null ? checked : Stream.mapEffect(checked, cards)).pipe(
    mapGroups(take),
    Stream.concat(Stream.drain(Stream.fromEffect(rejected === undefined ? Effect.void : rejected.commit)))
  )
  const prepared: PreparedVisits<Stream.Error<typeof visits>, Stream.Services<typeof visits>> = {
    flags,
    tally,
    visits,
    mapping: null,
    originOf: visitOriginOf,
    report: Effect.map(now, (ended) => checkedReport("submit", facility, tally, started, ended))
  }
  return prepared
})

/**
 * Looks up the cards of visits that were read from files and adds the problems found. The visits themselves are not changed. `null` if the
 * facility does not check cards.
 */
const checkCards = Effect.fnUntraced(function*(facility: Facility) {
  const look = yield* fillVisits({ ...facility, fillPatient: [] })
  if (look === null) return null
  return Effect.fnUntraced(function*(checked: CheckedVisit): Effect.fn.Return<CheckedVisit, OperatorError> {
    if (checked.submission === undefined) return checked
    const visit = Result.getOrElse(parseJson(checked.submission.payload), () => null)
    const { problems } = yield* look(jsonObjectOf(visit))
    const reported = atLevels(problems, facility.validation.levels).map(asDiagnostic(checked.code, checked.origin))
    const { submission, ...rest } = { ...checked, problems: [...checked.problems, ...reported] }
    return reported.some(({ severity }) => severity === "error") || submission === undefined
      ? rest
      : { ...rest, submission }
  })
})
