import { Effect, Option, Stream } from "effect"
import { plural } from "../../diagnostic/count.ts"
import { toFhir } from "../../studio/canonical/toFhir.ts"
import { makeCheckVisit } from "../checkVisit.ts"
import type { Common } from "../flags.ts"
import { openOutput } from "../Output.ts"
import { someNotDone } from "../process/exitCode.ts"
import { checkFiles, readVisits } from "../readVisits.ts"
import { Tally } from "../report/Report.ts"
import { Screen } from "../screen/Screen.ts"
import { visitIn } from "../visitIn.ts"

interface ToFhirFlags extends Common {
  readonly rejectedOk: boolean
  readonly files: ReadonlyArray<string>
  readonly output: Option.Option<string>
}

/**
 * `to-fhir`: each visit that has the specification's form, as a Bundle on a line of its own (docs/canonical-fhir.md). Others are
 * told and left out.
 */
export const toFhirBundles = Effect.fn("toFhirBundles")(function*(flags: ToFhirFlags) {
  const screen = yield* Screen
  yield* checkFiles(flags.files)
  const tally = new Tally()
  // Only the form counts here: nothing is about to be sent, so no time lies in the future.
  const check = makeCheckVisit({ now: Number.MAX_SAFE_INTEGER })
  yield* Effect.scoped(Effect.gen(function*() {
    const output = yield* openOutput(Option.getOrElse(flags.output, () => "-"))
    yield* Stream.runForEachArray(readVisits(flags.files), (items) =>
      Effect.gen(function*() {
        for (const item of items) {
          const visit = visitIn(item)
          tally.add("visits")
          if (visit !== undefined) {
            tally.add("ready")
            yield* output.write(`${JSON.stringify(toFhir(visit))}\n`)
          } else {
            tally.add("rejected")
            const { code, origin, problems } = check(item)
            tally.problems.addAll(
              problems.filter(({ severity }) => severity === "error"),
              code ?? `${origin.file}:${origin.line}`
            )
          }
        }
      }))
    yield* output.commit
  }))
  yield* screen.problems(tally.problems.all())
  const { ready, rejected } = tally.counts
  yield* screen.say(`${plural(ready, "visit")} as FHIR${rejected === 0 ? "" : `, ${rejected} left out`}`)
  if (rejected > 0 && !flags.rejectedOk) return yield* someNotDone
})
