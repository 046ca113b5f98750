import { Effect, FileSystem, Redacted } from "effect"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { checkConfig, defaultOperatorSettings, type OperatorConfig } from "../../service/settings/OperatorConfig.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
import { type Facility, facilityProblem, incompleteFacility, InvalidFacility } from "../Facility.ts"
import { variable } from "../readFacility.ts"

/** A facility with a known code, which a journal and a plan require. */
export interface NamedFacility extends Facility {
  readonly code: FacilityCode
}

/** Fails if the facility has no code, which sending anything requires. */
export const requireCode = (facility: Facility): Effect.Effect<NamedFacility, InvalidFacility> =>
  facility.code === null
    ? Effect.fail(incompleteFacility(facility, [missingCode]))
    : Effect.succeed({ ...facility, code: facility.code })

const missing = (what: string, ...help: ReadonlyArray<string>): Diagnostic =>
  facilityProblem(`${what} is not set`, ...help)

const missingCode = missing(
  "the facility's code",
  "write `facility: CODE` in facility.yaml, or set FHIR2VISIT_FACILITY_CODE"
)

const missingAddress = (key: string, variable: string, ...help: ReadonlyArray<string>): Diagnostic =>
  missing(
    `the service's address \`${key}\``,
    `write \`service: {${key}: https://…}\` in facility.yaml, or set ${variable}`,
    ...help
  )

/** The secrets of the account at the service. */
const secretNames = [
  "FHIR2VISIT_USERNAME",
  "FHIR2VISIT_PASSWORD",
  "FHIR2VISIT_CLIENT_ID",
  "FHIR2VISIT_CLIENT_SECRET"
] as const

type SecretName = (typeof secretNames)[number]

const isUnset = (name: SecretName) =>
  Effect.map(
    Effect.all([variable(name), variable(`${name}_FILE`)]),
    (found) => found.every((value) => value === undefined)
  )

const missingSecrets = (names: ReadonlyArray<SecretName>): Diagnostic =>
  facilityProblem(
    `${names.length} secrets of the account at the service are not set`,
    `set ${names.join(", ")}`,
    `or name files that contain them: ${names[0]}_FILE, and so on`
  )

/**
 * Reads the configuration of the client for the service: addresses and codes of the facility, and the four secrets. Each secret comes from
 * the environment, or from a file (`FHIR2VISIT_PASSWORD_FILE`). Fails with everything that is missing or invalid at once.
 */
export const readOperatorConfig = Effect.fn("readOperatorConfig")(function*(facility: Facility) {
  const problems: Array<Diagnostic> = []
  if (facility.code === null) problems.push(missingCode)
  if (facility.system === null) {
    problems.push(missing("the system's code", "write `system: CODE` in facility.yaml, or set FHIR2VISIT_SYSTEM_CODE"))
  }
  const { authUrl, baseUrl } = facility.service
  const rehearse = "to rehearse on this machine:  --sandbox"
  if (baseUrl === null) problems.push(missingAddress("baseUrl", "FHIR2VISIT_BASE_URL", rehearse))
  if (authUrl === null) problems.push(missingAddress("authUrl", "FHIR2VISIT_AUTH_URL", rehearse))
  // Secrets are not in the folder of a facility.
  const isIncomplete = problems.length > 0
  const unset = yield* Effect.filter(secretNames, isUnset)
  // Usually the account is not set up yet: that is one problem.
  if (unset.length > 1) problems.push(missingSecrets(unset))
  const read = (name: SecretName) =>
    unset.length > 1 && unset.includes(name) ? Effect.succeed("") : secret(name, problems)
  const config: OperatorConfig = {
    ...defaultOperatorSettings,
    baseUrl: baseUrl ?? "",
    authUrl: authUrl ?? "",
    facilityCode: facility.code ?? FacilityCode(""),
    systemCode: facility.system ?? SystemCode(""),
    username: yield* read("FHIR2VISIT_USERNAME"),
    password: Redacted.make(yield* read("FHIR2VISIT_PASSWORD")),
    clientId: yield* read("FHIR2VISIT_CLIENT_ID"),
    clientSecret: Redacted.make(yield* read("FHIR2VISIT_CLIENT_SECRET")),
    ...fromFacility(facility)
  }
  if (problems.length === 0) {
    problems.push(...checkConfig(config).map((title) => facilityProblem(title)))
  }
  if (problems.length > 0) {
    return yield* (isIncomplete ? incompleteFacility(facility, problems) : new InvalidFacility({ problems }))
  }
  return config
})

