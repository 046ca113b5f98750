import { type Redacted, Schema } from "effect"
import type { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
import { documentedRules, type ResponseRules } from "../responses/ResponseRules.ts"
import { documentedLimits, type Limit } from "../wire.ts"
import { defaultLists, type ListSettings } from "./ListSettings.ts"
import { defaultReconcile } from "./ReconcileSettings.ts"
import { defaultRetry } from "./RetrySettings.ts"
import { defaultSending, type SendingSettings } from "./SendingSettings.ts"

/** How tokens are held (§5). */
export interface AuthSettings {
  /** A token is renewed when this fraction of its lifetime is left, from 0 to 1. */
  readonly refreshMargin: number
}

export const defaultAuth: AuthSettings = { refreshMargin: 0.1 }

/** The address of the service, our credentials, and the request limits (specification §1, §4.1, §5, §8). */
export interface OperatorConfig {
  /** Host of the data API (`{base_url}`): `https`, or `http` on loopback. A trailing `/` or `/api` is dropped. */
  readonly baseUrl: string
  /** Host that issues tokens (`{auth_url}`). */
  readonly authUrl: string
  readonly systemCode: SystemCode
  readonly facilityCode: FacilityCode
  readonly username: string
  readonly password: Redacted.Redacted<string>
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
  /** How tokens are held. */
  readonly auth: AuthSettings
  readonly limits: {
    /** Token requests, for each address. */
    readonly token: Limit
    /** Data requests, for each user. */
    readonly data: Limit
    /** Number of the data requests that uploads leave to card searches. */
    readonly reserve: number
    /** The longest wait for a limit, in milliseconds; a longer one ends the run with the retry-after time. */
    readonly maxWaitMillis: number
  }
  /** Milliseconds for one whole exchange: connection, request and the last byte of the response. */
  readonly deadlineMillis: number
  /** Milliseconds before a second new token is used, when the first one was refused. */
  readonly newTokenMillis: number
  readonly maxResponseBytes: number
  /** Maximum connections to one host. */
  readonly connections: number
  /** Retries of a read after a temporary failure. A submission is never repeated automatically. */
  readonly readRetries: number
  /** Milliseconds before the first retry; each further wait is twice as long, with random variation. */
  readonly readRetryMillis: number
  /** Maximum milliseconds of one of these waits. */
  readonly readRetryLongestMillis: number
  /** The rules for reading responses to submissions. */
  readonly responseRules: ResponseRules
  /** The form of submissions. */
  readonly sending: SendingSettings
  /** The requests for lists, and how they are read. */
  readonly lists: ListSettings
  /** The fraction of the data requests that uploads may use for lists. */
  readonly listShare: number
  /** A file of mode 0600 that shares the token between runs; without it the token is in memory only. */
  readonly tokenFile?: string
  /** A PEM file with a private certificate authority, trusted in addition to the default ones. */
  readonly caFile?: string
}

/** The settings that have a default. */
export const defaultOperatorSettings = {
  auth: defaultAuth,
  limits: { ...documentedLimits, reserve: 10, maxWaitMillis: 3_900_000 },
  deadlineMillis: defaultRetry.deadlineMillis,
  newTokenMillis: 5000,
  maxResponseBytes: 8 * 1024 * 1024,
  connections: 8,
  readRetries: defaultRetry.reads,
  readRetryMillis: defaultRetry.delayMillis / 4,
  readRetryLongestMillis: defaultRetry.longestMillis,
  responseRules: documentedRules,
  sending: defaultSending,
  lists: defaultLists,
  listShare: defaultReconcile.share
} as const satisfies Partial<OperatorConfig>

/** The settings do not allow a connection to the service; nothing was sent. */
export class OperatorConfigError extends Schema.TaggedError<OperatorConfigError>()("OperatorConfigError", {
  problems: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.problems.join("; ")
  }
}

/** Returns every reason why these settings are invalid, in plain words and without a secret. */
export const checkConfig = (config: OperatorConfig): ReadonlyArray<string> => [
  ...checkUrl("baseUrl", config.baseUrl),
  ...checkUrl("authUrl", config.authUrl),
  ...checkCode("system code", config.systemCode),
  ...checkCode("facility code", config.facilityCode),
  ...checkLimit("token", config.limits.token),
  ...checkLimit("data", config.limits.data),
  ...(config.limits.data.count < 1 || config.limits.reserve < config.limits.data.count
    ? []
    : ["the reserve must be smaller than the data limit"])
]

const checkUrl = (name: string, value: string): ReadonlyArray<string> => {
  const why = wrongUrl(value)
  return why === undefined ? [] : [`${name} ${why}`]
}

/** Why a text cannot be the address of the service, or `undefined`. Plain http is only for loopback. */
export const wrongUrl = (value: string): string | undefined => {
  if (!URL.canParse(value)) return "is not an address: https://host"
  const url = new URL(value)
  if (url.username !== "" || url.password !== "") {
    return "has a user name or a password: these come from the environment"
  }
  if (url.search !== "" || url.hash !== "") return "must end with the host or a path, without `?` and `#`"
  if (url.protocol === "https:") return undefined
  if (url.protocol !== "http:") return "is not an https address"
  return isLoopback(url.hostname) ? undefined : "is plain http: only https is used, except on this machine"
}

/** Checks a header value: visible ASCII, like a code of the operator. */
const checkCode = (name: string, value: string): ReadonlyArray<string> =>
  /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/u.test(value)
    ? []
    : [`the ${name} is missing, or contains characters that a header cannot contain`]

const checkLimit = (name: string, limit: Limit): ReadonlyArray<string> =>
  Number.isInteger(limit.count) && limit.count >= 1 && limit.windowMillis > 0
    ? []
    : [`the ${name} limit must allow at least 1 request in a time range above 0`]

/** Whether an address never leaves this machine. Names below `localhost` are excluded: a resolver may look them up in the network. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" ||
  /^127(?:\.\d{1,3}){3}$/u.test(hostname)

/**
 * Returns a host without a trailing slash or `/api`, because the paths of the interface begin with a slash and hold `/api` themselves.
 */
export const trimUrl = (url: string): string => url.replace(/\/+$/u, "").replace(/\/api$/u, "")

/** Returns the address that identifies a service, from any spelling of its address. Another path may be another environment. */
export const serviceAddress = (url: string): string => {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return trimUrl(origin + pathname)
}
