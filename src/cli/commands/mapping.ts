import { Argument, Command, Flag } from "effect/cli"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"

const named = Argument.String("mapping").pipe(
  Argument.withDescription("A mapping file, or the name of one that comes with the program; else the facility's"),
  Argument.optional
)

const strict = Flag.Boolean("strict").pipe(
  Flag.withDescription("Warnings count as errors do"),
  Flag.withDefault(false)
)

const check = Command.make(
  "check",
  { mapping: named, facility, strict, ...common },
  (flags) => later(flags, async () => (await import("../handlers/mapping.ts")).check(flags))
).pipe(
  Command.withDescription(
    "Prove a mapping before any record is read: every word, field, path, code table and overlay. All mistakes are shown at once. "
      + "Exit code 2: it cannot be used. Warnings are shown and do not stop a run."
  ),
  Command.withShortDescription("Prove a mapping before any record is read"),
  Command.withExamples([
    { command: "fhir2visit mapping check --facility hospital-a/", description: "The mapping a facility uses" },
    {
      command: "fhir2visit mapping check mapping.yaml --format line",
      description: "One line for each mistake, for an editor"
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
  Command.withShortDescription("The effective mapping, and where each line comes from"),
  Command.withExamples([
    { command: "fhir2visit mapping show --facility hospital-a/", description: "Which overlay won, line by line" },
    { command: "fhir2visit mapping show fhir-r4 > all.yaml", description: "The base mapping as one file" }
  ])
)

const pages = Argument.String("page").pipe(
  Argument.withDescription("Pages of cases, or folders of them; else the folder  cases  beside the mapping"),
  Argument.variadic()
)

const update = Flag.Boolean("update").pipe(
  Flag.withDescription("Write what each case gives now into its page, to be read in the review"),
  Flag.withDefault(false)
)

const roundTrip = Flag.Boolean("round-trip").pipe(
  Flag.withDescription(
    "Instead of cases: invented visits go through FHIR and the mapping; which fields do not come back?"
  ),
  Flag.withDefault(false)
)

const visits = Flag.Int("visits").pipe(
  Flag.withDescription("With --round-trip: how many visits are tried; 100 unless said"),
  Flag.withDefault(100)
)

const seed = Flag.Int("seed").pipe(
  Flag.withDescription("With --round-trip: the same seed tries the same visits; another one each time unless said"),
  Flag.optional
)

const except = Flag.String("except").pipe(
  Flag.withMetavar("FIELD"),
  Flag.withDescription("With --round-trip: a field or section that need not come back. May be given more than once"),
  Flag.atLeast(0)
)

const test = Command.make(
  "test",
  { pages, facility, update, roundTrip, visits, seed, except, ...common },
  (flags) => later(flags, async () => (await import("../handlers/mappingTest.ts")).test(flags))
).pipe(
  Command.withDescription(
    "Run the cases of a mapping: pages of Markdown with records, and what the visit made of them must hold. Exit code 1: a case is wrong, or with --round-trip a field does not come back."
  ),
  Command.withShortDescription("Run the cases of a mapping"),
  Command.withExamples([
    {
      command: "fhir2visit mapping test --facility hospital-a/",
      description: "The cases beside the facility's mapping"
    },
    { command: "fhir2visit mapping test cases/triages.md --update", description: "Take what it gives now as expected" },
    {
      command: "fhir2visit mapping test --facility hospital-a/ --round-trip",
      description: "Does whatever a visit can hold come back through the facility's mapping?"
    }
  ])
)

const schema = Command.make(
  "schema",
  { ...common },
  (flags) => later(flags, async () => (await import("../handlers/mapping.ts")).schema)
).pipe(
  Command.withDescription("Print the JSON Schema of a mapping file, for completion and descriptions in an editor."),
  Command.withShortDescription("The JSON Schema of a mapping file, for editors"),
  Command.withExamples([
    {
      command: "fhir2visit mapping schema > mapping.schema.json",
      description: "Name it in the first line of a mapping:  # yaml-language-server: $schema=mapping.schema.json"
    }
  ])
)

const diff = Command.make(
  "diff",
  {
    before: Argument.String("before").pipe(
      Argument.withDescription("A mapping: a file, or one that comes with the program")
    ),
    after: Argument.String("after").pipe(Argument.withDescription("The mapping that would take its place")),
    inputs: Argument.String("input").pipe(
      Argument.withDescription("What to try both on"),
      Argument.variadic({ min: 1 })
    ),
    facility,
    ...common
  },
  (flags) => later(flags, async () => (await import("../handlers/mappingDiff.ts")).diff(flags))
).pipe(
  Command.withDescription(
    "Convert the same input with two mappings: which fields change, in how many visits, and which visits become ready or rejected."
  ),
  Command.withShortDescription("What changes in the visits when a mapping changes"),
  Command.withExamples([
    {
      command: "fhir2visit mapping diff fhir-r4 hospital-a/mapping.yaml export/",
      description: "What an overlay does to real records"
    }
  ])
)

export const mapping = Command.make("mapping").pipe(
  Command.withDescription("Work on a mapping: prove it before any data, run its cases, see what it consists of."),
  Command.withShortDescription("Prove a mapping, run its cases"),
  Command.withSubcommands([check, test, show, diff, schema]),
  Command.withExamples([
    { command: "fhir2visit mapping check --facility hospital-a/", description: "Before any data is read" },
    { command: "fhir2visit mapping test --facility hospital-a/", description: "Do its cases still hold?" },
    {
      command: "fhir2visit mapping diff old/mapping.yaml hospital-a/mapping.yaml export/",
      description: "What a change does to the visits"
    }
  ])
)
