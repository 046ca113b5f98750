import { Clock, Effect, type FileSystem } from "effect"
import type { Facility } from "../../facility/Facility.ts"
import { type LoadedLists, readLists } from "../../facility/lists/StandardData.ts"
import { standardData } from "../../service/sandbox/data/standardData.ts"
import { referenceListTypes } from "../../visit/Field.ts"
import { makeReferenceList } from "../../visit/values/ReferenceList.ts"

/**
 * The standard data that values are checked against: what `codes pull` fetched for the facility's service, or the lists of the
 * embedded service in a rehearsal. Without any, values of lists are not checked.
 */
export const loadedLists = (
  facility: Facility,
  { sandbox = false }: { readonly sandbox?: boolean } = {}
): Effect.Effect<LoadedLists, never, FileSystem.FileSystem> =>
  sandbox
    ? Effect.sync(() => ({
      // The program itself identifies the rows.
      lists: new Map(referenceListTypes.map((type) => [type, makeReferenceList(standardData[type], { digest: "" })])),
      problems: []
    }))
    : Effect.flatMap(Clock.currentTimeMillis, (now) => readLists(facility, now))
