import { Clock, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { collate } from "../../diagnostic/collate.ts"
import { number, plural } from "../../diagnostic/count.ts"
import { shownFile } from "../../diagnostic/Span.ts"
import type { Facility } from "../../facility/Facility.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { shippedMappings } from "../../facility/shippedMappings.ts"
import { loadMapping, measureMapping } from "../../mapping/load/loadMapping.ts"
import { InvalidMapping } from "../../run/Conversion.ts"
import type { CheckFlags } from "../commands/mapping.ts"
import { near, shippedFolder } from "../PipelineApi.ts"
import { Ended, exitCodes } from "../process/exitCode.ts"
import { Screen } from "../screen/Screen.ts"
import { loadedLists } from "../standardLists.ts"

/** A mapping by its name or file, otherwise that of the facility. */
interface NamedMapping {
  readonly mapping?: string | undefined
  readonly facility: string | undefined
}

/** Returns the named mapping (a file, a folder, or a shipped one), otherwise the facility's. */
export const mappingFile = Effect.fnUntraced(function*(flags: NamedMapping) {
  const { mapping: name } = flags
  if (name === undefined) return near((yield* readFacility(flags.facility)).mapping)
  const fs = yield* FileSystem.FileSystem
  const shipped = shippedMappings().get(name)
  if (shipped !== undefined) return near(shipped)
  const inside = join(name, "mapping.yaml")
  return (yield* Effect.orElseSucceed(fs.exists(inside), () => false)) ? inside : name
})

/** Loads the mapping of a facility, or the one in `file`, with the facility's code tables. Fails if it is invalid. */
export const validMapping = Effect.fnUntraced(function*(facility: Facility, file = near(facility.mapping)) {
  const { checked, problems } = yield* loadMapping(file, shippedFolder(), yield* mappingContextOf(facility))
  return checked ?? (yield* new InvalidMapping({ problems }))
})

/** The code tables of the facility, and the downloaded standard data. */
export const mappingContextOf = Effect.fnUntraced(function*(facility: Facility) {
  const { lists } = yield* loadedLists(facility)
  return {
    tables: facility.tables.map((table) => ({ ...table, file: near(table.file) })),
    accepted: facility.accepted === null ? undefined : near(facility.accepted),
    lists
  }
})

/** The requested mapping, and what a run would check it with. */
const requestedMapping = Effect.fnUntraced(function*(flags: NamedMapping) {
  const facility = yield* readFacility(flags.facility)
  return { file: yield* mappingFile(flags), from: shippedFolder(), context: yield* mappingContextOf(facility) }
})

/** `mapping check`: everything that is wrong with a mapping, or what was checked. */
export const checkMapping = Effect.fn("mapping check")(function*(flags: CheckFlags) {
  const screen = yield* Screen
  const started = yield* Clock.currentTimeMillis
  const { context, file, from } = yield* requestedMapping(flags)
  const { files, problems, size } = yield* measureMapping(file, from, context)
  const taken = (yield* Clock.currentTimeMillis) - started
  yield* screen.problems(collate(problems), flags.format === "human" ? "stderr" : "stdout")
  if (size === undefined) return yield* new Ended({ code: exitCodes.wrong })
  const { fields, functions, maps, name, paths, rows } = size
  const warnings = problems.length
  yield* screen.say([
    `${name}   ${shownFile(file)}`,
    "",
    `  ${plural(files, "file")}      ${plural(fields, "field")}      ${plural(paths, "path")}      ${
      plural(maps, "concept map")
    } with ${plural(rows, "row")}      ${plural(functions, "function")}`,
    `  ${warnings === 0 ? "no mistakes" : plural(warnings, "warning")}      checked in ${
      taken < 1000 ? "less than 1 s" : `${number(Math.ceil(taken / 1000))} s`
    }`
  ].join("\n"))
  if (flags.strict && warnings > 0) return yield* new Ended({ code: exitCodes.wrong })
})

/** `mapping show`: the effective mapping, each line with its source location. */
export const show = Effect.fn("mapping show")(function*(flags: NamedMapping) {
  const screen = yield* Screen
  const { showMapping } = yield* Effect.promise(() => import("../../mapping/language/showMapping.ts"))
  const { context, file, from } = yield* requestedMapping(flags)
  const { checked, problems, syntax } = yield* loadMapping(file, from, context)
  if (syntax === undefined || checked === undefined) return yield* new InvalidMapping({ problems })
  yield* screen.print(showMapping(syntax, shownFile).trimEnd())
})

/** `mapping schema`: for editors. */
export const schema = Effect.fn("mapping schema")(function*({ of }: { readonly of: "mapping" | "facility" }) {
  const screen = yield* Screen
  const print = of === "mapping"
    ? (yield* Effect.promise(() => import("../../mapping/language/mappingSchema.ts"))).mappingSchema
    : (yield* Effect.promise(() => import("../../facility/settings/facilityGrammar.ts"))).facilitySchema
  yield* screen.print(JSON.stringify(print(), null, 2))
})
