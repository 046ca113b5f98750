import { Effect } from "effect"
import { Command } from "effect/cli"
import { dirname, relative, resolve } from "node:path"
import { columns } from "../../../diagnostic/render/columns.ts"
import type { Facility } from "../../../facility/Facility.ts"
import { standardDataFolder } from "../../../facility/lists/StandardData.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import type { ReferenceListType } from "../../../visit/Field.ts"
import { writeWorklists } from "../../codes/worklists.ts"
import { expectOutputFolder } from "../../files/outputTargets.ts"
import { makeOutputFolder } from "../../files/WholeFile.ts"
import { common, facility, facilityFlag, inputs, outputFlag } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { describeInput } from "../../screen/describeInput.ts"
import { Screen } from "../../screen/Screen.ts"
import { withHelp } from "../../withHelp.ts"

const folder = outputFlag("FOLDER", "Folder for the worklists, one CSV file per concept map; filled-in values are kept")

const config = { inputs, folder, facility, ...common }

export const unmappedCommand = Command.make("unmapped", config, (flags) => perform(flags, execute(flags))).pipe(
  withHelp(
    "List unmapped codes, with up to three suggestions from the standard data. Codes that block most visits come first. No visits are "
      + "written. Fill in the column `value`, and set the folder under `tables:` in facility.yaml.",
    [
      "fhir2visit codes unmapped export/ --facility hospital-a/ -o hospital-a/tables",
      "Write to the folder that facility.yaml sets under `tables:`"
    ]
  )
)

type Flags = Command.Command.Config.Infer<typeof config>

/** `codes unmapped`: converts, and writes a worklist for each concept map that lacks a row for a code. */
const execute = Effect.fn("unmappedCodes")(function*(flags: Flags) {
  const screen = yield* Screen
  yield* expectOutputFolder(flags.folder)
  // `tables:` of the facility can name this folder, so it must exist before the facility is read.
  yield* makeOutputFolder(flags.folder)
  const facility = yield* readFacility(flags.facility)
  const { lines, problems, unlisted, valueLines, worklists } = yield* writeWorklists(flags, facility)
  if (flags.format === "json") yield* screen.print(JSON.stringify(worklists))
  else if (lines.length > 0) yield* screen.print(columns(lines).join("\n"))
  if (unlisted.length > 0) yield* screen.say(`\n${withoutSuggestions(unlisted, flags, facility)}`)
  if (valueLines.length > 0) yield* screen.say(`\n${valueLines.join("\n")}`)
  yield* screen.say(
    lines.length === 0
      ? "every code in the input is mapped"
      : isNamed(facility, flags.folder)
      ? "\nfill in the column `value`: facility.yaml names the folder, so the next command uses it"
      : `\nfill in the column \`value\`, and name the folder in facility.yaml:  tables: ${
        seenFrom(facility.file, flags.folder)
      }`
  )
  yield* describeInput(problems)
})

/** Why worklists have no suggestions, and how to get suggestions. */
const withoutSuggestions = (
  lists: ReadonlyArray<ReferenceListType>,
  flags: Pick<Flags, "facility">,
  facility: Facility
): string => {
  return [
    `no suggestions: the service's ${lists.length === 1 ? "list" : "lists"} ${lists.join(", ")} ${
      lists.length === 1 ? "is" : "are"
    } not downloaded`,
    ...(standardDataFolder(facility) === null
      ? ["first set the address of the service:  service: {baseUrl: …}  in facility.yaml, or FHIR2VISIT_BASE_URL"]
      : []),
    `  fhir2visit codes pull${
      facilityFlag(flags)
    }  fetches them; then run the same command again: filled-in values are kept`
  ].join("\n")
}

/** Whether code tables of the folder are read already. */
const isNamed = ({ tables }: Facility, folder: string): boolean =>
  tables.some(({ file }) => resolve(dirname(file)) === resolve(folder))

/** A folder as `facility.yaml` names it. */
const seenFrom = (file: string | null, folder: string): string =>
  file === null ? folder : relative(dirname(file), folder) || "."
