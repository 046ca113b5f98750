import { Argument, Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"

const inputs = Argument.String("input").pipe(
  Argument.withDescription("What visits are made of: files, folders or globs; plain or gzip; found by content"),
  Argument.variadic({ min: 1 })
)
const port = Flag.Int("port").pipe(
  Flag.withDescription("Port on 127.0.0.1; a free one unless said"),
  Flag.filter((port) => port >= 0 && port <= 65_535, () => "a number from 0 to 65535"),
  Flag.withDefault(0)
)

export const bench = Command.make(
  "bench",
  { inputs, facility, port, ...common },
  (flags) => later(flags, async () => (await import("../handlers/bench.ts")).bench(flags))
).pipe(
  Command.withDescription(
    "Serves a page on this machine that shows records, mapping and visits side by side, with the line between them: for every field "
      + "the line of the mapping and the elements it read. It follows the mapping's files as they are edited. It shows patient data, "
      + "to the one browser that opens its address, and writes nothing."
  ),
  Command.withShortDescription("Records, mapping and visits side by side, in the browser"),
  Command.withExamples([
    {
      command: "fhir2visit bench export/ --facility hospital-a/",
      description: "Open the address that is printed; edit the mapping, and see what changes"
    },
    { command: "fhir2visit bench samples/outpatient-fever/input --port 8800", description: "On a port of your choice" }
  ])
)
