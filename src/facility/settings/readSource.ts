import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import { defaultSource, type SourceSettings } from "../../mirror/SourceSettings.ts"
import { certificateKeys, sourceKeys } from "./facilityGrammar.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** `source:` of a `facility.yaml`: the FHIR server that `fetch` reads. Paths are as written. */
export const readSource = (reader: FacilityReader, root: SyntaxMap): SourceSettings | undefined => {
  const { map, values } = reader.section(root, "source", sourceKeys)
  if (map === undefined) return undefined
  const { auth, downloads, full, group, mirror, mode, origins = [], overlap, pageSize, patience, scope } = values
  const { level = group === undefined ? defaultSource.level : "group", server, tokenUrl, types } = values
  const wrong = (title: string, help: string): undefined =>
    reader.report("invalid-facility", map.span, title, { help: [help] })
  if (!map.entries.has("server")) {
    wrong("`source` has no `server`", "write the base address:  server: https://fhir.example/r4")
  }
  if (level === "group" && group === undefined) wrong("`level: group` needs the id of the group", "write  group: ID")
  if (level !== "group" && group !== undefined) {
    wrong("`group` needs `level: group`", "leave out `level`, or write  level: group")
  }
  if (group !== undefined && !/^[A-Za-z0-9\-.]{1,64}$/u.test(group.value)) {
    reader.report("invalid-facility", group.span, "`group` is the id of a Group resource")
  }
  const { map: certificate, values: { certFile, keyFile } } = reader.section(map, "certificate", certificateKeys)
  if (certificate !== undefined && (certFile === undefined || keyFile === undefined)) {
    wrong("`certificate` needs a `certFile` and a `keyFile`", "both are PEM files")
  }
  return {
    server: (server?.value ?? "").replace(/\/+$/u, ""),
    level,
    group: group?.value ?? null,
    mode,
    auth,
    tokenUrl: tokenUrl?.value ?? null,
    scope,
    types: types ?? null,
    overlapMillis: overlap,
    mirror,
    fullMillis: full,
    origins,
    certificate: certFile === undefined || keyFile === undefined
      ? null
      : { certFile: certFile.value, keyFile: keyFile.value },
    patienceMillis: patience,
    downloads,
    pageSize
  }
}
