import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Logger, Redacted, References, Result } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defaultService, type Facility, facilityLimits } from "../../src/facility/Facility.ts"
import { readOperatorConfig } from "../../src/facility/settings/readOperatorConfig.ts"
import { FacilityCode, SystemCode } from "../../src/visit/values/Code.ts"

const folder = mkdtempSync(join(tmpdir(), "access-"))
const file = (name: string, text: string | Buffer, mode: number): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const facility: Facility = {
  file: null,
  code: FacilityCode("HF1"),
  system: SystemCode("SYS"),
  name: null,
  timezone: "UTC",
  mapping: "mapping.yaml",
  tables: [],
  accepted: null,
  service: { baseUrl: "https://data.example.org", authUrl: "https://auth.example.org", caFile: null },
  limits: { ...facilityLimits, reserve: 100 },
  ...defaultService,
  validation: {},
  fillPatient: [],
  journal: "journal.sqlite"
}
const secrets = {
  FHIR2VISIT_USERNAME: "user",
  FHIR2VISIT_PASSWORD: "p +&%=é",
  FHIR2VISIT_CLIENT_ID: "client",
  FHIR2VISIT_CLIENT_SECRET: "secret-Meadow7"
}

const read = (of: Facility, environment: Record<string, string>) => {
  const logs: Array<string> = []
  return Effect.result(readOperatorConfig(of)).pipe(
    Effect.map((result) => ({ result, logs })),
    Effect.provide(Layer.mergeAll(
      NodeFileSystem.layer,
      Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))]),
      Layer.succeed(References.MinimumLogLevel, "Warn"),
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))
    ))
  )
}

describe("readOperatorConfig", () => {
  it.effect("§5, §8: reads secrets from the environment, the limits, and the reserve, and prints no secret", () =>
    Effect.gen(function*() {
      const config = yield* Effect.fromResult((yield* read(facility, secrets)).result)
      assert.strictEqual(config.username, "user")
      assert.strictEqual(Redacted.value(config.password), "p +&%=é")
      assert.deepStrictEqual(config.limits.data, { count: 1000, windowMillis: 3_600_000 })
      assert.strictEqual(config.limits.reserve, 100)
      assert.deepStrictEqual(config.limits.token, { count: 60, windowMillis: 60_000 })
      assert.notInclude(`${JSON.stringify(config)} ${String(config.clientSecret)}`, "Meadow7")
    }))

  it.effect("reads a secret from a file without its final line feed, and rejects a world-readable file", () =>
    Effect.gen(function*() {
      const { FHIR2VISIT_PASSWORD: _, ...others } = secrets
      const quiet = yield* read(facility, { ...others, FHIR2VISIT_PASSWORD_FILE: file("own", "a b\n", 0o600) })
      assert.strictEqual(Redacted.value((yield* Effect.fromResult(quiet.result)).password), "a b")
      assert.deepStrictEqual(quiet.logs, [])
      const open = yield* read(facility, { ...others, FHIR2VISIT_PASSWORD_FILE: file("open", "a b", 0o644) })
      assert.isTrue(Result.isFailure(open.result) && open.result.failure._tag === "InvalidFacility")
      if (Result.isFailure(open.result) && open.result.failure._tag === "InvalidFacility") {
        const titles = open.result.failure.problems.map(({ title }) => title)
        assert.deepStrictEqual(titles, ["every user of this machine can read the file of FHIR2VISIT_PASSWORD_FILE"])
      }
    }))

  it.effect("decodes the file of a secret as UTF-8 or UTF-16, and replaces no character", () =>
    Effect.gen(function*() {
      const { FHIR2VISIT_PASSWORD: _, ...others } = secrets
      const password = (name: string, bytes: Buffer) =>
        read(facility, { ...others, FHIR2VISIT_PASSWORD_FILE: file(name, bytes, 0o600) })
      for (
        const [name, bytes] of [["marked", "\uFEFFé\r\n"], ["wide", Buffer.from("\uFEFFé\r\n", "utf16le")]] as const
      ) {
        const { result } = yield* password(name, Buffer.from(bytes))
        assert.strictEqual(Redacted.value((yield* Effect.fromResult(result)).password), "é")
      }
      const { result } = yield* password("latin", Buffer.from("é", "latin1"))
      assert.isTrue(Result.isFailure(result) && result.failure.message.includes("PASSWORD_FILE cannot be read"))
    }))

  it.live("does not open a pipe, which may never have a writer", () =>
    Effect.gen(function*() {
      const { FHIR2VISIT_PASSWORD: _, ...others } = secrets
      const pipe = join(folder, "pipe")
      execFileSync("mkfifo", [pipe])
      for (const name of [pipe, folder, "/dev/null"]) {
        const { result } = yield* read(facility, { ...others, FHIR2VISIT_PASSWORD_FILE: name })
        assert.isTrue(Result.isFailure(result) && result.failure._tag === "InvalidFacility")
        if (Result.isFailure(result) && result.failure._tag === "InvalidFacility") {
          const titles = result.failure.problems.map(({ title }) => title)
          assert.deepStrictEqual(titles, ["FHIR2VISIT_PASSWORD_FILE does not refer to a file"])
        }
      }
    }))

  it.effect("reports secrets that are not set as one problem", () =>
    Effect.gen(function*() {
      const { result } = yield* read(facility, { FHIR2VISIT_CLIENT_ID: "c" })
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result) && result.failure._tag === "InvalidFacility") {
        assert.deepStrictEqual(result.failure.problems.map(({ help, title }) => [title, help]), [[
          "3 secrets of the account at the service are not set",
          [
            "set FHIR2VISIT_USERNAME, FHIR2VISIT_PASSWORD, FHIR2VISIT_CLIENT_SECRET",
            "or name files that contain them: FHIR2VISIT_USERNAME_FILE, and so on"
          ]
        ]])
      }
    }))

  it.effect("reports everything that is missing or invalid at once", () =>
    Effect.gen(function*() {
      const bare = { ...facility, code: null, system: null, service: { baseUrl: null, authUrl: null, caFile: null } }
      const { result } = yield* read(bare, {
        FHIR2VISIT_USERNAME: "",
        FHIR2VISIT_PASSWORD: "a",
        FHIR2VISIT_PASSWORD_FILE: "b",
        FHIR2VISIT_CLIENT_ID_FILE: join(folder, "none"),
        FHIR2VISIT_CLIENT_SECRET_FILE: file("empty", "\n", 0o600)
      })
      assert.isTrue(Result.isFailure(result))
      if (Result.isFailure(result) && result.failure._tag === "InvalidFacility") {
        assert.deepStrictEqual(result.failure.problems.map(({ title }) => title), [
          "the facility's code is not set",
          "the system's code is not set",
          "the service's address `baseUrl` is not set",
          "the service's address `authUrl` is not set",
          "FHIR2VISIT_USERNAME is not set",
          "FHIR2VISIT_PASSWORD and FHIR2VISIT_PASSWORD_FILE are both set",
          "the file of FHIR2VISIT_CLIENT_ID_FILE cannot be read",
          "the file of FHIR2VISIT_CLIENT_SECRET_FILE is empty"
        ])
      }
    }))
})
