import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { parse } from "yaml"
import { jsonObjectOf, jsonObjectsIn } from "../../../src/json/JsonObject.ts"
import { zoneOf } from "../../../src/studio/profile/fhir/zoneOf.ts"
import { present } from "../../present.ts"
import { temporaryFolder, written } from "../../run/converted.ts"
import { type } from "./drafted.ts"
import { canaries, codedInIcd10, hospital, ndjson } from "./hospital.ts"

const filesBelow = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), "utf8")])
  )

describe("A facility folder that init writes", () => {
  it.effect("from sample data passes `mapping check` and `mapping test`, and its visits are ready", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [input] = written(folder, { "in.ndjson": ndjson(codedInIcd10(hospital())) })
      const made = join(folder, "our hospital")
      const { code, stderr } = yield* type("init", made, "--from", input)
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, "4 visits in the sample      4 ready with this mapping")
      for (const name of ["", ...readdirSync(made, { recursive: true, encoding: "utf8" })]) {
        assert.strictEqual(statSync(join(made, name)).mode & 0o077, 0, name)
      }
      const check = yield* type("mapping", "check", "--strict", "--facility", made)
      assert.strictEqual(check.code, 0, check.stdout + check.stderr)
      const test = yield* type("mapping", "test", "--facility", made)
      assert.strictEqual(test.code, 0, test.stdout)
      assert.include(readFileSync(join(made, "facility.yaml"), "utf8"), "timezone: Asia/Phnom_Penh\n")
      for (const [name, text] of filesBelow(made)) {
        // Worklists are where codes are translated, so they hold the codes unchanged.
        if (name.endsWith(".csv")) continue
        for (const canary of canaries) assert.notInclude(text, canary, name)
      }
    }))

  it.effect("declares tables by their headers, holds no value of a row, and passes `mapping check` and `mapping test`", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      mkdirSync(join(folder, "in"))
      written(join(folder, "in"), {
        "OPD visits 2569.csv": "VN;Hospital No.;ថ្ងៃ;VN\nV-1;P-1;2569-03-02;Zanzibar\n",
        "patient.csv": "code,surname,Nick Name\nP-1,Zanzibar,Zed\n",
        "stock.tsv": "id\tname\n7\tZanzibar\n",
        "no header.csv": "Zanzibar,Zed,1990-04-12\n",
        "notes.csv": "Zanzibar\n"
      })
      writeFileSync(join(folder, "in/wide.csv"), Buffer.from("\uFEFFa,b\r\nZanzibar,1\r\n", "utf16le"))
      writeFileSync(join(folder, "in/packed.csv.gz"), gzipSync("x,y\nZanzibar,1\n"))
      const made = join(folder, "made")
      const { code, stderr } = yield* type("init", made, "--from", join(folder, "in"))
      assert.strictEqual(code, 0, stderr)
      const { table } = parse(readFileSync(join(made, "mapping.yaml"), "utf8"))
      assert.deepInclude(table.stock, { file: "stock.tsv", key: "id", column: { id: "text", name: "text" } })
      assert.deepInclude(table.wide, { file: "wide.csv", encoding: "utf-16le" })
      assert.deepInclude(table.packed, { file: "packed.csv.gz", column: { x: "text", y: "text" } })
      const opd = jsonObjectsIn(Object.values(table)).find(({ file }) => file === "OPD visits 2569.csv")
      assert.deepStrictEqual(
        Object.values(jsonObjectOf(opd?.["column"])),
        [
          { from: 1 },
          { from: "Hospital No." },
          { type: "date", from: "ថ្ងៃ", calendar: "buddhist" },
          { from: 4 }
        ]
      )
      for (const [name, text] of filesBelow(made)) assert.notMatch(text, /Zanzibar|Zed/u, name)
      assert.strictEqual((yield* type("mapping", "check", "--strict", "--facility", made)).code, 0)
      assert.strictEqual((yield* type("mapping", "test", "--facility", made)).code, 0)
    }))

  it.effect("without sample data passes too, and shows the next commands", () =>
    Effect.gen(function*() {
      const folder = join(yield* temporaryFolder, "hospital-a")
      const { code, stderr } = yield* type("init", folder, "--timezone", "Asia/Phnom_Penh")
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, `fhir2visit profile EXPORT --facility ${folder}`)
      assert.strictEqual((yield* type("mapping", "check", "--strict", "--facility", folder)).code, 0)
    }))

  it.effect("marks a time zone that the sample does not show as a guess, in the file and in the next steps", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [tables] = written(folder, { "patient.csv": "code,surname\nP-1,Example\n" })
      const guess = yield* type("init", join(folder, "guessed"), "--from", tables)
      assert.match(guess.stderr, /QUESTION is \S+ your time zone\? It is a guess: it is the zone of the machine/u)
      assert.include(
        readFileSync(join(folder, "guessed/facility.yaml"), "utf8"),
        "# QUESTION is this your time zone? It is a guess: it is the zone of the machine"
      )
      const [fhir] = written(folder, { "in.ndjson": ndjson(hospital()) })
      const found = yield* type("init", join(folder, "found"), "--from", fhir)
      assert.match(
        found.stderr,
        /QUESTION is Asia\/Phnom_Penh your time zone\? It is a guess: times of the sample have \+07:00/u
      )
      assert.include(readFileSync(join(folder, "found", "facility.yaml"), "utf8"), "as Asia/Bangkok, ")
      const stated = yield* type("init", join(folder, "said"), "--timezone", "Asia/Dili")
      assert.notInclude(stated.stderr, "a guess")
      assert.notInclude(readFileSync(join(folder, "said", "facility.yaml"), "utf8"), "a guess")
    }))

  it.effect("asks about the address of a server that only references have, and the answer makes the visits ready", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const text = ndjson(codedInIcd10(hospital()))
      const base = "https://fhir.hospital.example/r4"
      const referring = (address: string) => text.replaceAll("\"Patient/", `"${address}/Patient/`)
      const [input, withUser, other] = written(folder, {
        "in.ndjson": referring(base),
        "user.ndjson": referring("https://user:secret@hospital.example"),
        "other.ndjson": text.replaceAll("\"Patient/", `"${base}/Patient/other-`)
      })
      const made = join(folder, "made")
      const { stderr } = yield* type("init", made, "--from", input)
      assert.include(stderr, "0 ready with this mapping")
      assert.match(
        stderr,
        /QUESTION is this your own FHIR server\? +https:\/\/fhir\.hospital\.example\/r4: \d+ references have its address/u
      )
      const file = join(made, "facility.yaml")
      const settings = readFileSync(file, "utf8")
      assert.include(settings, `\n# sameServer: ["${base}"]\n`)
      writeFileSync(file, settings.replace("# sameServer:", "sameServer:"))
      assert.include((yield* type("convert", input, "--facility", made)).stderr, "4 ready")
      assert.include((yield* type("profile", input)).stdout, `references have the address ${base}, which no record has`)
      for (const [name, sample] of [["user", withUser], ["other", other]] as const) {
        yield* type("init", join(folder, name), "--from", present(sample))
        assert.notMatch(readFileSync(join(folder, name, "facility.yaml"), "utf8"), /sameServer|secret/u)
      }
    }))

  it.effect("rejects visits whose diagnoses have an unmapped code of another system", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [input] = written(folder, { "in.ndjson": ndjson(hospital()) })
      const made = join(folder, "made")
      const { stderr } = yield* type("init", made, "--from", input)
      assert.include(stderr, "4 visits in the sample      0 ready with this mapping")
      assert.match(readFileSync(join(made, "mapping.yaml"), "utf8"), /unmapped: reject/u)
    }))

  it.effect("marks known ICD-10 codes for diagnoses in SNOMED CT as proposals to confirm", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const records = hospital().map((record: any) =>
        record.resourceType === "Condition"
          ? {
            ...record,
            code: { coding: [{ system: "http://snomed.info/sct", code: "444814009", display: "Viral sinusitis" }] }
          }
          : record
      )
      const [input] = written(folder, { "in.ndjson": ndjson(records) })
      const { stderr } = yield* type("init", join(folder, "made"), "--from", input, "--show-values")
      assert.match(stderr, /confirm 1 proposed code of ICD-10/u)
      const mapping = readFileSync(join(folder, "made/mapping.yaml"), "utf8")
      assert.match(mapping, /a proposal of `us-synthetic`: confirm it\n +"444814009": "J01\.9"/u)
      assert.include(mapping, "# Rows marked \"a proposal\"")
    }))

  it.effect("never overwrites a file", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      yield* type("init", folder)
      writeFileSync(
        join(folder, "mapping.yaml"),
        "mapping: ours\nextends: fhir-r4\nvisit:\n  patient:\n    phone: null\n"
      )
      const before = filesBelow(folder)
      const [input] = written(yield* temporaryFolder, { "in.ndjson": ndjson(hospital()) })
      const { code, stderr } = yield* type("init", folder, "--from", input)
      assert.strictEqual(code, 0, stderr)
      const after = filesBelow(folder)
      for (const [name, text] of before) assert.strictEqual(after.get(name), text, name)
      assert.include(stderr, "exists, kept")
    }))

  it.effect("shows the settings that an existing facility.yaml lacks, and counts the visits of the new mapping", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const [input] = written(yield* temporaryFolder, { "in.ndjson": ndjson(codedInIcd10(hospital())) })
      const settings = "facility: HF0001\nsystem: SYS\ntimezone: Asia/Phnom_Penh\n"
      const address = "service: {baseUrl: \"https://data.example\", authUrl: \"https://auth.example\"}\n"
      writeFileSync(join(folder, "facility.yaml"), settings)
      const { stderr } = yield* type("init", folder, "--from", input)
      assert.include(stderr, "4 ready with this mapping")
      assert.match(
        stderr,
        /next {3}\S+facility\.yaml\n +set `mapping: mapping\.yaml`(?: and `tables: tables`)?, because/u
      )
      assert.include(stderr, "write the codes the operator issued")
      writeFileSync(join(folder, "facility.yaml"), `${settings}${address}mapping: mapping.yaml\ntables: tables\n`)
      const complete = yield* type("init", folder, "--from", input)
      assert.notInclude(complete.stderr, "facility.yaml\n")
    }))

  it.effect("reports an unknown zone and an impossible folder before anything is written", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      assert.strictEqual((yield* type("init", join(folder, "a"), "--timezone", "Mars/Base")).code, 2)
      assert.deepStrictEqual(readdirSync(folder), [])
      const [file] = written(folder, { file: "" })
      assert.strictEqual((yield* type("init", join(file, "a"))).code, 2)
    }))

  it("recognizes a zone by its offset if one offset is by far the most frequent", () => {
    const zone = (...offsets: ReadonlyArray<readonly [string, number]>) => zoneOf(offsets)?.zone
    assert.strictEqual(zone(["+00:00", 90], ["+07:00", 10]), "Asia/Phnom_Penh")
    assert.include(present(zoneOf([["+07:00", 10]])).others, "Asia/Bangkok")
    assert.strictEqual(zone(["+05:30", 10], ["+05:45", 9]), undefined)
    assert.strictEqual(zone(["-04:00", 9], ["-05:00", 9]), "America/New_York")
    assert.strictEqual(zone(["+02:00", 90], ["+01:00", 60]), "Europe/Paris")
    assert.strictEqual(zone(["+10:00", 9]), "Australia/Brisbane")
    assert.strictEqual(zoneOf([]), undefined)
  })
})
