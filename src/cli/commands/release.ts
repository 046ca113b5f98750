import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { withoutIndexes } from "../../diagnostic/collate.ts"
import { plural } from "../../diagnostic/count.ts"
import { printable } from "../../diagnostic/render/printable.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { requireCode } from "../../facility/settings/readOperatorConfig.ts"
import { Journal } from "../../submission/journal/Journal.ts"
import { JournalReader } from "../../submission/journal/JournalReader.ts"
import type { JournalVisit } from "../../submission/journal/JournalVisit.ts"
import type { VisitEvent } from "../../submission/journal/VisitState.ts"
import { clearWaits } from "../../submission/journal/WindowStore.ts"
import { mayBeAccepted, mayBeReleased, releasableStates } from "../../submission/nextState.ts"
import { VisitCode } from "../../visit/values/Code.ts"
import { journalOf, layerReader, pullWaits, sendingWaits } from "../facility/service.ts"
import { argumentFor, common, facility, optional, switchFlag, textFlag, wordFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { outcomeKindOf } from "../screen/outcomeProblems.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  visits: argumentFor(
    "visit",
    "Visit code: refused, in conflict, duplicate, in doubt, or stored but missing from the service's list"
  ).pipe(
    Argument.variadic({ min: 0 })
  ),
  state: optional(wordFlag(
    "state",
    "STATE",
    releasableStates,
    `Only visits in this state: ${releasableStates.join(", ")}. STORED means only those missing from the service's list`
  )),
  field: optional(textFlag("field", "FIELD", "Only visits refused for this field, as shown by `status`")),
  code: optional(
    textFlag("code", "PROBLEM", "Only visits with this problem code, for example field-refused or in-doubt")
  ),
  accept: switchFlag("accept", "Mark as stored, after the operator has confirmed that the service has them"),
  resend: switchFlag("resend", "Send visits in doubt again (default: all of them)"),
  wait: switchFlag("wait", "Clear the service's retry-after time once the operator has lifted it"),
  facility,
  ...common
}

export const releaseCommand = Command.make("release", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Release visits to be sent again, or mark them as stored. Visits are selected by code or by their status. The next run "
    + "with them in its input sends them again, unchanged; with --accept they count as stored. Nothing is sent now. The decision is made "
    + "for all of them or for none.",
  ["fhir2visit release --facility hospital-a/ V000117", "The operator has removed the record"],
  ["fhir2visit release --facility hospital-a/ --state REFUSED --field patient_code", "The patients are now registered"],
  ["fhir2visit release --facility hospital-a/ --accept V000117", "The operator has confirmed that it is stored"],
  ["fhir2visit release --facility hospital-a/ --wait", "The operator has raised the limit"]
))

type Flags = Command.Command.Config.Infer<typeof config>

/** `release`: a person's decision about visits, written into the history of each, or about a wait of the service. */
const execute = Effect.fn("release")(function*(flags: Flags) {
  const screen = yield* Screen
  const facility = yield* requireCode(yield* readFacility(flags.facility))
  const selects = flags.resend
    || [flags.state, flags.field, flags.code].some((selection) => selection !== undefined)
  const chosen = [...new Set(flags.visits)].map((code) => VisitCode(code))
  if (flags.accept && flags.resend) {
    return yield* new UsageError({
      title: "--accept and --resend exclude each other: either the service has the visit, or it is sent again"
    })
  }
  if (chosen.length === 0 && !selects && !flags.wait) {
    return yield* new UsageError({
      title: flags.accept ? "--accept takes the codes of visits, or --state" : "no visit is selected",
      help: [
        "fhir2visit release VISIT, or  fhir2visit release --state REFUSED --field patient_code",
        "fhir2visit release --wait  for a wait the service asked for"
      ]
    })
  }
  const { codes, service } = yield* Effect.gen(function*() {
    const journal = yield* JournalReader
    if ((chosen.length > 0 || selects) && !journal.exists) {
      return yield* new UsageError({ title: "there is no journal yet: nothing was submitted" })
    }
    const codes = chosen.length > 0
      ? yield* allOf(chosen, flags, journal)
      : selects
      ? (yield* journal.visits(releasableStates)).filter((visit) => visit.problem !== "released" && mayBe(visit, flags))
        .map(({ code }) => code)
      : []
    return { codes, service: journal.service }
  }).pipe(Effect.provide(layerReader(facility)))
  if (flags.wait) {
    const files = [sendingWaits(facility, service), pullWaits(facility)].filter((file) => file !== null)
    const waits = (yield* Effect.forEach(files, clearWaits)).some((count) => count > 0)
    yield* screen.say(
      waits
        ? "the wait is cleared; the next run sends immediately\n"
        : "the service has requested no wait that is still running\n"
    )
  }
  if (codes.length === 0) {
    if (selects) yield* screen.say("no visit matches: nothing was released\n")
    return
  }
  const event: VisitEvent = flags.accept ? { _tag: "Accepted" } : { _tag: "Released" }
  yield* Effect.flatMap(Journal, (journal) => journal.record(codes.map((code) => ({ code, event })))).pipe(
    Effect.provide(Journal.layer({ ...journalOf(facility, service), isLookup: true }))
  )
  const them = codes.length === 1 ? "it" : "them"
  yield* screen.say(
    flags.accept
      ? `accepted ${plural(codes.length, "visit")} as stored by the service; ${
        codes.length === 1 ? "it is" : "they are"
      } not sent again\n`
      : `released ${plural(codes.length, "visit")}; the next run with ${them} in its input sends ${them}\n`
  )
})

/** Returns these visits if the requested decision is allowed for all of them. */
const allOf = Effect.fnUntraced(function*(
  codes: ReadonlyArray<VisitCode>,
  flags: Flags,
  journal: JournalReader["Service"]
) {
  const known = yield* journal.find(codes)
  for (const code of codes) {
    const visit = known.get(code)
    if (visit !== undefined && mayBe(visit, flags)) continue
    const decided = flags.accept ? "accepted" : "released"
    return yield* new UsageError({
      title: visit === undefined
        ? `the journal has no visit \`${printable(code)}\``
        : mayBe(visit, { ...flags, resend: false, state: undefined, field: undefined, code: undefined })
        ? `\`${printable(code)}\` does not match the flags`
        : `\`${printable(code)}\` is ${visit.state}${
          visit.state === "STORED" ? " and not missing from the service's list" : ""
        }: it cannot be ${decided}`,
      help: [
        flags.accept
          ? "fhir2visit status  lists what is in doubt, a duplicate, or missing from the service's list"
          : "fhir2visit status  lists what is refused, in conflict, a duplicate, in doubt, or missing from the service's list",
        `nothing was ${decided}, because this cannot be done for all`
      ]
    })
  }
  return codes
})

/** Returns true if the decision is allowed for a visit, and the visit was requested. */
const mayBe = (
  visit: JournalVisit,
  { accept, code, field, resend, state }: Pick<Flags, "accept" | "resend" | "state" | "field" | "code">
): boolean =>
  (accept ? mayBeAccepted(visit) : mayBeReleased(visit)) &&
  (!resend || visit.state === "DOUBT" || visit.state === "STORED") &&
  (state ?? visit.state) === visit.state &&
  (field === undefined || (visit.field !== null && withoutIndexes(visit.field) === withoutIndexes(field))) &&
  (code === undefined || outcomeKindOf(visit)?.code === code)
