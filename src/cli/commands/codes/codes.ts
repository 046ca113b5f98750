import { Command } from "effect/cli"
import { entry, namedCommands } from "../../namedCommands.ts"

const subcommands = {
  pull: entry("Download the service's lists", async () => (await import("./pull.ts")).pullCommand),
  search: entry("Search a downloaded list", async () => (await import("./search.ts")).searchCommand),
  unmapped: entry("List the unmapped codes", async () => (await import("./unmapped.ts")).unmappedCommand)
}

/** `codes`, with the sub-commands that are among the words. */
export const codesCommand = async (words: ReadonlyArray<string>) =>
  Command.make("codes").pipe(
    Command.withDescription("Work with the service's standard data and with unmapped codes."),
    Command.withSubcommands(await namedCommands(subcommands, words)),
    Command.withExamples([
      {
        command: "fhir2visit codes pull --facility hospital-a/",
        description: "Download the lists, for example once a week"
      },
      {
        command: "fhir2visit codes search diagnoses dengue --facility hospital-a/",
        description: "Search by words"
      },
      {
        command: "fhir2visit codes unmapped export/ --facility hospital-a/ -o hospital-a/tables",
        description: "List the codes that still need a value"
      }
    ])
  )
