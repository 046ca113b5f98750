import { Argument, Command, Flag } from "effect/cli"
import { referenceListTypes } from "../../visit/Field.ts"
import { common, facility, inputs, numberFlag, outputFlag } from "../flags.ts"
import { later } from "../process/later.ts"

const pullConfig = { facility, ...common }
export type PullFlags = Command.Command.Config.Infer<typeof pullConfig>

const pull = Command.make(
  "pull",
  pullConfig,
  (flags) => later(flags, async () => (await import("../handlers/pullCodes.ts")).pullCodes(flags))
).pipe(
  Command.withDescription(
    "Download the twelve lists of the standard data (§4.3) and save them next to the journal. No credentials are needed. Values and "
      + "mappings are then checked against them, without network. Exit code 3: some lists could not be downloaded; the others were saved."
  ),
  Command.withShortDescription("Download the service's lists"),
  Command.withExamples([
    { command: "fhir2visit codes pull --facility hospital-a/", description: "Download from the facility's service" }
  ])
)

const type = Argument.String("type").pipe(
  Argument.withDescription(`The list: ${referenceListTypes.join(", ")}`)
)
const words = Argument.String("text").pipe(
  Argument.withDescription("A code or search words (default: print the list)"),
  Argument.variadic({ min: 0 })
)
const limit = numberFlag("limit", "Results per page (default: 20)").pipe(Flag.withDefault(20))
const page = numberFlag("page", "Page number (default: 1)").pipe(Flag.withDefault(1))

const searchConfig = { type, words, limit, page, facility, ...common }
export type SearchFlags = Command.Command.Config.Infer<typeof searchConfig>

const search = Command.make(
  "search",
  searchConfig,
  (flags) => later(flags, async () => (await import("../handlers/searchCodes.ts")).searchCodes(flags))
).pipe(
  Command.withDescription(
    "Search a downloaded list by code, name, or description; the best matches come first. Without words, print the list page by page. "
      + "Needs no network. Exit code 1: no match."
  ),
  Command.withShortDescription("Search a downloaded list"),
  Command.withExamples([
    { command: "fhir2visit codes search diagnoses dengue --facility hospital-a/", description: "By words" },
    { command: "fhir2visit codes search visit_outcomes --facility hospital-a/", description: "The list itself" },
    { command: "fhir2visit codes search diagnoses A90 --format json --facility hospital-a/", description: "By code" }
  ])
)

const folder = outputFlag("FOLDER", "Folder for the worklists, one CSV file per concept map; filled-in values are kept")

const unmappedConfig = { inputs, folder, facility, ...common }
export type UnmappedFlags = Command.Command.Config.Infer<typeof unmappedConfig>

const unmapped = Command.make(
  "unmapped",
  unmappedConfig,
  (flags) => later(flags, async () => (await import("../handlers/unmappedCodes.ts")).unmappedCodes(flags))
).pipe(
  Command.withDescription(
    "List unmapped codes, with up to three suggestions from the standard data. Codes that block most visits come first. No visits are "
      + "written. Fill in the column `value`, and set the folder under `tables:` in facility.yaml."
  ),
  Command.withShortDescription("List the unmapped codes"),
  Command.withExamples([
    {
      command: "fhir2visit codes unmapped export/ --facility hospital-a/ -o hospital-a/tables",
      description: "Write to the folder that facility.yaml sets under `tables:`"
    }
  ])
)

export const codesCommand = Command.make("codes").pipe(
  Command.withDescription("Work with the service's standard data and with unmapped codes."),
  Command.withSubcommands([pull, search, unmapped]),
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
