import { Command, Flag } from "effect/cli"
import { common, facility, inputs } from "../flags.ts"
import { later } from "../process/later.ts"

const format = Flag.Literals("format", ["human", "json", "html", "line"]).pipe(
  Flag.withDescription("Output format: human, json, line, or html (default: human)"),
  Flag.withDefault("human")
)
const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("FILE"),
  Flag.withDescription(
    "Write the profile to FILE: .html, .json, or .txt (mode 0600)"
  ),
  Flag.optional
)

export const profile = Command.make(
  "profile",
  { inputs, facility, output, ...common, format },
  ({ format, ...flags }) => {
    const requested = { ...flags, format: format === "html" ? "human" as const : format }
    return later(
      requested,
      async () => (await import("../handlers/profile.ts")).profile({ ...requested, html: format === "html" })
    )
  }
).pipe(
  Command.withDescription(
    "Profile FHIR or CSV data in one pass with constant memory: types, elements and how often they are filled, identifier and code systems, "
      + "date formats, reference styles, links to encounters; for tables their columns, keys, and links. Ends with suggested mapping lines. "
      + "Values are not shown. Codes are shown only if several people have them, or if their system is shared by everyone."
  ),
  Command.withExamples([
    { command: "fhir2visit profile export/", description: "Profile an export" },
    {
      command: "fhir2visit profile export/ --facility hospital-a/",
      description: "Show what the facility's mapping still lacks"
    },
    { command: "fhir2visit profile tables/", description: "Profile CSV files and suggest their `table:` lines" },
    { command: "fhir2visit profile export/ -o profile.html", description: "Write a page to share" }
  ])
)
