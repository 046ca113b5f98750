import { Schema } from "effect"

/** No connection, or it broke before the answer was whole. */
export class ServerUnreachable
  extends Schema.TaggedError<ServerUnreachable>()("Unreachable", { detail: Schema.String })
{}

/** The server answered 401 or 403, or its token endpoint refused the credentials. */
export class Denied extends Schema.TaggedError<Denied>()("Denied", { what: Schema.String, detail: Schema.String }) {}

/** The server asks for a wait that is longer than this run may take. */
export class AskedToWait extends Schema.TaggedError<AskedToWait>()("AskedToWait", { millis: Schema.Finite }) {}

/** The server failed again and again: a status of 500 or more. */
export class ServerFailed extends Schema.TaggedError<ServerFailed>()("ServerFailed", {
  status: Schema.Int,
  detail: Schema.String
}) {}

/** The server does not offer what was asked for: another status of 400 or more. */
export class NotOffered extends Schema.TaggedError<NotOffered>()("NotOffered", {
  what: Schema.String,
  status: Schema.Int,
  detail: Schema.String
}) {}

/** An answer that is not what the specification says: no JSON, no status address, a link to another origin. */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>()("InvalidAnswer", { detail: Schema.String }) {}

/** A file of an export is gone, or the whole export: it has to be made again. */
export class Expired extends Schema.TaggedError<Expired>()("Expired", { what: Schema.String }) {}

/** A setting, key or certificate that cannot be used. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", { detail: Schema.String }) {}

/** The mirror folder cannot be read or written, or another run is using it. */
export class MirrorUnusable extends Schema.TaggedError<MirrorUnusable>()("MirrorUnusable", {
  detail: Schema.String,
  busy: Schema.Boolean
}) {}

export const ServerErrorReason = Schema.Union([
  ServerUnreachable,
  Denied,
  AskedToWait,
  ServerFailed,
  NotOffered,
  InvalidAnswer,
  Expired,
  InvalidSetting,
  MirrorUnusable
])
export type ServerErrorReason = typeof ServerErrorReason.Type

/** What ends a fetch. Details hold addresses without their queries, statuses and codes; never a token or a value of a record. */
export class ServerError extends Schema.TaggedError<ServerError>()("ServerError", { reason: ServerErrorReason }) {}

export const serverError = (reason: ServerErrorReason): ServerError => new ServerError({ reason })

/** An address as a message may show it: without a query, which may hold a token or a patient's identifier. */
export const shownUrl = (url: string): string => {
  if (!URL.canParse(url)) return "an address"
  const { host, pathname, protocol } = new URL(url)
  const path = pathname.split("/").map((part) => part.length > 40 ? "…" : part).join("/")
  return `${protocol}//${host}${path}`
}
