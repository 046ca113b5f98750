import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Journal } from "../../src/submission/journal/Journal.ts"
import { explainJournalError, JournalError } from "../../src/submission/journal/JournalError.ts"
import {
  applicationId,
  holdLock,
  type JournalOptions,
  openForRunning
} from "../../src/submission/journal/JournalFile.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import type { VisitPayload } from "../../src/submission/journal/JournalWriter.ts"
import { migrations } from "../../src/submission/journal/migrations.ts"
import type { VisitEvent } from "../../src/submission/journal/VisitState.ts"
import { factsOf, type Submission } from "../../src/submission/Submission.ts"
import { FacilityCode, VisitCode } from "../../src/visit/values/Code.ts"
import { present } from "../present.ts"
import { journalIn, temporaryFolder, visit } from "./samples.ts"

/** Opens the journal as another process would, and closes it after the work. */
const withJournal = <A, E, R>(options: JournalOptions, work: (journal: Journal["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.provide(Effect.flatMap(Journal, work), Journal.layer(options), { local: true })
const withReader = <A, E, R>(
  options: JournalOptions,
  work: (reader: JournalReader["Service"]) => Effect.Effect<A, E, R>
) => Effect.provide(Effect.flatMap(JournalReader, work), JournalReader.layer(options), { local: true })
const nothing = () => Effect.void

const receipt = (submission: Submission): VisitPayload => ({
  ...factsOf(submission),
  payload: submission.payload,
  mapping: null
})
const stored: VisitEvent = { _tag: "Answered", outcome: { _tag: "Stored", uuid: "u-1" } }
const refusal = {
  _tag: "Answered",
  outcome: { _tag: "Refused", reason: "field-refused", status: 422, field: "visit_type" }
} as const satisfies VisitEvent
const send = (journal: Journal["Service"], submission: Submission, event: VisitEvent) =>
  Effect.gen(function*() {
    yield* journal.receive([receipt(submission)])
    yield* journal.intend([submission.code])
    yield* journal.record([{ code: submission.code, event }])
  })
const reasonOf = (exit: Exit.Exit<unknown, unknown>): JournalError["reason"] | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const fail = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return fail?._tag === "Fail" && fail.error instanceof JournalError ? fail.error.reason : undefined
}

describe("the file", () => {
  it.effect("is a SQLite file with its own application id, 0600 in a folder 0700, WAL, FULL", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, (journal) =>
        Effect.gen(function*() {
          yield* journal.receive([receipt(visit({ code: "V1" }))])
          for (const suffix of ["", "-wal", "-shm", ".lock"]) {
            assert.strictEqual(statSync(`${options.file}${suffix}`).mode & 0o777, 0o600, suffix)
          }
          assert.strictEqual(statSync(dirname(options.file)).mode & 0o777, 0o700)
        }))
      const database = new DatabaseSync(options.file)
      assert.strictEqual(database.prepare("PRAGMA application_id").get()?.["application_id"], applicationId)
      assert.strictEqual(database.prepare("PRAGMA user_version").get()?.["user_version"], migrations.length)
      assert.strictEqual(database.prepare("PRAGMA journal_mode").get()?.["journal_mode"], "wal")
      database.close()
      assert.isFalse(existsSync(`${options.file}.new`))
    }))

  it.effect("I4: every commit is synced to the disk before it counts, and what is erased is overwritten", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const database = openForRunning(options, "2026-03-03T00:00:00.000Z")
      assert.strictEqual(database.get("PRAGMA synchronous")?.["synchronous"], 2)
      assert.strictEqual(database.get("PRAGMA secure_delete")?.["secure_delete"], 1)
      assert.strictEqual(database.get("PRAGMA busy_timeout")?.["timeout"], 5000)
      database.close()
    }))

  it.effect("keeps the frozen bytes, and erases them when they cannot be sent again", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const marks = ["ZWAIT", "ZSTORED", "ZREFUSED"] as const
      const waiting = visit({ code: "V0", note: marks[0] })
      const done = visit({ code: "V1", note: marks[1] })
      const refused = visit({ code: "V2", note: marks[2] })
      yield* withJournal(options, (journal) =>
        Effect.gen(function*() {
          yield* journal.receive([receipt(waiting)])
          yield* send(journal, done, stored)
          yield* send(journal, refused, refusal)
          const known = yield* journal.find([VisitCode("V0"), VisitCode("V1"), VisitCode("V2")])
          assert.strictEqual(known.get(VisitCode("V1"))?.fingerprint, factsOf(done).fingerprint)
        }))
      const bytes = readFileSync(options.file, "latin1")
      assert.deepStrictEqual(marks.map((mark) => bytes.includes(mark)), [true, false, false])
      assert.isFalse(existsSync(`${options.file}-wal`))
    }))

  it.effect("frees the space of erased bytes", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const large = Array.from({ length: 50 }, (_, at) => visit({ code: `V${at}`, note: "x".repeat(40_000) }))
      yield* withJournal(options, (journal) => journal.receive(large.map(receipt)))
      assert.isAbove(statSync(options.file).size, 2_000_000)
      yield* withJournal(options, (journal) =>
        Effect.gen(function*() {
          yield* journal.intend(large.map(({ code }) => code))
          yield* journal.record(large.map(({ code }) => ({ code, event: stored })))
        }))
      assert.isBelow(statSync(options.file).size, 300_000)
    }))

  it.effect("is made private again if its mode was changed", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, nothing)
      chmodSync(options.file, 0o664)
      yield* withJournal(options, nothing)
      assert.strictEqual(statSync(options.file).mode & 0o777, 0o600)
    }))

  it.effect("returns the frozen bytes unchanged", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const odd = visit({ code: "វិ-1 'x'; --", note: "ភ្នំពេញ\u200B \u0000 \"\\ 👩‍⚕️" })
      yield* withJournal(options, (journal) => journal.receive([receipt(odd)]))
      const payloads = yield* withJournal(options, (journal) => journal.intend([odd.code]))
      assert.deepStrictEqual(payloads, [odd.payload])
    }))

  it.effect("stops when frozen bytes differ from their fingerprint", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, (journal) => journal.receive([receipt(visit({ code: "V1" }))]))
      const database = new DatabaseSync(options.file)
      database.exec("UPDATE visit SET payload = replace(payload, 'OPD', 'IPD')")
      database.close()
      const exit = yield* Effect.exit(withJournal(options, (journal) => journal.intend([VisitCode("V1")])))
      assert.strictEqual(reasonOf(exit)?._tag, "Corrupt")
      const state = yield* withReader(options, (reader) => reader.find([VisitCode("V1")]))
      assert.strictEqual(state.get(VisitCode("V1"))?.state, "READY")
    }))

  it.effect("shows its views without patient data", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, (journal) =>
        Effect.gen(function*() {
          yield* journal.receive([receipt(visit({ code: "V0", patient: "P-SECRET", note: "SECRET" }))])
          yield* send(journal, visit({ code: "V1", patient: "P-SECRET2", note: "SECRET" }), refusal)
          yield* send(journal, visit({ code: "V2" }), stored)
        }))
      const database = new DatabaseSync(options.file, { readOnly: true })
      const rows = (view: string) => database.prepare(`SELECT * FROM ${view}`).all()
      assert.deepStrictEqual(rows("visits_now").map((row) => `${row["visit_code"]} ${row["state"]}`), [
        "V0 READY",
        "V1 REFUSED",
        "V2 STORED"
      ])
      assert.deepStrictEqual(rows("unsettled").map((row) => row["visit_code"]), ["V0"])
      assert.deepStrictEqual(rows("refused").map((row) => row["field"]), ["visit_type"])
      const all = JSON.stringify(["visits_now", "unsettled", "refused"].map(rows))
      assert.notInclude(all, "SECRET")
      database.close()
    }))

  it.effect("only adds to the history of a visit", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const history = yield* withJournal(options, (journal) =>
        Effect.gen(function*() {
          yield* send(journal, visit({ code: "V1" }), stored)
          return yield* journal.history(VisitCode("V1"))
        }))
      assert.deepStrictEqual(history.map(({ after, before, event }) => `${before} ${event} ${after}`), [
        "READY Intended SENDING",
        "SENDING Answered STORED"
      ])
      const database = new DatabaseSync(options.file)
      assert.throws(() => database.exec("UPDATE attempt SET state_after = 'READY'"), /only added/)
      assert.throws(() => database.exec("DELETE FROM attempt"), /only added/)
      database.close()
    }))

  it.effect("counts only the visits of its facility", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, (journal) => journal.receive([receipt(visit({ code: "V1" }))]))
      const database = new DatabaseSync(options.file)
      database.exec("UPDATE visit SET facility_code = 'HF0002'")
      database.close()
      const counts = yield* withReader(options, (reader) => reader.counts)
      assert.strictEqual(counts.READY, 0)
    }))

  it.effect("freezes a group of visits in one commit, or none of it", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, (journal) => send(journal, visit({ code: "V9" }), stored))
      const exit = yield* Effect.exit(withJournal(options, (journal) =>
        // nothing new may be frozen for a visit that is stored: a bug in the caller
        journal.receive([receipt(visit({ code: "V1" })), receipt(visit({ code: "V9", note: "other" }))])))
      assert.isTrue(Exit.hasDies(exit))
      const known = yield* withReader(options, (reader) => reader.find([VisitCode("V1"), VisitCode("V9")]))
      assert.deepStrictEqual([...known.values()].map(({ code, state }) => `${code} ${state}`), ["V9 STORED"])
    }))
})

