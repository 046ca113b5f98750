import type { Redacted } from "effect"

/** Which records of the server are exported: those of its patients, of one group of patients, or all. */
export const exportLevels = ["patient", "group", "system"] as const
/** How records are read: a bulk export, searches, or what the server offers, preferably a bulk export. */
export const fetchModes = ["auto", "bulk", "search"] as const
/**
 * How the program authenticates: SMART Backend Services (a signed assertion), a user name and a password, a fixed bearer token, or not
 * at all. The secrets come from the environment.
 */
export const serverAuths = ["backend", "basic", "token", "none"] as const
/** `source:` of a `facility.yaml`: the FHIR server that `fetch` reads, and the folder of the mirror. It contains no secret. */
export interface SourceSettings {
  /** Base address of the FHIR server, without a trailing slash. */
  readonly server: string
  readonly level: (typeof exportLevels)[number]
  /** Id of the Group resource; `null` unless the level is `group`. */
  readonly group: string | null
  readonly mode: (typeof fetchModes)[number]
  readonly auth: (typeof serverAuths)[number]
  /** Token endpoint; `null`: the one in the server's SMART configuration. */
  readonly tokenUrl: string | null
  /** Requested scopes, separated by spaces. */
  readonly scope: string
  /** Types of resources; `null`: those that the mapping reads and the server has. */
  readonly types: ReadonlyArray<string> | null
  /** Overlap of an export with the one before, in milliseconds: for records that were being written then. */
  readonly overlapMillis: number
  /** Folder of the exports. */
  readonly mirror: string
  /** A complete export is made if the last one is older than this, in milliseconds; `null`: only the first is complete. */
  readonly fullMillis: number | null
  /** Other origins that may receive the token, for servers that store their files elsewhere. */
  readonly origins: ReadonlyArray<string>
  /** PEM files of a client certificate and its key. */
  readonly certificate: { readonly certFile: string; readonly keyFile: string } | null
  /** Time limit of one export on the server, in milliseconds. */
  readonly patienceMillis: number
  /** Files or pages that are downloaded concurrently. */
  readonly downloads: number
  /** Records on one page of a search. */
  readonly pageSize: number
}

export const defaultSource = {
  level: "patient",
  mode: "auto",
  auth: "none",
  scope: "system/*.read",
  overlapMillis: 10 * 60_000,
  mirror: "mirror",
  fullMillis: 7 * 86_400_000,
  patienceMillis: 24 * 3_600_000,
  downloads: 3,
  pageSize: 200
} as const

/** The secrets that `source.auth` requires, from the environment; empty if it requires none. */
export interface SourceSecrets {
  readonly clientId: Redacted.Redacted<string>
  /** A JWKS or one JWK as JSON, or a private key in PEM form. */
  readonly key: Redacted.Redacted<string>
  readonly username: Redacted.Redacted<string>
  readonly password: Redacted.Redacted<string>
  readonly token: Redacted.Redacted<string>
}
