import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { present } from "../present.ts"
import { type Arrived, type Say, scripted, token } from "../service/scripted.ts"
import { FastClock } from "../submission/FastClock.ts"
import { typed } from "./sandboxUser.ts"
import { facilityFolder, settingsFor, stored, visitJson } from "./visitFiles.ts"

/** The folder of a facility that has sent a visit. The service refuses the first request of each kind with a wait of a minute. */
const setting = Effect.gen(function*() {
  const refused = new Set<string>()
  let busy = false
  const { url } = yield* scripted(({ method, path }: Arrived): Say => {
    if (path === "/oauth/token") return token(1)
    if (busy && !refused.has(path)) {
      refused.add(path)
      return [429, "", { "retry-after": "60" }]
    }
    if (method === "POST") return stored("V000001")
    return [200, { success: true, data: path.endsWith("/search") ? null : [] }]
  })
  const { file: visits, folder } = facilityFolder(1, settingsFor(url, "beneficiary: {fill: [code]}"))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const type = (...words: ReadonlyArray<string>) => typed([...words, "--facility", folder])
  yield* type("submit", visits)
  busy = true
  return { folder, file, visits, type }
})

/** The sample's patient, without the code that only the service knows. */
const input = JSON.stringify(
  JSON.parse(readFileSync("samples/outpatient-fever/input/visit.bundle.json", "utf8")),
  (key, value: unknown) =>
    key === "identifier" && Array.isArray(value)
      ? value.filter(({ system }: { system?: string }) => !/(?:patient-code|spid)$/u.test(system ?? ""))
      : value
)

describe("§8: a command that waits for a limit reports the end of the wait", () => {
  const commands: Readonly<Record<string, (a: { readonly file: (name: string, text: string) => string }) => string>> = {
    "status --remote": () => "",
    "beneficiary BC-1": () => "",
    "codes pull": () => "",
    "convert --look-up": ({ file }) => file("visit.json", input),
    submit: ({ file }) => file("more.ndjson", `${visitJson(2)}\n`)
  }
  for (const [command, inputOf] of Object.entries(commands)) {
    it.live(`${command}: for people, and as a line for machines`, () =>
      Effect.gen(function*() {
        for (const format of ["human", "json"]) {
          const { file, type } = yield* setting
          const words = [...command.split(" "), inputOf({ file })].filter((word) => word !== "")
          const { stderr, stdout } = yield* type(...words, "--format", format)
          const stated = /the service's limit is reached: continuing at \d{4}-\d\d-\d\d \d\d:\d\dZ, in \d\d seconds/u
          assert.match(stderr, stated)
          assert.notMatch(stdout, stated)
          if (format !== "json") continue
          const line = present(stderr.split("\n").find((line) => line.includes("continuing at")))
          const { code, level, message, seconds, until } = JSON.parse(line)
          assert.deepStrictEqual([level, code, typeof seconds], ["info", "waiting", "number"])
          assert.match(String(until), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u)
          assert.match(String(message), stated)
        }
      }).pipe(Effect.scoped, Effect.provideService(Clock.Clock, new FastClock(100, Date.now()))))
  }

  it.live("as one line under --format line, and not at all under --quiet", () =>
    Effect.gen(function*() {
      const line = yield* (yield* setting).type("status", "--remote", "--format", "line")
      assert.match(
        line.stderr,
        /^note: the service's limit is reached: continuing at \d{4}-\d\d-\d\d \d\d:\d\dZ, in \d\d seconds$/mu
      )
      const quiet = yield* (yield* setting).type("status", "--remote", "--quiet")
      assert.strictEqual(quiet.stderr, "")
    }).pipe(Effect.scoped, Effect.provideService(Clock.Clock, new FastClock(100, Date.now()))))
})
