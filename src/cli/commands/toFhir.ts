import { Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { plural } from "../../diagnostic/count.ts"
import { toFhir } from "../../studio/canonical/toFhir.ts"
import { makeCheckVisit } from "../checkVisit.ts"
import { common, outputFlag, rejectedOk, visitFiles } from "../flags.ts"
import { openOutput } from "../Output.ts"
import { perform } from "../perform.ts"
import { someNotDone } from "../process/exitCode.ts"
import { checkFiles, readVisits } from "../readVisits.ts"
import { Tally } from "../report/Report.ts"
import { Screen } from "../screen/Screen.ts"
import { visitIn } from "../visitIn.ts"

const config = {
  files: visitFiles,
  output: outputFlag("FILE", "Output file, one Bundle per line (default: standard output)").pipe(Flag.withDefault("-")),
  rejectedOk,
  ...common
}

export const toFhirCommand = Command.make("to-fhir", config, (flags) => perform(flags, execute(flags))).pipe(
  Command.withDescription(
    "Write visits as FHIR R4, one transaction Bundle per line. The base mapping converts it back to the same visits."
  ),
  Command.withExamples([
    { command: "fhir2visit to-fhir visits.ndjson -o bundles.ndjson", description: "Write one Bundle per line" },
    {
      command: "fhir2visit to-fhir visit.json -o - | fhir2visit convert - -o -",
      description: "Convert a visit to FHIR and back"
    }
  ])
)

type Flags = Command.Command.Config.Infer<typeof config>

/**
 * `to-fhir`: writes each visit that has the specification's form as a Bundle on one line (docs/canonical-fhir.md). It reports and rejects
 * the others.
 */
const execute = Effect.fn("toFhirBundles")(function*(flags: Flags) {
  const screen = yield* Screen
  yield* checkFiles(flags.files)
  const tally = new Tally()
  // Only the form counts here: nothing is about to be sent, so no time lies in the future.
  const check = makeCheckVisit({ now: Number.MAX_SAFE_INTEGER })
  yield* Effect.scoped(Effect.gen(function*() {
    const output = yield* openOutput(flags.output)
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
