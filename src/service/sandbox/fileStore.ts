import { Effect, Schema, type Scope } from "effect"
import { chmodSync, closeSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { SandboxError } from "./SandboxError.ts"
import { makeMemoryStore, type SandboxStore, type StoredToken, type StoredVisit } from "./SandboxStore.ts"

const Visit = Schema.fromJsonString(Schema.Struct({
  systemCode: Schema.String,
  facilityCode: Schema.String,
  code: Schema.String,
  patientCode: Schema.String,
  admittedAt: Schema.String,
  dischargedAt: Schema.NullOr(Schema.String),
  status: Schema.Int,
  uuid: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  submissions: Schema.Int,
  encounters: Schema.Array(Schema.String)
}))
const Token = Schema.fromJsonString(Schema.Struct({
  access: Schema.String,
  refresh: Schema.String,
  user: Schema.String,
  accessUntil: Schema.Finite,
  refreshUntil: Schema.Finite
}))
const decodeVisit = Schema.decodeUnknownSync(Visit)
const decodeToken = Schema.decodeUnknownSync(Token)

const layout = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS visits (
    at INTEGER PRIMARY KEY, facility TEXT NOT NULL, code TEXT NOT NULL, facts TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (facility, code)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS tokens (access TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT;
`

/**
 * Opens a store in one SQLite file of mode 0600, so that the service survives a restart. The facts are in memory, the visits are on
 * disk.
 */
export const openFileStore = (file: string): Effect.Effect<SandboxStore, SandboxError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => {
          closeSync(openSync(file, "a", 0o600))
          chmodSync(file, 0o600)
          const db = new DatabaseSync(file, { timeout: 5000 })
          db.exec(layout)
          return { db, store: storeOf(db) }
        },
        catch: () => new SandboxError({ detail: `the file ${file} cannot be used as a store` })
      }),
      ({ db }) => Effect.sync(() => db.close())
    ),
    ({ store }) => store
  )

const storeOf = (db: DatabaseSync): SandboxStore => {
  const memory = makeMemoryStore()
  for (const row of db.prepare("SELECT facts FROM visits ORDER BY at").iterate()) {
    memory.put([[decodeVisit(row["facts"]), ""]])
  }
  for (const row of db.prepare("SELECT facts FROM tokens").iterate()) memory.addToken(decodeToken(row["facts"]))

  const putVisit = db.prepare(`
    INSERT INTO visits (facility, code, facts, body) VALUES (?, ?, ?, ?)
    ON CONFLICT (facility, code) DO UPDATE SET facts = excluded.facts, body = excluded.body`)
  const readBody = db.prepare("SELECT body FROM visits WHERE facility = ? AND code = ?")
  const putToken = db.prepare("INSERT OR REPLACE INTO tokens (access, facts) VALUES (?, ?)")
  const dropToken = db.prepare("DELETE FROM tokens WHERE access = ?")
  return {
    ...memory,
    body: (facilityCode, code) => {
      const found = readBody.get(facilityCode, code)?.["body"]
      return typeof found === "string" ? found : null
    },
    put: (visits: ReadonlyArray<readonly [visit: StoredVisit, body: string]>) => {
      db.exec("BEGIN IMMEDIATE")
      try {
        for (const [visit, body] of visits) putVisit.run(visit.facilityCode, visit.code, JSON.stringify(visit), body)
        db.exec("COMMIT")
      } catch (error) {
        db.exec("ROLLBACK")
        throw error
      }
      memory.put(visits.map(([visit]) => [visit, ""]))
    },
    addToken: (token: StoredToken) => {
      putToken.run(token.access, JSON.stringify(token))
      memory.addToken(token)
    },
    removeToken: (token: StoredToken) => {
      dropToken.run(token.access)
      memory.removeToken(token)
    }
  }
}
