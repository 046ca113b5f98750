import { Effect } from "effect"
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { isJsonObject, jsonObjectOf, jsonObjectsIn } from "../json/JsonObject.ts"
import { Database } from "../service/Database.ts"
import type { PastExport } from "./Mirror.ts"
import { readLinesOf, unwritable } from "./mirrorFiles.ts"
import { ServerError, serverError } from "./ServerError.ts"

/** A record by its type and id, as a relative reference contains them. */
export interface RecordName {
  readonly type: string
  readonly id: string
}

/**
 * An index of the mirror by name only: which records it holds, the last export of each, and the targets of their references. It is built
 * from the files, each read once, and can be deleted at any time. While it is open no other fetch can use the mirror.
 */
export interface MirrorIndex {
  /**
   * Reads the new files, in the order of the exports, and keeps the names of records and of what they refer to. If a file that was read
   * before is gone, all are read again.
   */
  readonly update: (
    exports: ReadonlyArray<Pick<PastExport, "folder" | "number">>,
    references: KeptReferences
  ) => Effect.Effect<void, ServerError>
  /** Returns records of a type that existed before an export and are not in it. */
  readonly missingFrom: (exportNumber: number, type: string) => ReadonlyArray<RecordName>
  /** Whether the mirror has records of a type, and whether an export has none of them. */
  readonly presenceOf: (
    exportNumber: number,
    type: string
  ) => { readonly isKnown: boolean; readonly isMissing: boolean }
  /** Whether an export, or a later one, has a record. */
  readonly isIn: (exportNumber: number, record: RecordName) => boolean
  readonly forget: (record: RecordName) => void
  /** Returns reference targets that no export from this one on has, without those that the server lacks as well. */
  readonly dangling: (exportNumber: number) => ReadonlyArray<RecordName>
  readonly forgetAbsent: () => void
  readonly noteAbsent: (record: RecordName) => void
  /** Stores where a search ended, so that it can resume. */
  readonly walk: WalkState
  /** Fails if the file of the index was deleted or replaced meanwhile: then it is no lock, and another fetch can use the mirror. */
  readonly isHeld: Effect.Effect<void, ServerError>
}

/** Which references are kept: those to records of these types at this server. */
interface KeptReferences {
  readonly types: ReadonlySet<string>
  /** The base address of the server. A reference can begin with it. */
  readonly server: string
}

/** How far the search for the records of a type came. */
interface WalkPosition {
  /** Size of the file with the records found so far. */
  readonly bytes: number
  /** ISO time of the last change seen; `null` if none. */
  readonly last: string | null
  readonly isDone: boolean
}

/** The progress of the search for the records of a type; every change is on disk at once. */
export interface WalkState {
  /** Returns how far the search of an export came, by the name of its folder: the search of another export begins at the start. */
  readonly begin: (folder: string, type: string) => WalkPosition
  /** Whether this version is new to the walk; the next `commit` remembers it. */
  readonly isNew: (type: string, id: string, version: string) => boolean
  readonly commit: (
    type: string,
    position: WalkPosition,
    seen: ReadonlyArray<{ readonly id: string; readonly version: string }>
  ) => void
  /** Number of distinct records that the walk has found. */
  readonly count: (type: string) => number
}

