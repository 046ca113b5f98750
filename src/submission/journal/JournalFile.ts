import { Effect } from "effect"
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync
} from "node:fs"
import { dirname, resolve } from "node:path"
import { Database } from "../../service/Database.ts"
import { serviceAddress } from "../../service/settings/OperatorConfig.ts"
import { FacilityCode } from "../../visit/values/Code.ts"
import { JournalError, type JournalErrorReason } from "./JournalError.ts"
import { migrations } from "./migrations.ts"
import { type OpenRun, openRun } from "./OpenRun.ts"

/** The path of a journal, and its facility and service. */
export interface JournalOptions {
  readonly file: string
  /** Health facility code. */
  readonly facility: FacilityCode
  /** Address of the data API. */
  readonly service: string
  /** `production`, `demo` …, if one service has several. */
  readonly environment?: string
  /** Another file of this kind that counts the requests, for several journals. */
  readonly counts?: string
  /** Keeps nothing: the file has no name, and is deleted with the process. */
  readonly isTemporary?: boolean
  /** The session is not a run: `status --remote` or `release`. */
  readonly isLookup?: boolean
  /** Maximum size of the file in bytes. */
  readonly maxBytes?: number
}

/** Returns the options of the file that counts the requests of several journals: a journal file without a facility. */
export const sharedCounts = (file: string): JournalOptions => ({
  file,
  facility: FacilityCode("every facility"),
  service: "every service"
})

/** "F2VJ": the `application_id` of every journal. */
export const applicationId = 0x46_32_56_4a

/** Runs synchronous work on a journal. Errors of SQLite or the file system become a `JournalError`; any other error is a defect. */
export const onJournal = <A>(file: string, work: () => A): Effect.Effect<A, JournalError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (cause) {
      const error = toJournalError(file, cause)
      return error === null ? Effect.die(cause) : Effect.fail(error)
    }
  })

/** The same while a journal is opened. A missing permission is `NoPermission`: nothing was sent yet, and a retry cannot help. */
export const onOpening = <A>(file: string, work: () => A): Effect.Effect<A, JournalError> =>
  onJournal(file, work).pipe(Effect.mapError((error) => {
    const { reason } = error
    return reason._tag === "NotWritable" && reason.denied
      ? new JournalError({ file, reason: { _tag: "NoPermission", detail: reason.detail } })
      : error
  }))

/** Opens a journal for writing. A missing one is created and an old one migrated, but only by the process that holds its lock. */
export const openForWriting = (options: JournalOptions, now: string): Database => {
  if (!journalExists(options.file)) withLock(options.file, () => create(options, now))
  try {
    return openExisting(options, {})
  } catch (cause) {
    if (!isOlder(cause)) throw cause
    return withLock(options.file, () => openExisting(options, { migrate: true }))
  }
}

const isOlder = (cause: unknown): boolean => cause instanceof JournalError && cause.reason._tag === "OlderSchema"

const withLock = <A>(file: string, work: () => A): A => {
  const lock = holdLock(file)
  try {
    return work()
  } finally {
    lock.release()
  }
}

/**
 * Opens a journal without a name, for a rehearsal. SQLite keeps what exceeds its memory in an unnamed file of the temporary folder,
 * which is deleted with the process, however it ends.
 */
