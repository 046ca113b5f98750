import { Command } from "effect/cli"
import { entry, namedCommands } from "./namedCommands.ts"
import { withHelp } from "./withHelp.ts"

/** The commands in the order of the help. What is not listed does not exist. */
const commands = {
  run: entry("Convert and submit", async () => (await import("./commands/run.ts")).runCommand),
  convert: entry(
    "Convert FHIR or CSV into visits without submitting them",
    async () => (await import("./commands/convert.ts")).convertCommand
  ),
  fetch: entry(
    "Export from a FHIR server into a mirror folder",
    async () => (await import("./commands/fetch.ts")).fetchCommand
  ),
  validate: entry("Check files of visits", async () => (await import("./commands/validate.ts")).validateCommand),
  submit: entry("Submit files of visits", async () => (await import("./commands/submit.ts")).submitCommand),
  status: entry(
    "Show the state of the visits in the journal",
    async () => (await import("./commands/status.ts")).statusCommand
  ),
  release: entry(
    "Mark visits for resubmission or as stored",
    async () => (await import("./commands/release.ts")).releaseCommand
  ),
  init: entry("Create a facility folder", async () => (await import("./commands/init.ts")).initCommand),
  profile: entry(
    "Profile FHIR or CSV data and suggest mapping lines",
    async () => (await import("./commands/profile.ts")).profileCommand
  ),
  explain: entry(
    "Explain a problem, or where a field comes from",
    async () => (await import("./commands/explain/explain.ts")).explainCommand
  ),
  workbench: entry(
    "Show records, mapping, and visits side by side in the browser",
    async () => (await import("./commands/workbench/workbench.ts")).workbenchCommand,
    "bench"
  ),
  mapping: entry(
    "Check, test, compare, and print mappings",
    async (words) => (await import("./commands/mapping/mapping.ts")).mappingCommand(words)
  ),
  codes: entry(
    "Work with the service's lists and with unmapped codes",
    async (words) => (await import("./commands/codes/codes.ts")).codesCommand(words)
  ),
  assumptions: entry(
    "List the assumptions of a mapping",
    async () => (await import("./commands/assumptions.ts")).assumptionsCommand
  ),
  beneficiary: entry(
    "Look up a benefit card",
    async () => (await import("./commands/beneficiary.ts")).beneficiaryCommand
  ),
  "to-fhir": entry("Write visits as FHIR R4 Bundles", async () => (await import("./commands/toFhir.ts")).toFhirCommand),
  "to-csv": entry("Write visits as a CSV extract", async () => (await import("./commands/toCsv.ts")).toCsvCommand),
  partition: entry(
    "Split an export into parts for many machines",
    async () => (await import("./commands/partition.ts")).partitionCommand
  ),
  "merge-reports": entry(
    "Merge the reports of all parts",
    async () => (await import("./commands/mergeReports.ts")).mergeReportsCommand
  ),
  overview: entry(
    "Show many facilities' reports on one page",
    async () => (await import("./commands/overview.ts")).overviewCommand
  ),
  generate: entry("Generate synthetic visits", async () => (await import("./commands/generate.ts")).generateCommand),
  sandbox: entry(
    "Run the service on this machine, for rehearsals",
    async () => (await import("./commands/sandbox.ts")).sandboxCommand
  )
} as const

/** Returns the command line, with the commands that are among the words. */
export const commandLine = async (words: ReadonlyArray<string>) =>
  fhir2visit.pipe(Command.withSubcommands(await namedCommands(commands, words)))

const fhir2visit = Command.make("fhir2visit").pipe(withHelp(
  [
    "Convert FHIR and CSV extracts into visits for the clinical data service, and submit each visit exactly once.",
    "Exit codes:",
    "  0                success",
    "  1                some visits were rejected, or refused by the service, or some records are unreadable",
    "  2                invalid command line, settings, or mapping: nothing was sent",
    "  3                temporary failure, or wrong credentials: correct what the message names, and run the same command again",
    "  129, 130, 143    interrupted"
  ].join("\n"),
  [
    "fhir2visit run samples/outpatient-fever/input --facility samples/outpatient-fever --sandbox",
    "Run one sample visit end to end"
  ],
  ["fhir2visit init hospital-a/ --from export/", "Create a facility folder from sample data"],
  ["fhir2visit convert export/ -o visits.ndjson", "Convert an export into visits"],
  ["fhir2visit validate visits.ndjson", "Validate visits before you send them"],
  ["fhir2visit submit --facility hospital-a/ visits.ndjson --sandbox", "Rehearse on this machine"],
  ["fhir2visit codes unmapped export/ --facility hospital-a/ -o hospital-a/tables", "List the unmapped codes"]
))
