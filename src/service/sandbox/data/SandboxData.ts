import { Effect, FileSystem, Schema } from "effect"
import type { JsonObject } from "../../../json/JsonObject.ts"
import { readTextFile } from "../../../source/read/readTextFile.ts"
import { SandboxError } from "../SandboxError.ts"
import type { SandboxUser } from "../SandboxOptions.ts"

/** The additions of a data file to the embedded service. */
export interface SandboxData {
  /** Records of §2.7 with at least a `patient_code`. If there are any, no other patient code exists. */
  readonly beneficiaries: ReadonlyArray<JsonObject>
  /** Visits that are stored from the start, as if another system had sent them. */
  readonly visits: ReadonlyArray<JsonObject>
  readonly users: ReadonlyArray<SandboxUser>
}

export const emptyData: SandboxData = { beneficiaries: [], visits: [], users: [] }

const Credentials = Schema.Struct({
  username: Schema.String,
  password: Schema.String,
  client_id: Schema.String,
  client_secret: Schema.String,
  system_codes: Schema.optionalKey(Schema.Array(Schema.String)),
  facility_codes: Schema.optionalKey(Schema.Array(Schema.String))
})

const DataFile = Schema.fromJsonString(Schema.Struct({
  beneficiaries: Schema.optionalKey(
    Schema.Array(Schema.StructWithRest(Schema.Struct({ patient_code: Schema.NonEmptyString }), [
      Schema.Record(Schema.String, Schema.Json)
    ]))
  ),
  visits: Schema.optionalKey(Schema.Array(Schema.Record(Schema.String, Schema.Json))),
  credentials: Schema.optionalKey(Schema.Union([Credentials, Schema.Array(Credentials)]))
}))

const maxDataBytes = 256 * 1024 * 1024

/** Shows the element that is wrong and not the rest of the message, which can contain a value of the file. */
const notData = (file: string, message: string): SandboxError => {
  const [, element] = /\bat (\[.*\])$/mu.exec(message) ?? []
  return new SandboxError({
    detail: `\`${file}\` is not a data file of the sandbox${element === undefined ? "" : `: wrong element ${element}`}`,
    help: [
      "it is a JSON object with the keys `beneficiaries`, `visits`, `credentials`; all are optional",
      "fhir2visit generate --as sandbox-data -o FILE.json  writes one"
    ]
  })
}

/**
 * Reads `{"beneficiaries": […], "visits": […], "credentials": {…} | […]}`; every key is optional. Credentials have `username`,
 * `password`, `client_id` and `client_secret`. `system_codes` and `facility_codes` are needed only if not every code is to be accepted.
 */
export const readData = (file: string): Effect.Effect<SandboxData, SandboxError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    const read = yield* readTextFile(file, maxDataBytes)
    if (read._tag === "Unreadable") {
      return yield* new SandboxError({ detail: `\`${file}\` cannot be read: ${read.why}`, help: [] })
    }
    const { text } = read
    const data = yield* Schema.decodeEffect(DataFile, { onExcessProperty: "error" })(text).pipe(
      Effect.mapError((error) => notData(file, error.message))
    )
    const credentials = data.credentials === undefined ? [] : [data.credentials].flat()
    return {
      beneficiaries: data.beneficiaries ?? [],
      visits: data.visits ?? [],
      users: credentials.map((user) => ({
        username: user.username,
        password: user.password,
        clientId: user.client_id,
        clientSecret: user.client_secret,
        systemCodes: user.system_codes ?? null,
        facilityCodes: user.facility_codes ?? null
      }))
    }
  })
