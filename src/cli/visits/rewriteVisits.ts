import { Effect, Result, Stream } from "effect"
import { plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { originText } from "../../diagnostic/Origin.ts"
import { isWellFormed } from "../../json/parseRecord.ts"
import { decodeVisit } from "../../visit/decode.ts"
import type { Visit } from "../../visit/Visit.ts"
import type { OutputError } from "../files/WholeFile.ts"
import { someNotDone } from "../process/exitCode.ts"
import { Tally } from "../report/Report.ts"
import { Screen } from "../screen/Screen.ts"
import { makeCheckVisit } from "./checkVisit.ts"
import { checkFiles, readVisits, type VisitText } from "./readVisits.ts"

/** Writes visits in another format. */
export interface VisitWriter {
  /** Returns the problem of a visit that the format cannot hold. */
  readonly write: (visit: Visit) => Effect.Effect<Diagnostic | undefined, OutputError>
  readonly commit: Effect.Effect<void, OutputError>
}

/**
 * Writes the visits of files in another format, and reports the rejected ones. A visit must have the form of the specification, and its
 * texts must fit the format. The rules between fields are not checked, because nothing is sent.
 */
export const rewriteVisits = Effect.fnUntraced(function*<E, R>(
  { files, rejectedOk }: { readonly files: ReadonlyArray<string>; readonly rejectedOk: boolean },
  format: "CSV" | "FHIR",
  open: Effect.Effect<VisitWriter, E, R>
) {
  const screen = yield* Screen
  yield* checkFiles(files)
  const tally = new Tally()
  // No time lies in the future.
  const check = makeCheckVisit({ now: Number.MAX_SAFE_INTEGER })
  yield* Effect.scoped(Effect.gen(function*() {
    const writer = yield* open
    yield* Stream.runForEach(readVisits(files), (item) =>
      Effect.gen(function*() {
        tally.add("visits")
        const visit = decoded(item)
        if (visit === undefined) {
          const { code, origin, problems } = check(item)
          const errors = problems.filter(({ severity }) => severity === "error")
          tally.add("rejected")
          tally.problems.addAll(errors, code ?? originText(origin))
          return
        }
        const problem = yield* writer.write(visit)
        tally.add(problem === undefined ? "ready" : "rejected")
        if (problem !== undefined) tally.problems.add({ ...problem, visit: visit.code, ...originOf(item) })
      }))
    yield* writer.commit
  }))
  yield* screen.problems(tally.problems.all())
  const { ready, rejected } = tally.counts
  yield* screen.say(`${plural(ready, "visit")} as ${format}${rejected === 0 ? "" : `, ${rejected} rejected`}`)
  if (rejected > 0 && !rejectedOk) return yield* someNotDone
})

const decoded = (item: VisitText): Visit | undefined => {
  const visit = item._tag === "Unreadable" ? undefined : decodeVisit(item.text)
  return visit !== undefined && Result.isSuccess(visit) && isWellFormed(visit.success) ? visit.success : undefined
}

const originOf = (item: VisitText): Pick<Diagnostic, "origin"> =>
  item._tag === "Unreadable" ? {} : { origin: { file: item.file, line: item.line, reference: "" } }
