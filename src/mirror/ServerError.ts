import { Data } from "effect"
import type { ConnectionFailure } from "../service/connectionErrors.ts"

type ServerErrorReason =
  /** No connection, or the connection broke before the response was complete. */
  | ({
    readonly _tag: "Unreachable"
    readonly detail: string
    /** At least a part of the request may have left. */
    readonly isSent: boolean
  } & Omit<ConnectionFailure, "why">)
  /** The request for an export has no clear response: the server may have begun it. */
  | { readonly _tag: "ExportInDoubt"; readonly detail: string }
  /** The server responded with 401 or 403, or its token endpoint returned an error for the credentials. */
  | { readonly _tag: "Denied"; readonly what: string; readonly detail: string }
  /** The server's retry-after time exceeds the limit of this run. */
  | { readonly _tag: "AskedToWait"; readonly millis: number }
  /** An export takes longer than the settings allow. `since`: ISO time of its request; `null` if its log does not state it. */
  | { readonly _tag: "StillRunning"; readonly since: string | null; readonly folder: string }
  /** The server failed repeatedly, with a status of 500 or more, 408, 425, or 429 without a retry-after time. */
  | { readonly _tag: "ServerFailed"; readonly status: number; readonly detail: string }
  /** The server does not support the request: another status of 400 or more. */
  | { readonly _tag: "NotOffered"; readonly what: string; readonly status: number; readonly detail: string }
  /** A response that violates the specification: no JSON, no status address, a link to another origin. */
  | { readonly _tag: "InvalidResponse"; readonly detail: string }
  /** A file of an export, or the whole export, no longer exists or has failed: the export must be repeated. */
  | { readonly _tag: "Expired"; readonly what: string; readonly why?: string }
  /** An invalid setting, key or certificate. */
  | { readonly _tag: "InvalidSetting"; readonly detail: string }
  /** The mirror folder cannot be read or written, or another run is using it. A retry during the same run cannot help. */
  | {
    readonly _tag: "MirrorUnusable"
    readonly detail: string
    readonly why: "busy" | "full" | "denied" | "failed"
  }
  /** A file of the mirror is cut off or damaged. */
  | { readonly _tag: "MirrorDamaged"; readonly mirror: string; readonly file: string }

/** An error that ends a fetch. Details hold addresses without their queries, statuses and codes; never a token or a value of a record. */
export class ServerError extends Data.TaggedError("ServerError")<{ readonly reason: ServerErrorReason }> {}

export const serverError = (reason: ServerErrorReason): ServerError => new ServerError({ reason })

/** Returns an address for messages: without its query, which can contain a token or a patient's identifier. */
export const shownUrl = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return "an address"
  const { host, pathname, protocol } = parsed
  const path = pathname.split("/").map((part) => part.length > 40 ? "…" : part).join("/")
  return `${protocol}//${host}${path}`
}
