import { Schema } from "effect"
import { sentences } from "../wire.ts"

/** The envelope of a success around its payload (§2.1). */
export const succeeded = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    success: Schema.Literal(true),
    http_code: Schema.Int,
    message: Schema.String,
    data
  })

const failure = {
  success: Schema.Literal(false),
  http_code: Schema.Int,
  message: Schema.String
}

/** 401: the token is missing, malformed, invalid or expired (§7). */
export class UnauthenticatedAnswer extends Schema.Error<UnauthenticatedAnswer>("UnauthenticatedAnswer")(
  { ...failure, errors: Schema.String },
  { httpApiStatus: 401, description: "The token is missing, malformed, invalid or expired." }
) {
  static readonly answer = () =>
    new UnauthenticatedAnswer({
      success: false,
      http_code: 401,
      message: sentences.unauthenticated,
      errors: sentences.invalidToken
    })
}

/** 403: no permission for the facility, another system code, an insufficient role (§7). */
export class AccessDeniedAnswer extends Schema.Error<AccessDeniedAnswer>("AccessDeniedAnswer")(
  { ...failure, errors: Schema.String },
  { httpApiStatus: 403, description: "No permission for the facility, or another system code." }
) {
  static readonly answer = (errors: string) =>
    new AccessDeniedAnswer({ success: false, http_code: 403, message: sentences.accessDenied, errors })
}

/** 422 (§7): `errors` names the field of an invalid request; a blocked submission has `data: null` instead. */
export class UnprocessableAnswer extends Schema.Error<UnprocessableAnswer>("UnprocessableAnswer")(
  { ...failure, errors: Schema.optionalKey(Schema.String), data: Schema.optionalKey(Schema.Null) },
  { httpApiStatus: 422, description: "The request is invalid, or the submission is blocked." }
) {
  static readonly invalid = (errors: string) =>
    new UnprocessableAnswer({ success: false, http_code: 422, message: sentences.invalidRequest, errors })
  static readonly blocked = (message: string) =>
    new UnprocessableAnswer({ success: false, http_code: 422, message, data: null })
}

/** 500 (§7): "retry after a brief delay". */
export class ServerErrorAnswer extends Schema.Error<ServerErrorAnswer>("ServerErrorAnswer")(
  { ...failure, errors: Schema.String },
  { httpApiStatus: 500, description: "Unexpected server error." }
) {
  static readonly answer = () =>
    new ServerErrorAnswer({
      success: false,
      http_code: 500,
      message: sentences.serverError,
      errors: sentences.unexpectedError
    })
}

/** 404 for an unknown beneficiary. The specification does not show it (§4.4). */
export class NotFoundAnswer extends Schema.Error<NotFoundAnswer>("NotFoundAnswer")(
  { ...failure, data: Schema.Null },
  { httpApiStatus: 404, description: "Nothing matches. Not shown in the specification." }
) {
  static readonly answer = (message: string) =>
    new NotFoundAnswer({ success: false, http_code: 404, message, data: null })
}

/** 429 when a limit of §8 is exceeded. The specification does not show it. */
export class TooManyRequestsAnswer extends Schema.Error<TooManyRequestsAnswer>("TooManyRequestsAnswer")(
  failure,
  { httpApiStatus: 429, description: "A limit is exceeded. Not shown in the specification." }
) {
  static readonly answer = () =>
    new TooManyRequestsAnswer({ success: false, http_code: 429, message: "Too Many Attempts." })
}
