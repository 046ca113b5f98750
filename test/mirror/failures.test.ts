import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ServerError } from "../../src/mirror/ServerError.ts"
import { typed } from "../cli/sandboxUser.ts"
import { present } from "../present.ts"
import { encounter, patient } from "../run/smallRecords.ts"
import { fetchFrom, withServer } from "./fetching.ts"
import { type FhirServer, type ServerOptions, stored } from "./fhirServer.ts"

const records = [patient("a"), encounter("e1", "a")].map((record) => stored(record))

/** The reason for which a fetch ends. */
const reasonOf = <A, E, R>(fetching: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(fetching), (error) => {
    if (!(error instanceof ServerError)) return assert.fail(String(error))
    return error.reason
  })

/** `fetch` as a user types it. */
const typedFetch = (url: string, mirror: string, more = "") =>
  Effect.suspend(() => {
    const source = `source: {server: "${url}", level: system, mirror: "${mirror}"}`
    mkdirSync(mirror, { recursive: true })
    writeFileSync(
      join(mirror, "facility.yaml"),
      `facility: HF0001\ntimezone: Asia/Phnom_Penh\n${source}\n${more}`
    )
    return typed(["fetch", "--facility", mirror])
  })

const requests = ({ log }: FhirServer, path: string): number => log.filter((one) => one.endsWith(path)).length

describe("a disk that fails", () => {
  /** Puts something in the place of the file of patients before its download begins. */
  const blocked = (mirror: string, block: (file: string) => void): ServerOptions => ({
    instead: ({ count, url }) => {
      if (count > 1 || !url.pathname.includes("/status/")) return
      const folder = present(readdirSync(mirror).find((name) => name.startsWith("001")))
      block(join(mirror, folder, "Patient.001.ndjson.gz.part"))
    }
  })

  it.live.skipIf(!existsSync("/dev/full"))(
    "is full: nothing is downloaded again, and the next step is shown",
    () =>
      withServer(records, {}, (server, mirror) =>
        Effect.gen(function*() {
          server.options = blocked(mirror, (file) => symlinkSync("/dev/full", file))
          const seen = yield* typedFetch(server.url, mirror)
          assert.strictEqual(seen.code, 3)
          assert.include(seen.stderr, `cannot read or write \`${mirror}/001`)
          assert.include(seen.stderr, "no space left on the disk (ENOSPC)")
          assert.include(seen.stderr, "free space on the disk of the mirror")
          assert.include(seen.stderr, "run the same command again")
          assert.notInclude(seen.stderr, "cannot reach")
          assert.strictEqual(requests(server, "/files/0/Patient/0"), 1)
        }))
  )

  it.live("has something in the place of a file", () =>
    withServer(records, {}, (server, mirror) =>
      Effect.gen(function*() {
        server.options = blocked(mirror, (file) => mkdirSync(file))
        const reason = yield* reasonOf(fetchFrom(server, mirror))
        if (reason._tag !== "MirrorUnusable") return assert.fail(reason._tag)
        assert.strictEqual(reason.why, "failed")
        assert.include(reason.detail, "Patient.001.ndjson.gz.part`: the disk or the path failed (EISDIR)")
        assert.strictEqual(requests(server, "/files/0/Patient/0"), 1)
      })))

  it.live("has something in the place of a log", () =>
    withServer(records, {}, (server, mirror) =>
      Effect.gen(function*() {
        mkdirSync(join(mirror, "001-20261120T120000Z", "log.ndjson"), { recursive: true })
        const reason = yield* reasonOf(fetchFrom(server, mirror))
        if (reason._tag !== "MirrorUnusable") return assert.fail(reason._tag)
        assert.include(reason.detail, `\`${mirror}\`: the disk or the path failed (EISDIR)`)
      })))
})
