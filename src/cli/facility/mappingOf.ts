import { Effect, FileSystem } from "effect"
import { join } from "node:path"
import type { Facility } from "../../facility/Facility.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { shippedMappings } from "../../facility/shippedMappings.ts"
import { loadMapping } from "../../mapping/load/loadMapping.ts"
import { InvalidMapping } from "../../run/Conversion.ts"
import { near, shippedFolder } from "../PipelineApi.ts"
import { loadedLists } from "./standardLists.ts"

/** A mapping by its name or file, otherwise that of the facility. */
export interface NamedMapping {
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
export const requestedMapping = Effect.fnUntraced(function*(flags: NamedMapping) {
  const facility = yield* readFacility(flags.facility)
  return { file: yield* mappingFile(flags), from: shippedFolder(), context: yield* mappingContextOf(facility) }
})
