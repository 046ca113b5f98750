import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import {
  defaultSource,
  exportLevels,
  fetchModes,
  serverAuths,
  type SourceSettings
} from "../../mirror/SourceSettings.ts"
import type { FacilityReader } from "./FacilityReader.ts"

const sourceKeys = [
  "server",
  "level",
  "group",
  "mode",
  "auth",
  "tokenUrl",
  "scope",
  "types",
  "overlap",
  "mirror",
  "full",
  "origins",
  "certificate",
  "patience",
  "downloads",
  "pageSize"
]

/** `source:` of a `facility.yaml`: the FHIR server that `fetch` reads. Paths are as written. */
export const readSource = (reader: FacilityReader, root: SyntaxMap): SourceSettings | undefined => {
  const map = reader.mapOf(root, "source", sourceKeys)
  if (map === undefined) return undefined
  const server = reader.url(map, "server")
  const group = reader.setting(map, "group")
  const level = reader.oneOf(map.entries.get("level"), "`level`", exportLevels) ??
    (group === undefined ? defaultSource.level : "group")
  const wrong = (title: string, help: string): undefined =>
    reader.report("invalid-facility", map.span, title, undefined, [help])
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
  const certificate = reader.mapOf(map, "certificate", ["certFile", "keyFile"])
  const certFile = reader.setting(certificate, "certFile")
  const keyFile = reader.setting(certificate, "keyFile")
  if (certificate !== undefined && (certFile === undefined || keyFile === undefined)) {
    wrong("`certificate` needs a `certFile` and a `keyFile`", "both are PEM files")
  }
  const fullNone = reader.isOff(map, "full")
  const full = fullNone ? null : fullMillis(reader, map)
  const types = listOf(
    reader,
    map,
    "types",
    /^[A-Z][A-Za-z]{1,63}$/u,
    "the name of a FHIR resource type, such as Encounter"
  )
  const origins = listOf(reader, map, "origins", /^https?:\/\/[^/?#\s]+$/u, "an origin, such as https://files.example")
  return {
    server: (server?.value ?? "").replace(/\/+$/u, ""),
    level,
    group: group?.value ?? null,
    mode: reader.oneOf(map.entries.get("mode"), "`mode`", fetchModes) ?? defaultSource.mode,
    auth: reader.oneOf(map.entries.get("auth"), "`auth`", serverAuths) ?? defaultSource.auth,
    tokenUrl: reader.url(map, "tokenUrl")?.value ?? null,
    scope: reader.setting(map, "scope")?.value ?? defaultSource.scope,
    types: types ?? null,
    overlapMillis: reader.duration(map, "overlap", "0s", "7d") ?? defaultSource.overlapMillis,
    mirror: reader.setting(map, "mirror")?.value ?? defaultSource.mirror,
    fullMillis: full === undefined ? defaultSource.fullMillis : full,
    origins: origins ?? [],
    certificate: certFile === undefined || keyFile === undefined
      ? null
      : { certFile: certFile.value, keyFile: keyFile.value },
    patienceMillis: reader.duration(map, "patience", "1m", "30d") ?? defaultSource.patienceMillis,
    downloads: reader.count(map, "downloads", 1, 16)?.value ?? defaultSource.downloads,
    pageSize: reader.count(map, "pageSize", 1, 1000)?.value ?? defaultSource.pageSize
  }
}

const words: Readonly<Record<string, number>> = { daily: 1, weekly: 7, monthly: 30 }

/** Reads `weekly`, or a duration. */
const fullMillis = (reader: FacilityReader, map: SyntaxMap): number | undefined => {
  const value = map.entries.get("full")?.value
  const days = value?.kind === "scalar" ? words[String(value.value)] : undefined
  return days === undefined
    ? reader.duration(map, "full", "1h", "366d", "or  daily, weekly, monthly, off")
    : days * 86_400_000
}

const listOf = (
  reader: FacilityReader,
  map: SyntaxMap,
  key: string,
  form: RegExp,
  expected: string
): ReadonlyArray<string> | undefined => {
  const entry = map.entries.get(key)
  if (entry === undefined) return undefined
  return reader.texts(entry.value, `\`${key}\``).flatMap(({ span, value }) => {
    if (form.test(String(value))) return [String(value)]
    reader.report("invalid-facility", span, `\`${key}\`: expected ${expected}`)
    return []
  })
}
