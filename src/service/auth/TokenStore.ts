import { Clock, Effect, Redacted, Schema } from "effect"
import { createHash, hkdfSync, randomBytes, randomUUID } from "node:crypto"
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { isAlive } from "../../isAlive.ts"
import { nonceBytes, seal, unseal } from "../../sealed.ts"
import type { OperatorConfig } from "../settings/OperatorConfig.ts"
import type { Token } from "./Token.ts"

/** Stores a token between runs. It is a convenience: if it fails, a new token can be requested. */
export interface TokenStore {
  /** The stored token and its age, or `null`. */
  readonly read: Effect.Effect<{ readonly token: Token; readonly ageMillis: number } | null>
  readonly write: (token: Token) => Effect.Effect<void>
  /** Removes an access token that the service refused. A different one that was stored since then stays. */
  readonly forget: (refused: Redacted.Redacted<string>) => Effect.Effect<void>
  /** Ends the use of the stored token by this process. */
  readonly close: Effect.Effect<void>
}

const StoredToken = Schema.fromJsonString(Schema.Struct({
  owner: Schema.String,
  access_token: Schema.NonEmptyString,
  refresh_token: Schema.NullOr(Schema.String),
  expires_in: Schema.Finite,
  received_at: Schema.Finite
}))

const decodeToken = Schema.decodeSync(StoredToken)
const encodeToken = Schema.encodeSync(StoredToken)

const ownNumber = process.pid

/** The files that say that this process uses a token. */
const usedHere = new Set<string>()

/**
 * Opens a file of mode 0600 that holds one token, encrypted with the secrets that it was requested with. Without them it is useless.
 * With other secrets it counts as absent, and so does a file that other users may read.
 *
 * A process that uses the token has an empty file next to it. If the process was killed, that file still exists. The service may have
 * refused the token just before, so the token counts as absent too.
 */
export const makeTokenFile = (config: OperatorConfig, file: string): TokenStore => {
  const owner = createHash("sha256")
    .update([config.authUrl, config.clientId, config.username].join("\n")).digest("hex")
  const key = new Uint8Array(hkdfSync(
    "sha256",
    JSON.stringify([Redacted.value(config.clientSecret), Redacted.value(config.password)]),
    owner,
    "fhir2visit token file",
    32
  ))
  const folder = dirname(file)
  const use = `${basename(file)}.used-by-`
  const own = join(folder, `${use}${ownNumber}`)
  const markAsUsed = (): void => {
    writeFileSync(own, "", { mode: 0o600 })
    usedHere.add(own)
  }
  /** Removes the token that a killed process used. In a container, each process can have the same number. */
  const removeAbandoned = (): void => {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(use)) continue
      const process = Number(name.slice(use.length))
      if (process === ownNumber ? usedHere.has(own) : isAlive(process)) continue
      rmSync(file, { force: true })
      rmSync(join(folder, name), { force: true })
    }
  }
  const stored = (): typeof StoredToken.Type | null => {
    try {
      const info = statSync(file)
      if (!info.isFile() || (info.mode & 0o077) !== 0) return null
      const found = decodeToken(unseal(key, readFileSync(file)).toString())
      return found.owner === owner ? found : null
    } catch {
      return null
    }
  }
  return {
    read: Effect.gen(function*() {
      const found = yield* Effect.sync(() => {
        try {
          removeAbandoned()
          const found = stored()
          if (found !== null) markAsUsed()
          return found
        } catch {
          return null
        }
      })
      if (found === null) return null
      const now = yield* Clock.currentTimeMillis
      return {
        token: {
          access: Redacted.make(found.access_token, { label: "access token" }),
          refresh: found.refresh_token === null
            ? null
            : Redacted.make(found.refresh_token, { label: "refresh token" }),
          expiresIn: found.expires_in
        },
        ageMillis: Math.max(0, now - found.received_at)
      }
    }),
    // Synchronous, because a process that is killed before it would leave the refused token to the next one.
    forget: (refused) =>
      Effect.sync(() => {
        if (stored()?.access_token === Redacted.value(refused)) rmSync(file, { force: true })
      }).pipe(Effect.ignoreCause),
    close: Effect.ignoreCause(Effect.sync(() => {
      usedHere.delete(own)
      rmSync(own, { force: true })
    })),
    write: (token) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.try(() => {
          const text = encodeToken({
            owner,
            access_token: Redacted.value(token.access),
            refresh_token: token.refresh === null ? null : Redacted.value(token.refresh),
            expires_in: token.expiresIn,
            received_at: now
          })
          const draft = `${file}.${randomUUID()}`
          try {
            writeFileSync(draft, seal(key, randomBytes(nonceBytes), Buffer.from(text)), { flag: "wx", mode: 0o600 })
            markAsUsed()
            renameSync(draft, file)
          } catch (error) {
            rmSync(draft, { force: true })
            throw error
          }
        })).pipe(Effect.catch(() => Effect.logWarning("the token could not be stored for the next run")))
  }
}
