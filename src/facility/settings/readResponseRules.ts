import type { Values } from "../../mapping/language/grammar/Kind.ts"
import type { SyntaxMap, SyntaxScalar } from "../../mapping/language/MappingSyntax.ts"
import { slowPart } from "../../pattern/slowPattern.ts"
import { UserPattern } from "../../pattern/UserPattern.ts"
import {
  type BlockedReason,
  blockedReasons,
  documentedRules,
  plainStatus,
  type ResponseRules
} from "../../service/responses/ResponseRules.ts"
import type { Facility } from "../Facility.ts"
import type { FacilityReader } from "./FacilityReader.ts"
import { messagesKeys, submitKeys } from "./serviceGrammar.ts"
import type { Setting } from "./settingKinds.ts"

/** `submit:` of a `facility.yaml`: how visits are sent, and the meaning of the service's statuses and messages. */
export const readResponseRules = (
  reader: FacilityReader,
  root: SyntaxMap
): Pick<Facility, "responseRules" | "settleMillis" | "partial" | "sameAdmission" | "sameEncounter" | "sending"> => {
  const { map, values } = reader.section(root, "submit", submitKeys)
  const { gzip, noReferral, optional, partial, requestIdHeader, sameAdmission, sameEncounter, settle, tilte } = values
  return {
    responseRules: map === undefined ? documentedRules : rules(reader, map, values),
    settleMillis: settle,
    partial,
    sameAdmission,
    sameEncounter,
    sending: { gzip, requestIdHeader: header(reader, requestIdHeader), optional, noReferral, tilte }
  }
}

/** A header of its own: not one that controls how a request is read, and not one of §4.1. */
const header = (reader: FacilityReader, name: Setting<string> | null): string | null => {
  if (name === null || /^(?!sec-)[a-z][a-z0-9-]{0,58}-(?:id|key)$/iu.test(name.value)) return name?.value ?? null
  reader.report("invalid-facility", name.span, "`requestIdHeader` must be the name of a header", {
    help: ["a name that ends in -Id or -Key:  X-Request-Id", "or `off`"]
  })
  return null
}

const rules = (
  reader: FacilityReader,
  map: SyntaxMap,
  { partialStatus, storedStatus }: Pick<Values<typeof submitKeys>, "partialStatus" | "storedStatus">
): ResponseRules => {
  const { partial: notStored, stored: notPartial } = documentedRules
  const partial = statuses(reader, partialStatus, {
    own: notStored,
    opposite: { meaning: "completely stored", statuses: notPartial }
  })
  const stored = statuses(reader, storedStatus, {
    own: notPartial,
    opposite: { meaning: "stored in part", statuses: notStored }
  })
  const both = stored.find((status) => partial.includes(status) && ![...notStored, ...notPartial].includes(status))
  if (both !== undefined) {
    reader.report("invalid-facility", map.span, `a visit with status \`${both}\` cannot be stored and stored in part`)
  }
  return { stored, partial, blocked: blocked(reader, map) }
}

/** The configured list together with the specification's own values, but never a value with the opposite meaning (§3). */
const statuses = (
  reader: FacilityReader,
  written: ReadonlyArray<SyntaxScalar> = [],
  { opposite, own }: {
    readonly own: ReadonlyArray<string>
    readonly opposite: { readonly meaning: string; readonly statuses: ReadonlyArray<string> }
  }
): ReadonlyArray<string> => {
  for (const { span, value } of written) {
    if (opposite.statuses.includes(plainStatus(String(value)))) {
      reader.report("invalid-facility", span, `status ${value} means ${opposite.meaning} (§3)`)
    }
  }
  return [...new Set([...own, ...written.map(({ value }) => plainStatus(String(value)))])]
}

const blocked = (reader: FacilityReader, map: SyntaxMap): ResponseRules["blocked"] => {
  const { values } = reader.section(map, "messages", messagesKeys)
  return blockedReasons.flatMap((reason) => (values[reason] ?? []).flatMap((text) => rule(reader, reason, text)))
}

const rule = (
  reader: FacilityReader,
  reason: BlockedReason,
  { span, value }: SyntaxScalar
): ResponseRules["blocked"] => {
  const text = String(value)
  const wrong = (title: string, ...help: ReadonlyArray<string>) => {
    reader.report("invalid-facility", span, title, { help })
    return []
  }
  const pattern = compiled(text)
  if (pattern === undefined) return wrong("this is not a regular expression")
  if (pattern.test("") === true) return wrong("this pattern matches every message", "write the words of the service")
  if (slowPart(text) !== undefined) {
    return wrong(
      "this pattern can match one text in too many ways",
      "repeat once:  (a+)+  is  a+"
    )
  }
  return [{ reason, pattern }]
}

const compiled = (text: string): UserPattern | undefined => {
  try {
    return new UserPattern(text, "iu")
  } catch {
    return undefined
  }
}
