import { Effect, Schema, type Scope } from "effect"
import { chmodSync, closeSync, openSync } from "node:fs"
import { Database } from "../../Database.ts"
import { SandboxError } from "../SandboxError.ts"
import { makeMemoryStore, type SandboxStore, StoredTokens, StoredVisit } from "./SandboxStore.ts"

const decodeVisit = Schema.decodeUnknownSync(Schema.fromJsonString(StoredVisit))
const decodeTokens = Schema.decodeUnknownSync(Schema.fromJsonString(StoredTokens))

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
          const db = new Database(file)
          db.exec(layout)
          return { db, store: storeOf(db) }
        },
        catch: () =>
          new SandboxError({
            detail: `the file \`${file}\` cannot be used as a store`,
            help: ["--store takes a file that this command created, or a new name in a folder that exists"]
          })
      }),
      ({ db }) => Effect.sync(() => db.close())
    ),
    ({ store }) => store
  )

const storeOf = (db: Database): SandboxStore => {
  const memory = makeMemoryStore()
  for (const row of db.all("SELECT facts FROM visits ORDER BY at")) memory.put([[decodeVisit(row["facts"]), ""]])
  for (const row of db.all("SELECT facts FROM tokens")) memory.addToken(decodeTokens(row["facts"]))
  return {
    ...memory,
    body: (facilityCode, code) => {
      const found = db.get("SELECT body FROM visits WHERE facility = ? AND code = ?", facilityCode, code)?.["body"]
      return typeof found === "string" ? found : null
    },
    put: (visits) => {
      db.transaction(() => {
        for (const [visit, body] of visits) {
          db.run(
            `INSERT INTO visits (facility, code, facts, body) VALUES (?, ?, ?, ?)
             ON CONFLICT (facility, code) DO UPDATE SET facts = excluded.facts, body = excluded.body`,
            visit.facilityCode,
            visit.code,
            JSON.stringify(visit),
            body
          )
        }
      })
      memory.put(visits.map(([visit]) => [visit, ""]))
    },
    addToken: (token) => {
      db.run("INSERT OR REPLACE INTO tokens (access, facts) VALUES (?, ?)", token.access, JSON.stringify(token))
      memory.addToken(token)
    },
    removeToken: (token) => {
      db.run("DELETE FROM tokens WHERE access = ?", token.access)
      memory.removeToken(token)
    }
  }
}