export const openTemporary = (options: JournalOptions, now: string): Database => {
  const database = new Database("")
  try {
    makeTables(options, database, now)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Opens the journal for the one run that may write states; the caller holds its lock. Creates or migrates it. */
export const openForRunning = (options: JournalOptions, now: string): Database => {
  if (!journalExists(options.file)) create(options, now)
  return openExisting(options, { migrate: true })
}

/**
 * Opens a journal for reading, while other processes may write. `null` if there is none yet. A journal of an older format is migrated
 * first, unless a run has it or it is not writable. A new version of the program can thus show it before sending.
 */
export const openForReading = (options: JournalOptions): Database | null => {
  if (!journalExists(options.file)) return null
  try {
    return openExisting(options, { readOnly: true })
  } catch (older) {
    // SQLite cannot create its shared-memory file. Without a `-wal`, the file is complete and no run has it.
    const isInReadOnlyFolder = isSqliteError(older) && older.errcode === readOnlyDirectory
    if (isInReadOnlyFolder && !existsSync(`${options.file}-wal`)) {
      return openExisting(options, { readOnly: true, immutable: true })
    }
    if (!isOlder(older)) throw older
    try {
      withLock(options.file, () => openExisting(options, { migrate: true }).close())
    } catch {
      throw older
    }
    return openExisting(options, { readOnly: true })
  }
}

/**
 * Takes the lock of a run: held on a file next to the journal, and released by the operating system when the process ends. Throws `InUse` if
 * another process, or another part of this one, has it.
 */
export const holdLock = (file: string): { readonly release: () => void } => {
  const path = lockFile(file)
  makeFolder(file)
  makePrivateFile(path)
  const database = new Database(path, { busyTimeout: 250 })
  try {
    database.exec("BEGIN EXCLUSIVE")
  } catch (cause) {
    database.close()
    if (primaryCode(cause) === busy) throw inUse(file)
    throw cause
  }
  return { release: () => database.close() }
}

/** Whether a run holds the lock now. */
export const isLocked = (file: string): boolean => {
  const path = lockFile(file)
  if (!existsSync(path)) return false
  const database = new Database(path, { readOnly: true, busyTimeout: 0 })
  try {
    database.get("SELECT count(*) AS n FROM sqlite_schema")
    return false
  } catch (cause) {
    if (primaryCode(cause) === busy) return true
    throw cause
  } finally {
    database.close()
  }
}

/** Converts an error of SQLite or the file system to a `JournalError`, or returns `null` for any other cause. */
export const toJournalError = (file: string, cause: unknown): JournalError | null => {
  if (cause instanceof JournalError) return cause
  const reason = isSqliteError(cause) ? sqliteReason(cause) : isSystemError(cause) ? systemReason(cause) : null
  return reason === null ? null : new JournalError({ file, reason })
}

/** Returns one lock file for a journal, by whatever path it is opened. */
const lockFile = (file: string): string => `${existsSync(file) ? realpathSync(file) : file}.lock`

const inUse = (file: string): JournalError => {
  // the journal itself identifies the holder; if it cannot be read, the lock is enough
  try {
    const database = new Database(file, { readOnly: true })
    try {
      return heldBy(file, openRun(database))
    } finally {
      database.close()
    }
  } catch {
    return heldBy(file, null)
  }
}

/** Another run has the journal; the error names it if it is known. */
export const heldBy = (file: string, run: OpenRun | null): JournalError =>
  new JournalError({ file, reason: { _tag: "InUse", ...(run ?? { pid: null, host: null, since: null }) } })

const journalExists = (file: string): boolean => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) {
    // SQLite would read the committed rows of that file into a new journal, or lose them
    if (existsSync(`${file}-wal`)) throw corrupt(file, "the file is missing, but its `-wal` exists")
    return false
  }
  if (!stat.isFile()) throw notAJournal(file, "it is not a regular file")
  if (stat.size === 0) throw corrupt(file, "it is empty")
  return true
}

const openExisting = (
  options: JournalOptions,
  how: { readonly readOnly?: boolean; readonly immutable?: boolean; readonly migrate?: boolean }
): Database => {
  const { file } = options
  rejectNetworkDrive(file)
  if (how.readOnly !== true && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  const database = new Database(file, { readOnly: how.readOnly ?? false, immutable: how.immutable ?? false })
  try {
    const number = (pragma: string) => Number(database.get(`PRAGMA ${pragma}`)?.[pragma])
    if (number("application_id") !== applicationId) throw notAJournal(file, "another program wrote it")
    const found = number("user_version")
    const known = migrations.length
    if (found > known) throw new JournalError({ file, reason: { _tag: "NewerSchema", found, known } })
    if (found < known && how.migrate !== true) {
      throw new JournalError({ file, reason: { _tag: "OlderSchema", found, known } })
    }
    if (how.readOnly !== true) {
      configure(database)
      if (options.maxBytes !== undefined) {
        database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(options.maxBytes / number("page_size")))}`)
      }
    }
    if (how.migrate === true) {
      checkWhole(file, database)
      if (found < known) migrate(database, found)
    }
    checkOwner(options, database)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** WAL with FULL: a committed row survives a power failure. Erased data is overwritten. */
const configure = (database: Database): void => {
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
}

/** Checks every page, if the last run did not end cleanly or the file is small enough for a fast check. */
const checkWhole = (file: string, database: Database): void => {
  const unclean = database.get("SELECT 1 AS one FROM run WHERE ended_at IS NULL LIMIT 1") !== undefined
  if (!unclean && statSync(file).size > 64 * 1024 * 1024) return
  const result = database.get("PRAGMA quick_check(1)")?.quick_check
  if (result !== "ok") throw corrupt(file, "the pages of the file contradict each other")
}

/** Whether no visit was sent, and the list had evidence for none. A new journal that replaces a lost one has no such visit either. */
export const isUntouched = (database: Database): boolean =>
  database.get("SELECT 1 AS one FROM visit WHERE state <> 'READY' OR attempts > 0 LIMIT 1") === undefined

const checkOwner = (options: JournalOptions, database: Database): void => {
  const { file } = options
  const row = database.get("SELECT facility_code, service, environment FROM journal")
  if (row === undefined) throw corrupt(file, "its owner is not recorded")
  const check = (what: "facility" | "service" | "environment", expected: string, found: string) => {
    if (expected !== found) {
      const isUnsent = isUntouched(database)
      throw new JournalError({ file, reason: { _tag: "OtherFacility", what, expected, found, isUnsent } })
    }
  }
  check("facility", options.facility, String(row.facility_code))
  check("service", serviceAddress(options.service), String(row.service))
  check("environment", options.environment ?? "", String(row.environment))
}

const migrate = (database: Database, from: number): void => {
  database.transaction(() => {
    for (const migration of migrations.slice(from)) database.exec(migration)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

/**
 * Creates a whole journal under another name and renames it, so that an incomplete one never has the journal's name. It has no `-wal`
 * yet. On a full disk, SQLite closes a file without an error. Rows stay in its `-wal`, which is not renamed.
 */
const create = (options: JournalOptions, now: string): void => {
  const { file } = options
  if (existsSync(file)) return
  makeFolder(file)
  rejectNetworkDrive(dirname(resolve(file)))
  const draft = `${file}.new`
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${draft}${suffix}`, { force: true })
  makePrivateFile(draft)
  const database = new Database(draft)
  try {
    database.exec("PRAGMA auto_vacuum = INCREMENTAL")
    makeTables(options, database, now)
  } finally {
    database.close()
  }
  renameSync(draft, file)
  syncFolder(dirname(resolve(file)))
}

const makeTables = (options: JournalOptions, database: Database, now: string): void => {
  migrate(database, 0)
  database.exec(`PRAGMA application_id = ${applicationId}`)
  database.run(
    "INSERT INTO journal (facility_code, service, environment, created_at) VALUES (?, ?, ?, ?)",
    options.facility,
    serviceAddress(options.service),
    options.environment ?? "",
    now
  )
}

/** Makes the new name durable. Windows cannot open a folder, so there it depends on the file system. */
const syncFolder = (path: string): void => {
  if (process.platform === "win32") return
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const makeFolder = (file: string): void => {
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 })
}

