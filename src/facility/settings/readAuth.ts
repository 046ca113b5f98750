import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { type AuthSettings, defaultAuth } from "../../service/settings/AuthSettings.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `auth:` of a `facility.yaml`: how tokens are cached. It never contains secrets. */
export const readAuth = (reader: FacilityReader, root: SyntaxMap): AuthSettings => {
  const map = reader.mapOf(root, "auth", ["refreshMargin"])
  return { refreshMargin: reader.percent(map, "refreshMargin", 1, 90) ?? defaultAuth.refreshMargin }
}
