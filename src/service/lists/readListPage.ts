import { Effect } from "effect"
import { OperatorError, UnexpectedAnswer } from "../OperatorError.ts"
import { deniedBy, secretsOf, unexpected } from "../responses/failures.ts"
import { type ReadPage, readPage } from "../responses/readPage.ts"
import { jsonOf, type ServiceResponse } from "../responses/ServiceResponse.ts"
import type { OperatorConfig } from "../settings/OperatorConfig.ts"

/** Reads one page of a list, which `what` names in an error. */
export const readListPage = (
  answer: ServiceResponse,
  what: string,
  config: OperatorConfig
): Effect.Effect<ReadPage, OperatorError> => {
  if (answer.status === 403) return deniedBy(answer, secretsOf(config))
  const page = answer.status === 200 ? readPage(jsonOf(answer.headers, answer.body)) : null
  return page === null ? unexpected(answer.status, `${what} cannot be read`) : Effect.succeed(page)
}

/** The error of a list that lacks rows. */
export const incomplete = (what: string, lack: string, pageParam: string): OperatorError =>
  new OperatorError({
    reason: new UnexpectedAnswer({
      status: 200,
      detail: `${what} cannot be read as a whole (with \`${pageParam}\` for its pages): ${lack}`,
      incomplete: true
    })
  })
