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
export class UnauthenticatedResponse extends Schema.Error<UnauthenticatedResponse>("UnauthenticatedResponse")(
  { ...failure, errors: Schema.String },
  { httpApiStatus: 401, description: "The token is missing, malformed, invalid or expired." }
) {
  static readonly documented = () =>
    new UnauthenticatedResponse({
      success: false,
      http_code: 401,
      message: sentences.unauthenticated,
      errors: sentences.invalidToken
    })
}

/** 403: no permission for the facility, another system code, an insufficient role (§7). */
export class AccessDeniedResponse extends Schema.Error<AccessDeniedResponse>("AccessDeniedResponse")(
  { ...failure, errors: Schema.String },
  { httpApiStatus: 403, description: "No permission for the facility, or another system code." }
) {
  static readonly documented = (errors: string) =>
    new AccessDeniedResponse({ success: false, http_code: 403, message: sentences.accessDenied, errors })
}

/** 422 (§7): `errors` names the field of an invalid request; a blocked submission has `data: null` instead. */
export class UnprocessableResponse extends Schema.Error<UnprocessableResponse>("UnprocessableResponse")(
  { ...failure, errors: Schema.optionalKey(Schema.String), data: Schema.optionalKey(Schema.Null) },
  { httpApiStatus: 422, description: "The request is invalid, or the submission is blocked." }
) {
  static readonly invalid = (errors: string) =>
    new UnprocessableResponse({ success: false, http_code: 422, message: sentences.invalidRequest, errors })
  static readonly blocked = (message: string) =>
    new UnprocessableResponse({ success: false, http_code: 422, message, data: null })
}

/** 500 (§7): "retry after a brief delay". */
export class ServerErrorResponse extends Schema.Error<ServerErrorResponse>("ServerErrorResponse")(
  { ...failure, errors: Schema.String },
  { httpApiStatus: 500, description: "Unexpected server error." }
) {
  static readonly documented = () =>
    new ServerErrorResponse({
      success: false,
      http_code: 500,
      message: sentences.serverError,
      errors: sentences.unexpectedError
    })
}

/** 404 for an unknown beneficiary. The specification does not show it (§4.4). */
export class NotFoundResponse extends Schema.Error<NotFoundResponse>("NotFoundResponse")(
  { ...failure, data: Schema.Null },
  { httpApiStatus: 404, description: "Nothing matches. Not shown in the specification." }
) {
  static readonly documented = (message: string) =>
    new NotFoundResponse({ success: false, http_code: 404, message, data: null })
}

/** 429 when a limit of §8 is exceeded. The specification does not show it. */
export class TooManyRequestsResponse extends Schema.Error<TooManyRequestsResponse>("TooManyRequestsResponse")(
  failure,
  { httpApiStatus: 429, description: "A limit is exceeded. Not shown in the specification." }
) {
  static readonly documented = () =>
    new TooManyRequestsResponse({ success: false, http_code: 429, message: "Too Many Attempts." })
}
