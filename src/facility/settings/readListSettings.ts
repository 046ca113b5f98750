import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import {
  defaultLists,
  type ListSettings,
  type PageSettings,
  processedFacts,
  type ProcessedFields,
  referencePaths
} from "../../service/settings/ListSettings.ts"
import { defaultService } from "../Facility.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `reference:` and `processed:` of a `facility.yaml`: how the service's lists are requested and read, and how long they are valid. */
interface ListsOfFacility {
  readonly lists: ListSettings
  /** Loaded standard data that is older than this many days is reported as old. */
  readonly referenceDays: number
}

export const readListSettings = (reader: FacilityReader, root: SyntaxMap): ListsOfFacility => {
  const reference = reader.mapOf(root, "reference", ["maxAge", "perPage", "pageParam", "path"])
  const processed = reader.mapOf(root, "processed", ["perPage", "pageParam", "sortBy", "fields"])
  const sortBy = reader.word(processed, "sortBy")
  const age = reader.duration(reference, "maxAge", "1d", "366d")
  return {
    lists: {
      reference: {
        ...pages(reader, reference, defaultLists.reference),
        path: reader.oneOf(reference?.entries.get("path"), "`path`", referencePaths) ?? defaultLists.reference.path
      },
      processed: {
        ...pages(reader, processed, defaultLists.processed),
        sortBy: sortBy === "none" ? null : sortBy ?? defaultLists.processed.sortBy,
        fields: fields(reader, processed)
      }
    },
    referenceDays: age === undefined ? defaultService.referenceDays : Math.floor(age / 86_400_000)
  }
}

const pages = (reader: FacilityReader, map: SyntaxMap | undefined, usual: PageSettings): PageSettings => ({
  perPage: reader.count(map, "perPage", 1, 10_000)?.value ?? usual.perPage,
  pageParam: reader.word(map, "pageParam") ?? usual.pageParam
})

const fields = (reader: FacilityReader, processed: SyntaxMap | undefined): ProcessedFields => {
  const map = processed === undefined ? undefined : reader.mapOf(processed, "fields", processedFacts)
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const fact of processedFacts) {
    const path = reader.setting(map, fact)
    if (path === undefined) continue
    if (/^[\w-]{1,64}(?:\.[\w-]{1,64}){0,5}$/u.test(path.value)) found[fact] = path.value.split(".")
    else {
      reader.report(
        "invalid-facility",
        path.span,
        `\`${fact}\` is a key of a row, or keys with points between`,
        undefined,
        [
          `${fact}: visit.code`
        ]
      )
    }
  }
  return found
}