/**
 * Creates a private file. An existing file is not opened, because closing it would release the locks that SQLite holds on it in this
 * process.
 */
const makePrivateFile = (path: string): void => {
  if (existsSync(path)) return
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch (cause) {
    if (!isSystemError(cause) || cause.code !== "EEXIST") throw cause
  }
}

/** Network file systems, by their `statfs` type number. */
const networkDrives = new Map([
  [0x69_69, "NFS"],
  [0x51_7b, "SMB"],
  [0xfe_53_4d_42, "SMB2"],
  [0xff_53_4d_42, "CIFS"],
  [0x00_c3_64_00, "Ceph"],
  [0x53_46_41_4f, "AFS"]
])

const rejectNetworkDrive = (path: string): void => {
  const name = networkDrives.get(statfsSync(path).type)
  if (name !== undefined) throw new JournalError({ file: path, reason: { _tag: "NotLocal", detail: name } })
}

const corrupt = (file: string, detail: string) => new JournalError({ file, reason: { _tag: "Corrupt", detail } })
const notAJournal = (file: string, detail: string) =>
  new JournalError({ file, reason: { _tag: "NotAJournal", detail } })

interface SqliteError {
  readonly code: "ERR_SQLITE_ERROR"
  /** Extended result code; its low byte is the primary one. */
  readonly errcode: number
}

const isSqliteError = (cause: unknown): cause is SqliteError =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number"

const isSystemError = (cause: unknown): cause is NodeJS.ErrnoException =>
  cause instanceof Error && "syscall" in cause && "code" in cause

const busy = 5
const readOnlyDirectory = 1544
/** The `-shm` cannot grow: there is no space. */
const sharedMemorySize = 4874
const primaryCode = (cause: unknown): number | null => isSqliteError(cause) ? cause.errcode & 0xff : null

const sqliteReason = (cause: SqliteError): JournalErrorReason | null => {
  if (cause.errcode === sharedMemorySize) return { _tag: "DiskFull" }
  switch (cause.errcode & 0xff) {
    case busy:
    case 6:
      return { _tag: "InUse", pid: null, host: null, since: null }
    case 13:
      return { _tag: "DiskFull" }
    case 11:
      return { _tag: "Corrupt", detail: "its pages cannot be read" }
    case 26:
      return { _tag: "NotAJournal", detail: "it is not a SQLite file" }
    case 3:
    case 8:
    case 10:
    case 14:
    case 23:
      return {
        _tag: "NotWritable",
        detail: `${sqliteWords[cause.errcode & 0xff] ?? "unknown error"} (SQLite code ${cause.errcode})`,
        denied: (cause.errcode & 0xff) !== 10
      }
    default:
      return null
  }
}

const sqliteWords: Readonly<Record<number, string>> = {
  3: "you have no permission",
  8: "it is read-only for you",
  10: "I/O error of the disk",
  14: "the file or its folder is missing, or read-only for you"
}

const systemReason = (cause: NodeJS.ErrnoException): JournalErrorReason =>
  cause.code === "ENOSPC" || cause.code === "EDQUOT"
    ? { _tag: "DiskFull" }
    : {
      _tag: "NotWritable",
      detail: systemDetail(cause.code ?? "no code"),
      denied: Object.hasOwn(systemWords, cause.code ?? "")
    }

const systemDetail = (code: string): string => `${systemWords[code] ?? "unknown error"} (${code})`

const systemWords: Readonly<Record<string, string>> = {
  // Node also reports ENOENT if it cannot create folders on a read-only file system.
  ENOENT: "a part of its path is missing, or the file system is read-only",
  EROFS: "the file system is read-only",
  EACCES: "you have no permission for its folder",
  EPERM: "you have no permission for its folder",
  EEXIST: "a part of its path is a file, not a folder",
  ENOTDIR: "a part of its path is a file, not a folder"
}
