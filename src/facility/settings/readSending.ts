import type { SyntaxMap } from "../../mapping/language/MappingSyntax.ts"
import {
  defaultSending,
  noReferrals,
  optionalFields,
  type SendingSettings
} from "../../service/settings/SendingSettings.ts"
import type { FacilityReader } from "./FacilityReader.ts"

/** The keys under `submit:` that set how submissions are written. */
export const sendingKeys = ["gzip", "requestIdHeader", "optional", "noReferral", "tilte"] as const

export const readSending = (reader: FacilityReader, submit: SyntaxMap | undefined): SendingSettings => {
  const flag = (key: "gzip" | "tilte") => reader.onOff(submit, key) ?? defaultSending[key]
  return {
    gzip: flag("gzip"),
    requestIdHeader: header(reader, submit),
    optional: reader.oneOf(reader.given(submit, "optional"), "`optional`", optionalFields) ?? defaultSending.optional,
    noReferral: reader.oneOf(reader.given(submit, "noReferral"), "`noReferral`", noReferrals)
      ?? defaultSending.noReferral,
    tilte: flag("tilte")
  }
}

/** A header of its own: not one that controls how a request is read, and not one of §4.1. */
const header = (reader: FacilityReader, submit: SyntaxMap | undefined): string | null => {
  if (reader.isOff(submit, "requestIdHeader")) return null
  const name = reader.setting(submit, "requestIdHeader")
  if (name === undefined) return defaultSending.requestIdHeader
  if (/^(?!sec-)[a-z][a-z0-9-]{0,58}-(?:id|key)$/iu.test(name.value)) return name.value
  reader.report("invalid-facility", name.span, "`requestIdHeader` is the name of a header", undefined, [
    "a name that ends in -Id or -Key:  X-Request-Id",
    "or `off`"
  ])
  return null
}
