import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { oauthErrors } from "../wire.ts"

const client = {
  client_id: Schema.String,
  client_secret: Schema.RedactedFromValue(Schema.String)
}

/** The form of the password grant (§4.2). */
const PasswordGrant = Schema.Struct({
  grant_type: Schema.tag("password"),
  username: Schema.String,
  password: Schema.RedactedFromValue(Schema.String),
  ...client
}).annotate({ identifier: "PasswordGrant" })

/** The form of the refresh grant (§4.2). */
const RefreshGrant = Schema.Struct({
  grant_type: Schema.tag("refresh_token"),
  refresh_token: Schema.RedactedFromValue(Schema.String),
  ...client
}).annotate({ identifier: "RefreshGrant" })

export const TokenRequest = Schema.Union([PasswordGrant, RefreshGrant]).pipe(HttpApiSchema.asFormUrlEncoded())

/** The response to both grants (§2.2). */
export const TokenResponse = Schema.Struct({
  access_token: Schema.RedactedFromValue(Schema.String),
  refresh_token: Schema.RedactedFromValue(Schema.String),
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int.annotate({ description: "Seconds; the documented value is 172800." })
}).annotate({ identifier: "TokenResponse" })
export type TokenResponse = typeof TokenResponse.Type

const oauthError = { error: Schema.Literals(oauthErrors), error_description: Schema.String }

/** `invalid_request`, `invalid_client`, `invalid_grant` (§7). */
export class TokenErrorResponse extends Schema.Error<TokenErrorResponse>("TokenErrorResponse")(oauthError, {
  httpApiStatus: 400,
  description: "invalid_request, invalid_client or invalid_grant."
}) {}

/** `unauthorized` (§7). */
export class TokenUnauthorized extends Schema.Error<TokenUnauthorized>("TokenUnauthorized")(oauthError, {
  httpApiStatus: 401,
  description: "unauthorized: invalid or expired access token."
}) {}

/** `forbidden` (§7). */
export class TokenForbidden extends Schema.Error<TokenForbidden>("TokenForbidden")(oauthError, {
  httpApiStatus: 403,
  description: "forbidden: valid token, insufficient permissions."
}) {}

/** 429 of the token endpoint. The specification does not show it (§8). */
export class TokenLimitReached extends Schema.Error<TokenLimitReached>("TokenLimitReached")(
  { error: Schema.String, error_description: Schema.String },
  { httpApiStatus: 429, description: "A limit is exceeded. Not shown in the specification." }
) {}
