import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Logger, Result } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { collate } from "../../src/diagnostic/collate.ts"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import { render } from "../../src/diagnostic/render/render.ts"
import { plain } from "../../src/diagnostic/render/Style.ts"
import { defaultService } from "../../src/facility/Facility.ts"
import { readFacility } from "../../src/facility/readFacility.ts"
import { defaultSending } from "../../src/service/settings/SendingSettings.ts"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"
import { assertGolden } from "../golden.ts"

const folder = mkdtempSync(join(tmpdir(), "facility-"))

const write = (name: string, text: string): string => {
  const path = join(folder, name)
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, text)
  return path
}

const read = (path: string | undefined, environment: Record<string, string> = {}) =>
  Effect.result(readFacility(path)).pipe(
    Effect.provide(Layer.mergeAll(
      NodeFileSystem.layer,
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))
    ))
  )

/** The problems as a person sees them, with the folder's own name removed. */
const drawn = (problems: ReadonlyArray<Diagnostic>): string =>
  collate(problems)
    .map((one) => render(one, { style: plain, showValues: false, textOf: (file) => readFileSync(file, "utf8") }))
    .join("\n\n")
    .replaceAll(folder, "DIR")

describe("a folder with a facility.yaml", () => {
  it.effect("is reported as not used without --facility", () =>
    Effect.gen(function*() {
      const logs: Array<string> = []
      yield* readFacility(undefined).pipe(
        Effect.provide(Layer.mergeAll(
          FileSystem.layerNoop({ exists: (path) => Effect.succeed(path === "facility.yaml") }),
          Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))]),
          ConfigProvider.layer(ConfigProvider.fromEnvRecord({}))
        ))
      )
      assert.deepStrictEqual(logs, ["the facility.yaml in this folder is not used: add  --facility ."])
    }))
})

const full = [
  "facility: HF0123",
  "system: SYS-1",
  "timezone: Asia/Phnom_Penh",
  "mapping: ./mapping.yaml",
  "tables: tables",
  "service:",
  "  baseUrl: https://data.example.org",
  "  authUrl: http://localhost:8080",
  "limits:",
  "  requestsPerHour: 900",
  "  reserve: 100",
  "beneficiary: {fill: [code, spid], check: sample}",
  "name: River Clinic",
  "validation:",
  "  transferDischargeTypes: [Refer Out, Sent on]",
  "  schemePaymentTypes: Scheme A",
  "  examinationNames: [\"*\"]",
  "  mayBeNull: [patient.spid, discharged_at]",
  "  expected: []",
  "  codePattern: \"[A-Z0-9/]{1,20}\"",
  "  maxBytes: 500000",
  "  invoiceTolerance: 0.5",
  "  medicinePrice: line",
  "  levels: {primary-diagnosis: error, odd-value: off, in-the-future: false}"
].join("\n")
write("a/mapping.yaml", "mapping: x")
write("a/tables/sex.csv", "code,value\n")
write("a/tables/README.md", "")
write("a/tables/sex.xlsx", "")
write("a/tables/discharge_type.xlsx", "")
write("a/tables/~$discharge_type.xlsx", "")
write("a/tables/._sex.csv", "")
const file = write("a/facility.yaml", full)