/** The configuration for reading the public lists (§4.3): only the address is required. Nothing else in it is ever sent. */
export const readPublicConfig = (facility: Facility): Effect.Effect<OperatorConfig, InvalidFacility> => {
  const { baseUrl } = facility.service
  if (baseUrl === null) {
    return Effect.fail(incompleteFacility(facility, [missingAddress("baseUrl", "FHIR2VISIT_BASE_URL")]))
  }
  return Effect.succeed({
    ...defaultOperatorSettings,
    baseUrl,
    authUrl: baseUrl,
    facilityCode: FacilityCode("-"),
    systemCode: SystemCode("-"),
    username: "",
    password: Redacted.make(""),
    clientId: "",
    clientSecret: Redacted.make(""),
    ...fromFacility(facility)
  })
}

/** The connection settings of `facility.yaml`, in the form that the client takes. */
const fromFacility = (facility: Facility) => ({
  auth: facility.auth,
  limits: operatorLimits(facility),
  responseRules: facility.responseRules,
  sending: facility.sending,
  lists: facility.lists,
  listShare: facility.reconcile.share,
  readRetries: facility.retry.reads,
  readRetryMillis: facility.retry.delayMillis / 4,
  readRetryLongestMillis: facility.retry.longestMillis,
  deadlineMillis: facility.retry.deadlineMillis,
  ...(facility.service.caFile === null ? {} : { caFile: facility.service.caFile })
} satisfies Partial<OperatorConfig>)

/** The facility's limits in the client's form (§8). */
export const operatorLimits = ({ limits }: Facility): OperatorConfig["limits"] => ({
  ...defaultOperatorSettings.limits,
  token: { count: limits.tokensPerMinute, windowMillis: 60_000 },
  data: { count: limits.requestsPerHour, windowMillis: 3_600_000 },
  reserve: limits.reserve
})

const maxSecret = 64 * 1024

/** A secret from the environment, or from the file that `NAME_FILE` names; a final line feed of the file is ignored. */
export const secret = Effect.fnUntraced(function*(name: string, problems: Array<Diagnostic>) {
  const direct = yield* variable(name)
  const file = yield* variable(`${name}_FILE`)
  const wrong = (title: string, help: string): string => {
    problems.push(facilityProblem(title, help))
    return ""
  }
  if (direct !== undefined && file !== undefined) {
    return wrong(`${name} and ${name}_FILE are both set`, "unset one of them")
  }
  if (direct !== undefined) return direct
  if (file === undefined) return wrong(`${name} is not set`, `set it, or name a file that contains it: ${name}_FILE`)
  const fs = yield* FileSystem.FileSystem
  const read = Effect.gen(function*() {
    const { mode, type } = yield* fs.stat(file)
    // Opening a pipe would wait for its writer.
    if (type !== "File") return "no file" as const
    if (process.platform !== "win32" && (mode & 0o004) !== 0) return "readable by all" as const
    return yield* readTextFile(file, maxSecret)
  })
  const found = yield* Effect.orElseSucceed(read, () => undefined)
  if (found === "no file") {
    return wrong(
      `${name}_FILE does not refer to a file`,
      "a folder, a pipe or a device is not read: write the secret to a file"
    )
  }
  if (found === "readable by all") {
    return wrong(`every user of this machine can read the file of ${name}_FILE`, "make it private: chmod 600 FILE")
  }
  if (found?._tag !== "Text") {
    return wrong(
      `the file of ${name}_FILE cannot be read`,
      found?.isUtf8 === false ? "it is not UTF-8: save it as UTF-8" : "check its name and its permissions"
    )
  }
  const text = found.text.replace(/\r?\n$/, "")
  return text === "" ? wrong(`the file of ${name}_FILE is empty`, "it must contain the secret and nothing else") : text
})
