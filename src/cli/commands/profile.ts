import { Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"
import { inputs } from "./convert.ts"

const format = Flag.Literals("format", ["human", "json", "html", "line"]).pipe(
  Flag.withDescription("Words for people (unless said), JSON for programs, or one HTML page that needs no network"),
  Flag.withDefault("human")
)
const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "Write the profile to a file, for its owner alone; its name tells the format: .html, .json, .txt"
  ),
  Flag.optional
)

export const profile = Command.make(
  "profile",
  { inputs, facility, output, ...common, format },
  ({ format, ...flags }) => {
    const asked = { ...flags, format: format === "html" ? "human" as const : format }
    return later(
      asked,
      async () => (await import("../handlers/profile.ts")).profile({ ...asked, html: format === "html" })
    )
  }
).pipe(
  Command.withDescription(
    "Say what is in the data, FHIR or CSV, in one pass and in little memory: types, elements and how full they are, identifier and code systems, "
      + "forms of dates, styles of references, how records reach encounters; of tables their columns, keys and links. Ends with the lines of a mapping that the data asks for, to "
      + "be pasted. Values are not shown: of codes only those that were met for several people or are of a system that everybody shares."
  ),
  Command.withShortDescription("Say what is in the data, and what the mapping needs"),
  Command.withExamples([
    { command: "fhir2visit profile export/", description: "Before a mapping is written" },
    {
      command: "fhir2visit profile export/ --facility hospital-a/",
      description: "What is still missing in the facility's mapping"
    },
    { command: "fhir2visit profile tables/", description: "A folder of CSV files: ends with their `table:` lines" },
    { command: "fhir2visit profile export/ -o profile.html", description: "A page to show to others" }
  ])
)
