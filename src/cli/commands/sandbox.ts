import { Command, Flag } from "effect/cli"
import { common } from "../flags.ts"
import { later } from "../process/later.ts"

const port = Flag.Int("port").pipe(
  Flag.withDescription("Port on 127.0.0.1; 0 takes any free port (default: 8787)"),
  Flag.filter((port) => port >= 0 && port <= 65_535, () => "must be a number from 0 to 65535"),
  Flag.withDefault(8787)
)
const data = Flag.String("data").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Initial data: a JSON file with beneficiaries, stored visits, and credentials"),
  Flag.optional
)
const faults = Flag.String("faults").pipe(
  Flag.withMetavar("SPEC"),
  Flag.withDescription("Injected faults and their rates: drop-after=0.1,500-after=0.05,seed=7"),
  Flag.optional
)
const store = Flag.String("store").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Persist state in FILE (default: memory)"),
  Flag.optional
)
const requestsPerHour = Flag.Int("requests-per-hour").pipe(
  Flag.withDescription("Data requests per hour and user (default: 1000, §8)"),
  Flag.filter((count) => count > 0, () => "must be at least 1"),
  Flag.withDefault(1000)
)
const openApi = Flag.Boolean("openapi").pipe(
  Flag.withDescription("Print the interface as an OpenAPI 3.1 document and exit"),
  Flag.withDefault(false)
)

export const sandbox = Command.make(
  "sandbox",
  { port, data, faults, store, requestsPerHour, openApi, ...common },
  (flags) => later(flags, async () => (await import("../handlers/sandbox.ts")).sandbox(flags))
).pipe(
  Command.withDescription(
    "Run an implementation of the service on this machine, for rehearsals and tests."
  ),
  Command.withShortDescription("Run the service on this machine, for rehearsals"),
  Command.withExamples([
    { command: "fhir2visit sandbox", description: "Use port 8787" },
    { command: "fhir2visit sandbox --port 0 --faults drop-after=0.2,seed=7", description: "Lose one response in five" }
  ])
)
