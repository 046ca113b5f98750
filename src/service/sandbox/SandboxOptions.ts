import { randomBytes } from "node:crypto"
import type { JsonObject } from "../../json/JsonObject.ts"
import { documentedExpiresIn, documentedLimits, type Limit } from "../wire.ts"
import { emptyData, type SandboxData } from "./data/SandboxData.ts"
import { type Faults, noFaults } from "./Faults.ts"

/** A user of the embedded service. */
export interface SandboxUser {
  readonly username: string
  readonly password: string
  readonly clientId: string
  readonly clientSecret: string
  /** System codes this user may send; `null` accepts any. */
  readonly systemCodes: ReadonlyArray<string> | null
  /** Facilities this user may submit for; `null` accepts any. */
  readonly facilityCodes: ReadonlyArray<string> | null
}

/** The default user: `sandbox` in each of the four fields, for any system and any facility. */
export const sandboxUser: SandboxUser = {
  username: "sandbox",
  password: "sandbox",
  clientId: "sandbox",
  clientSecret: "sandbox",
  systemCodes: null,
  facilityCodes: null
}

/** Returns a user that cannot be guessed, because other users of this machine can reach the port, too. */
export const randomUser = (): SandboxUser => ({
  ...sandboxUser,
  username: randomText(),
  password: randomText(),
  clientId: randomText(),
  clientSecret: randomText()
})

/** 144 random bits as text. */
export const randomText = (): string => randomBytes(18).toString("base64url")

/** The behaviour of the embedded service. */
export interface SandboxOptions {
  /** Port on 127.0.0.1; 0 selects a free one. */
  readonly port: number
  /** A SQLite file that keeps all data over a restart; without it the data is in memory. */
  readonly storeFile?: string
  readonly data: SandboxData
  /** Used if the data has no credentials. */
  readonly users: ReadonlyArray<SandboxUser>
  /** Who can open the pages that show stored data: all users, those with the key, or none. */
  readonly pages: "open" | "none" | { readonly key: string }
  readonly faults: Faults
  readonly limits: { readonly token: Limit; readonly data: Limit }
  readonly tokenLifetimeSeconds: number
  readonly refreshLifetimeSeconds: number
  /** Maximum bytes of a body; a larger one gets 413. */
  readonly maxBodyBytes: number
  /** Maximum visits per request; more get 422. */
  readonly maxVisits: number
  /** Maximum rows of a page, whatever the request. */
  readonly maxPerPage: number
  /** A visit without `discharged_at` is accepted (and stored with status 3) instead of refused. */
  readonly openVisits: boolean
  /** Which of the valid visits are stored with status 3, "waiting to be updated" (§3). */
  readonly isPartial: (visit: JsonObject) => boolean
  /** Values of `discharge_type` that make the referral required (§4.5 rule 6). */
  readonly transferValues: ReadonlyArray<string>
  /** Milliseconds until a stored visit appears in the processed list. */
  readonly listLagMillis: number
  /** Requires §4.1 to the letter: `Accept` and `Content-Type` must be `application/json` on every data call, including GET. */
  readonly strictHeaders: boolean
}

export const defaultOptions: SandboxOptions = {
  port: 0,
  data: emptyData,
  users: [sandboxUser],
  pages: "open",
  faults: noFaults,
  limits: documentedLimits,
  tokenLifetimeSeconds: documentedExpiresIn,
  refreshLifetimeSeconds: 30 * 86_400,
  maxBodyBytes: 8 * 1024 * 1024,
  maxVisits: 500,
  maxPerPage: 1000,
  openVisits: true,
  isPartial: (visit) => visit["discharged_at"] === null,
  transferValues: ["Refer Out"],
  listLagMillis: 0,
  strictHeaders: false
}
