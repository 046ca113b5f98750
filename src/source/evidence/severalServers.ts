import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { serverOfExport, Servers } from "../records/Servers.ts"
import type { Export } from "./Export.ts"

/**
 * Returns a problem if exports are of several servers. Their files have no addresses of records, so a reference such as `Patient/1` could
 * lead to a patient of the other server. `sameServer` are addresses of one server.
 */
export const severalServers = (
  exports: ReadonlyArray<Export>,
  sameServer: ReadonlyArray<string>
): ReadonlyArray<Diagnostic> => {
  const servers = new Servers(sameServer)
  const known = exports.flatMap(({ origin, url }) => {
    const base = url === undefined ? undefined : serverOfExport(url)
    return base === undefined ? [] : [{ base, name: servers.nameOf(base), origin }]
  })
  const [first] = known
  const other = known.find(({ name }) => name !== first?.name)
  if (first === undefined || other === undefined) return []
  return [{
    code: "several-servers",
    severity: "error",
    title: "the input has exports of two servers, and records of both can have the same id",
    origin: other.origin,
    facts: [["server", other.base], ["other", first.base]],
    help: [
      "convert the exports of each server separately, with mappings that generate different codes",
      "if both are addresses of one server, in facility.yaml:  sameServer: [FIRST, SECOND]"
    ]
  }]
}
