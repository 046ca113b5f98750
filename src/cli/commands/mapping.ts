import { Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { fixKinds } from "../../diagnostic/Fix.ts"
import { common, facility, inputs, numberFlag, optional, switchFlag, textFlag, wordFlag } from "../flags.ts"
import { later } from "../process/later.ts"

const mapping = Argument.String("mapping").pipe(
  Argument.withDescription("A mapping file, or the name of a shipped mapping (default: the facility's mapping)"),
  Argument.optional,
  Argument.map(Option.getOrUndefined)
)

const strict = switchFlag("strict", "Treat warnings as errors")

const checkConfig = { mapping, facility, strict, ...common }
export type CheckFlags = Command.Command.Config.Infer<typeof checkConfig>

const check = Command.make(
  "check",
  checkConfig,
  (flags) => later(flags, async () => (await import("../handlers/mapping.ts")).checkMapping(flags))
).pipe(
  Command.withDescription(
    "Check a mapping without data: keys, fields, paths, code tables, and overlays. All mistakes are shown at once. "
      + "Exit code 2: the mapping is invalid. Warnings do not stop a run."
  ),
  Command.withShortDescription("Check a mapping without data"),
  Command.withExamples([
    { command: "fhir2visit mapping check --facility hospital-a/", description: "Check the facility's mapping" },
    {
      command: "fhir2visit mapping check mapping.yaml --format line",
      description: "Print one line per mistake, for an editor"
    }
  ])
)

const show = Command.make(
  "show",
  { mapping, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/mapping.ts")).show(flags))
).pipe(
  Command.withDescription(
    "Print the effective mapping, with the source of each line. It is the mapping merged with everything it extends, and can be read back "
      + "as a mapping."
  ),
  Command.withShortDescription("Print the effective mapping, with the source of each line"),
  Command.withExamples([
    { command: "fhir2visit mapping show --facility hospital-a/", description: "Show which overlay sets each line" },
    { command: "fhir2visit mapping show fhir-r4 > all.yaml", description: "Write the base mapping as one file" }
  ])
)

const pages = Argument.String("page").pipe(
  Argument.withDescription("Case files or folders (default: the folder `cases` next to the mapping)"),
  Argument.variadic()
)

const update = switchFlag("update", "Update the expected results in the case files")

const roundTrip = switchFlag(
  "round-trip",
  "Convert synthetic visits to FHIR and back instead, and list the fields that are lost"
)

const visits = numberFlag("visits", "With --round-trip: number of visits (default: 100)").pipe(Flag.withDefault(100))

const seed = optional(
  numberFlag("seed", "With --round-trip: random seed (default: random)", { min: -Infinity })
)

const except = textFlag("except", "FIELD", "With --round-trip: a field or section to ignore. Repeatable").pipe(
  Flag.atLeast(0)
)

const testConfig = { pages, facility, update, roundTrip, visits, seed, except, ...common }
export type TestFlags = Command.Command.Config.Infer<typeof testConfig>

const test = Command.make(
  "test",
  testConfig,
  (flags) => later(flags, async () => (await import("../handlers/mappingTest.ts")).test(flags))
).pipe(
  Command.withDescription(
    "Run the cases of a mapping. Cases are Markdown files with records and the expected visit. Exit code 1: a case failed, or with "
      + "--round-trip a field was lost."
  ),
  Command.withShortDescription("Run the cases of a mapping"),
  Command.withExamples([
    {
      command: "fhir2visit mapping test --facility hospital-a/",
      description: "Run the cases of the facility"
    },
    { command: "fhir2visit mapping test cases/triages.md --update", description: "Update the expected results" },
    {
      command: "fhir2visit mapping test --facility hospital-a/ --round-trip",
      description: "Test the facility's mapping with synthetic visits"
    }
  ])
)

const schema = Command.make(
  "schema",
  {
    of: wordFlag(
      "of",
      "KIND",
      ["mapping", "facility"],
      "Kind of file: mapping or facility (default: mapping)"
    ).pipe(Flag.withDefault("mapping")),
    ...common
  },
  (flags) => later(flags, async () => (await import("../handlers/mapping.ts")).schema(flags))
).pipe(
  Command.withDescription(
    "Print the JSON Schema of a mapping file or of a facility.yaml, for completion and descriptions in an editor."
  ),
  Command.withShortDescription("Print the JSON Schema of a mapping file or of a facility.yaml"),
  Command.withExamples([
    {
      command: "fhir2visit mapping schema > mapping.schema.json",
      description: "Refer to it in the first line of a mapping:  # yaml-language-server: $schema=mapping.schema.json"
    },
    {
      command: "fhir2visit mapping schema --of facility > facility.schema.json",
      description: "Print the schema of the settings"
    }
  ])
)

const diffConfig = {
  before: Argument.String("before").pipe(
    Argument.withDescription("A mapping file, or the name of a shipped mapping")
  ),
  after: Argument.String("after").pipe(Argument.withDescription("The new mapping")),
  inputs,
  facility,
  ...common
}
export type DiffFlags = Command.Command.Config.Infer<typeof diffConfig>

const diff = Command.make(
  "diff",
  diffConfig,
  (flags) => later(flags, async () => (await import("../handlers/mappingDiff.ts")).diff(flags))
).pipe(
  Command.withDescription(
    "Convert the same input with two mappings, and compare the visits. Shows which fields change, in how many visits, and which visits "
      + "become ready or rejected."
  ),
  Command.withShortDescription("Compare the visits of two mappings"),
  Command.withExamples([
    {
      command: "fhir2visit mapping diff fhir-r4 hospital-a/mapping.yaml export/",
      description: "Show what an overlay changes"
    }
  ])
)

const fixConfig = {
  inputs,
  facility,
  only: wordFlag("only", "KIND", fixKinds, `Offer only lines of this kind: ${fixKinds.join(", ")}. Repeatable`).pipe(
    Flag.atLeast(0)
  ),
  why: optional(textFlag(
    "why",
    "TEXT",
    "Offer to accept each assumption of the visits, for this reason: who decided it, and when"
  )),
  write: switchFlag("write", "Write the lines (default: only show them)"),
  ...common
}
export type FixFlags = Command.Command.Config.Infer<typeof fixConfig>

const fix = Command.make(
  "fix",
  fixConfig,
  (flags) => later(flags, async () => (await import("../handlers/mappingFix.ts")).fix(flags))
).pipe(
  Command.withDescription(
    "Convert, and show the mapping lines that resolve the messages. These are windows, policies, systems, code table rows with a certain "
      + "value, and acceptances of assumptions. Each line is a decision. With --write, the lines are written; comments stay."
  ),
  Command.withShortDescription("Write the lines that messages ask for"),
  Command.withExamples([
    { command: "fhir2visit mapping fix export/ --facility hospital-a/", description: "Show the lines; write nothing" },
    {
      command: "fhir2visit mapping fix export/ --facility hospital-a/ --only window --write",
      description: "Open the windows that the messages ask for"
    }
  ])
)

export const mappingCommand = Command.make("mapping").pipe(
  Command.withDescription("Check, test, compare, and print mappings."),
  Command.withSubcommands([check, test, show, diff, fix, schema]),
  Command.withExamples([
    { command: "fhir2visit mapping check --facility hospital-a/", description: "Check it without data" },
    { command: "fhir2visit mapping test --facility hospital-a/", description: "Run its cases" },
    {
      command: "fhir2visit mapping diff old/mapping.yaml hospital-a/mapping.yaml export/",
      description: "Show what a change does to the visits"
    }
  ])
)
