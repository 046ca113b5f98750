import { Argument, Command, Flag } from "effect/cli"
import { fixKinds } from "../../diagnostic/Fix.ts"
import { common, facility } from "../flags.ts"
import { later } from "../process/later.ts"

const named = Argument.String("mapping").pipe(
  Argument.withDescription("A mapping file, or the name of a shipped mapping (default: the facility's mapping)"),
  Argument.optional
)

const strict = Flag.Boolean("strict").pipe(
  Flag.withDescription("Treat warnings as errors"),
  Flag.withDefault(false)
)

const check = Command.make(
  "check",
  { mapping: named, facility, strict, ...common },
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
  { mapping: named, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/mapping.ts")).show(flags))
).pipe(
  Command.withDescription(
    "Print the effective mapping: everything it extends, merged, each line with the file and line it comes from. It can be read back as a mapping."
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

const update = Flag.Boolean("update").pipe(
  Flag.withDescription("Update the expected results in the case files"),
  Flag.withDefault(false)
)

const roundTrip = Flag.Boolean("round-trip").pipe(
  Flag.withDescription(
    "Round-trip synthetic visits through FHIR and the mapping instead, and list fields that are lost"
  ),
  Flag.withDefault(false)
)

const visits = Flag.Int("visits").pipe(
  Flag.withDescription("With --round-trip: number of visits (default: 100)"),
  Flag.withDefault(100)
)

const seed = Flag.Int("seed").pipe(
  Flag.withDescription("With --round-trip: random seed (default: random)"),
  Flag.optional
)

const except = Flag.String("except").pipe(
  Flag.withMetavar("FIELD"),
  Flag.withDescription("With --round-trip: a field or section to ignore. Repeatable"),
  Flag.atLeast(0)
)

const test = Command.make(
  "test",
  { pages, facility, update, roundTrip, visits, seed, except, ...common },
  (flags) => later(flags, async () => (await import("../handlers/mappingTest.ts")).test(flags))
).pipe(
  Command.withDescription(
    "Run the cases of a mapping: Markdown files with records and the expected visit. Exit code 1: a case failed, or with --round-trip a field was lost."
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
    of: Flag.Literals("of", ["mapping", "facility"]).pipe(
      Flag.withDescription("The file: a mapping, or a facility.yaml"),
      Flag.withDefault("mapping" as const)
    ),
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

const diff = Command.make(
  "diff",
  {
    before: Argument.String("before").pipe(
      Argument.withDescription("A mapping file, or the name of a shipped mapping")
    ),
    after: Argument.String("after").pipe(Argument.withDescription("The new mapping")),
    inputs: Argument.String("input").pipe(
      Argument.withDescription("Input files, folders, or globs"),
      Argument.variadic({ min: 1 })
    ),
    facility,
    ...common
  },
  (flags) => later(flags, async () => (await import("../handlers/mappingDiff.ts")).diff(flags))
).pipe(
  Command.withDescription(
    "Convert the same input with two mappings. Shows which fields change, in how many visits, and which visits become ready or rejected."
  ),
  Command.withShortDescription("Compare the visits of two mappings"),
  Command.withExamples([
    {
      command: "fhir2visit mapping diff fhir-r4 hospital-a/mapping.yaml export/",
      description: "Show what an overlay changes"
    }
  ])
)

const fix = Command.make(
  "fix",
  {
    inputs: Argument.String("input").pipe(
      Argument.withDescription("The input whose messages are to be resolved"),
      Argument.variadic({ min: 1 })
    ),
    facility,
    only: Flag.Literals("only", fixKinds).pipe(
      Flag.withDescription("Offer only lines of this kind. May be given more than once"),
      Flag.atLeast(0)
    ),
    why: Flag.String("why").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription(
        "Offer to accept each assumption that visits are made under, for this reason: who decided it, and when"
      ),
      Flag.optional
    ),
    write: Flag.Boolean("write").pipe(
      Flag.withDescription("Write the lines (default: only show them)"),
      Flag.withDefault(false)
    ),
    ...common
  },
  (flags) => later(flags, async () => (await import("../handlers/mappingFix.ts")).fix(flags))
).pipe(
  Command.withDescription(
    "Convert, and show the mapping lines that resolve the messages: a window, a policy, a system, rows whose value is "
      + "sure, acceptances of assumptions. Each line is a decision. With --write they are written; comments stay."
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
