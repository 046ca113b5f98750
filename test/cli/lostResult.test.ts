import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { at } from "../../src/at.ts"
import { readJson } from "../readJson.ts"
import { type Arrived, scripted, token } from "../service/scripted.ts"
import { submittedCodes } from "../visitCodes.ts"
import { builtProgram, start } from "./builtProgram.ts"
import { sandboxUser, typed } from "./sandboxUser.ts"
import { facilityFolder, settingsFor } from "./visitFiles.ts"

/** A service that stores every visit, and does something at the nth. */
const storing = (atNth: (nth: number) => void) => {
  let stored = 0
  return scripted((request: Arrived) => {
    if (request.path === "/oauth/token") return token(1)
    if (request.method !== "POST") return [200, { success: true, data: [] }]
    atNth(++stored)
    const code = at(submittedCodes(request.body), 0)
    return [200, { success: true, data: { status: 1, uuld: `u${stored}`, visit_code: code } }]
  })
}

const facilityFor = (url: string, visits: number) => {
  const { folder } = facilityFolder(visits, settingsFor(url))
  return { folder, file: (name: string) => join(folder, name) }
}

const countsOf = (file: string) =>
  readJson(
    Schema.Struct({
      counts: Schema.StructWithRest(
        Schema.Struct({ stored: Schema.Finite, unknown: Schema.Finite, left: Schema.Finite }),
        [Schema.Record(Schema.String, Schema.Finite)]
      )
    }),
    readFileSync(file, "utf8")
  ).counts

describe("I11: a result that cannot be written does not hide what was sent", () => {
  it.live("prints the counts, writes the other reports, and exits with 3 if the folder of a report is gone", () =>
    Effect.gen(function*() {
      let moved = (): void => undefined
      const { url } = yield* storing((nth) => nth === 1 ? moved() : undefined)
      const { file, folder } = facilityFor(url, 3)
      for (const name of ["gone", "away"]) mkdirSync(file(name))
      moved = () => {
        for (const name of ["gone", "away"]) renameSync(file(name), file(`${name}.old`))
      }
      const reports = ["gone/a.json", "report.json", "away/a.html", "metrics.prom"]
      const words = ["submit", file("visits.ndjson"), "--facility", folder]
      const seen = yield* typed([...words, ...reports.flatMap((name) => ["--report", file(name)])])
      assert.strictEqual(seen.code, 3, seen.stderr)
      assert.match(seen.stderr, /3 sent/u)
      for (const name of ["gone/a.json", "away/a.html"]) {
        assert.include(seen.stderr, `\`${file(name)}\` cannot be written`)
      }
      assert.isBelow(seen.stderr.indexOf("3 sent"), seen.stderr.indexOf("cannot be written"))
      assert.deepInclude(countsOf(file("report.json")), { sent: 3, stored: 3 })
      assert.include(readFileSync(file("metrics.prom"), "utf8"), "state=\"stored\"} 3")
      const again = yield* typed(words)
      assert.strictEqual(again.code, 0, again.stderr)
    }).pipe(Effect.scoped))

  const limits = spawnSync("prlimit", ["--version"]).status === 0
  it.live.skipIf(!limits)(
    "prints and reports what is known, and exits with 3 if the journal cannot grow while visits are sent",
    () =>
      Effect.gen(function*() {
        builtProgram()
        let limit = (): void => undefined
        const { arrived, url } = yield* storing((nth) => nth === 4 ? limit() : undefined)
        const { file, folder } = facilityFor(url, 40)
        const submit = (...more: ReadonlyArray<string>) =>
          start(["submit", file("visits.ndjson"), "--facility", folder, "--report", file("report.json"), ...more], {
            cwd: folder,
            env: sandboxUser
          })
        const running = submit("--report", file("report.html"))
        // from now on no file of this process grows beyond what the journal has
        limit = () => {
          const size = statSync(file(".fhir2visit/HF0001.sqlite-wal")).size
          execFileSync("prlimit", ["--pid", String(running.child.pid), `--fsize=${size}:`])
        }
        assert.strictEqual(yield* Effect.promise(() => running.ended), 3)
        const { stderr } = running.seen
        assert.match(stderr, /cannot read or write the journal/u)
        assert.match(stderr, /\d sent/u)
        const counts = countsOf(file("report.json"))
        const posts = arrived.filter(({ method, path }) => method === "POST" && path !== "/oauth/token").length
        assert.strictEqual(counts["sent"], posts)
        assert.strictEqual(counts.stored + counts.unknown + counts.left, 40)
        assert.isAtLeast(counts.stored, 3)
        assert.isAtLeast(counts.left, 1)
        assert.isTrue(existsSync(file("report.html")))

        const status = start(["status", "--facility", folder], { cwd: folder, env: sandboxUser })
        assert.strictEqual(yield* Effect.promise(() => status.ended), 0)
        assert.notInclude(status.seen.stdout, "interruption")
        const again = submit()
        yield* Effect.promise(() => again.ended)
        assert.deepInclude(countsOf(file("report.json")), { left: 0, refused: 0 })
      }).pipe(Effect.scoped)
  )

  it.live("`status` shows how the last run ended", () =>
    Effect.gen(function*() {
      const { url } = yield* storing(() => undefined)
      const { file, folder } = facilityFor(url, 1)
      yield* typed(["submit", file("visits.ndjson"), "--facility", folder])
      for (const [ending, words] of [["no-room", "because a disk was full"], ["failed", "with an error"]] as const) {
        const database = new DatabaseSync(file(".fhir2visit/HF0001.sqlite"))
        database.prepare("UPDATE run SET ending = ?").run(ending)
        database.close()
        const { stdout } = yield* typed(["status", "--facility", folder])
        assert.include(stdout, `the last run ended ${words}; it began`)
      }
    }).pipe(Effect.scoped))

  it.live("rejects an input that cannot be read completely, and sends nothing of it", () =>
    Effect.gen(function*() {
      const { arrived, url } = yield* storing(() => undefined)
      const { file, folder } = facilityFor(url, 2)
      const cut = file("visits.ndjson.gz")
      execFileSync("gzip", ["-k", file("visits.ndjson")])
      writeFileSync(cut, readFileSync(cut).subarray(0, -20))
      const seen = yield* typed(["submit", cut, "--facility", folder])
      assert.strictEqual(seen.code, 1, seen.stderr)
      assert.include(seen.stderr, "the compressed file is cut off")
      assert.notInclude(arrived.map(({ path }) => path).join(), "visits")
    }).pipe(Effect.scoped))
})
