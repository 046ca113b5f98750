import { Command } from "effect/cli"
import { entry, namedCommands } from "../../namedCommands.ts"
import { withHelp } from "../../withHelp.ts"

const subcommands = {
  check: entry("Check a mapping without data", async () => (await import("./check.ts")).checkCommand),
  test: entry("Run the cases of a mapping", async () => (await import("./test.ts")).testCommand),
  show: entry(
    "Print the effective mapping, with the source of each line",
    async () => (await import("./show.ts")).showCommand
  ),
  diff: entry("Compare the visits of two mappings", async () => (await import("./diff.ts")).diffCommand),
  fix: entry("Write the lines that messages ask for", async () => (await import("./fix.ts")).fixCommand),
  schema: entry(
    "Print the JSON Schema of a mapping file or of a facility.yaml",
    async () => (await import("./schema.ts")).schemaCommand
  )
}

/** `mapping`, with the sub-commands that are among the words. */
export const mappingCommand = async (words: ReadonlyArray<string>) =>
  Command.make("mapping").pipe(
    Command.withSubcommands(await namedCommands(subcommands, words)),
    withHelp(
      "Check, test, compare, and print mappings.",
      ["fhir2visit mapping check --facility hospital-a/", "Check it without data"],
      ["fhir2visit mapping test --facility hospital-a/", "Run its cases"],
      [
        "fhir2visit mapping diff old/mapping.yaml hospital-a/mapping.yaml export/",
        "Show what a change does to the visits"
      ]
    )
  )
