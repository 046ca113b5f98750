import { assert } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Journal } from "../../src/submission/journal/Journal.ts"
import type { JournalOptions } from "../../src/submission/journal/JournalFile.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import { visitStates } from "../../src/submission/journal/VisitState.ts"
import type { SubmitResult } from "../../src/submission/status/tally.ts"
import type { Submission } from "../../src/submission/Submission.ts"
import { submit, type SubmitOptions } from "../../src/submission/submit.ts"
import { drive } from "./drive.ts"
import { FakeService } from "./FakeOperator.ts"
import { journalIn, temporaryFolder, visit } from "./samples.ts"

export const start = Date.parse("2026-03-10T08:00:00Z")

/** A service, a journal, and runs on them. */
export const setting = Effect.gen(function*() {
  yield* TestClock.setTime(start)
  const service = new FakeService()
  const journal = journalIn(yield* temporaryFolder)
  const once = (visits: ReadonlyArray<Submission>, options?: SubmitOptions) =>
    drive(runOn(journal, service, visits, options))
  const known = Effect.provide(
    Effect.gen(function*() {
      const reader = yield* JournalReader
      const all = yield* reader.visits(visitStates)
      return all.map(({ code, state }) => `${code} ${state}`)
    }),
    JournalReader.layer(journal),
    { local: true }
  )
  return { service, journal, once, known }
})

export const runOn = (
  journal: JournalOptions,
  service: FakeService,
  visits: ReadonlyArray<Submission>,
  options: SubmitOptions = {}
) =>
  Effect.provide(
    submit(Stream.fromIterable(visits), options),
    Layer.merge(Journal.layer(journal), service.layer),
    { local: true }
  )

export const some = (count: number): Array<Submission> =>
  Array.from({ length: count }, (_, at) => visit({ code: `V${String(at + 1).padStart(3, "0")}` }))

/** The counts that are not zero; and they have to add up. */
export const counted = ({ counts }: SubmitResult): Partial<SubmitResult["counts"]> => {
  const { changedSince: _, sent: __, visits, ...places } = counts
  assert.strictEqual(Object.values(places).reduce((sum, count) => sum + count, 0), visits, "I2: the counts add up")
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

/** I1: the service took each code at most once. */
export const onceEach = (service: FakeService) => {
  for (const { code, effects } of service.stored.values()) assert.isAtMost(effects, 1, code)
}
