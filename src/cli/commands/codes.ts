import { Argument, Command, Flag } from "effect/cli"
import { referenceListTypes } from "../../visit/Field.ts"
import { common, facility } from "../flags.ts"
import { later } from "../later.ts"
import { inputs } from "./convert.ts"

const pull = Command.make(
  "pull",
  { facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/pullCodes.ts")).pullCodes(flags))
).pipe(
  Command.withDescription(
    "Fetch the twelve lists of the standard data (§4.3) and keep them beside the journal. No credentials are needed. Values and "
      + "mappings are checked against them from then on, without network. Exit code 3: some lists could not be had; the others are kept."
  ),
  Command.withShortDescription("Fetch the service's lists and keep them"),
  Command.withExamples([
    { command: "fhir2visit codes pull --facility hospital-a/", description: "From the service of the facility" }
  ])
)

const type = Argument.String("type").pipe(
  Argument.withDescription(`The list: ${referenceListTypes.join(", ")}`)
)
const words = Argument.String("text").pipe(
  Argument.withDescription("A code, or words of a name or description; without any the list itself"),
  Argument.variadic({ min: 0 })
)
const limit = Flag.Int("limit").pipe(
  Flag.withDescription("As many are shown; 20 unless said"),
  Flag.filter((limit) => limit >= 1, () => "a number from 1 on"),
  Flag.withDefault(20)
)

const page = Flag.Int("page").pipe(
  Flag.withDescription("Go on behind the first ones: page 2, 3 …"),
  Flag.filter((page) => page >= 1, () => "a number from 1 on"),
  Flag.withDefault(1)
)

const search = Command.make(
  "search",
  { type, words, limit, page, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/searchCodes.ts")).searchCodes(flags))
).pipe(
  Command.withDescription(
    "Search a list that `codes pull` has fetched, by code, name or description, the best first; without words, list it page by "
      + "page. Needs no network. Exit code 1: nothing is near."
  ),
  Command.withShortDescription("Search a list, without network"),
  Command.withExamples([
    { command: "fhir2visit codes search diagnoses dengue --facility hospital-a/", description: "By words" },
    { command: "fhir2visit codes search visit_outcomes --facility hospital-a/", description: "The list itself" },
    { command: "fhir2visit codes search diagnoses A90 --format json --facility hospital-a/", description: "By code" }
  ])
)

const folder = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("FOLDER"),
  Flag.withDescription("The folder of the worklists, one CSV file for each concept map; what was filled in stays")
)

const unmapped = Command.make(
  "unmapped",
  { inputs, folder, facility, ...common },
  (flags) => later(flags, async () => (await import("../handlers/unmappedCodes.ts")).unmappedCodes(flags))
).pipe(
  Command.withDescription(
    "Convert, write no visits, and list each code without a row in its concept map: what blocks most visits first, with up to three "
      + "suggestions of the standard data. Fill in the column `value` and name the folder under `tables:` of facility.yaml."
  ),
  Command.withShortDescription("Write worklists of the codes without a row"),
  Command.withExamples([
    {
      command: "fhir2visit codes unmapped export/ --facility hospital-a/ -o hospital-a/tables",
      description: "Into the folder that facility.yaml names under tables:"
    }
  ])
)

export const codes = Command.make("codes").pipe(
  Command.withDescription("The service's standard data, and the codes of the source that have no value of it yet."),
  Command.withShortDescription("The service's lists, and codes without a row"),
  Command.withSubcommands([pull, search, unmapped]),
  Command.withExamples([
    { command: "fhir2visit codes pull --facility hospital-a/", description: "Once a week" },
    {
      command: "fhir2visit codes search diagnoses dengue --facility hospital-a/",
      description: "What the service calls it"
    },
    {
      command: "fhir2visit codes unmapped export/ --facility hospital-a/ -o hospital-a/tables",
      description: "What is still to be translated"
    }
  ])
)
