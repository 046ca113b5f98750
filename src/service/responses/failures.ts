import { Redacted } from "effect"
import { isJsonObject } from "../../json/JsonObject.ts"
import { OperatorError } from "../OperatorError.ts"
import type { OperatorConfig } from "../settings/OperatorConfig.ts"
import { isRedirect, jsonOf, nonEmptyText, oneLine, redirectWords, type ServiceResponse } from "./ServiceResponse.ts"

/** The error for a response that no rule covers. `detail`: what it lacks, unless it is a redirect. */
export const unexpected = (status: number, detail: string): OperatorError =>
  new OperatorError({
    reason: { _tag: "UnexpectedResponse", status, detail: isRedirect(status) ? redirectWords : detail }
  })

/**
 * Returns a 403 with the service's own message, unless it holds what must not be shown. §7 has it for the facility, the system code or
 * the role.
 */
export const deniedBy = (response: ServiceResponse, hidden: ReadonlyArray<string>): OperatorError => {
  const body = jsonOf(response.headers, response.body)
  const texts = isJsonObject(body) ? [nonEmptyText(body["message"]), nonEmptyText(body["errors"])] : []
  const stated = oneLine(texts.filter((text) => text !== null).join(": "), hidden)
  const detail = `the service responded with 403${stated === null ? "" : `, "${stated}"`}`
  return new OperatorError({ reason: { _tag: "AccessDenied", detail } })
}

/** The secrets that no message may repeat. */
export const secretsOf = (config: OperatorConfig): ReadonlyArray<string> => [
  Redacted.value(config.password),
  Redacted.value(config.clientSecret)
]
