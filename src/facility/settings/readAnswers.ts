import { slowPart } from "../../mapping/check/slowPattern.ts"
import type { Syntax, SyntaxMap, SyntaxScalar } from "../../mapping/language/MappingSyntax.ts"
import {
  type AnswerRules,
  type BlockedReason,
  blockedReasons,
  documentedRules,
  plainStatus
} from "../../service/responses/AnswerRules.ts"
import { defaultService, type Facility, partialVisits, sameVisits } from "../Facility.ts"
import type { FacilityReader } from "./FacilityReader.ts"
import { readSending, sendingKeys } from "./readSending.ts"

/** `submit:` of a `facility.yaml`: how visits are sent, and the meaning of the service's statuses and messages. */
export const readAnswers = (
  reader: FacilityReader,
  root: SyntaxMap
): Pick<Facility, "answers" | "settleMillis" | "partial" | "sameAdmission" | "sameEncounter" | "sending"> => {
  const map = reader.mapOf(root, "submit", [
    "storedStatus",
    "partialStatus",
    "messages",
    "settle",
    "partial",
    "sameAdmission",
    "sameEncounter",
    ...sendingKeys
  ])
  const written = map?.entries
  return {
    answers: map === undefined ? documentedRules : rules(reader, map),
    settleMillis: reader.isOff(map, "settle")
      ? defaultService.settleMillis
      : reader.duration(map, "settle", "1m", "90d", "or `off`") ?? defaultService.settleMillis,
    partial: reader.oneOf(written?.get("partial"), "`partial`", partialVisits) ?? defaultService.partial,
    sameAdmission: reader.oneOf(written?.get("sameAdmission"), "`sameAdmission`", sameVisits)
      ?? defaultService.sameAdmission,
    sameEncounter: reader.oneOf(written?.get("sameEncounter"), "`sameEncounter`", sameVisits)
      ?? defaultService.sameEncounter,
    sending: readSending(reader, map)
  }
}

const rules = (reader: FacilityReader, map: SyntaxMap): AnswerRules => {
  const partial = statuses(reader, map, "partialStatus", documentedRules.partial, documentedRules.stored)
  const stored = statuses(reader, map, "storedStatus", documentedRules.stored, documentedRules.partial)
  const { partial: notStored, stored: notPartial } = documentedRules
  const both = stored.find((status) => partial.includes(status) && ![...notStored, ...notPartial].includes(status))
  if (both !== undefined) {
    reader.report("invalid-facility", map.span, `a visit with status \`${both}\` cannot be stored and stored in part`)
  }
  return { stored, partial, blocked: blocked(reader, map) }
}

/** The configured list together with the specification's own values, but never a value with the opposite meaning (§3). */
const statuses = (
  reader: FacilityReader,
  map: SyntaxMap,
  key: "storedStatus" | "partialStatus",
  own: ReadonlyArray<string>,
  others: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const written = scalars(reader, map.entries.get(key)?.value, `\`${key}\``)
  for (const { span, value } of written) {
    if (others.includes(plainStatus(String(value)))) {
      const means = key === "storedStatus" ? "stored in part" : "completely stored"
      reader.report("invalid-facility", span, `status ${value} means ${means} (§3)`)
    }
  }
  return [...new Set([...own, ...written.map(({ value }) => plainStatus(String(value)))])]
}

const blocked = (reader: FacilityReader, map: SyntaxMap): AnswerRules["blocked"] => {
  const messages = reader.mapOf(map, "messages", blockedReasons)
  if (messages === undefined) return []
  return blockedReasons.flatMap((reason) =>
    scalars(reader, messages.entries.get(reason)?.value, `\`${reason}\``).flatMap((text) => rule(reader, reason, text))
  )
}

const rule = (reader: FacilityReader, reason: BlockedReason, { span, value }: SyntaxScalar): AnswerRules["blocked"] => {
  const text = String(value)
  const wrong = (title: string, ...help: ReadonlyArray<string>) => {
    reader.report("invalid-facility", span, title, undefined, help)
    return []
  }
  const pattern = compiled(text)
  if (pattern === undefined) return wrong("this is not a regular expression")
  if (pattern.test("")) return wrong("this pattern is found in every message", "write the words the service says")
  if (slowPart(text) !== undefined) {
    return wrong("this pattern can cut one text in more ways than can be tried", "repeat once:  (a+)+  is  a+")
  }
  return [{ reason, pattern }]
}

const compiled = (text: string): RegExp | undefined => {
  try {
    return new RegExp(text, "iu")
  } catch {
    return undefined
  }
}

/** One text or number, or a list of them. */
const scalars = (reader: FacilityReader, syntax: Syntax | undefined, what: string): ReadonlyArray<SyntaxScalar> => {
  if (syntax === undefined) return []
  const items = syntax.kind === "list" ? syntax.items : [syntax]
  return items.flatMap((item) => {
    if (item.kind === "scalar" && (typeof item.value === "string" || typeof item.value === "number")) return [item]
    reader.report("invalid-facility", item.span, `${what} is a text, a number or a list of them`)
    return []
  })
}
