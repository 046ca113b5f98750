import { Schema } from "effect"

/** No connection, or the connection broke before the response was complete. */
export class ServerUnreachable
  extends Schema.TaggedError<ServerUnreachable>()("Unreachable", { detail: Schema.String })
{}

/** The server responded with 401 or 403, or its token endpoint returned an error for the credentials. */
export class Denied extends Schema.TaggedError<Denied>()("Denied", { what: Schema.String, detail: Schema.String }) {}

/** The server's retry-after time exceeds the limit of this run. */
export class AskedToWait extends Schema.TaggedError<AskedToWait>()("AskedToWait", { millis: Schema.Finite }) {}

/** The server failed repeatedly, with a status of 500 or more. */
export class ServerFailed extends Schema.TaggedError<ServerFailed>()("ServerFailed", {
  status: Schema.Int,
  detail: Schema.String
}) {}

/** The server does not support the request: another status of 400 or more. */
export class NotOffered extends Schema.TaggedError<NotOffered>()("NotOffered", {
  what: Schema.String,
  status: Schema.Int,
  detail: Schema.String
}) {}

/** A response that violates the specification: no JSON, no status address, a link to another origin. */
export class InvalidResponse
  extends Schema.TaggedError<InvalidResponse>()("InvalidResponse", { detail: Schema.String })
{}

/** A file of an export, or the whole export, no longer exists: the export must be repeated. */
export class Expired extends Schema.TaggedError<Expired>()("Expired", { what: Schema.String }) {}

/** An invalid setting, key or certificate. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", { detail: Schema.String }) {}

/** The mirror folder cannot be read or written, or another run is using it. */
export class MirrorUnusable extends Schema.TaggedError<MirrorUnusable>()("MirrorUnusable", {
  detail: Schema.String,
  busy: Schema.Boolean
}) {}

/** A file of the mirror is cut off or damaged. */
export class MirrorDamaged extends Schema.TaggedError<MirrorDamaged>()("MirrorDamaged", {
  mirror: Schema.String,
  file: Schema.String
}) {}

const ServerErrorReason = Schema.Union([
  ServerUnreachable,
  Denied,
  AskedToWait,
  ServerFailed,
  NotOffered,
  InvalidResponse,
  Expired,
  InvalidSetting,
  MirrorUnusable,
  MirrorDamaged
])
type ServerErrorReason = typeof ServerErrorReason.Type

/** An error that ends a fetch. Details hold addresses without their queries, statuses and codes; never a token or a value of a record. */
export class ServerError extends Schema.TaggedError<ServerError>()("ServerError", { reason: ServerErrorReason }) {}

export const serverError = (reason: ServerErrorReason): ServerError => new ServerError({ reason })

/** Returns an address for messages: without its query, which can contain a token or a patient's identifier. */
export const shownUrl = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return "an address"
  const { host, pathname, protocol } = parsed
  const path = pathname.split("/").map((part) => part.length > 40 ? "…" : part).join("/")
  return `${protocol}//${host}${path}`
}