describe("opening", () => {
  it.effect("reads SENDING of a killed run as UNKNOWN, and looks up again what was UNKNOWN", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, (journal) =>
        Effect.gen(function*() {
          yield* journal.receive([receipt(visit({ code: "V1" })), receipt(visit({ code: "V2" }))])
          yield* journal.intend([VisitCode("V1"), VisitCode("V2")])
          yield* journal.record([
            { code: VisitCode("V2"), event: { _tag: "Answered", outcome: { _tag: "Unknown", why: "no answer" } } },
            { code: VisitCode("V2"), event: { _tag: "Looked", evidence: { _tag: "NotListed" } } }
          ])
        }))
      yield* withJournal(options, (journal) =>
        Effect.gen(function*() {
          const known = yield* journal.find([VisitCode("V1"), VisitCode("V2")])
          for (const code of ["V1", "V2"]) {
            const { looked, open, state } = present(known.get(VisitCode(code)))
            assert.deepStrictEqual({ looked, open, state }, { looked: false, open: true, state: "UNKNOWN" })
          }
          assert.deepStrictEqual((yield* journal.pending("")).map(({ visit }) => visit.code), ["V1", "V2"])
          assert.isTrue(Exit.hasDies(yield* Effect.exit(journal.intend([VisitCode("V1")]))))
          assert.isFalse(journal.fresh)
        }))
    }))

  const refuses = (
    name: string,
    tag: JournalError["reason"]["_tag"],
    spoil: (options: JournalOptions) => void,
    other: Partial<JournalOptions> = {}
  ) =>
    it.effect(`refuses ${name}: ${tag}`, () =>
      Effect.gen(function*() {
        const options = journalIn(yield* temporaryFolder)
        yield* withJournal(options, (journal) => journal.receive([receipt(visit({ code: "V1" }))]))
        spoil(options)
        const before = existsSync(options.file) && statSync(options.file).isFile() ? readFileSync(options.file) : null
        const exit = yield* Effect.exit(withJournal({ ...options, ...other }, nothing))
        assert.strictEqual(reasonOf(exit)?._tag, tag)
        const reading = yield* Effect.exit(withReader({ ...options, ...other }, nothing))
        assert.strictEqual(reasonOf(reading)?._tag, tag)
        if (before !== null) assert.isTrue(before.equals(readFileSync(options.file)), "the file was left as it is")
      }))
  const edit = (sql: string) => ({ file }: JournalOptions) => {
    const database = new DatabaseSync(file)
    database.exec(sql)
    database.close()
  }
  const untouched = nothing

  it.effect("a reader migrates a journal of an earlier format, unless a run has it", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const before = migrations.length - 1
      mkdirSync(dirname(options.file), { mode: 0o700 })
      const database = new DatabaseSync(options.file)
      for (const migration of migrations.slice(0, before)) database.exec(migration)
      database.exec(
        `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${before}; PRAGMA journal_mode = WAL`
      )
      database.prepare("INSERT INTO journal VALUES (?, ?, '', ?)").run(
        options.facility,
        options.service.replace("/api", ""),
        "2026-03-03T00:00:00.000Z"
      )
      database.close()
      chmodSync(options.file, 0o600)
      const lock = holdLock(options.file)
      const refused = yield* Effect.exit(withReader(options, nothing))
      assert.strictEqual(reasonOf(refused)?._tag, "OlderSchema")
      lock.release()
      const total = yield* withReader(options, (reader) => Effect.map(reader.counts, ({ STORED }) => STORED))
      assert.strictEqual(total, 0)
    }))

  it.effect("migrating keeps the contents of a journal of the previous format", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const words = Redacted.make("the list is not acceptable")
      const refused: VisitEvent = { ...refusal, outcome: { ...refusal.outcome, said: words } }
      yield* withJournal(options, (journal) => send(journal, visit({ code: "V1" }), stored))
      edit(
        "ALTER TABLE visit DROP COLUMN said; ALTER TABLE visit DROP COLUMN form; ALTER TABLE visit DROP COLUMN list_error; DROP INDEX visit_withdrawn; ALTER TABLE visit DROP COLUMN withdrawn; DROP TABLE encounter; PRAGMA user_version = 4"
      )(options)
      yield* withJournal(options, (journal) => send(journal, visit({ code: "V2" }), refused))
      const visits = yield* withReader(options, (reader) => reader.visits(["STORED", "REFUSED"]))
      assert.deepStrictEqual(
        visits.map(({ code, said: stated }) => [code, stated === null ? null : Redacted.value(stated)]),
        [
          ["V1", null],
          ["V2", "the list is not acceptable"]
        ]
      )
      assert.notInclude(JSON.stringify(visits), "acceptable")
    }))

  refuses("the journal of another facility", "OtherFacility", untouched, { facility: FacilityCode("HF0002") })
  refuses("the journal of another service", "OtherFacility", untouched, { service: "https://demo.service.example" })
  refuses("the journal of a service with another path", "OtherFacility", untouched, {
    service: "https://service.example/demo"
  })
  refuses("the journal of another environment", "OtherFacility", untouched, { environment: "demo" })
  refuses("a journal of a newer program", "NewerSchema", edit("PRAGMA user_version = 9999"))
  refuses("a SQLite file of another program", "NotAJournal", edit("PRAGMA application_id = 1"))
  refuses(
    "a file that is no database",
    "NotAJournal",
    ({ file }) => writeFileSync(file, "visit_code,state\n".repeat(400))
  )
  refuses("a folder", "NotAJournal", ({ file }) => {
    renameSync(file, `${file}.moved`)
    mkdirSync(file)
  })
  refuses("a file that was emptied", "Corrupt", ({ file }) => truncateSync(file, 0))
  refuses("a file that was removed while its -wal exists", "Corrupt", ({ file }) => {
    renameSync(file, `${file}-wal`)
  })
  refuses("a journal without an owner", "Corrupt", edit("DELETE FROM journal"))

  it.effect("rejects a file with pages that contradict each other: Corrupt", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, (journal) =>
        journal.receive(Array.from({ length: 200 }, (_, at) => receipt(visit({ code: `V${at}` })))))
      // the first byte of a page is its type; the start of a run does not read this page
      const bytes = readFileSync(options.file)
      const at = bytes.indexOf("\"code\":\"V150\"")
      bytes[at - at % 4096] = 0x55
      writeFileSync(options.file, bytes)
      assert.strictEqual(
        yield* withReader(options, (reader) =>
          Effect.map(reader.counts, ({ READY }) => READY)),
        200
      )
      assert.strictEqual(reasonOf(yield* Effect.exit(withJournal(options, nothing)))?._tag, "Corrupt")
    }))

  it.effect("a journal of another address says whether it may be deleted, because nothing was sent with it", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      const help = Effect.map(
        Effect.flip(withJournal({ ...options, service: "https://mistyped.example" }, nothing)),
        (error) => explainJournalError(error).help
      )
      yield* withJournal(options, (journal) => journal.receive([receipt(visit({ code: "V1" }))]))
      assert.include(yield* help, "delete it")
      yield* withJournal(options, (journal) => send(journal, visit({ code: "V2" }), stored))
      assert.notInclude(yield* help, "delete it")
    }))

  it.effect("an address that is spelled differently is the same service", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, nothing)
      for (const service of ["https://service.example", "https://SERVICE.example:443/api/"]) {
        yield* withJournal({ ...options, service }, nothing)
      }
    }))

  it.effect("fails when its folder cannot be opened: NoPermission", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "file"), "")
      const options = { ...journalIn(folder), file: join(folder, "file", "journal.sqlite") }
      assert.strictEqual(reasonOf(yield* Effect.exit(withJournal(options, nothing)))?._tag, "NoPermission")
    }))

  it.effect("I6: a second run fails and names the holder of the journal; readers do not", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-03-03T01:02:03Z"))
      const options = journalIn(yield* temporaryFolder)
      yield* withJournal(options, (journal) =>
        Effect.gen(function*() {
          yield* journal.receive([receipt(visit({ code: "V1" }))])
          const exit = yield* Effect.exit(withJournal(options, nothing))
          const reason = reasonOf(exit)
          assert.strictEqual(reason?._tag, "InUse")
          if (reason?._tag === "InUse") {
            assert.strictEqual(reason.pid, process.pid)
            assert.strictEqual(reason.since, "2026-03-03T01:02:03.000Z")
            const { title } = explainJournalError(new JournalError({ file: options.file, reason }))
            assert.include(title, `process ${process.pid}`)
          }
          const link = `${options.file}.link`
          symlinkSync(options.file, link)
          assert.strictEqual(
            reasonOf(yield* Effect.exit(withJournal({ ...options, file: link }, nothing)))?._tag,
            "InUse"
          )
          yield* withReader(options, (reader) =>
            Effect.gen(function*() {
              assert.isTrue(yield* reader.inUse)
              assert.strictEqual((yield* reader.counts).READY, 1)
            }))
        }))
      yield* withReader(options, (reader) =>
        Effect.gen(function*() {
          assert.isFalse(yield* reader.inUse)
          assert.strictEqual((yield* reader.lastRun)?.ending, "interrupted")
        }))
      yield* withJournal(options, (journal) => journal.finish("done", { stored: 0 }))
      const last = yield* withReader(options, (reader) => reader.lastRun)
      assert.strictEqual(last?.ending, "done")
      yield* withJournal(options, (journal) => journal.finish("stopped", { stored: 2 }))
      const counted = (max: number) =>
        Effect.map(
          withReader(options, (reader) => reader.countedRuns(max)),
          (runs) => runs.map(({ counts, ending }) => [ending, counts["stored"]])
        )
      assert.deepStrictEqual(yield* counted(5), [["done", 0], ["stopped", 2]])
      assert.deepStrictEqual(yield* counted(1), [["stopped", 2]])
      const summary = {
        records: 9,
        rejectedRecords: 1,
        visits: 4,
        ready: 3,
        rejected: 1,
        blockers: [["required-field", 1]]
      } as const
      yield* withJournal(options, (journal) => journal.finish("done", { stored: 3 }, summary))
      const reported = yield* withReader(options, (reader) => reader.countedRuns(2))
      // A run of an earlier version said nothing of its input.
      assert.deepStrictEqual(reported.map(({ counts, summary }) => [counts, summary]), [
        [{ stored: 2 }, undefined],
        [{ stored: 3 }, summary]
      ])
      assert.strictEqual(last?.id, 2)
    }))

  it.effect("reads a missing journal as an empty one, and does not create it", () =>
    Effect.gen(function*() {
      const options = journalIn(yield* temporaryFolder)
      yield* withReader(options, (reader) =>
        Effect.gen(function*() {
          assert.isFalse(reader.exists)
          assert.strictEqual((yield* reader.counts).STORED, 0)
          assert.strictEqual((yield* reader.find([VisitCode("V1")])).size, 0)
        }))
      assert.isFalse(existsSync(dirname(options.file)))
    }))

  it.effect("I4: writes no intention on a full disk: DiskFull, and the journal stays intact", () =>
    Effect.gen(function*() {
      const options = { ...journalIn(yield* temporaryFolder), maxBytes: 256 * 1024 }
      const exit = yield* Effect.exit(withJournal(options, (journal) =>
        Effect.gen(function*() {
          for (let at = 0; at < 1000; at++) {
            yield* journal.receive([receipt(visit({ code: `V${at}`, note: "x".repeat(4000) }))])
          }
        })))
      assert.strictEqual(reasonOf(exit)?._tag, "DiskFull")
      const ready = yield* withReader(options, (reader) => reader.counts)
      assert.isAbove(ready.READY, 10)
      const again = yield* Effect.exit(withJournal(options, (journal) =>
        Effect.gen(function*() {
          for (let at = 0; at < ready.READY; at++) yield* journal.intend([VisitCode(`V${at}`)])
        })))
      assert.strictEqual(reasonOf(again)?._tag, "DiskFull")
      const after = yield* withReader(options, (reader) => reader.counts)
      assert.strictEqual(after.READY + after.SENDING + after.UNKNOWN, ready.READY)
    }))
})

