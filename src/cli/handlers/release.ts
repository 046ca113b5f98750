import { Effect, Option } from "effect"
import { plural } from "../../diagnostic/count.ts"
import { printable } from "../../diagnostic/printable.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { named } from "../../facility/readOperatorConfig.ts"
import { Journal } from "../../submission/Journal.ts"
import { JournalReader } from "../../submission/JournalReader.ts"
import { mayBeReleased } from "../../submission/nextState.ts"
import { forgetWaits } from "../../submission/WindowStore.ts"
import type { Common } from "../flags.ts"
import { Misused } from "../Misused.ts"
import { Screen } from "../Screen.ts"
import { journalOf, layerReader, pullWaits, sendingWaits } from "../service.ts"

export interface ReleaseFlags extends Common {
  readonly visits: ReadonlyArray<string>
  readonly wait: boolean
  readonly facility: Option.Option<string>
}

/** `release`: a person's decision about visits, written into the history of each, or about a wait of the service. */
export const release = Effect.fn("release")(function*(flags: ReleaseFlags) {
  const screen = yield* Screen
  const facility = yield* named(yield* readFacility(Option.getOrUndefined(flags.facility)))
  const codes = [...new Set(flags.visits)]
  if (codes.length === 0 && !flags.wait) {
    return yield* new Misused({
      title: "nothing to release is named",
      help: ["fhir2visit release VISIT, or  fhir2visit release --wait  for a wait the service asked for"]
    })
  }
  const service = yield* Effect.gen(function*() {
    const journal = yield* JournalReader
    if (codes.length > 0 && !journal.exists) {
      return yield* new Misused({ title: "there is no journal yet: nothing was submitted" })
    }
    const known = yield* journal.find(codes)
    for (const code of codes) {
      const state = known.get(code)?.state
      if (state !== undefined && mayBeReleased(state)) continue
      return yield* new Misused({
        title: state === undefined
          ? `the journal knows no visit \`${printable(code)}\``
          : `\`${printable(code)}\` is ${state}, which nobody can release`,
        help: ["fhir2visit status  lists what is refused, in conflict, a duplicate or in doubt"]
      })
    }
    return journal.service
  }).pipe(Effect.provide(layerReader(facility)))
  if (flags.wait) {
    const files = [sendingWaits(facility, service), pullWaits(facility)].filter((file) => file !== null)
    const waits = (yield* Effect.forEach(files, forgetWaits)).some((count) => count > 0)
    yield* screen.say(
      waits
        ? "the wait is set aside; the next run sends, and hears again when the service still wants one\n"
        : "the service asked for no wait that is not over\n"
    )
  }
  if (codes.length === 0) return
  yield* Effect.flatMap(
    Journal,
    (journal) => journal.record(codes.map((code) => ({ code, event: { _tag: "Released" } })))
  ).pipe(
    Effect.provide(Journal.layer({ ...journalOf(facility, service), asks: true }))
  )
  yield* screen.say(
    `released ${plural(codes.length, "visit")}; the next run with ${
      codes.length === 1 ? "it" : "them"
    } in its input sends ${codes.length === 1 ? "it" : "them"}\n`
  )
})
