import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Agent } from "undici"
import { fetchExport } from "../../src/mirror/fetchExport.ts"
import { makeHttpClient } from "../../src/mirror/HttpClient.ts"
import { makeServerSession } from "../../src/mirror/ServerSession.ts"
import { makeServerTokens } from "../../src/mirror/serverTokens.ts"
import { defaultSource, type SourceSecrets, type SourceSettings } from "../../src/mirror/SourceSettings.ts"
import { type FhirServer, type Resource, type ServerOptions, startFhirServer } from "./fhirServer.ts"

const none = Redacted.make("")
export const noSecrets: SourceSecrets = { clientId: none, key: none, username: none, password: none, token: none }

const settingsFor = (server: FhirServer, more: Partial<SourceSettings> = {}): SourceSettings => ({
  ...defaultSource,
  server: server.url,
  group: null,
  level: "system",
  tokenUrl: null,
  types: null,
  origins: [],
  certificate: null,
  pageSize: 7,
  ...more
})

/** One fetch from a server into a mirror, as `fetch` makes it. */
export const fetchFrom = (
  server: FhirServer,
  mirror: string,
  more: Partial<SourceSettings> = {},
  secrets: SourceSecrets = noSecrets,
  full = false
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => new Agent()),
    (dispatcher) => {
      const http = makeHttpClient({
        dispatcher,
        deadlineMillis: 60_000,
        maxWaitMillis: 5000,
        maxAttempts: 3,
        pauseMillis: 1
      })
      const settings = settingsFor(server, { mirror, ...more })
      const session = makeServerSession(settings, makeServerTokens(settings, secrets, http), http)
      return fetchExport(session, {
        settings,
        mirror,
        readTypes: ["Patient", "Encounter", "Observation", "Practitioner"],
        full,
        progress: () => undefined
      })
    },
    (dispatcher) => Effect.promise(() => dispatcher.destroy())
  )

/** A server and an empty mirror, for as long as they are used. */
export const withServer = <A, E, R>(
  records: ReadonlyArray<Resource>,
  options: ServerOptions,
  use: (server: FhirServer, mirror: string) => Effect.Effect<A, E, R>
) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => ({
      server: await startFhirServer(records, options),
      mirror: mkdtempSync(join(tmpdir(), "fhir2visit-mirror-"))
    })),
    ({ mirror, server }) => use(server, mirror),
    ({ mirror, server }) =>
      Effect.promise(async () => {
        await server.close()
        rmSync(mirror, { recursive: true, force: true })
      })
  )
