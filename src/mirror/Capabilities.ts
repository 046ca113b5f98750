import { Effect } from "effect"
import { isJsonObject, type JsonObject, jsonObjectOf, jsonObjectsIn } from "../json/JsonObject.ts"
import { serverError } from "./ServerError.ts"
import { fhirJson, type ServerSession } from "./ServerSession.ts"

/** The server's description of itself (`/metadata`, CapabilityStatement). */
export interface Capabilities {
  /** The resource types of the server; empty if it lists none. */
  readonly types: ReadonlySet<string>
  readonly software: JsonObject
  readonly fhirVersion: string | null
  /** The server's clock, as the HTTP header `Date` states it. */
  readonly date: string | null
}

export const readCapabilities = Effect.fnUntraced(function*(session: ServerSession, server: string) {
  const { headers, json, status } = yield* session.get(`${server}/metadata`, fhirJson)
  if (status !== 200 || !isJsonObject(json) || json.resourceType !== "CapabilityStatement") {
    return yield* serverError(
      {
        _tag: "InvalidResponse",
        detail:
          `no CapabilityStatement at ${server}/metadata (status ${status}): is \`source: {server}\` the base address?`
      }
    )
  }
  const capabilities: Capabilities = {
    types: new Set(
      jsonObjectsIn(json.rest).flatMap(({ resource }) => jsonObjectsIn(resource))
        .map(({ type }) => type).filter((type) => typeof type === "string")
    ),
    software: jsonObjectOf(json.software),
    fhirVersion: typeof json.fhirVersion === "string" ? json.fhirVersion : null,
    date: headers["date"] ?? null
  }
  return capabilities
})

/** Whether the server has a type. A server that lists no types is assumed to have every type. */
export const hasType = ({ types }: Capabilities, type: string): boolean => types.size === 0 || types.has(type)
