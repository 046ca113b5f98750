import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { number, plural } from "../../../diagnostic/count.ts"
import { columns } from "../../../diagnostic/render/columns.ts"
import { printable } from "../../../diagnostic/render/printable.ts"
import { suggest } from "../../../diagnostic/suggest.ts"
import { listIndex, type ListRow, listRow } from "../../../facility/lists/listIndex.ts"
import { readList, standardDataFolder } from "../../../facility/lists/StandardData.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import { referenceListTypes } from "../../../visit/Field.ts"
import { argumentFor, facilityFlag } from "../../flags.ts"
import { common, facility, numberFlag } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { someNotDone } from "../../process/exitCode.ts"
import { Screen } from "../../screen/Screen.ts"
import { UsageError } from "../../UsageError.ts"
import { withHelp } from "../../withHelp.ts"

const type = argumentFor("type", `The list: ${referenceListTypes.join(", ")}`)
const words = argumentFor("text", "A code or search words (default: print the list)").pipe(
  Argument.variadic({ min: 0 })
)
const limit = numberFlag("limit", "Results per page (default: 20)").pipe(Flag.withDefault(20))
const page = numberFlag("page", "Page number (default: 1)").pipe(Flag.withDefault(1))

const config = { type, words, limit, page, facility, ...common }

export const searchCommand = Command.make("search", config, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Search a downloaded list by code, name, or description; the best matches come first. Without words, print the list page by page. "
    + "Needs no network. Exit code 1: no match.",
  ["fhir2visit codes search diagnoses dengue --facility hospital-a/", "By words"],
  ["fhir2visit codes search visit_outcomes --facility hospital-a/", "The list itself"],
  ["fhir2visit codes search diagnoses A90 --format json --facility hospital-a/", "By code"]
))

/** `codes search`: finds rows of a downloaded list, the best match first. Without words, it prints the list page by page. */
const execute = Effect.fn("searchCodes")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  const type = referenceListTypes.find((type) => type === flags.type)
  if (type === undefined) {
    const near = suggest(flags.type, referenceListTypes)
    return yield* new UsageError({
      title: `there is no list \`${flags.type}\``,
      help: [...(near === undefined ? [] : [`did you mean  ${near}`]), `lists: ${referenceListTypes.join(", ")}`]
    })
  }
  const facility = yield* readFacility(flags.facility)
  const folder = standardDataFolder(facility)
  const list = folder === null ? undefined : Option.getOrUndefined(yield* Effect.option(readList(folder, type)))
  if (list === undefined) {
    return yield* new UsageError({
      title: folder === null
        ? "the service's address `baseUrl` is not set"
        : `the list \`${type}\` is not downloaded`,
      help: [
        folder === null
          ? "name a facility with --facility, or set FHIR2VISIT_BASE_URL"
          : `fhir2visit codes pull${facilityFlag(flags)}  fetches it`
      ]
    })
  }
  const whole = flags.words.length === 0
  const begin = (flags.page - 1) * flags.limit
  const found: ReadonlyArray<{ readonly item: ListRow; readonly score?: number }> = whole
    ? list.items.slice(begin, begin + flags.limit).map((row) => ({ item: listRow(type, row) }))
    : listIndex(type, list.items).search(flags.words.join(" "), begin + flags.limit).slice(begin)
  if (found.length === 0) {
    yield* screen.say(
      whole || flags.page > 1
        ? `${type} has no page ${flags.page}: ${plural(list.count, "row")} in all`
        : `no match in ${type}`
    )
    return yield* someNotDone
  }
  yield* screen.print(
    flags.format === "json"
      ? JSON.stringify(found.map(({ item, score }) => ({
        ...item,
        ...(score === undefined ? {} : { score: Math.round(score * 100) / 100 })
      })))
      : columns(found.map(({ item: { code, description, names } }) => [
        code,
        names.join(" · "),
        names.includes(description) ? "" : description
      ])).join("\n")
  )
  const next = whole && begin + found.length < list.items.length
    ? `; next page: --page ${flags.page + 1}`
    : ""
  const shown = whole
    ? `rows ${number(begin + 1)} to ${number(begin + found.length)} of `
    : `${plural(found.length, "result")} in `
  yield* screen.say(
    `\n${shown}${plural(list.count, "row")}, downloaded ${printable(list.pulledAt.slice(0, 10))}${next}`
  )
})
