import { Effect, Option, Result } from "effect"
import { Command } from "effect/cli"
import { number, plural } from "../../../diagnostic/count.ts"
import { columns } from "../../../diagnostic/render/columns.ts"
import type { Facility } from "../../../facility/Facility.ts"
import {
  encodeList,
  listFile,
  readList,
  standardDataFolder,
  type StandardRow
} from "../../../facility/lists/StandardData.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import { readPublicConfig } from "../../../facility/settings/readOperatorConfig.ts"
import { Operator } from "../../../service/Operator.ts"
import type { OperatorError } from "../../../service/OperatorError.ts"
import { trimUrl } from "../../../service/settings/OperatorConfig.ts"
import { paths } from "../../../service/wire.ts"
import { type ReferenceListType, referenceListTypes } from "../../../visit/Field.ts"
import { layerPublic } from "../../facility/service.ts"
import { makeOutputFolder, writeWhole } from "../../files/WholeFile.ts"
import { common, facility } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { Ended, exitCodes } from "../../process/exitCode.ts"
import { reportWaits } from "../../screen/reportWaits.ts"
import { now } from "../../screen/results.ts"
import { Screen } from "../../screen/Screen.ts"
import { withHelp } from "../../withHelp.ts"

const config = { facility, ...common }

export const pullCommand = Command.make("pull", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Download the twelve lists of the standard data (§4.3) and save them next to the journal. No credentials are needed. Values and "
    + "mappings are then checked against them, without network. Exit code 3: some lists could not be downloaded; the others were saved.",
  ["fhir2visit codes pull --facility hospital-a/", "Download from the facility's service"]
))

/** The result of one list. */
type Pulled =
  | {
    readonly type: ReferenceListType
    readonly count: number
    /** Rows that are new, and rows that were removed, compared with the saved list; `null` if no list was saved. */
    readonly added: number | null
    readonly removed: number | null
  }
  | { readonly type: ReferenceListType; readonly error: OperatorError }

/** `codes pull`: downloads every list of the standard data (§4.3) and saves each that succeeds. */
const execute = Effect.fn("pullCodes")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const facility = yield* readFacility(flags.facility)
  const config = yield* readPublicConfig(facility)
  const folder = yield* makeFolder(facility)
  const pulled: Array<Pulled> = []
  yield* Effect.gen(function*() {
    yield* screen.progress(() => `fetching   ${pulled.length} of ${referenceListTypes.length} lists`)
    const operator = yield* Operator
    for (const type of referenceListTypes) {
      const rows = yield* Effect.result(operator.standardData(type))
      if (Result.isSuccess(rows)) {
        pulled.push(yield* keep(folder, type, rows.success, trimUrl(config.baseUrl)))
        continue
      }
      pulled.push({ type, error: rows.failure })
      // If the service cannot be reached, do not try the other eleven lists.
      if (rows.failure.reason._tag === "Unreachable") return
    }
  }).pipe(reportWaits, Effect.scoped, Effect.provide(layerPublic(facility, config)))
  const failed = pulled.flatMap((list) => ("error" in list ? [list] : []))
  // an error that affects every list is not an error of this list
  const [first] = failed
  if (first !== undefined && failed.length === pulled.length) return yield* first.error
  yield* screen.print(flags.format === "json" ? asJson(pulled, folder) : table(pulled))
  yield* screen.say(`\nsaved in ${folder}`)
  const missing = referenceListTypes.filter((type) =>
    !pulled.some((list) => list.type === type && ("count" in list || isNotOffered(list.error)))
  )
  if (missing.length === 0) return
  yield* screen.failure({
    title: `${plural(missing.length, "list")} could not be downloaded: ${missing.join(", ")}`,
    help: ["the other lists are saved; run the same command again"]
  })
  return yield* new Ended({ code: exitCodes.stopped })
})

/** The service does not have this list, but has others. The specification does not define this response (§4.3). */
const isNotOffered = ({ reason }: OperatorError): boolean =>
  reason._tag === "UnexpectedResponse" && [400, 404, 422].includes(reason.status)

/** Creates the folder of the lists, readable only by its owner. */
const makeFolder = Effect.fnUntraced(function*(facility: Facility) {
  // `readPublicConfig` has failed if the service's address is not known.
  const folder = standardDataFolder(facility)!
  yield* makeOutputFolder(folder)
  return folder
})

const keep = Effect.fnUntraced(function*(
  folder: string,
  type: ReferenceListType,
  items: ReadonlyArray<StandardRow>,
  baseUrl: string
) {
  const before = Option.getOrUndefined(yield* Effect.option(readList(folder, type)))
  const list = {
    type,
    url: `${baseUrl}${paths.standardData}?type=${type}`,
    pulledAt: yield* now,
    count: items.length,
    items
  }
  yield* writeWhole(listFile(folder, type), encodeList(list))
  const texts = (rows: ReadonlyArray<StandardRow>) => new Set(rows.map((row) => JSON.stringify(row)))
  const [here, there] = [texts(items), texts(before?.items ?? [])]
  return {
    type,
    count: items.length,
    added: before === undefined ? null : here.difference(there).size,
    removed: before === undefined ? null : there.difference(here).size
  } satisfies Pulled
})

const table = (pulled: ReadonlyArray<Pulled>): string => {
  const countOf = (list: Pulled): string => ("count" in list ? number(list.count) : "–")
  const width = Math.max(...pulled.map((list) => countOf(list).length))
  return columns(pulled.map((list) => [
    list.type,
    countOf(list).padStart(width),
    "error" in list
      ? (isNotOffered(list.error) ? "the service has no such list" : "could not be downloaded")
      : changes(list.added, list.removed)
  ])).join("\n")
}

const changes = (added: number | null, removed: number | null): string => {
  if (added === null || removed === null) return "new"
  return [added > 0 ? `${number(added)} added` : "", removed > 0 ? `${number(removed)} removed` : ""]
    .filter((part) => part !== "")
    .join(", ")
}

const asJson = (pulled: ReadonlyArray<Pulled>, folder: string): string =>
  JSON.stringify({
    folder,
    lists: pulled.map((list) =>
      "error" in list ?
        {
          type: list.type,
          error: isNotOffered(list.error) ? "NotOffered" : list.error.reason._tag
        } :
        list
    )
  })
