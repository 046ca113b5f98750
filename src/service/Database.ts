import { DatabaseSync, type StatementSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { getOrMake } from "../maps.ts"

export type SqlValue = string | number | null
export type SqlRow = Readonly<Record<string, SqlValue>>

interface DatabaseOptions {
  readonly readOnly?: boolean
  /** Reads the file without its `-wal` and without locks. The folder may be read-only, but no other process may write to the file. */
  readonly immutable?: boolean
  /** How long a statement waits for a lock of another process, in milliseconds. */
  readonly busyTimeout?: number
}

/**
 * One connection to a SQLite file: of a journal, of counts of requests, of the sandbox, or of a mirror. No other module uses
 * `node:sqlite`. Calls are synchronous and throw SQLite's errors.
 */
export class Database {
  readonly #connection: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(file: string, options: DatabaseOptions = {}) {
    const { busyTimeout = 5000, immutable = false, readOnly = false } = options
    const url = pathToFileURL(file)
    url.searchParams.set("immutable", "1")
    this.#connection = new DatabaseSync(immutable ? url : file, { readOnly, timeout: busyTimeout })
  }

  /** Runs statements without parameters: schema, pragmas. */
  exec(sql: string): void {
    this.#connection.exec(sql)
  }

  all(sql: string, ...parameters: ReadonlyArray<SqlValue>): ReadonlyArray<SqlRow> {
    // Node types values as any that SQLite can store; no table of ours holds bytes or integers above 2^53.
    return this.#prepare(sql).all(...parameters) as Array<SqlRow>
  }

  get(sql: string, ...parameters: ReadonlyArray<SqlValue>): SqlRow | undefined {
    // As above.
    return this.#prepare(sql).get(...parameters) as SqlRow | undefined
  }

  run(sql: string, ...parameters: ReadonlyArray<SqlValue>): void {
    this.#prepare(sql).run(...parameters)
  }

  /**
   * Runs the body completely or not at all; durable when it returns. The write lock is taken first, so that two processes cannot
   * deadlock.
   */
  transaction<A>(body: () => A): A {
    this.#connection.exec("BEGIN IMMEDIATE")
    try {
      const result = body()
      this.#connection.exec("COMMIT")
      return result
    } catch (cause) {
      this.rollBack()
      throw cause
    }
  }

  /** Ends a transaction without its changes, unless SQLite has done so itself: it does when the disk is full. */
  rollBack(): void {
    if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK")
  }

  close(): void {
    this.#prepared.clear()
    if (this.#connection.isOpen) this.#connection.close()
  }

  #prepare(sql: string): StatementSync {
    return getOrMake(this.#prepared, sql, () => this.#connection.prepare(sql))
  }
}