const schema = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS record (type TEXT, id TEXT, export INTEGER NOT NULL, PRIMARY KEY (type, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS reference (type TEXT, id TEXT, PRIMARY KEY (type, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS absent (type TEXT, id TEXT, PRIMARY KEY (type, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS walk (type TEXT PRIMARY KEY, export TEXT, bytes INTEGER, last TEXT, done INTEGER) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS walked (type TEXT, id TEXT, version TEXT, PRIMARY KEY (type, id, version)) WITHOUT ROWID;
  BEGIN EXCLUSIVE; COMMIT;
`

const fileName = ".index.sqlite"

/** Opens the index of a mirror, and locks the mirror for this run. It closes with its scope. */
export const openMirrorIndex = (mirror: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        mkdirSync(mirror, { recursive: true, mode: 0o700 })
        const file = join(mirror, fileName)
        // SQLite gives its `-wal` the mode of the file, which holds the ids of patients.
        closeSync(openSync(file, "a", 0o600))
        chmodSync(file, 0o600)
        const database = new Database(file, { busyTimeout: 0 })
        try {
          database.exec(schema)
        } catch (cause) {
          database.close()
          throw cause
        }
        return { database, inode: inodeOf(file) }
      },
      catch: (cause) =>
        isBusy(cause)
          ? serverError({ _tag: "MirrorUnusable", detail: `another fetch is using \`${mirror}\``, why: "busy" })
          : unwritable(join(mirror, fileName), cause)
    }),
    ({ database }) => Effect.sync(() => database.close())
  ).pipe(Effect.map(({ database, inode }) => mirrorIndex(mirror, database, inode)))

/** Identifies a file, also if a different file gets its name; `undefined` if there is none. */
const inodeOf = (file: string): string | undefined => {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

const isBusy = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "errcode" in cause && (cause.errcode === 5 || cause.errcode === 6)

const mirrorIndex = (mirror: string, database: Database, inode: string | undefined): MirrorIndex => ({
  isHeld: Effect.suspend(() =>
    inodeOf(join(mirror, fileName)) === inode ? Effect.void : Effect.fail(serverError({
      _tag: "MirrorUnusable",
      detail: `\`${join(mirror, fileName)}\` was deleted during the fetch, so another fetch may be using the mirror`,
      why: "busy"
    }))
  ),
  update: (exports, references) =>
    Effect.tryPromise({
      try: async () => {
        const files = exports.flatMap(({ folder, number }) => filesOf(folder).map((file) => ({ ...file, number })))
        const names = new Set(files.map(({ file }) => relative(mirror, file)))
        if (!database.all("SELECT name FROM file").every(({ name }) => names.has(String(name)))) {
          database.exec("BEGIN; DELETE FROM file; DELETE FROM record; DELETE FROM reference; COMMIT")
        }
        for (const file of files) await readFile(database, mirror, file, references)
      },
      catch: (cause) => cause instanceof ServerError ? cause : unwritable(mirror, cause)
    }),
  missingFrom: (exportNumber, type) =>
    database.all("SELECT id FROM record WHERE type = ? AND export < ? ORDER BY id", type, exportNumber)
      .map(({ id }) => ({ type, id: String(id) })),
  presenceOf: (exportNumber, type) => {
    const last = database.get("SELECT MAX(export) AS last FROM record WHERE type = ?", type)?.["last"] ?? null
    return { isKnown: last !== null, isMissing: last !== null && Number(last) < exportNumber }
  },
  isIn: (exportNumber, { id, type }) =>
    database.get("SELECT 1 FROM record WHERE type = ? AND id = ? AND export >= ?", type, id, exportNumber) !==
      undefined,
  forget: ({ id, type }) => database.run("DELETE FROM record WHERE type = ? AND id = ?", type, id),
  dangling: (exportNumber) =>
    database.all(
      `
      SELECT type, id FROM reference
      EXCEPT SELECT type, id FROM record WHERE export >= ?
      EXCEPT SELECT type, id FROM absent
      ORDER BY type, id
    `,
      exportNumber
    ).map(({ id, type }) => ({ type: String(type), id: String(id) })),
  forgetAbsent: () => database.run("DELETE FROM absent"),
  noteAbsent: ({ id, type }) => database.run("INSERT OR IGNORE INTO absent VALUES (?, ?)", type, id),
  walk: walkState(database)
})

const walkState = (database: Database): WalkState => ({
  begin: (folder, type) => {
    const found = database.get("SELECT bytes, last, done FROM walk WHERE type = ? AND export = ?", type, folder)
    if (found !== undefined) {
      return {
        bytes: Number(found["bytes"]),
        last: found["last"] === null ? null : String(found["last"]),
        isDone: found["done"] === 1
      }
    }
    database.transaction(() => {
      database.run("DELETE FROM walked WHERE type = ?", type)
      database.run("INSERT OR REPLACE INTO walk VALUES (?, ?, 0, NULL, 0)", type, folder)
    })
    return { bytes: 0, last: null, isDone: false }
  },
  isNew: (type, id, version) =>
    database.get("SELECT 1 FROM walked WHERE type = ? AND id = ? AND version = ?", type, id, version) === undefined,
  commit: (type, { bytes, isDone, last }, seen) =>
    database.transaction(() => {
      for (const { id, version } of seen) {
        database.run("INSERT OR IGNORE INTO walked VALUES (?, ?, ?)", type, id, version)
      }
      database.run("UPDATE walk SET bytes = ?, last = ?, done = ? WHERE type = ?", bytes, last, isDone ? 1 : 0, type)
    }),
  count: (type) =>
    Number(database.get("SELECT COUNT(DISTINCT id) AS count FROM walked WHERE type = ?", type)?.["count"] ?? 0)
})

/** Returns the complete files of an export: deletions first, because a record can be deleted and created again. */
const filesOf = (folder: string): ReadonlyArray<{ readonly file: string; readonly isDeleted: boolean }> => [
  ...filesIn(join(folder, "deleted")).map((file) => ({ file, isDeleted: true })),
  ...filesIn(folder).map((file) => ({ file, isDeleted: false }))
]

const filesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder).filter((name) => /\.ndjson(?:\.gz)?$/u.test(name) && name !== "log.ndjson").toSorted()
      .map((name) => join(folder, name))
    : []

/** Whether compressed bytes, their encoding or a line of them were the cause. */
const isDamage = (cause: unknown): boolean =>
  cause instanceof SyntaxError || cause instanceof TypeError ||
  (cause instanceof Error && "code" in cause && String(cause.code).startsWith("Z_"))

const readFile = async (
  database: Database,
  mirror: string,
  { file, isDeleted, number }: { readonly file: string; readonly isDeleted: boolean; readonly number: number },
  references: KeptReferences
): Promise<void> => {
  const name = relative(mirror, file)
  const { size } = statSync(file)
  if (database.get("SELECT 1 FROM file WHERE name = ? AND size = ?", name, size) !== undefined) return
  database.exec("BEGIN IMMEDIATE")
  try {
    for await (const line of readLinesOf(file)) {
      const record: unknown = JSON.parse(line)
      if (isDeleted) {
        for (const gone of deletedIn(record)) {
          database.run("DELETE FROM record WHERE type = ? AND id = ?", gone.type, gone.id)
        }
      } else noteRecord(database, record, number, references)
    }
    database.run("INSERT OR REPLACE INTO file VALUES (?, ?)", name, size)
    database.exec("COMMIT")
  } catch (cause) {
    database.rollBack()
    throw isDamage(cause) ? serverError({ _tag: "MirrorDamaged", mirror, file }) : cause
  }
}

const noteRecord = (database: Database, record: unknown, number: number, references: KeptReferences): void => {
  const { id, resourceType } = jsonObjectOf(record)
  if (typeof resourceType !== "string" || typeof id !== "string") return
  database.run("INSERT OR REPLACE INTO record VALUES (?, ?, ?)", resourceType, id, number)
  for (const target of referencesIn(record, references)) {
    database.run("INSERT OR IGNORE INTO reference VALUES (?, ?)", target.type, target.id)
  }
}

/** Deletions are in Bundles with `request.method` DELETE (Bulk Data Access, "deleted"). */
const deletedIn = (bundle: unknown): ReadonlyArray<RecordName> =>
  jsonObjectsIn(jsonObjectOf(bundle).entry).flatMap(({ request }) => {
    const { method, url } = jsonObjectOf(request)
    const [type, id] = method === "DELETE" && typeof url === "string" ? url.split("/").slice(-2) : []
    return type === undefined || id === undefined ? [] : [{ type, id }]
  })

const relativeReference = /^([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/u

function* referencesIn(value: unknown, kept: KeptReferences): Generator<RecordName> {
  if (Array.isArray(value)) {
    for (const item of value) yield* referencesIn(item, kept)
  } else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      if (key === "reference" && typeof inner === "string") {
        const base = `${kept.server}/`
        const [, type, id] = relativeReference.exec(inner.startsWith(base) ? inner.slice(base.length) : inner) ?? []
        if (type !== undefined && id !== undefined && kept.types.has(type)) yield { type, id }
      } else yield* referencesIn(inner, kept)
    }
  }
}
