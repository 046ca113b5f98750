import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Stream } from "effect"
import { appendFileSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { convert } from "../../../src/run/convert.ts"
import { neutral } from "../converted.ts"

/** The open files of this process in a folder, including removed ones. */
const openIn = (folder: string): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${descriptor}`)
      return file.startsWith(folder) ? [file] : []
    } catch {
      // Closed after the folder was listed.
      return []
    }
  })

const encounter = (number: number): string =>
  JSON.stringify({
    resourceType: "Encounter",
    id: `e${number}`,
    status: "finished",
    class: { code: "AMB" },
    subject: { reference: `Patient/p${number}` },
    period: { start: "2026-03-02T08:00:00+07:00", end: "2026-03-02T09:00:00+07:00" }
  })

/** Runs with an input that is read in place, and with spill files. */
const ends: Readonly<
  Record<string, (input: string) => (conversion: Effect.Success<ReturnType<typeof convert>>) => Effect.Effect<unknown>>
> = {
  "all visits have been taken": () => ({ visits }) => Effect.exit(Stream.runDrain(visits)),
  "the caller stops after the first visit": () => ({ visits }) => Effect.exit(Stream.runDrain(Stream.take(visits, 1))),
  "no visit is taken": () => () => Effect.void,
  "an input changes meanwhile": (input) => ({ visits }) =>
    Effect.gen(function*() {
      appendFileSync(input, `${encounter(0)}\n`)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Stream.runDrain(visits))))
    }),
  "the run is interrupted": () => ({ visits }) =>
    Effect.exit(Effect.timeout(Stream.runForEach(visits, () => Effect.never), "20 millis"))
}

describe.runIf(process.platform === "linux")("The files that a run opens", () => {
  for (const [how, end] of Object.entries(ends)) {
    it.live(`are closed with the run: ${how}`, () =>
      Effect.gen(function*() {
        const folder = mkdtempSync(join(tmpdir(), "fhir2visit-open-"))
        const { TMPDIR } = process.env
        process.env.TMPDIR = folder
        try {
          const input = join(folder, "Encounter.ndjson")
          writeFileSync(input, Array.from({ length: 40 }, (_, number) => `${encounter(number)}\n`).join(""))
          const memoryLimits = { maxInMemoryBytes: 0, partitionBytes: 1, chunkBytes: 1000, workers: 1 }
          yield* Effect.scoped(Effect.gen(function*() {
            const conversion = yield* convert({ ...neutral, inputs: [input], memoryLimits })
            const open = openIn(folder)
            assert.isTrue(open.some((file) => file === input))
            assert.isTrue(open.some((file) => file.endsWith(" (deleted)")))
            yield* end(input)(conversion)
          }))
          assert.deepStrictEqual(openIn(folder), [])
        } finally {
          if (TMPDIR === undefined) delete process.env.TMPDIR
          else process.env.TMPDIR = TMPDIR
          rmSync(folder, { recursive: true })
        }
      }).pipe(Effect.provide(NodeServices.layer)))
  }
})