it("every error has its own title and help", () => {
  const reasons: ReadonlyArray<JournalError["reason"]> = [
    { _tag: "InUse", pid: null, host: null, since: null },
    { _tag: "NotAJournal", detail: "d" },
    { _tag: "Corrupt", detail: "d" },
    { _tag: "OtherFacility", what: "facility", expected: "HF0001", found: "HF0002", isUnsent: false },
    { _tag: "NewerSchema", found: 2, known: 1 },
    { _tag: "OlderSchema", found: 1, known: 2 },
    { _tag: "NotWritable", detail: "d", denied: false },
    { _tag: "NoPermission", detail: "d" },
    { _tag: "NotLocal", detail: "NFS" },
    { _tag: "DiskFull" }
  ]
  const stated = reasons.map((reason) => explainJournalError(new JournalError({ file: "j.sqlite", reason })))
  assert.strictEqual(new Set(stated.map(({ title }) => title)).size, reasons.length)
  for (const { help, title } of stated) {
    assert.include(title, "`j.sqlite`")
    assert.isAbove(help.length, 20)
  }
})

it.effect("the layer of the run also provides a reader", () =>
  Effect.gen(function*() {
    const options = journalIn(yield* temporaryFolder)
    const both = Effect.gen(function*() {
      yield* (yield* Journal).receive([receipt(visit({ code: "V1" }))])
      return yield* (yield* JournalReader).counts
    })
    const counts = yield* Effect.provide(both, Layer.fresh(Journal.layer(options)), { local: true })
    assert.strictEqual(counts.READY, 1)
  }))
