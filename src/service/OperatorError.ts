import { Schema } from "effect"

/** The token endpoint refused the credentials, or a fresh token was refused (§5 rule 6). */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  detail: Schema.String,
  /** The credentials were accepted, but the service refuses the tokens issued for them. */
  issued: Schema.optionalKey(Schema.Boolean)
}) {}
/** 403: no permission for the facility, or another system code (§7). */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", { detail: Schema.String }) {}
/** 429, and the wait would be longer than the run may take (§8). */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterSeconds: Schema.Finite,
  /** The end of that wait, ISO 8601. */
  until: Schema.optionalKey(Schema.String),
  /** The limit is our own count of what the service allows, and not stated by the service. */
  ours: Schema.optionalKey(Schema.Boolean)
}) {}
/** The service repeatedly responded to a read with a 5xx. */
export class ServiceFailed extends Schema.TaggedError<ServiceFailed>()("ServiceFailed", { status: Schema.Finite }) {}
/** Nothing of a submission left, or a read got no response: no name, no connection, no TLS. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  detail: Schema.String,
  /** A retry cannot help: the certificate is not trusted, or the address is invalid. */
  lasting: Schema.optionalKey(Schema.Boolean),
  /** The failing hop, if it is not the service itself. */
  at: Schema.optionalKey(Schema.Literals(["proxy", "certificate"])),
  /** There was no response at all. */
  silent: Schema.optionalKey(Schema.Boolean)
}) {}
/** A response that no rule covers: wrong address, redirect, a body that is not understood. */
export class UnexpectedResponse extends Schema.TaggedError<UnexpectedResponse>()("UnexpectedResponse", {
  status: Schema.Finite,
  detail: Schema.String,
  /** It is a list that lacks rows. */
  incomplete: Schema.optionalKey(Schema.Boolean)
}) {}

/** A failure between us and the service that stops the run. Details hold no patient data and no secret. */
export class OperatorError extends Schema.TaggedError<OperatorError>()("OperatorError", {
  reason: Schema.Union([Unauthenticated, AccessDenied, RateLimited, ServiceFailed, Unreachable, UnexpectedResponse]),
  /** The token was unavailable: no request was made to the service itself. */
  withoutToken: Schema.optionalKey(Schema.Boolean)
}) {}
