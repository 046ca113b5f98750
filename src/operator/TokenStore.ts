import { Clock, Effect, FileSystem, Option, Redacted, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import type { OperatorConfig } from "./OperatorConfig.ts"
import type { Token } from "./Token.ts"

/** Where a token is kept between runs. It is a convenience: whatever goes wrong with it, a new token can be had. */
export interface TokenStore {
  /** The kept token and how long ago it was received, or `null`. */
  readonly read: Effect.Effect<{ readonly token: Token; readonly ageMillis: number } | null>
  readonly write: (token: Token) => Effect.Effect<void>
}

const Kept = Schema.fromJsonString(Schema.Struct({
  owner: Schema.String,
  access_token: Schema.NonEmptyString,
  refresh_token: Schema.NullOr(Schema.String),
  expires_in: Schema.Finite,
  received_at: Schema.Finite
}))

/** A file of mode 0600 that holds one token. A file that others may read, or of another user, counts as absent. */
export const makeTokenFile = (config: OperatorConfig, file: string) =>
  Effect.map(FileSystem.FileSystem, (fs): TokenStore => {
    const owner = createHash("sha256")
      .update([config.authUrl, config.clientId, config.username].join("\n")).digest("hex")
    return {
      read: Effect.gen(function*() {
        const info = yield* fs.stat(file)
        if (info.type !== "File" || (Number(info.mode) & 0o077) !== 0) return null
        const kept = yield* Schema.decodeEffect(Kept)(yield* fs.readFileString(file))
        if (kept.owner !== owner) return null
        const now = yield* Clock.currentTimeMillis
        return {
          token: {
            access: Redacted.make(kept.access_token, { label: "access token" }),
            refresh: kept.refresh_token === null ? null : Redacted.make(kept.refresh_token, { label: "refresh token" }),
            expiresIn: kept.expires_in
          },
          ageMillis: Math.max(0, now - kept.received_at)
        }
      }).pipe(Effect.option, Effect.map(Option.getOrNull)),
      write: (token) =>
        Effect.gen(function*() {
          const text = yield* Schema.encodeEffect(Kept)({
            owner,
            access_token: Redacted.value(token.access),
            refresh_token: token.refresh === null ? null : Redacted.value(token.refresh),
            expires_in: token.expiresIn,
            received_at: yield* Clock.currentTimeMillis
          })
          const draft = `${file}.${randomUUID()}`
          yield* fs.writeFileString(draft, text, { flag: "wx", mode: 0o600 })
          yield* fs.rename(draft, file).pipe(Effect.tapError(() => Effect.ignore(fs.remove(draft))))
        }).pipe(Effect.catch(() => Effect.logWarning("the token could not be kept for the next run")))
    }
  })
