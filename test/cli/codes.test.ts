import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Pipeline } from "../../src/cli/PipelineApi.ts"
import { standardData } from "../../src/service/sandbox/data/standardData.ts"
import { startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { referenceListTypes } from "../../src/visit/Field.ts"
import { portOf } from "../portOf.ts"
import { present } from "../present.ts"
import { scripted } from "../service/scripted.ts"
import { FastClock } from "../submission/FastClock.ts"
import { cli } from "./cli.ts"
import { sandboxUser } from "./sandboxUser.ts"
import { runCommand } from "./TestScreen.ts"
import { visitJson } from "./visitFiles.ts"

const type = (words: ReadonlyArray<string>, env: Record<string, string> = {}, stdin = "") =>
  Effect.provide(runCommand(cli, words, { env, stdin }), Pipeline.layer)

/** Waits pass in a hundredth of their time. */
const quickly = Effect.provideService(Clock.Clock, new FastClock(100, Date.now()))

/** A facility folder for a service, and the folder its lists are kept in. */
const facilityFor = (url: string, more = "", code = "HF0001") => {
  const folder = mkdtempSync(join(tmpdir(), "codes-"))
  writeFileSync(
    join(folder, "facility.yaml"),
    `facility: ${code}\nsystem: SYS-1\ntimezone: Asia/Phnom_Penh\nservice: {baseUrl: "${url}", authUrl: "${url}"}\n${more}`
  )
  return { folder, cache: join(folder, ".fhir2visit/standard-data", new URL(url).host.replace(":", "_")) }
}

/** A cache as if it had been pulled on a day. */
const pulledOn = (cache: string, day: string, lists: Partial<typeof standardData> = standardData) => {
  mkdirSync(cache, { recursive: true })
  for (const [type, items] of Object.entries(lists)) {
    writeFileSync(
      join(cache, `${type}.json`),
      JSON.stringify({ type, url: "http://service.example", pulledAt: day, count: items.length, items })
    )
  }
}

describe("§4.3: the standard data is stored for use without network", () => {
  it.live("§8: the next `codes pull` respects a stored retry-after time until `release --wait` clears it", () =>
    Effect.gen(function*() {
      const { arrived, url } = yield* scripted(() => [429, "", { "retry-after": "7200" }])
      const { folder } = facilityFor(url)
      const pull = type(["codes", "pull", "--facility", folder])
      for (const requests of [1, 1]) {
        const { code, stderr } = yield* pull
        assert.strictEqual(code, 3, stderr)
        assert.include(stderr, "retry in 2 hours")
        assert.strictEqual(arrived.length, requests)
      }
      const released = yield* type(["release", "--wait", "--facility", folder])
      assert.include(released.stderr, "the wait is cleared")
      yield* pull
      assert.strictEqual(arrived.length, 2)
    }).pipe(Effect.scoped))

  it.live("`codes pull` downloads all twelve lists without credentials, with mode 0600, source and time", () =>
    Effect.gen(function*() {
      const { stats, url } = yield* startSandbox()
      const { cache, folder } = facilityFor(url)
      const first = yield* type(["codes", "pull", "--facility", folder])
      assert.strictEqual(first.code, 0, first.stderr)
      assert.match(first.stdout, /^marital_statuses +4 +new\n(?:.*\n)*medications +\d+ +new\n$/)
      assert.deepStrictEqual(readdirSync(cache).toSorted(), referenceListTypes.map((type) => `${type}.json`).toSorted())
      assert.strictEqual(statSync(cache).mode & 0o777, 0o700)
      for (const name of readdirSync(cache)) assert.strictEqual(statSync(join(cache, name)).mode & 0o777, 0o600, name)
      const { items, pulledAt, ...list } = JSON.parse(readFileSync(join(cache, "diagnoses.json"), "utf8"))
      assert.deepStrictEqual(list, {
        type: "diagnoses",
        url: `${url}/api/v1/external/common/standard-data?type=diagnoses`,
        count: standardData.diagnoses.length
      })
      assert.deepStrictEqual(items, standardData.diagnoses)
      assert.match(pulledAt, /^\d{4}-\d\d-\d\dT.*Z$/)
      assert.notInclude(JSON.stringify(yield* stats), "/oauth/token")

      pulledOn(cache, "2026-01-01T00:00:00Z", {
        visit_types: [{ code: "X", name: "Old", description: "" }, ...standardData.visit_types.slice(1)]
      })
      const second = yield* type(["codes", "pull", "--facility", folder, "--format", "json"])
      const visitTypes = JSON.parse(second.stdout).lists.find((list: { readonly type: string }) =>
        list.type === "visit_types"
      )
      assert.deepStrictEqual(visitTypes, { type: "visit_types", count: 2, added: 1, removed: 1 })
    }).pipe(Effect.scoped))

  /** The embedded service, but for its answer to one list. */
  const withoutList = (type: string, status: number, contentType: string, body: string) =>
    Effect.gen(function*() {
      const { url } = yield* startSandbox()
      const server = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((request, response) => {
            if (request.url?.includes(`type=${type}`) === true) {
              response.writeHead(status, { "content-type": contentType }).end(body)
              return
            }
            void fetch(`${url}${request.url}`).then(async (answer) => {
              response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text())
            })
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      return `http://127.0.0.1:${portOf(server)}`
    })

  it.live("saves the other lists if the service does not have one", () =>
    Effect.gen(function*() {
      const { cache, folder } = facilityFor(
        yield* withoutList("nationalities", 422, "application/json", "{\"success\": false, \"message\": \"type\"}")
      )
      const { code, stdout } = yield* type(["codes", "pull", "--facility", folder])
      assert.strictEqual(code, 0)
      assert.match(stdout, /nationalities +– +the service has no such list\n/)
      assert.strictEqual(readdirSync(cache).length, 11)
    }).pipe(Effect.scoped))

  it.live("reports a failed list with exit code 3, keeps its old copy and saves the others", () =>
    Effect.gen(function*() {
      const { cache, folder } = facilityFor(yield* withoutList("diagnoses", 200, "text/html", "<html>"))
      pulledOn(cache, "2026-01-01T00:00:00Z", { diagnoses: standardData.diagnoses.slice(0, 3) })
      const { code, stderr, stdout } = yield* type(["codes", "pull", "--facility", folder])
      assert.strictEqual(code, 3)
      assert.match(stdout, /diagnoses +– +could not be downloaded\n/)
      assert.match(stderr, /error: 1 list could not be downloaded: diagnoses\n/)
      assert.strictEqual(readdirSync(cache).length, 12)
      assert.strictEqual(JSON.parse(readFileSync(join(cache, "diagnoses.json"), "utf8")).count, 3)
    }).pipe(Effect.scoped, quickly))

  it.live(
    "exits with 3 if the service cannot be reached, and with 2 without an address",
    () =>
      Effect.gen(function*() {
        const { cache, folder } = facilityFor("http://127.0.0.1:9")
        const unreachable = yield* type(["codes", "pull", "--facility", folder])
        assert.strictEqual(unreachable.code, 3)
        assert.include(unreachable.stderr, "the service cannot be reached")
        assert.deepStrictEqual(readdirSync(cache), [])
        const nowhere = yield* type(["codes", "pull"])
        assert.strictEqual(nowhere.code, 2)
        assert.include(nowhere.stderr, "the service's address `baseUrl` is not set")
        assert.include(nowhere.stderr, "name the folder of the facility:  --facility FOLDER")
      }).pipe(quickly)
  )

  it.effect("`codes search` finds codes and words without network, best match first", () =>
    Effect.gen(function*() {
      const { cache, folder } = facilityFor("https://service.example")
      const missing = yield* type(["codes", "search", "diagnoses", "dengue", "--facility", folder])
      assert.strictEqual(missing.code, 2)
      assert.include(missing.stderr, `fhir2visit codes pull --facility ${folder}`)
      pulledOn(cache, "2026-01-01T00:00:00Z")
      const words = yield* type([
        "codes",
        "search",
        "diagnoses",
        "Dengue",
        "FEVER",
        "--limit",
        "2",
        "--facility",
        folder
      ])
      assert.strictEqual(words.stdout, "A90   Dengue fever\nA91   Dengue haemorrhagic fever\n")
      const json = yield* type([
        "codes",
        "search",
        "marital_statuses",
        "single",
        "--facility",
        folder,
        "--format",
        "json"
      ])
      assert.deepStrictEqual(JSON.parse(json.stdout), [{
        code: "MRTL-000001",
        names: ["Single", "នៅលីវ"],
        description: "Single",
        value: "Single",
        score: 1
      }])
      const listed = (...more: ReadonlyArray<string>) =>
        type(["codes", "search", "diagnoses", "--limit", "3", "--facility", folder, ...more])
      const first = yield* listed()
      assert.strictEqual(first.code, 0, first.stderr)
      const codes = (stdout: string) => stdout.trim().split("\n").map((line) => line.split(" ")[0])
      assert.deepStrictEqual(codes(first.stdout), standardData.diagnoses.slice(0, 3).map(({ code }) => code))
      assert.include(first.stderr, "next page: --page 2")
      assert.deepStrictEqual(
        codes((yield* listed("--page", "2")).stdout),
        standardData.diagnoses.slice(3, 6).map(({ code }) => code)
      )
      const beyond = yield* listed("--page", "999")
      assert.deepStrictEqual([beyond.code, beyond.stdout], [1, ""])
      assert.include(beyond.stderr, "has no page 999")
      const nothing = yield* type(["codes", "search", "diagnoses", "xyzzy", "--facility", folder])
      assert.deepStrictEqual([nothing.code, nothing.stdout], [1, ""])
      const wrong = yield* type(["codes", "search", "diagnosis", "x", "--facility", folder])
      assert.strictEqual(wrong.code, 2)
      assert.include(wrong.stderr, "did you mean  diagnoses")
    }))
})

describe("values are checked against the downloaded lists", () => {
  const visits = (folder: string) => {
    const file = join(folder, "visits.ndjson")
    writeFileSync(file, `${visitJson(1).replace(/"visit_type":"[^"]*"/, "\"visit_type\":\"ipd\"")}\n`)
    return file
  }
  const warned = (stdout: string) =>
    stdout.split("\n").filter((line) => line.includes("`visit_type`")).map((line) => JSON.parse(line))

  for (const command of ["validate", "submit"] as const) {
    it.live(`${command}: suggests the list's spelling of a value; reports nothing without downloaded lists`, () =>
      Effect.gen(function*() {
        const { cache, folder } = facilityFor("https://service.example")
        const args = [command, visits(folder), "--facility", folder, "--format", "json"]
        const words = command === "submit" ? [...args, "--dry-run"] : args
        const before = yield* type(words)
        assert.deepStrictEqual(warned(before.stdout + before.stderr), [])
        // A moment ago by the clock of the test.
        pulledOn(cache, new Date().toISOString())
        const { stderr, stdout } = yield* type(words)
        const [warning] = warned(stdout + stderr)
        assert.deepInclude(warning, { code: "unknown-list-value", severity: "warning", field: "visit_type" })
        assert.deepStrictEqual(warning.help, ["the list spells it `IPD`"])
        assert.notInclude(stdout + stderr, "old-standard-data")
      }))
  }

  it.live("`submit --sandbox` checks against the lists of the embedded service", () =>
    Effect.gen(function*() {
      const { folder } = facilityFor("https://service.example")
      const { stderr } = yield* type(["submit", visits(folder), "--facility", folder, "--sandbox", "--format", "json"])
      assert.strictEqual(warned(stderr).length, 1, stderr)
    }))

  it.live("reads the maximum age of the lists from the settings", () =>
    Effect.gen(function*() {
      const old = (days: number, lines: string) =>
        Effect.gen(function*() {
          const { cache, folder } = facilityFor("https://service.example", lines)
          pulledOn(cache, new Date(Date.now() - days * 86_400_000).toISOString())
          const { stderr } = yield* type(["validate", visits(folder), "--facility", folder])
          return stderr.includes("old-standard-data")
        })
      assert.isTrue(yield* old(4, "reference: {maxAge: 2d}\n"))
      assert.isFalse(yield* old(20, "reference: {maxAge: 30d}\n"))
    }))

  it.live("reports lists older than a week once, reports and ignores a damaged list, and ignores an empty one", () =>
    Effect.gen(function*() {
      const { cache, folder } = facilityFor("https://service.example")
      pulledOn(cache, new Date(Date.now() - 9 * 86_400_000).toISOString(), { ...standardData, marital_statuses: [] })
      writeFileSync(join(cache, "visit_types.json"), "{\"type\": \"visit_types\", \"items\": [")
      const { code, stderr } = yield* type(["validate", visits(folder), "--facility", folder])
      assert.strictEqual(code, 0, stderr)
      assert.strictEqual(stderr.match(/\[old-standard-data\]: the downloaded standard data is 9 days old/g)?.length, 1)
      assert.match(stderr, /warning\[unreadable-file\]: the standard data in `.*visit_types\.json` cannot be read/)
      assert.notInclude(stderr, "unknown-list-value]: `visit_type`")
      assert.notInclude(stderr, "marital_status")
    }))
})

describe("unmapped codes become a worklist", () => {
  const disposition = "https://emr.kite-hill.example/CodeSystem/disposition"
  /** The clinic-day sample with a mapping that rejects unmapped codes. */
  const clinic = () => {
    const { cache, folder } = facilityFor("https://service.example", "mapping: ./mapping.yaml\n", "HF0004")
    cpSync(join(import.meta.dirname, "../../samples/clinic-day/input"), join(folder, "input"), { recursive: true })
    writeFileSync(
      join(folder, "mapping.yaml"),
      "mapping: own\nextends: fhir-r4\nconceptMap:\n  discharge_type: {unmapped: reject, table: {Authorized: null, home: null}}\n"
    )
    pulledOn(cache, "2026-01-01T00:00:00Z")
    return folder
  }
  const cells = (file: string) =>
    readFileSync(file, "utf8").replace("\uFEFF", "").trimEnd().split("\r\n").map((line) => line.split(","))

  it.live("lists the most-blocking code first, is usable as a table, and keeps filled-in values", () =>
    Effect.gen(function*() {
      const folder = clinic()
      const tables = join(folder, "tables")
      const file = join(tables, "discharge_type.csv")
      const unmapped = ["codes", "unmapped", join(folder, "input"), "--facility", folder, "-o", tables]
      const first = yield* type(unmapped)
      assert.strictEqual(first.code, 0, first.stderr)
      assert.include(first.stderr, "tables: tables")
      assert.isTrue(readFileSync(file, "utf8").startsWith("\uFEFFvisits_blocked,visits,count,system,code,display,"))
      const rows = cells(file)
      assert.deepStrictEqual(
        rows.slice(1).map((row) => [...row.slice(0, 5), row.at(-1)]),
        [
          ["2", "2", "2", "https://fhir2visit.example/fhir/CodeSystem/discharge-types", "Authorized", ""],
          ["1", "1", "1", disposition, "DSP-4", ""]
        ]
      )
      for (const row of rows) assert.strictEqual(row.length, 13)
      assert.isFalse(existsSync(join(tables, "sex.csv")))

      writeFileSync(
        file,
        readFileSync(file, "utf8").split("\r\n").map((line) => line.includes("DSP-4") ? `${line}authorized` : line)
          .join("\r\n")
      )
      const settings = readFileSync(join(folder, "facility.yaml"), "utf8")
      writeFileSync(join(folder, "facility.yaml"), `${settings}tables: tables\n`)
      const visits = join(folder, "visits.ndjson")
      const converted = yield* type(["convert", join(folder, "input"), "--facility", folder, "-o", visits])
      assert.include(
        converted.stderr,
        `fhir2visit codes unmapped --facility ${folder} ${join(folder, "input")} -o ${tables} `
      )
      const sent = readFileSync(visits, "utf8").trim().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(sent.find((visit) => visit.code === "V420403")?.discharge_type, "Authorized")

      const second = yield* type(unmapped)
      assert.strictEqual(second.code, 0, second.stderr)
      const kept = cells(file)
      assert.deepStrictEqual(kept.slice(1).map((row) => [row[4], row.at(-1)]), [["Authorized", ""], [
        "DSP-4",
        "authorized"
      ]])
    }))

  it.live("stops before overwriting if an earlier worklist is unreadable", () =>
    Effect.gen(function*() {
      const folder = clinic()
      const tables = join(folder, "tables")
      mkdirSync(tables)
      const file = join(tables, "discharge_type.csv")
      for (const text of ["code,value\nx,\"Authorized\n", "code,value\nx,Authorized\nx,Deceased\n", "notes\nx\n"]) {
        writeFileSync(file, text)
        const { code } = yield* type(["codes", "unmapped", join(folder, "input"), "--facility", folder, "-o", tables])
        assert.strictEqual(code, 2)
        assert.strictEqual(readFileSync(file, "utf8"), text)
      }
    }))

  it.live("writes the text of a code of a table from the row, or from the name that is sent next to it", () =>
    Effect.gen(function*() {
      const folder = mkdtempSync(join(tmpdir(), "codes-"))
      const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
      write("facility.yaml", "facility: HF0001\ntimezone: Asia/Phnom_Penh\nmapping: mapping.yaml\n")
      write(
        "mapping.yaml",
        `mapping: own
extends: csv
conceptMap:
  diagnosis_code: {list: diagnoses, unmapped: reject, table: {}}
  discharge_type: {list: discharge_types, unmapped: warn, table: {}}
  job: {unmapped: warn, table: {}}
  sign: {unmapped: skip, table: {SYS: Systolic Blood Pressure}}
table:
  visit: {file: visits.csv, column: {discharge_type: text, discharge_type_text: text}}
  patient: {file: patient.csv, column: {job_id: text, person_no: text, person_name: text}}
  dx: {file: dx.csv, column: {vn: text, kode: text, words: text}, link: {visit: {table: visit, on: vn}}}
  chart: {file: signs.csv, column: {vn: text, sign_code: text, sign: text, value: decimal}, link: {visit: {table: visit, on: vn}}}
visit:
  discharge_type: {path: discharge_type, conceptMap: discharge_type}
  patient: {occupation: {path: job_id, conceptMap: job}}
  diagnosis:
    resource: dx
    diagnosis_code: {path: kode, conceptMap: diagnosis_code}
    diagnosis_name: words
    diagnosis_description: null
    diagnosed_at: "%visit.admitted_at"
    diagnosed_by: null
    encounter_code: "%visit.code"
    diagnosis_type_name: {value: Primary}
    title: null
  vital_signs:
    resource: chart
    where: {known: sign_code.mapped('sign')}
    encounter_code: "%visit.code"
    recorded_at: "%visit.admitted_at"
    recorded_by: null
    title: null
    observations:
      forEach: "$this"
      name: {path: sign_code, conceptMap: sign}
      value: value
`
      )
      write(
        "visits.csv",
        "code,patient_code,admitted_at,discharged_at,discharge_type,discharge_type_text\n"
          + "V1,P1,2026-03-02T08:15:00+07:00,2026-03-02T09:00:00+07:00,D9,Went home\n"
      )
      write("patient.csv", "code,surname,name,job_id,person_no,person_name\nP1,Example,Ann,J7,J7,Ann Example\n")
      write("dx.csv", "vn,kode,words\nV1,x-1,Dengue fever\n")
      write("signs.csv", "vn,sign_code,sign,value\nV1,SYS,Systolic,120\nV1,PAIN,Pain score,2\n")
      const { code, stderr } = yield* type(["codes", "unmapped", folder, "--facility", folder, "-o", join(folder, "t")])
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, "known values of `sign`:  Systolic Blood Pressure\n")
      assert.notInclude(stderr, "known values of `discharge_type`")
      for (
        const [table, ...row] of [["diagnosis_code", "x-1", "Dengue fever"], ["discharge_type", "D9", "Went home"], [
          "sign",
          "PAIN",
          "Pain score"
        ]]
      ) {
        assert.deepStrictEqual(cells(join(folder, "t", `${table}.csv`))[1]?.slice(4, 6), row)
      }
      // The columns next to this code are the patient's names.
      assert.deepStrictEqual(cells(join(folder, "t", "job.csv"))[1]?.slice(4, 6), ["J7", ""])
    }))

  it.live("suggests the values of a concept map without a list; a table of decisions has yes and no", () =>
    Effect.gen(function*() {
      const { folder } = facilityFor("https://service.example", "mapping: ./mapping.yaml\n")
      writeFileSync(
        join(folder, "mapping.yaml"),
        "mapping: own\nextends: csv\nconceptMap:\n  state: {unmapped: reject, table: {Done: \"yes\"}}\n"
          + "  job: {table: {F: Rice farmer, T: Teacher}}\n"
          + "table: {visit: {column: {status: text}}}\ngrouping: {where: {done: \"status.translated('state') = 'yes'\"}}\n"
          + "visit:\n  patient:\n    occupation: {path: occupation, conceptMap: job}\n    phone: \"phone.translated('state')\"\n"
      )
      mkdirSync(join(folder, "in"))
      writeFileSync(
        join(folder, "in/visit.csv"),
        "code,patient_code,admitted_at,status\nV1,P1,2026-03-02T08:15:00+07:00,Void\n"
      )
      writeFileSync(join(folder, "in/patient.csv"), "code,occupation,phone\nP1,farmer,Void\n")
      const tables = join(folder, "tables")
      const { stderr } = yield* type(["codes", "unmapped", join(folder, "in"), "--facility", folder, "-o", tables])
      assert.include(stderr, "known values of `state`:  yes, no\n")
      assert.strictEqual(cells(join(tables, "job.csv"))[1]?.[6], "Rice farmer")
      // In the help of a line of the grouping, of a field, and of a function.
      const convert = ["convert", join(folder, "in"), "--facility", folder, "-o", join(folder, "visits.ndjson")]
      const help = [...(yield* type(convert)).stderr.matchAll(/ known values: {2}(.*)/gu)].map(([, values]) => values)
      assert.deepStrictEqual(help.toSorted(), ["Rice farmer, Teacher", "yes, no", "yes, no"])
    }))

  it.live("reports without standard data that there are no suggestions, and how to get them", () =>
    Effect.gen(function*() {
      const { folder } = facilityFor("https://service.example", "mapping: ./mapping.yaml\n", "HF0004")
      writeFileSync(
        join(folder, "mapping.yaml"),
        "mapping: own\nextends: fhir-r4\nconceptMap:\n  discharge_type: {list: discharge_types, table: {home: null}}\n"
      )
      const input = join(import.meta.dirname, "../../samples/clinic-day/input")
      const unmapped = ["codes", "unmapped", input, "--facility", folder, "-o", join(folder, "tables")]
      const { stderr } = yield* type(unmapped)
      assert.include(
        stderr,
        "no suggestions: the service's lists card_types, discharge_types, nationalities, payment_types are not downloaded"
      )
      assert.include(stderr, `fhir2visit codes pull --facility ${folder}`)
      writeFileSync(join(folder, "facility.yaml"), "timezone: Asia/Phnom_Penh\nmapping: ./mapping.yaml\n")
      assert.include((yield* type(unmapped)).stderr, "first set the address of the service")
    }))

  it.live("suggests values of the standard data and escapes cells that look like formulas", () =>
    Effect.gen(function*() {
      const folder = clinic()
      const input = join(folder, "input/Encounter.000.ndjson")
      writeFileSync(
        input,
        readFileSync(input, "utf8").replaceAll("\"DSP-4\"", "\"=cmd|x\"").replaceAll(
          "Went home by herself",
          "Left against the advice"
        )
      )
      yield* type(["codes", "unmapped", join(folder, "input"), "--facility", folder, "-o", join(folder, "t")])
      const row = cells(join(folder, "t/discharge_type.csv")).find((row) => row.includes("'=cmd|x"))
      assert.strictEqual(row?.[6], "Unauthorized")
      assert.match(present(row?.[7]), /^0\.[5-9]\d$/)
    }))
})

describe("§4.4: a card is looked up", () => {
  it.live("prints the record only on standard output; an unknown card exits with 1; logs hold no value", () =>
    Effect.gen(function*() {
      const { url } = yield* startSandbox()
      const { folder } = facilityFor(url)
      const look = (card: string) =>
        type(["beneficiary", card, "--facility", folder, "--log-level", "all"], sandboxUser)
      const found = yield* look("100-000-001")
      assert.strictEqual(found.code, 0, found.stderr)
      const record = JSON.parse(found.stdout)
      assert.strictEqual(record.benefit_cards[0].card_number, "100-000-001")
      for (const value of ["100-000-001", record.surname, record.patient_code]) assert.notInclude(found.stderr, value)
      const typed = yield* type(["beneficiary", "-", "--facility", folder], sandboxUser, "100-000-001\n")
      assert.strictEqual(typed.stdout, found.stdout)
      const unknown = yield* look("no-such-card")
      assert.deepStrictEqual([unknown.code, unknown.stdout], [1, ""])
      assert.include(unknown.stderr, "card not found")
      assert.notInclude(unknown.stderr, "no-such-card")
      for (const name of readdirSync(join(folder, ".fhir2visit"))) {
        assert.notInclude(readFileSync(join(folder, ".fhir2visit", name), "latin1"), "100-000-001")
      }
    }).pipe(Effect.scoped))

  it.live("§7: exits with 3 if the service denies access; the message does not contain the card", () =>
    Effect.gen(function*() {
      const { url } = yield* startSandbox()
      const { folder } = facilityFor(url)
      const denied = yield* type(["beneficiary", "100-000-001", "--facility", folder], {
        ...sandboxUser,
        FHIR2VISIT_PASSWORD: "wrong"
      })
      assert.deepStrictEqual([denied.code, denied.stdout], [3, ""])
      assert.notInclude(denied.stderr, "100-000-001")
    }).pipe(Effect.scoped))
})
