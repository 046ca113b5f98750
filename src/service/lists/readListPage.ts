import { Effect } from "effect"
import { OperatorError } from "../OperatorError.ts"
import { deniedBy, secretsOf, unexpected } from "../responses/failures.ts"
import { type ReadPage, readPage } from "../responses/readPage.ts"
import { jsonOf, type ServiceResponse } from "../responses/ServiceResponse.ts"
import type { OperatorConfig } from "../settings/OperatorConfig.ts"

/** Reads one page of a list. `what` is the name of the list in an error. */
export const readListPage = (
  response: ServiceResponse,
  what: string,
  config: OperatorConfig
): Effect.Effect<ReadPage, OperatorError> => {
  if (response.status === 403) return deniedBy(response, secretsOf(config))
  const page = response.status === 200 ? readPage(jsonOf(response.headers, response.body)) : null
  if (page !== null) return Effect.succeed(page)
  return unexpected(response.status, response.status === 200 ? "the response has no list" : `${what} cannot be read`)
}

/** The error of a list that lacks rows. */
export const incomplete = (what: string, lack: string, pageParam: string): OperatorError =>
  new OperatorError({
    reason: {
      _tag: "UnexpectedResponse",
      status: 200,
      detail: `${what} is incomplete (page parameter \`${pageParam}\`): ${lack}`,
      incomplete: true
    }
  })
