import { Context, Effect, Layer, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { emptyData, readData } from "../../service/sandbox/data/SandboxData.ts"
import { noFaults, parseFaults } from "../../service/sandbox/Faults.ts"
import { Sandbox } from "../../service/sandbox/Sandbox.ts"
import { randomText, type SandboxOptions, type SandboxUser, sandboxUser } from "../../service/sandbox/SandboxOptions.ts"
import { documentedLimits, paths } from "../../service/wire.ts"
import { common, numberFlag, optional, portFlag, switchFlag, textFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  port: portFlag("Port on 127.0.0.1; 0 takes any free port (default: 8787)").pipe(Flag.withDefault(8787)),
  data: optional(
    textFlag("data", "FILE", "Initial data: a JSON file with beneficiaries, stored visits, and credentials")
  ),
  faults: optional(
    textFlag("faults", "SPEC", "Injected faults and their rates, for example drop-after=0.1,500-after=0.05,seed=7")
  ),
  store: optional(textFlag("store", "FILE", "Persist state in FILE (default: memory)")),
  requestsPerHour: numberFlag("requests-per-hour", "Data requests per hour and user, see §8 (default: 1000)").pipe(
    Flag.withDefault(1000)
  ),
  openApi: switchFlag("openapi", "Print the interface as an OpenAPI 3.1 document and exit"),
  ...common
}

export const sandboxCommand = Command.make("sandbox", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Run an implementation of the service on this machine, for rehearsals and tests.",
  ["fhir2visit sandbox", "Use port 8787"],
  ["fhir2visit sandbox --port 0 --faults drop-after=0.2,seed=7", "Lose one response in five"]
))

/** `sandbox`: the embedded implementation of the service on loopback, until it is interrupted. */
const execute = Effect.fn("sandbox")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  if (flags.openApi) {
    const { openApi } = yield* Effect.promise(() => import("../../service/Api.ts"))
    return yield* screen.print(JSON.stringify(openApi(), null, 2))
  }
  const faults = flags.faults === undefined ? Result.succeed(noFaults) : parseFaults(flags.faults)
  if (Result.isFailure(faults)) return yield* new UsageError({ title: `--faults: ${faults.failure}` })
  const data = flags.data === undefined ? emptyData : yield* readData(flags.data)
  const key = randomText()
  const options: Partial<SandboxOptions> = {
    port: flags.port,
    data,
    pages: { key },
    faults: faults.success,
    limits: { ...documentedLimits, data: { ...documentedLimits.data, count: flags.requestsPerHour } },
    ...(flags.store === undefined ? {} : { storeFile: flags.store })
  }
  const user = data.users[0] ?? sandboxUser
  return yield* Effect.scoped(Effect.gen(function*() {
    const { port, url } = Context.get(yield* Layer.build(Sandbox.layer(options)), Sandbox)
    yield* screen.print(
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
    `the embedded service listens at ${url}`,
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
    `  what it has:     ${url}/sandbox/visits?key=${key}`
  ].join("\n")
}
