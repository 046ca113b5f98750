import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { cli } from "../../src/cli/Cli.ts"
import { Pipeline } from "../../src/cli/PipelineApi.ts"
import { runCommand } from "./TestScreen.ts"

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
const packed = gzipSync(lines)
const damaged = Buffer.from(packed)
damaged[packed.length >> 1]! ^= 0xff

/** What is wrong with an input, and what is said of it. */
const faults: Readonly<Record<string, readonly [content: string | Buffer, said: RegExp]>> = {
  "cut.ndjson.gz": [packed.subarray(0, packed.length >> 1), /cut off/u],
  "damaged.ndjson.gz": [damaged, /damaged|cut off/u],
  "nul.ndjson": [Buffer.alloc(300), /looks like|empty|not JSON/u],
  "utf16.ndjson": [Buffer.from(lines, "utf16le"), /UTF-16/u],
  "half.ndjson": [lines.replace("\"p1\"", "\"p1\",\"language\":\"\\ud83d\""), /half of a character/u],
  "broken.ndjson": [`${lines}{"resourceType":"Observation",`, /cut off/u],
  "empty.ndjson": ["", /empty/u]
}
for (const [name, [content]] of Object.entries(faults)) writeFileSync(join(folder, name), content)

const commands: Readonly<Record<string, (input: string) => ReadonlyArray<string>>> = {
  convert: (input) => ["convert", input, "-o", join(folder, "visits.ndjson")],
  profile: (input) => ["profile", input],
  init: (input) => ["init", mkdtempSync(join(folder, "init-")), "--from", input],
  explain: (input) => ["explain", "V1", input],
  assumptions: (input) => ["assumptions", input],
  "codes unmapped": (input) => ["codes", "unmapped", input, "-o", mkdtempSync(join(folder, "tables-"))]
}

const type = (...words: ReadonlyArray<string>) => Effect.provide(runCommand(cli, words), Pipeline.layer)

describe("An input that cannot be read ends no command with 0, and none with 3", () => {
  for (const [command, args] of Object.entries(commands)) {
    it.effect(`${command} names the file and the reason`, () =>
      Effect.gen(function*() {
        for (const [name, [, stated]] of Object.entries(faults)) {
          const { code, stderr, stdout } = yield* type(...args(join(folder, name)))
          const all = stdout + stderr
          assert.include([1, 2], code, `${command} ${name}: ${all}`)
          assert.match(all, stated, name)
          assert.include(all, name)
          assert.notInclude(all, canary)
          assert.notMatch(all, /\n\s+at .*:\d+:\d+/u)
        }
      }))

    it.effect(`${command} opens neither a device nor a link that leads nowhere`, () =>
      Effect.gen(function*() {
        for (const [name, target] of [["device", "/dev/zero"], ["gone", "nowhere"]] as const) {
          const link = join(folder, `${command.replace(" ", "-")}-${name}.ndjson`)
          symlinkSync(target, link)
          const { code, stderr } = yield* type(...args(link))
          assert.strictEqual(code, 2, stderr)
          assert.include(stderr, link)
        }
      }))
  }
})
