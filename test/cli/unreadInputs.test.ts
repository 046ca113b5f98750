import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { readVisits } from "../../src/cli/visits/readVisits.ts"
import { readInput } from "../../src/source/read/readInput.ts"
import type { PageStatus, VisitList } from "../../src/studio/viewer/bench/Wire.ts"
import { only, present } from "../present.ts"
import { runs } from "../runs.ts"
import { cookieOf, getJson, news, opened, trialFolder } from "../studio/workbench/opened.ts"
import { type } from "./cli.ts"
import { visitJson } from "./visitFiles.ts"

const folder = mkdtempSync(join(tmpdir(), "unread-"))
const canary = "Xylophonia"
const lines = `${JSON.stringify({ resourceType: "Patient", id: "p1", name: [{ family: canary }] })}\n${
  JSON.stringify({
    resourceType: "Encounter",
    id: "e1",
    status: "finished",
    class: { code: "AMB" },
    subject: { reference: "Patient/p1" }
  })
}\n`
const visits = `${visitJson(1)}\n${visitJson(2)}\n`.replaceAll("Farmer", canary)

/** An invalid input, and the expected message. */
const faultsOf = (
  text: string,
  at: string
): Readonly<Record<string, readonly [content: string | Buffer, said: RegExp]>> => {
  const packed = gzipSync(text)
  const damaged = Buffer.from(packed)
  const middle = packed.length >> 1
  damaged[middle] = damaged.readUInt8(middle) ^ 0xff
  return {
    "cut.ndjson.gz": [packed.subarray(0, packed.length >> 1), /cut off/u],
    "damaged.ndjson.gz": [damaged, /damaged|cut off/u],
    "nul.ndjson": [Buffer.alloc(300), /looks like|empty|not JSON/u],
    "utf16.ndjson": [Buffer.from(text, "utf16le"), /UTF-16/u],
    "half.ndjson": [text.replace(at, `${at}\\ud83d`), /half of a character|half a surrogate/u],
    "latin1.ndjson": [Buffer.from(text.replace(at, `${at}\u00e9`), "latin1"), /not UTF-8/u],
    "twice.ndjson": [text.replace("{", "{\"code\":1,\"code\":2,"), /twice/u],
    "deep.ndjson": [`${"[".repeat(5000)}\n${text}`, /not JSON|nested/u],
    "broken.ndjson": [`${text}{"resourceType":"Observation",`, /cut off|not JSON/u],
    "picture.ndjson": [Buffer.from("89504e470d0a1a0a0000000d", "hex"), /looks like/u]
  }
}
const faults = { ...faultsOf(lines, "\"family\":\""), "empty.ndjson": ["", /empty/u] as const }
for (const [name, [content]] of Object.entries(faults)) writeFileSync(join(folder, name), content)
const visitFaults = faultsOf(visits, "\"occupation\":\"")
const ofVisits = mkdtempSync(join(folder, "visits-"))
for (const [name, [content]] of Object.entries(visitFaults)) writeFileSync(join(ofVisits, name), content)

writeFileSync(
  join(ofVisits, "facility.yaml"),
  "facility: HF0001\nsystem: SYS-1\ntimezone: Asia/Phnom_Penh\nservice: {baseUrl: \"http://127.0.0.1:9\", authUrl: \"http://127.0.0.1:9\"}\n"
)

const commands: Readonly<Record<string, (input: string) => ReadonlyArray<string>>> = {
  convert: (input) => ["convert", input, "-o", join(folder, "visits.ndjson")],
  partition: (input) => ["partition", input, "-o", mkdtempSync(join(folder, "partition-"))],
  profile: (input) => ["profile", input],
  init: (input) => ["init", mkdtempSync(join(folder, "init-")), "--from", input],
  explain: (input) => ["explain", "V1", input],
  assumptions: (input) => ["assumptions", input],
  "codes unmapped": (input) => ["codes", "unmapped", input, "-o", mkdtempSync(join(folder, "tables-"))]
}

/** The commands that read a file of visits. */
const visitCommands: Readonly<Record<string, (input: string) => ReadonlyArray<string>>> = {
  validate: (input) => ["validate", input],
  submit: (input) => ["submit", input, "--dry-run", "--facility", ofVisits],
  "to-fhir": (input) => ["to-fhir", input, "-o", join(folder, "fhir.ndjson")],
  "to-csv": (input) => ["to-csv", input, "-o", mkdtempSync(join(folder, "csv-"))]
}

