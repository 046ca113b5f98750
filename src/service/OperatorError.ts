import { Schema } from "effect"

/** The token endpoint refused the credentials, or a fresh token was refused (§5 rule 6). */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {
  detail: Schema.String,
  /** The credentials were accepted: it is the tokens they were exchanged for that the service refuses. */
  issued: Schema.optionalKey(Schema.Boolean)
}) {}
/** 403: no permission for the facility, or another system code (§7). */
export class AccessDenied extends Schema.TaggedError<AccessDenied>()("AccessDenied", { detail: Schema.String }) {}
/** 429, and the wait would be longer than the run may take (§8). */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterSeconds: Schema.Finite,
  /** When that is, ISO 8601. */
  until: Schema.optionalKey(Schema.String),
  /** It is our own count of what the service allows, and not the service's word. */
  ours: Schema.optionalKey(Schema.Boolean)
}) {}
/** The service answered a read with a 5xx, again and again. */
export class ServiceFailed extends Schema.TaggedError<ServiceFailed>()("ServiceFailed", { status: Schema.Finite }) {}
/** Nothing of a submission left, or a read got no answer: no name, no connection, no TLS. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", {
  detail: Schema.String,
  /** Trying again cannot help: the certificate is not trusted, the address is not one. */
  lasting: Schema.optionalKey(Schema.Boolean),
  /** What it is about, where it is not the service itself. */
  at: Schema.optionalKey(Schema.Literals(["proxy", "certificate"])),
  /** Nothing was heard at all. */
  silent: Schema.optionalKey(Schema.Boolean)
}) {}
/** An answer that no rule covers: wrong address, redirect, a body that is not understood. */
export class UnexpectedAnswer extends Schema.TaggedError<UnexpectedAnswer>()("UnexpectedAnswer", {
  status: Schema.Finite,
  detail: Schema.String
}) {}

/** What can go wrong between us and the service so that the run stops. Details hold no patient data and no secret. */
export class OperatorError extends Schema.TaggedError<OperatorError>()("OperatorError", {
  reason: Schema.Union([Unauthenticated, AccessDenied, RateLimited, ServiceFailed, Unreachable, UnexpectedAnswer]),
  /** It was a token that could not be had: nothing was asked of the service itself. */
  withoutToken: Schema.optionalKey(Schema.Boolean)
}) {}
