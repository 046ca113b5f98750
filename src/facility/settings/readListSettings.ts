import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { type ListSettings, processedFacts, type ProcessedFields } from "../../service/settings/ListSettings.ts"
import { processedFieldsKeys, processedKeys, referenceKeys } from "./facilityGrammar.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `reference:` and `processed:` of a `facility.yaml`: how the service's lists are requested and read, and how long they are valid. */
interface ListsOfFacility {
  readonly lists: ListSettings
  /** Loaded standard data that is older than this many days is reported as old. */
  readonly referenceDays: number
}

export const readListSettings = (reader: FacilityReader, root: SyntaxMap): ListsOfFacility => {
  const { maxAge, ...reference } = reader.section(root, "reference", referenceKeys).values
  const { map, values: { fields: _, ...processed } } = reader.section(root, "processed", processedKeys)
  return {
    lists: { reference, processed: { ...processed, fields: readFields(reader, map) } },
    referenceDays: Math.floor(maxAge / 86_400_000)
  }
}

const readFields = (reader: FacilityReader, processed: SyntaxMap | undefined): ProcessedFields => {
  const { values } = reader.section(processed, "fields", processedFieldsKeys)
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const fact of processedFacts) {
    const path = values[fact]
    if (path === undefined) continue
    if (/^[\w-]{1,64}(?:\.[\w-]{1,64}){0,5}$/u.test(path.value)) found[fact] = path.value.split(".")
    else {
      reader.report("invalid-facility", path.span, `\`${fact}\` is a key of a row, or keys with points between`, {
        help: [`${fact}: visit.code`]
      })
    }
  }
  return found
}
