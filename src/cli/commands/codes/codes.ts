import { Command } from "effect/cli"
import { entry, namedCommands } from "../../namedCommands.ts"
import { withHelp } from "../../withHelp.ts"

const subcommands = {
  pull: entry("Download the service's lists", async () => (await import("./pull.ts")).pullCommand),
  search: entry("Search a downloaded list", async () => (await import("./search.ts")).searchCommand),
  unmapped: entry("List the unmapped codes", async () => (await import("./unmapped.ts")).unmappedCommand)
}

/** `codes`, with the sub-commands that are among the words. */
export const codesCommand = async (words: ReadonlyArray<string>) =>
  Command.make("codes").pipe(
    Command.withSubcommands(await namedCommands(subcommands, words)),
    withHelp(
      "Work with the service's standard data and with unmapped codes.",
      ["fhir2visit codes pull --facility hospital-a/", "Download the lists, for example once a week"],
      ["fhir2visit codes search diagnoses dengue --facility hospital-a/", "Search by words"],
      [
        "fhir2visit codes unmapped export/ --facility hospital-a/ -o hospital-a/tables",
        "List the codes that still need a value"
      ]
    )
  )
