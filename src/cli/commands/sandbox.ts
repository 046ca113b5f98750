import { Command, Flag } from "effect/cli"
import { common } from "../flags.ts"
import { later } from "../later.ts"

const port = Flag.Int("port").pipe(
  Flag.withDescription("Port on 127.0.0.1; 8787 unless said, and 0 takes a free one"),
  Flag.filter((port) => port >= 0 && port <= 65_535, () => "a number from 0 to 65535"),
  Flag.withDefault(8787)
)
const data = Flag.String("data").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("JSON with beneficiaries, visits that are stored from the start, and credentials"),
  Flag.optional
)
const faults = Flag.String("faults").pipe(
  Flag.withMetavar("SPEC"),
  Flag.withDescription("What goes wrong on purpose, and how often: drop-after=0.1,500-after=0.05,seed=7"),
  Flag.optional
)
const store = Flag.String("store").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Keep what it holds in a file; without it the memory of the process does"),
  Flag.optional
)
const requestsPerHour = Flag.Int("requests-per-hour").pipe(
  Flag.withDescription("How many data requests an hour each user has; 1,000 as the service has it (§8)"),
  Flag.filter((count) => count > 0, () => "a number above 0"),
  Flag.withDefault(1000)
)
const openApi = Flag.Boolean("openapi").pipe(
  Flag.withDescription("Print the interface as an OpenAPI 3.1 document and end"),
  Flag.withDefault(false)
)

export const sandbox = Command.make(
  "sandbox",
  { port, data, faults, store, requestsPerHour, openApi, ...common },
  (flags) => later(flags, async () => (await import("../handlers/sandbox.ts")).sandbox(flags))
).pipe(
  Command.withDescription(
    "Run the embedded implementation of the service on this machine: the whole specification, for rehearsals and tests."
  ),
  Command.withShortDescription("The service, embedded, on this machine"),
  Command.withExamples([
    { command: "fhir2visit sandbox", description: "On port 8787; prints how to reach it" },
    { command: "fhir2visit sandbox --port 0 --faults drop-after=0.2,seed=7", description: "Loses every fifth answer" }
  ])
)
