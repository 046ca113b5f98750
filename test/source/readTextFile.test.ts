import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { openBeneficiaryFile } from "../../src/facility/beneficiary/BeneficiaryFile.ts"
import { listFile, readList } from "../../src/facility/lists/StandardData.ts"
import { readCertificates } from "../../src/service/readCertificates.ts"
import { readTextFile } from "../../src/source/read/readTextFile.ts"

const folder = mkdtempSync(join(tmpdir(), "texts-"))
const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe("readTextFile", () => {
  it.effect("reads UTF-8 and UTF-16 without the byte-order mark", () =>
    Effect.gen(function*() {
      for (const encoding of ["utf8", "utf16le"] as const) {
        const file = write("a.yaml", Buffer.from("\u{FEFF}a: é\n", encoding))
        assert.deepStrictEqual(yield* readTextFile(file), { _tag: "Text", text: "a: é\n" })
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("opens no folder, pipe or device, and nothing that is too large", () =>
    Effect.gen(function*() {
      const pipe = join(folder, "pipe")
      execFileSync("mkfifo", [pipe])
      const expected: ReadonlyArray<readonly [string, RegExp]> = [
        [folder, /a folder/u],
        [pipe, /a pipe/u],
        ["/dev/zero", /a device/u],
        [join(folder, "none"), /no such file/u],
        [write("large.yaml", Buffer.alloc(1024 * 1024 + 1)), /larger than 1 MB/u],
        [write("latin1.yaml", Buffer.from("é", "latin1")), /not UTF-8/u]
      ]
      for (const [file, why] of expected) {
        const read = yield* readTextFile(file)
        assert.strictEqual(read._tag, "Unreadable", file)
        if (read._tag === "Unreadable") assert.match(read.why, why)
      }
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect(
    "certificates, lists, cards and acceptances are read so: a pipe in their place is not waited for",
    () =>
      Effect.gen(function*() {
        const pipe = join(folder, "certificate.pem")
        for (const file of [pipe, listFile(folder, "diagnoses"), join(folder, "cards.ndjson")]) {
          mkdirSync(dirname(file), { recursive: true })
          execFileSync("mkfifo", [file])
        }
        assert.match((yield* readCertificates(pipe)).problems.join(""), /a pipe/u)
        assert.strictEqual((yield* Effect.flip(readList(folder, "diagnoses"))).reason, "damaged")
        assert.isUndefined((yield* openBeneficiaryFile(join(folder, "cards.ndjson"), 0)).find("1"))
      }).pipe(Effect.provide(NodeServices.layer)),
    5000
  )

  it("is the only way to read a text file in the sources", () => {
    // The others read a page of the package, or settings again that `readTextFile` accepted.
    const direct = globSync("src/**/*.ts").filter((file) => readFileSync(file, "utf8").includes("readFileString("))
    assert.deepStrictEqual(direct.toSorted(), [
      "src/cli/assumptions/operatorQuestions.ts",
      "src/cli/commands/explain/explain.ts",
      "src/cli/commands/mapping/fix.ts",
      "src/mapping/load/loadMapping.ts"
    ])
  })
})
