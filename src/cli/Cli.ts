import { Command } from "effect/cli"

/** The commands in the order of the help. What is not listed does not exist. */
const commands = {
  run: async () => (await import("./commands/run.ts")).run,
  convert: async () => (await import("./commands/convert.ts")).convert,
  fetch: async () => (await import("./commands/fetch.ts")).fetch,
  validate: async () => (await import("./commands/validate.ts")).validate,
  submit: async () => (await import("./commands/submit.ts")).submit,
  status: async () => (await import("./commands/status.ts")).status,
  release: async () => (await import("./commands/release.ts")).release,
  init: async () => (await import("./commands/init.ts")).init,
  profile: async () => (await import("./commands/profile.ts")).profile,
  explain: async () => (await import("./commands/explain.ts")).explain,
  workbench: async () => (await import("./commands/bench.ts")).bench,
  mapping: async () => (await import("./commands/mapping.ts")).mapping,
  codes: async () => (await import("./commands/codes.ts")).codes,
  assumptions: async () => (await import("./commands/assumptions.ts")).assumptions,
  beneficiary: async () => (await import("./commands/beneficiary.ts")).beneficiary,
  "to-fhir": async () => (await import("./commands/toFhir.ts")).toFhir,
  "to-csv": async () => (await import("./commands/toCsv.ts")).toCsv,
  partition: async () => (await import("./commands/partition.ts")).partition,
  "merge-reports": async () => (await import("./commands/mergeReports.ts")).mergeReports,
  overview: async () => (await import("./commands/overview.ts")).overview,
  generate: async () => (await import("./commands/generate.ts")).generate,
  sandbox: async () => (await import("./commands/sandbox.ts")).sandbox
} as const

/** Other names of a command. */
const aliases: Readonly<Record<string, keyof typeof commands>> = { bench: "workbench" }

const isCommand = (word: string): word is keyof typeof commands => Object.hasOwn(commands, word)

/**
 * Returns the command line. If its first word is a command, only this command is loaded: building the parsers of all takes longer than
 * reading a small input.
 */
export const commandLine = async ([first = ""]: ReadonlyArray<string>) => {
  const word = aliases[first] ?? first
  const names = isCommand(word) ? [word] : Object.keys(commands).filter(isCommand)
  const [one, ...others] = await Promise.all(names.map((name) => commands[name]()))
  return fhir2visit.pipe(Command.withSubcommands([one!, ...others]))
}

const fhir2visit = Command.make("fhir2visit").pipe(
  Command.withDescription(
    "Converts HL7 FHIR and CSV extracts into visits for the clinical data service, and submits each visit exactly once.\n\n"
      + "  Exit codes: 0 success; 1 some visits were rejected, or refused by the service; 2 invalid command line, settings, or mapping: "
      + "nothing was sent; 3 temporary failure: run the same command again; 129, 130, 143 interrupted."
  ),
  Command.withExamples([
    {
      command: "fhir2visit run samples/outpatient-fever/input --facility samples/outpatient-fever --sandbox",
      description: "Run one sample visit end to end"
    },
    {
      command: "fhir2visit init hospital-a/ --from export/",
      description: "Create a facility folder from sample data"
    },
    { command: "fhir2visit convert export/ -o visits.ndjson", description: "Convert an export into visits" },
    { command: "fhir2visit validate visits.ndjson", description: "Validate visits before you send them" },
    {
      command: "fhir2visit submit --facility hospital-a/ visits.ndjson --sandbox",
      description: "Rehearse on this machine"
    },
    {
      command: "fhir2visit codes unmapped export/ --facility hospital-a/ -o hospital-a/tables",
      description: "List the unmapped codes"
    }
  ])
)