describe("a command with an unreadable input exits with neither 0 nor 3", () => {
  for (const [command, args] of Object.entries(commands)) {
    it.effect(`${command} names the file and the reason`, () =>
      Effect.gen(function*() {
        for (const [name, [, stated]] of Object.entries(faults)) {
          const { code, stderr, stdout } = yield* type(...args(join(folder, name)))
          const all = stdout + stderr
          // The visit to explain is not found.
          assert.strictEqual(code, command === "explain" ? 2 : 1, `${command} ${name}: ${all}`)
          assert.match(all, stated, name)
          assert.include(all, name)
          assert.notInclude(all, canary)
          assert.notMatch(all, /\n\s+at .*:\d+:\d+/u)
        }
      }))

    it.effect(`${command} opens neither a device nor a dangling link`, () =>
      Effect.gen(function*() {
        for (
          const [name, target] of [["device", "/dev/zero"], ["gone", "nowhere"], [
            "self",
            `${command.replace(" ", "-")}-self.ndjson`
          ]] as const
        ) {
          const link = join(folder, `${command.replace(" ", "-")}-${name}.ndjson`)
          symlinkSync(target, link)
          const { code, stderr } = yield* type(...args(link))
          assert.strictEqual(code, 2, stderr)
          assert.include(stderr, link)
        }
      }))
  }

  for (const [command, args] of Object.entries(visitCommands)) {
    it.effect(`${command} names the file of visits and the reason`, () =>
      Effect.gen(function*() {
        for (const [name, [, stated]] of Object.entries(visitFaults)) {
          const { code, stderr, stdout } = yield* type(...args(join(ofVisits, name)))
          const all = stdout + stderr
          assert.strictEqual(code, 1, `${command} ${name}: ${all}`)
          assert.match(all, stated, `${command} ${name}`)
          assert.include(all, name)
          assert.notInclude(all, canary)
          assert.notMatch(all, /\n\s+at .*:\d+:\d+/u)
        }
      }))
  }

  it("workbench starts, and shows the file and the reason", async () => {
    const trial = trialFolder("mapping: trial\nextends: fhir-r4\n")
    // One by itself, and the others together: equal problems are shown once.
    const others = mkdtempSync(join(folder, "others-"))
    const { alone = [], together = [] } = Object.groupBy(
      Object.entries(faults),
      ([name]) => name === "utf16.ndjson" ? "alone" : "together"
    )
    for (const [name, [content]] of together) writeFileSync(join(others, name), content)
    for (const [input, named] of [[join(folder, "utf16.ndjson"), alone], [others, together]] as const) {
      assert.isNotEmpty(named)
      const bench = await opened(input, trial.folder)
      const cookie = await cookieOf(bench.url)
      await news<PageStatus>(bench.url, cookie, ({ phase }) => phase === "done")
      const { outside } = await getJson<VisitList>(bench.url, "/visits", cookie)
      await bench.close()
      for (const [name, [, stated]] of named) {
        assert.match(only(outside.filter(({ drawn }) => drawn.includes(name))).drawn, stated, name)
      }
    }
    trial.remove()
  })
})

describe("records and visits have one reader", () => {
  it("law: `convert` and `validate` judge a damaged line alike", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...damages), fc.nat(9)), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (chosen, ends) => {
          const text = Buffer.concat(chosen.map(([damage, id], at) =>
            Buffer.concat([
              damage(Buffer.from(`{"resourceType":"Basic","id":"b${id}-${at}","code":{"text":"\u1780"}}`)),
              Buffer.from(ends || at < chosen.length - 1 ? "\n" : "")
            ])
          ))
          // Two good lines first, so that the file is read as lines.
          const bytes = Buffer.concat([
            Buffer.from("{\"resourceType\":\"Basic\",\"id\":\"x\"}\n{\"resourceType\":\"Basic\",\"id\":\"y\"}\n"),
            text
          ])
          const file = join(folder, "law.ndjson")
          writeFileSync(file, bytes)
          const records = await Effect.runPromise(
            Stream.runCollect(readInput({ _tag: "File", name: file, path: file, named: true }))
          )
          const read = await Effect.runPromise(Stream.runCollect(readVisits([file])))
          assert.deepStrictEqual(
            read.filter((item) => item._tag === "Unreadable" || !isJson(item.text)).map((item) =>
              item._tag === "Text" ? item.line : item.problem.origin?.line
            ),
            records.flatMap((item) => item._tag === "Problem" ? [present(item.diagnostic.origin).line] : [])
          )
        }
      ),
      { numRuns: runs(200) }
    ))
})

/** Damages of the bytes of a line. */
const damages: ReadonlyArray<(line: Buffer) => Buffer> = [
  (line) => line,
  () => Buffer.alloc(0),
  (line) => line.subarray(0, -3),
  ...["\0\0\0", "\x1a", "\r", " \t", "}", "\u00a0", "\uFEFF", "\u2028"].flatMap((added) => [
    (line: Buffer) => Buffer.concat([line, Buffer.from(added)]),
    (line: Buffer) => Buffer.concat([Buffer.from(added), line])
  ]),
  (line) => Buffer.concat([line.subarray(0, 20), Buffer.from([0xe9]), line.subarray(20)])
]

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe("A file of a table with only its header", () => {
  it.effect("is named at the end of a conversion", () =>
    Effect.gen(function*() {
      const facility = join(folder, "header")
      cpSync("samples/district-tables", facility, { recursive: true })
      const results = join(facility, "input", "lis_results.csv")
      const convert = type(
        "convert",
        join(facility, "input"),
        "--facility",
        facility,
        "-o",
        join(folder, "header.ndjson")
      )
      assert.notInclude((yield* convert).stderr, "without rows")
      writeFileSync(results, `${readFileSync(results, "utf8").split("\n")[0] ?? ""}\n`)
      assert.match((yield* convert).stderr, /^ {2}1 file without rows: lis_results\.csv$/mu)
    }))
})
