import { Context, Effect, Layer, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { noFaults, parseFaults } from "../../service/sandbox/Faults.ts"
import { Sandbox } from "../../service/sandbox/Sandbox.ts"
import { emptyData, readData } from "../../service/sandbox/SandboxData.ts"
import { randomText, type SandboxOptions, type SandboxUser, sandboxUser } from "../../service/sandbox/SandboxOptions.ts"
import { documentedLimits, paths } from "../../service/wire.ts"
import { common } from "../flags.ts"
import { perform } from "../perform.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"

const config = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port on 127.0.0.1; 0 takes any free port (default: 8787)"),
    Flag.filter((port) => port >= 0 && port <= 65_535, () => "must be a number from 0 to 65535"),
    Flag.withDefault(8787)
  ),
  data: Flag.String("data").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Initial data: a JSON file with beneficiaries, stored visits, and credentials"),
    Flag.optional
  ),
  faults: Flag.String("faults").pipe(
    Flag.withMetavar("SPEC"),
    Flag.withDescription("Injected faults and their rates: drop-after=0.1,500-after=0.05,seed=7"),
    Flag.optional
  ),
  store: Flag.String("store").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Persist state in FILE (default: memory)"),
    Flag.optional
  ),
  requestsPerHour: Flag.Int("requests-per-hour").pipe(
    Flag.withDescription("Data requests per hour and user (default: 1000, §8)"),
    Flag.filter((count) => count > 0, () => "must be at least 1"),
    Flag.withDefault(1000)
  ),
  openApi: Flag.Boolean("openapi").pipe(
    Flag.withDescription("Print the interface as an OpenAPI 3.1 document and exit"),
    Flag.withDefault(false)
  ),
  ...common
}

export const sandboxCommand = Command.make("sandbox", config, (flags) => perform(flags, execute(flags))).pipe(
  Command.withDescription(
    "Run an implementation of the service on this machine, for rehearsals and tests."
  ),
  Command.withExamples([
    { command: "fhir2visit sandbox", description: "Use port 8787" },
    { command: "fhir2visit sandbox --port 0 --faults drop-after=0.2,seed=7", description: "Lose one response in five" }
  ])
)

type Flags = Command.Command.Config.Infer<typeof config>

/** `sandbox`: the embedded implementation of the service on loopback, until it is interrupted. */
const execute = Effect.fn("sandbox")(function*(flags: Flags) {
  const screen = yield* Screen
  if (flags.openApi) {
    const { openApi } = yield* Effect.promise(() => import("../../service/Api.ts"))
    return yield* screen.answer(JSON.stringify(openApi(), null, 2))
  }
  const faults = Option.isNone(flags.faults) ? Result.succeed(noFaults) : parseFaults(flags.faults.value)
  if (Result.isFailure(faults)) return yield* new UsageError({ title: `--faults: ${faults.failure}` })
  const data = Option.isNone(flags.data) ? emptyData : yield* readData(flags.data.value)
  const key = randomText()
  const options: Partial<SandboxOptions> = {
    port: flags.port,
    data,
    pages: { key },
    faults: faults.success,
    limits: { ...documentedLimits, data: { ...documentedLimits.data, count: flags.requestsPerHour } },
    ...(Option.isNone(flags.store) ? {} : { storeFile: flags.store.value })
  }
  const user = data.users[0] ?? sandboxUser
  return yield* Effect.scoped(Effect.gen(function*() {
    const { port, url } = Context.get(yield* Layer.build(Sandbox.layer(options)), Sandbox)
    yield* screen.answer(
      flags.format === "json"
        ? JSON.stringify({ url, port, username: user.username, clientId: user.clientId, key })
        : reach(url, user, key)
    )
    yield* screen.say("\nstop it with Ctrl-C")
    return yield* Effect.never
  }))
})

/** How to reach it, from this program and by hand. */
const reach = (url: string, user: SandboxUser, key: string): string => {
  const token = "$TOKEN"
  const headers = [
    `-H 'Authorization: Bearer '"${token}"`,
    "-H 'Accept: application/json'",
    "-H 'Content-Type: application/json'",
    `-H 'X-System-Code: ${user.systemCodes?.[0] ?? "SYS-1"}'`,
    `-H 'X-Health-Facility-Code: ${user.facilityCodes?.[0] ?? "HF-1"}'`
  ].join(" ")
  return [
    `the embedded service answers at ${url}`,
    "",
    "  for fhir2visit:",
    `    export FHIR2VISIT_BASE_URL=${url} FHIR2VISIT_AUTH_URL=${url}`,
    `    export FHIR2VISIT_USERNAME=${user.username} FHIR2VISIT_PASSWORD=${user.password}`,
    `    export FHIR2VISIT_CLIENT_ID=${user.clientId} FHIR2VISIT_CLIENT_SECRET=${user.clientSecret}`,
    `    export FHIR2VISIT_SYSTEM_CODE=${user.systemCodes?.[0] ?? "SYS-1"}`,
    "",
    "  by hand:",
    `    TOKEN=$(curl -s ${url}${paths.token} -d grant_type=password -d username=${user.username} -d password=${user.password} \\`,
    `      -d client_id=${user.clientId} -d client_secret=${user.clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `    curl -s ${url}${paths.processed} ${headers}`,
    `    curl -s ${url}${paths.visits} ${headers} -d @visits.json`,
    `    curl -s '${url}${paths.standardData}?type=visit_types'`,
    "",
    `  what it holds:   ${url}/sandbox/visits?key=${key}`
  ].join("\n")
}
