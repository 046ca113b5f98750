import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { globSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { at } from "../../src/at.ts"
import { reportJson } from "../../src/cli/report/reportJson.ts"
import { parseFacility } from "../../src/facility/settings/parseFacility.ts"
import { faultPlaces, faultWords, parseFaults } from "../../src/service/sandbox/Faults.ts"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { writePage } from "../../src/studio/viewer/writePage.ts"
import { explainJournalError, JournalError } from "../../src/submission/journal/JournalError.ts"
import { unsent, visitStates, type VisitStatus } from "../../src/submission/journal/VisitState.ts"
import { mayBeAccepted, mayBeReleased } from "../../src/submission/nextState.ts"
import { capture, captures } from "../captures.ts"
import { builtProgram, start } from "../cli/builtProgram.ts"
import { sampleReport } from "../cli/sampleReport.ts"
import { visitJson } from "../cli/visitFiles.ts"
import { present } from "../present.ts"
import { codeBlocks, sectionOf } from "./pages.ts"

const page = readFileSync("docs/operations.md", "utf8")
const blocks = (language: string): ReadonlyArray<string> => codeBlocks(page, language)
/** The cells of the tables under a heading, without the header rows. */
const table = (heading: string): ReadonlyArray<ReadonlyArray<string>> =>
  sectionOf(page, heading).split("\n")
    .filter((line, at, all) => line.startsWith("| ") && all[at + 1]?.startsWith("|--") !== true).map((line) =>
      line.slice(2, -2).split(" | ")
    )
const firstCells = (heading: string): ReadonlyArray<string> => table(heading).map((cells) => at(cells, 0))
const word = (cell: string): string => capture(cell, /`([^`]+)`/u)

beforeAll(() => void builtProgram())

describe("docs/operations.md", () => {
  it("names every state and every sandbox fault", () => {
    assert.sameMembers(firstCells("The states of a visit").map(word), [...visitStates])
    assert.deepStrictEqual(
      Object.fromEntries(table("Rehearse the bad days").map(([fault = "", words]) => [word(fault), words])),
      faultWords
    )
    for (const place of faultPlaces) assert.include(page, `\`${place}\``)
  })

  it("names the states in which a visit can be released or accepted", () => {
    const rows = new Map(
      [...page.matchAll(/^\| `release (VISIT…|--accept VISIT…)` \| ([^|]*) \|/gmu)].map(([, command, cell = ""]) =>
        [command, captures(cell, /`([A-Z]+)`/gu)] as const
      )
    )
    const states = (is: (status: VisitStatus) => boolean) =>
      visitStates.filter((state) => is({ ...unsent, state, unlisted: state === "STORED" }))
    assert.sameMembers(present(rows.get("VISIT…")), states(mayBeReleased))
    assert.sameMembers(present(rows.get("--accept VISIT…")), states(mayBeAccepted))
  })

  it("names every variable of the environment that the source reads", () => {
    const read = new Set<string>()
    for (const file of globSync("src/**/*.ts")) {
      const text = readFileSync(file, "utf8")
      for (const [name] of text.matchAll(/FHIR2VISIT_[A-Z_]*[A-Z]/gu)) read.add(name)
      for (const name of captures(text, /\benv(?:\["|\.)([A-Za-z]\w+)/gu)) read.add(name.toUpperCase())
      for (const name of captures(text, /\b(?:isSet|named|variable|Config\.\w+)\("([A-Z_]+)"/gu)) read.add(name)
      for (const name of captures(text, /\b(OTEL_[A-Z_]*[A-Z])\b/gu)) read.add(name)
      for (const name of captures(text, /`(OTEL_[A-Z_]+\$\{signal\}[A-Z_]+)`/gu)) {
        for (const signal of ["", "TRACES_", "METRICS_"]) read.add(name.replace("${signal}", signal))
      }
    }
    const written = firstCells("The environment").flatMap((cell) => captures(cell, /`(\w+)`/gu))
    assert.strictEqual(new Set(written).size, written.length)
    assert.isAtLeast(read.size, 20)
    assert.deepStrictEqual([...read].filter((name) => !written.includes(name)).toSorted(), [])
    // The runtime reads the first two; `TZ` is listed because it has no effect.
    const never = written.filter((name) => !read.has(name) && !name.endsWith("_FILE"))
    assert.deepStrictEqual(never, ["NODE_EXTRA_CA_CERTS", "TMPDIR", "TZ"])
  })

  it("names every section of a run's page, in order", async () => {
    const page = await writePage({ page: "report", language: "en", report: reportJson(sampleReport) })
    const names = captures(capture(page, /<nav[^>]*>(.*?)<\/nav>/u), /<a [^>]*>(.*?)<\/a>/gu)
    assert.deepStrictEqual(firstCells("The page of a run"), ["Verdict", ...names])
  })

  it("names only settings that exist", () => {
    const { problems, settings } = parseFacility("facility.yaml", blocks("yaml facility.yaml").join(""))
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(settings?.direct?.checkCards, "sample")
    assert.deepStrictEqual(settings?.direct?.fillPatient, ["code", "spid", "identifications"])
  })

  it("quotes the program's messages in the table of problems", () => {
    const reason = { _tag: "InUse", pid: null, host: null, since: null } as const
    const { title } = explainJournalError(new JournalError({ file: "f", reason }))
    assert.include(title, word(at(firstCells("When something is wrong"), 0)))
    const sources = [
      "src/submission/journal/JournalError.ts",
      "src/cli/screen/explainFailure.ts",
      "src/cli/sending/submitVisits.ts",
      "src/cli/sending/stopped.ts",
      "src/service/connectionErrors.ts",
      "src/service/transport.ts"
    ]
    const stated = sources.map((file) => readFileSync(file, "utf8")).join("\n")
    for (const cell of firstCells("When something is wrong")) {
      for (const text of captures(cell, /`([^`]+)`/gu)) {
        if (text === "kill -9") continue
        for (const part of text.split("…")) assert.include(stated, part.trim(), text)
      }
    }
  })

  it(
    "shows the output of a day's commands and of the journal's queries",
    () =>
      Effect.runPromise(Effect.scoped(Effect.gen(function*() {
        const day = at(blocks("sh"), 0)
        const spec = capture(blocks("sh").join(""), /--faults (\S+)/u)
        assert.isTrue(Result.isSuccess(parseFaults(spec)))
        const { url, visits } = yield* startSandbox({ faults: Result.getOrThrow(parseFaults("drop-after=0.3,seed=7")) })
        const folder = mkdtempSync(join(tmpdir(), "operations-"))
        const file = (name: string) => join(folder, name)
        writeFileSync(
          file("facility.yaml"),
          at(blocks("yaml facility.yaml"), 0).replaceAll(/https:\/\/\w+\.example/gu, url)
        )
        writeFileSync(file("visits.ndjson"), `${[1, 2, 3].map(visitJson).join("\n")}\n`)
        const say = (...words: ReadonlyArray<string>) => {
          const { ended, seen } = start(words, { cwd: folder })
          return Effect.promise(() => ended.then(() => seen.stdout + seen.stderr))
        }
        const codes: Array<unknown> = []
        for (const command of day.trim().split("\n")) {
          const [program, ...words] = command.replaceAll("FOLDER", ".").split(" ")
          assert.strictEqual(program, "fhir2visit")
          const secret = { USERNAME: "sandbox", PASSWORD: "sandbox", CLIENT_ID: "sandbox", CLIENT_SECRET: "sandbox" }
          const env = Object.fromEntries(Object.entries(secret).map(([key, value]) => [`FHIR2VISIT_${key}`, value]))
          const { ended } = start(words, { cwd: folder, env })
          codes.push(yield* Effect.promise(() => ended))
        }
        assert.deepStrictEqual(codes, [0, 0, 0, 0])
        assert.strictEqual((yield* visits).length, 3)
        assert.deepStrictEqual(
          JSON.parse(readFileSync(file("plan.json"), "utf8")).plan,
          [1, 2, 3].map((at) => ({ visit: `V00000${at}`, action: "send", why: "new", source: `visits.ndjson:${at}` }))
        )
        const html = readFileSync(file("report.html"), "utf8")
        assert.strictEqual(statSync(file("report.html")).mode & 0o777, 0o600)
        assert.include(html, "All 3 visits are delivered.")
        // the journal has one completed run: this one
        assert.lengthOf(JSON.parse(readFileSync(file("report.json"), "utf8")).runs, 1)
        const journal = new DatabaseSync(file(".fhir2visit/HF0001.sqlite"), { readOnly: true })
        const counts = at(blocks("sql"), 0).trim().split("\n").map((query) => journal.prepare(query).all().length)
        assert.deepStrictEqual(counts.slice(0, 3), [3, 0, 0])
        assert.isAtLeast(at(counts, 3), 2)
        journal.close()
        const paused = new DatabaseSync(file(".fhir2visit/HF0001.sqlite"))
        paused.exec("INSERT INTO request_cap (key, remaining, until_at) VALUES ('pause data', 0, 9e15)")
        paused.close()
        const wait = "the service asked for a wait: nothing is sent before"
        assert.include(yield* say("status", "--facility", "."), wait)
        assert.include(yield* say("submit", "visits.ndjson", "--facility", ".", "--dry-run"), wait)
        const released = ["release", "--wait"] as const
        assert.include(page, `fhir2visit ${released.join(" ")}`)
        assert.include(yield* say(...released, "--facility", "."), "the wait is cleared")
        assert.notInclude(yield* say("status", "--facility", "."), "asked for a wait")
        assert.notInclude(yield* say("submit", "visits.ndjson", "--facility", ".", "--dry-run"), "asked for a wait")
        assert.include(yield* say(...released, "--facility", "."), "requested no wait")
        assert.include(yield* say("release", "--facility", "."), "no visit is selected")
      })))
  )
})