describe("readFacility", () => {
  it.effect("reads a file, with paths relative to its folder", () =>
    Effect.gen(function*() {
      const facility = yield* Effect.fromResult(yield* read(file))
      assert.deepStrictEqual(facility, {
        file,
        code: FacilityCode("HF0123"),
        name: "River Clinic",
        system: SystemCode("SYS-1"),
        timezone: "Asia/Phnom_Penh",
        mapping: join(folder, "a/mapping.yaml"),
        accepted: null,
        tables: [{
          name: "sex",
          file: join(folder, "a/tables/sex.csv"),
          span: { file, line: 5, column: 9, endColumn: 15 }
        }, {
          name: "discharge_type",
          file: join(folder, "a/tables/discharge_type.xlsx"),
          span: { file, line: 5, column: 9, endColumn: 15 },
          isUnread: true
        }],
        service: { baseUrl: "https://data.example.org", authUrl: "http://localhost:8080", caFile: null },
        limits: { tokensPerMinute: 60, requestsPerHour: 900, reserve: 100 },
        ...defaultService,
        validation: {
          transferDischargeTypes: ["Refer Out", "Sent on"],
          schemePaymentTypes: ["Scheme A"],
          examinationNames: ["*"],
          mayBeNull: ["patient.spid", "discharged_at"],
          expected: [],
          maxBytes: 500_000,
          invoiceTolerance: 0.5,
          codePattern: "[A-Z0-9/]{1,20}",
          medicinePrice: "line",
          levels: new Map<string, "error" | "off">([["odd-value", "off"], ["in-the-future", "off"], [
            "primary-diagnosis",
            "error"
          ]])
        },
        checkCards: "sample",
        fillPatient: ["code", "spid"],
        journal: join(folder, "a/.fhir2visit/HF0123.sqlite")
      })
      assert.deepStrictEqual(yield* Effect.fromResult(yield* read(join(folder, "a"))), facility)
    }))

  it.effect("prefers the environment to the file, and ignores empty variables", () =>
    Effect.gen(function*() {
      const facility = yield* Effect.fromResult(
        yield* read(file, {
          FHIR2VISIT_BASE_URL: "http://127.0.0.1:9",
          FHIR2VISIT_AUTH_URL: "",
          FHIR2VISIT_FACILITY_CODE: "HF/9",
          FHIR2VISIT_SYSTEM_CODE: "SYS-2"
        })
      )
      assert.strictEqual(facility.service.baseUrl, "http://127.0.0.1:9")
      assert.strictEqual(facility.service.authUrl, "http://localhost:8080")
      assert.strictEqual(facility.code, "HF/9")
      assert.strictEqual(facility.system, "SYS-2")
      assert.match(facility.journal, /\.fhir2visit\/[0-9a-f]{16}\.sqlite$/)
      const elsewhere = yield* Effect.fromResult(yield* read(file, { FHIR2VISIT_JOURNAL: "j.sqlite" }))
      assert.strictEqual(elsewhere.journal, "j.sqlite")
    }))

  it.effect("reads when the journal is compared with the service's list", () =>
    Effect.gen(function*() {
      const { reconcile } = yield* Effect.fromResult(
        yield* read(write(
          "asking-well/facility.yaml",
          "timezone: UTC\nreconcile: {wait: 15m, partialAfter: 2d, confirmAfter: never, share: 5%}\n"
        ))
      )
      assert.deepStrictEqual(reconcile, {
        waitMillis: 900_000,
        partialAfterMillis: 172_800_000,
        confirmAfterMillis: null,
        share: 0.05
      })
    }))

  it.effect("reads how submissions are written", () =>
    Effect.gen(function*() {
      const sending = (lines: string) =>
        Effect.gen(function*() {
          const file = write("sending/facility.yaml", `timezone: UTC\nsubmit: {${lines}}\n`)
          return (yield* Effect.fromResult(yield* read(file))).sending
        })
      assert.deepStrictEqual(
        yield* sending("gzip: on, requestIdHeader: X-Request-Id, optional: omit, noReferral: nulls, tilte: true"),
        { gzip: true, requestIdHeader: "X-Request-Id", optional: "omit", noReferral: "nulls", tilte: true }
      )
      for (const usual of ["", "gzip: off, requestIdHeader: off, optional: null, noReferral: null, tilte: false"]) {
        assert.deepStrictEqual(yield* sending(usual), defaultSending)
      }
    }))

  it.effect("reads a gazetteer in CSV or YAML, where a unit has a parent or extends its code", () =>
    Effect.gen(function*() {
      const gazetteer = (name: string, text: string) =>
        Effect.gen(function*() {
          write(`gazetteer/${name}`, text)
          const file = write("gazetteer/facility.yaml", `timezone: UTC\ngazetteer: {file: ${name}}\n`)
          return (yield* Effect.fromResult(yield* read(file))).validation.gazetteer
        })
      const expected = new Map([
        ["01", { name: "North", parent: null }],
        ["0102", { name: "Hill", parent: "01" }],
        ["N7", { name: "New Town", parent: "01" }]
      ])
      for (
        const [name, text] of [
          ["a.csv", "code,name,parent\n01,North,\n0102,Hill,\nN7,New Town,01\nN7,New Town,01\n"],
          ["b.csv", "\uFEFFtype;Code;Name;parent\r\np;01;North;\r\nd;0102;Hill;01\r\nd;\"N7\";\"New Town\";01"],
          ["c.yaml", "\"01\": North\n\"0102\": {name: Hill}\nN7: {name: New Town, parent: \"01\"}\n"]
        ] as const
      ) assert.deepStrictEqual(yield* gazetteer(name, text), expected, name)
      const withoutParents = yield* gazetteer("d.csv", "code,name\n01,North\n010203,Hill\n")
      assert.strictEqual(withoutParents?.get("010203")?.parent, "01")
    }))

  it.effect("reads how early a token is renewed", () =>
    Effect.gen(function*() {
      const { auth } = yield* Effect.fromResult(
        yield* read(write("early/facility.yaml", "timezone: UTC\nauth: {refreshMargin: 25%}\n"))
      )
      assert.deepStrictEqual(auth, { refreshMargin: 0.25 })
    }))

  it.effect("gives a demo environment its own journal", () =>
    Effect.gen(function*() {
      const demo = yield* Effect.fromResult(
        yield* read(write("demo/facility.yaml", "facility: HF1\nenvironment: demo\ntimezone: UTC\n"))
      )
      assert.strictEqual(demo.environment, "demo")
      assert.strictEqual(demo.journal, join(folder, "demo/.fhir2visit/HF1.demo.sqlite"))
    }))

  const refused: Record<string, readonly [text: string, environment?: Record<string, string>]> = {
    "everything-at-once": [
      [
        "facilty: HF0123",
        "timezone: Asia/Phnom_Pen",
        "mapping: ./no-such.yaml",
        "service:",
        "  baseUrl: http://data.example.org",
        "  authUrl: ftp://x",
        "  pasword: Meadow7",
        "limits:",
        "  requestsPerHour: many",
        "  tokensPerMinute: 0",
        "tables:",
        "  sex: tables/none.csv"
      ].join("\n"),
      { FHIR2VISIT_BASE_URL: "http://10.0.0.1", FHIR2VISIT_FACILITY_CODE: "a b\u0007" }
    ],
    "no-timezone": ["facility: HF1\nmapping: ./mapping.yaml"],
    "secrets": [[
      "timezone: UTC",
      "mapping: ./mapping.yaml",
      "password: Meadow7",
      "service: { baseUrl: https://me:Meadow7@h, clientSecret: Meadow7 }",
      "source: {server: \"https://records.example/fhir?key=Meadow7\", mirror: mirror}"
    ].join("\n")],
    "a-secret-that-is-not-yaml": ["timezone: UTC\npassword: @Meadow7"],
    "an-offset-is-no-zone": ["timezone: +07:00\nmapping: ./mapping.yaml"],
    "written-twice": ["timezone: UTC\nmapping: ./mapping.yaml\ntimezone: UTC"],
    "not-yaml": ["timezone: [UTC\nmapping"],
    "a-list": ["- timezone"],
    "alias": ["timezone: &zone UTC\nsystem: *zone\nmapping: ./mapping.yaml"],
    "tag": ["timezone: !!js/function 'x'\nmapping: ./mapping.yaml"],
    "a-code-without-quotes": ["facility: 0123\ntimezone: UTC\nmapping: ./mapping.yaml"],
    "empty": ["  \n"],
    "no-such-environment": ["timezone: UTC\nmapping: ./mapping.yaml\nenvironment: prodution"],
    "how-it-is-sent": [[
      "timezone: UTC",
      "mapping: ./mapping.yaml",
      "submit: {gzip: yes, requestIdHeader: X-System-Code, optional: omitted, noReferral: nul, tilte: 1}"
    ].join("\n")],
    "a-gazetteer": ["timezone: UTC\nmapping: ./mapping.yaml\ngazetteer: {file: divisions.csv}"],
    "no-gazetteer": ["timezone: UTC\nmapping: ./mapping.yaml\ngazetteer: {file: none.csv, fil: x}"],
    "cards": ["timezone: UTC\nmapping: ./mapping.yaml\nbeneficiary: {check: some, fill: [name], chek: all}"],
    "token": ["timezone: UTC\nmapping: ./mapping.yaml\nauth: {refreshMargin: 95%, password: Meadow7}"],
    "asking": [[
      "timezone: UTC",
      "mapping: ./mapping.yaml",
      "reconcile: {wait: 2h, partialAfter: 20, confirmAfter: nevr, share: 0.1}"
    ].join("\n")],
    "waits": [[
      "timezone: UTC",
      "mapping: ./mapping.yaml",
      "retry: {reads: 21, visits: 0, delay: 5 minutes, longest: 0s, stopAfter: 1.5}"
    ].join("\n")],
    "waits-in-the-wrong-order": ["timezone: UTC\nmapping: ./mapping.yaml\nretry: {delay: 2m, longest: 1m}"],
    "how-lists-are-read": [[
      "timezone: UTC",
      "mapping: ./mapping.yaml",
      "reference: {maxAge: 7, perPage: 0, pageParm: page, path: /api}",
      "processed: {perPage: 20000, pageParam: \"a b\", fields: {visitcode: code, status: data..status}}"
    ].join("\n")],
    "what-the-operator-says": [[
      "timezone: UTC",
      "mapping: ./mapping.yaml",
      "submit:",
      "  storedStatus: [2, 3, {a: 1}]",
      "  partialStatus: [1, 2]",
      "  message: {}",
      "  messages:",
      "    visit-already-submited: x",
      "    admission-date-changed: \".*\"",
      "    visit-already-submitted: [\"(a+)+$\", \"(\"]"
    ].join("\n")],
    "validation": [[
      "timezone: UTC",
      "mapping: ./mapping.yaml",
      "validation:",
      "  mayBeNul: [patient.spid]",
      "  mayBeNull: [patient.spit, patient.surname, code, health_facility_code, patient_code, admitted_at, patient.code]",
      "  expected: [patient.martial_status]",
      "  codePattern: \"(a+)+\"",
      "  maxLength: 0",
      "  invoiceTolerance: -1",
      "  medicinePrice: piece",
      "  levels: {foreign-code: off, odd-value: none}"
    ].join("\n")],
    "validation-pattern": ["timezone: UTC\nmapping: ./mapping.yaml\nvalidation: {codePattern: \"[\"}"],
    "reserve-of-all": ["timezone: UTC\nmapping: ./mapping.yaml\nlimits: { requestsPerHour: 10, reserve: 10 }"]
  }
  for (const [name, [text, environment]] of Object.entries(refused)) {
    it.effect(`reports all problems: ${name}`, () =>
      Effect.gen(function*() {
        write(`${name}/divisions.csv`, "code,name,parent\n01,North,\n0102,Hill,03\n,Dale,01\n01,South,\n")
        write(`${name}/mapping.yaml`, "mapping: x")
        const result = yield* read(write(`${name}/facility.yaml`, text), environment)
        assert.isTrue(Result.isFailure(result))
        if (Result.isFailure(result)) {
          assert.strictEqual(result.failure._tag, "InvalidFacility")
          if (result.failure._tag !== "InvalidFacility") return
          const text = drawn(result.failure.problems)
          assert.notInclude(text, "Meadow7")
          assertGolden(join(import.meta.dirname, "golden", `${name}.txt`), text)
        }
      }))
  }

  it.effect("fails if the file or the folder cannot be read", () =>
    Effect.gen(function*() {
      mkdirSync(join(folder, "bare"), { recursive: true })
      writeFileSync(join(folder, "latin.yaml"), Buffer.from("timezone: \xe9", "latin1"))
      writeFileSync(join(folder, "big.yaml"), "#".repeat(1_100_000))
      for (const path of ["none", "bare", "latin.yaml", "big.yaml"]) {
        const result = yield* read(join(folder, path))
        assert.isTrue(Result.isFailure(result), path)
      }
    }))

  it.effect("handles a name of 100,000 letters and a thousand aliases quickly", () =>
    Effect.gen(function*() {
      const long = yield* read(write("long.yaml", `timezone: ${"A".repeat(100_000)}\n${"k".repeat(100_000)}: 1`))
      assert.isTrue(Result.isFailure(long))
      const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"]
      for (let level = 1; level < 30; level++) bomb.push(`k${level}: &k${level} [*a,*a,*a,*a,*a,*a,*a,*a]`)
      const aliases = yield* read(write("bomb.yaml", bomb.join("\n")))
      assert.isTrue(Result.isFailure(aliases))
    }))
})
