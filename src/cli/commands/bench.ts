import { Argument, Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../process/later.ts"

const inputs = Argument.String("input").pipe(
  Argument.withDescription("Input files, folders, or globs; gzip is detected"),
  Argument.variadic({ min: 1 })
)
const port = Flag.Int("port").pipe(
  Flag.withDescription("Port on 127.0.0.1 (default: any free port)"),
  Flag.filter((port) => port >= 0 && port <= 65_535, () => "must be a number from 0 to 65535"),
  Flag.withDefault(0)
)

export const bench = Command.make(
  "workbench",
  { inputs, facility, port, ...common },
  (flags) => later(flags, async () => (await import("../handlers/bench.ts")).bench(flags))
).pipe(
  Command.withDescription(
    "Serve a page on this machine that shows records, mapping, and visits side by side: for every field the mapping line and the elements "
      + "it read. Edit the mapping in the page or in your editor, and see what changes over all visits before you save. The page shows patient "
      + "data, only to the browser that opens the printed URL."
  ),
  Command.withExamples([
    {
      command: "fhir2visit workbench export/ --facility hospital-a/",
      description: "Open the printed URL, edit the mapping, and see the changes"
    },
    { command: "fhir2visit workbench samples/outpatient-fever/input --port 8800", description: "Use a fixed port" }
  ])
)
