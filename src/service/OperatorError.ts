import { Data } from "effect"

/** A failure between us and the service that stops the run. Details hold no patient data and no secret. */
export class OperatorError extends Data.TaggedError("OperatorError")<{
  readonly reason: OperatorErrorReason
  /** The token was unavailable: no request was made to the service itself. */
  readonly withoutToken?: boolean
}> {}

export type OperatorErrorReason =
  /**
   * The token endpoint refused the credentials, or a fresh token was refused (§5 rule 6). `issued`: the credentials were
   * accepted, but the service refuses the tokens issued for them.
   */
  | { readonly _tag: "Unauthenticated"; readonly detail: string; readonly issued?: boolean }
  /** 403: no permission for the facility, or another system code (§7). */
  | { readonly _tag: "AccessDenied"; readonly detail: string }
  /** 429, and the wait would be longer than the run may take (§8). */
  | {
    readonly _tag: "RateLimited"
    readonly retryAfterSeconds: number
    /** The end of that wait, ISO 8601. */
    readonly until?: string
    /** The limit is our own count of what the service allows, and not stated by the service. */
    readonly ours?: boolean
  }
  /** The service repeatedly responded to a read with a 5xx. */
  | { readonly _tag: "ServiceFailed"; readonly status: number }
  /** Nothing of a submission left, or a read got no response: no name, no connection, no TLS. */
  | {
    readonly _tag: "Unreachable"
    readonly detail: string
    /** A retry cannot help: the certificate is not trusted, or the address is invalid. */
    readonly lasting?: boolean
    /** The failing hop, if it is not the service itself. */
    readonly at?: "proxy" | "certificate"
    /** There was no response at all. */
    readonly silent?: boolean
  }
  /** A response that no rule covers: wrong address, redirect, a body that is not understood. */
  | {
    readonly _tag: "UnexpectedResponse"
    readonly status: number
    readonly detail: string
    /** It is a list that lacks rows. */
    readonly incomplete?: boolean
  }
