import { Context, Effect, Layer, Redacted } from "effect"
import { hostname } from "node:os"
import { pid } from "node:process"
import type { ProcessedVisit } from "../operator/Operator.ts"
import type { Database, SqlValue } from "./Database.ts"
import * as Failure from "./JournalError.ts"
import { JournalError } from "./JournalError.ts"
import { heldBy, holdLock, type JournalOptions, onJournal, openForRunning, openNameless } from "./JournalFile.ts"
import { asked, type JournalQueries, JournalReader, nowIso, queries } from "./JournalReader.ts"
import { columns, type JournalVisit, visitOf } from "./JournalVisit.ts"
import { nextState } from "./nextState.ts"
import { isAtWork, openRun } from "./OpenRun.ts"
import type { RunSummary } from "./RunSummary.ts"
import { fingerprint, type VisitFacts } from "./Submission.ts"
import { type ListEvidence, type Standing, unsent, type VisitEvent } from "./VisitState.ts"

/** A visit whose bytes are to be frozen. */
export interface Receipt extends VisitFacts {
  readonly payload: string
  /** Hash of the mapping that made it. */
  readonly mapping: string | null
}

/** Something that happened to a visit, and the row of the processed list that says so, if one does. */
export interface Recorded {
  readonly code: string
  readonly event: VisitEvent
  readonly listed?: ProcessedVisit | null
}

/** How a visit may appear in the processed list: whatever was ever sent under its code. */
export interface SentVersion {
  readonly patientCode: string
  readonly admittedAt: string
}

/** A visit about which the service has to be asked. */
export interface OpenVisit {
  readonly visit: JournalVisit
  readonly versions: ReadonlyArray<SentVersion>
}

/** What a run came to; kept with the run. */
export type RunEnding = "done" | "stopped" | "interrupted"

/**
 * The program's only memory of what it meant to send and what came of it: one SQLite file for each facility, one run at a time.
 * Every call is durable when it returns. Errors: `JournalError`; an event that must not happen to a visit is a bug and a defect.
 */
export class Journal extends Context.Service<
  Journal,
  JournalQueries & {
    /** Number of this run. */
    readonly run: number
    /** No visit was known when the journal was opened. */
    readonly fresh: boolean
    /** Freezes the bytes of new and changed visits: READY, one commit for all. */
    readonly receive: (receipts: ReadonlyArray<Receipt>) => Effect.Effect<void, JournalError>
    /** Notes whether the source of these visits differs from what was sent. */
    readonly noteChanged: (codes: ReadonlyArray<string>, changed: boolean) => Effect.Effect<void, JournalError>
    /** Notes the encounters of visits whose bytes are known and whose encounters are not: an earlier format had none. */
    readonly noteEncounters: (visits: ReadonlyArray<VisitFacts>) => Effect.Effect<void, JournalError>
    /** W1: SENDING for all of these, one commit; gives the frozen bytes back, in the same order. */
    readonly intend: (codes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, JournalError>
    /** W2, or what the list says: one commit for all. */
    readonly record: (
      events: ReadonlyArray<Recorded>
    ) => Effect.Effect<ReadonlyArray<JournalVisit>, JournalError>
    /**
     * Visits about which the service is to be asked: without an answer, in doubt, or with a verdict that an earlier attempt may
     * belie; and those stored in part that were not asked about since `partialBefore` (an ISO time).
     */
    readonly openVisits: (partialBefore: string) => Effect.Effect<ReadonlyArray<OpenVisit>, JournalError>
    /** How the visits with these codes may appear in the list. */
    readonly versions: (
      codes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<OpenVisit>, JournalError>
    /** Says how the run ended, what it came to, and what its input was worth. */
    readonly finish: (
      ending: RunEnding,
      counts: Readonly<Record<string, number>>,
      summary?: RunSummary
    ) => Effect.Effect<void, JournalError>
  }
>()("fhir2visit/submission/Journal") {
  /** The journal of a run. Fails with `InUse` while another run has it. It may also be asked as a `JournalReader`. */
  static readonly layer = (options: JournalOptions): Layer.Layer<Journal | JournalReader, JournalError> =>
    Layer.effectContext(Effect.gen(function*() {
      const { file } = options
      const isKept = options.nameless !== true
      if (isKept) {
        yield* Effect.acquireRelease(
          onJournal(file, () => holdLock(file)),
          (lock) => Effect.sync(lock.release)
        )
      }
      const opened = yield* nowIso
      const database = yield* Effect.acquireRelease(
        onJournal(file, () => (isKept ? openForRunning : openNameless)(options, opened)),
        (database) => Effect.sync(() => database.close())
      )
      const fresh = yield* onJournal(file, () => database.get(everTouched) === undefined)
      const run = yield* onJournal(file, () => begin(options, database, opened))
      yield* Effect.addFinalizer(() =>
        Effect.ignore(Effect.flatMap(nowIso, (now) =>
          onJournal(file, () => {
            end(database, run, options.asks === true ? asked : "interrupted", null, now)
            // the room of erased payloads is given back, a bounded part of it at a time
            database.exec("PRAGMA incremental_vacuum(50000); PRAGMA wal_checkpoint(TRUNCATE)")
          })))
      )
      const known = queries(options, database)
      const writing = writer(options, database, run)
      const atNow = <A>(work: (now: string) => A) => Effect.flatMap(nowIso, (now) => onJournal(file, () => work(now)))
      return Context.make(
        Journal,
        Journal.of({
          ...known,
          run,
          fresh,
          receive: (receipts) => atNow((now) => writing.receive(receipts, now)),
          noteChanged: (codes, changed) => onJournal(file, () => writing.noteChanged(codes, changed)),
          noteEncounters: (visits) => onJournal(file, () => writing.noteEncounters(visits)),
          intend: (codes) => atNow((now) => writing.intend(codes, now)),
          record: (events) => atNow((now) => writing.record(events, now)),
          openVisits: (partialBefore) => onJournal(file, () => writing.openVisits(partialBefore)),
          versions: (codes) => Effect.map(known.find(codes), (visits) => writing.withVersions([...visits.values()])),
          finish: (ending, counts, summary) =>
            atNow((now) => end(database, run, ending, JSON.stringify({ ...counts, summary }), now))
        })
      ).pipe(Context.add(
        JournalReader,
        JournalReader.of({ ...known, exists: true, inUse: Effect.succeed(true) })
      ))
    }))
}

/**
 * Takes over what the last run left, and starts a new one. The lock may have been deleted while a run held it: then the journal
 * itself says who is at work.
 */
const begin = (options: JournalOptions, database: Database, now: string): number =>
  database.transaction(() => {
    const other = openRun(database)
    if (other !== null && isAtWork(other, now)) throw heldBy(options.file, other)
    database.run("UPDATE run SET ended_at = ?, ending = coalesce(ending, 'killed') WHERE ended_at IS NULL", now)
    const ending = options.asks === true ? asked : null
    database.run("INSERT INTO run (pid, host, started_at, ending) VALUES (?, ?, ?, ?)", pid, hostname(), now, ending)
    const run = Number(database.get("SELECT max(id) AS id FROM run")?.id)
    const left = database.all(
      "SELECT visit_code FROM visit WHERE facility_code = ? AND state IN ('SENDING', 'UNKNOWN')",
      options.facility
    )
    const writing = writer(options, database, run)
    for (const row of left) writing.apply({ code: String(row.visit_code), event: { _tag: "Reopened" } }, now)
    return run
  })

/** A visit that was sent, or of which the list said something: what a journal that was lost and begun anew has none of. */
const everTouched = "SELECT 1 AS one FROM visit WHERE state <> 'READY' OR attempts > 0 LIMIT 1"

const end = (
  database: Database,
  run: number,
  ending: RunEnding | typeof asked,
  counts: string | null,
  now: string
): void => {
  database.run(
    "UPDATE run SET ended_at = ?, ending = ?, counts = ? WHERE id = ? AND ended_at IS NULL",
    now,
    ending,
    counts,
    run
  )
}

/** The writes, as plain functions on the open database. */
const writer = ({ facility, file }: JournalOptions, database: Database, run: number) => {
  /** Nothing is written by a run after another one has begun: what this one knows may not be so any more. */
  const expectOurs = (): void => {
    const row = database.get("SELECT pid, host, started_at FROM run WHERE id > ? ORDER BY id DESC LIMIT 1", run)
    if (row === undefined) return
    const [pid, host, since] = [Number(row.pid), String(row.host), String(row.started_at)]
    throw new JournalError({ file, reason: new Failure.TakenOver({ pid, host, since }) })
  }
  const transaction = <A>(body: () => A): A =>
    database.transaction(() => {
      expectOurs()
      return body()
    })

  const read = (code: string): JournalVisit => {
    const row = database.get(`SELECT ${columns} FROM visit WHERE facility_code = ? AND visit_code = ?`, facility, code)
    if (row === undefined) throw new Error("the journal is asked about a visit it was never given")
    return visitOf(row)
  }

  const update = (code: string, changes: Readonly<Record<string, SqlValue>>): void => {
    const names = Object.keys(changes)
    database.run(
      `UPDATE visit SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE facility_code = ? AND visit_code = ?`,
      ...Object.values(changes),
      facility,
      code
    )
  }

  const apply = (recorded: Recorded, now: string): JournalVisit => {
    const before = read(recorded.code)
    const after = nextState(before, recorded.event)
    if (after === null) throw new Error(`a visit that is ${before.state} cannot take ${recorded.event._tag}`)
    update(before.code, {
      ...standingColumns(after),
      ...(mayBeSent(after) ? {} : { payload: null }),
      ...factColumns(before, after, recorded, now),
      ...saidColumns(after, recorded.event),
      updated_at: now
    })
    const visit = read(before.code)
    note(before, visit, recorded, now)
    return visit
  }

  const note = (before: JournalVisit, after: JournalVisit, { event }: Recorded, now: string): void =>
    database.run(
      `INSERT INTO attempt (facility_code, visit_code, run, at, event, number, state_before, state_after, fingerprint,
         patient_code, admitted_at, detail, http_status, uuid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      facility,
      before.code,
      run,
      now,
      event._tag,
      after.attempts,
      before.state,
      after.state,
      after.fingerprint,
      after.patientCode,
      after.admittedAt,
      detailOf(event),
      after.status,
      after.uuid
    )

  const addEncounters = ({ code, encounters }: VisitFacts): void => {
    for (const encounter of encounters) {
      database.run(
        "INSERT OR IGNORE INTO encounter (facility_code, encounter_code, visit_code) VALUES (?, ?, ?)",
        facility,
        encounter.code,
        code
      )
    }
  }

  const freeze = (receipt: Receipt, now: string): void => {
    const known = database.get(
      `SELECT ${columns} FROM visit WHERE facility_code = ? AND visit_code = ?`,
      facility,
      receipt.code
    )
    const bytes = {
      payload: receipt.payload,
      fingerprint: receipt.fingerprint,
      patient_code: receipt.patientCode,
      admitted_at: receipt.admittedAt,
      source: receipt.source,
      mapping: receipt.mapping,
      changed_since: 0,
      updated_at: now
    }
    if (known === undefined) {
      const row = {
        facility_code: facility,
        visit_code: receipt.code,
        received_at: now,
        ...standingColumns(unsent),
        ...bytes
      }
      const names = Object.keys(row)
      database.run(
        `INSERT INTO visit (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
        ...Object.values(row)
      )
      addEncounters(receipt)
      return
    }
    const before = visitOf(known)
    const after = nextState(before, { _tag: "Changed" })
    if (after === null) throw new Error(`a visit that is ${before.state} cannot take other bytes`)
    update(receipt.code, { ...standingColumns(after), ...bytes })
    // what the service holds, or may hold, of the bytes before stays known
    if (!before.held && !before.open) {
      database.run("DELETE FROM encounter WHERE facility_code = ? AND visit_code = ?", facility, receipt.code)
    }
    addEncounters(receipt)
    note(before, read(receipt.code), { code: receipt.code, event: { _tag: "Changed" } }, now)
  }

  const withVersions = (visits: ReadonlyArray<JournalVisit>): ReadonlyArray<OpenVisit> => {
    const sent = new Map<string, Array<SentVersion>>()
    const rows = database.all(
      `SELECT DISTINCT visit_code, patient_code, admitted_at FROM attempt
       WHERE facility_code = ? AND event = 'Intended' AND visit_code IN (SELECT value FROM json_each(?))`,
      facility,
      JSON.stringify(visits.map((visit) => visit.code))
    )
    for (const row of rows) {
      const version = { patientCode: String(row.patient_code), admittedAt: String(row.admitted_at) }
      const versions = sent.get(String(row.visit_code))
      if (versions === undefined) sent.set(String(row.visit_code), [version])
      else versions.push(version)
    }
    return visits.map((visit) => ({
      visit,
      versions: [{ patientCode: visit.patientCode, admittedAt: visit.admittedAt }, ...(sent.get(visit.code) ?? [])]
    }))
  }

  return {
    apply,
    withVersions,
    receive: (receipts: ReadonlyArray<Receipt>, now: string): void => {
      if (receipts.length === 0) return
      transaction(() => {
        for (const receipt of receipts) freeze(receipt, now)
      })
    },
    noteChanged: (codes: ReadonlyArray<string>, changed: boolean): void => {
      if (codes.length === 0) return
      transaction(() =>
        database.run(
          `UPDATE visit SET changed_since = ?
         WHERE facility_code = ? AND visit_code IN (SELECT value FROM json_each(?)) AND changed_since <> ?`,
          changed ? 1 : 0,
          facility,
          JSON.stringify(codes),
          changed ? 1 : 0
        )
      )
    },
    noteEncounters: (visits: ReadonlyArray<VisitFacts>): void => {
      const some = visits.filter(({ encounters }) => encounters.length > 0)
      if (some.length === 0) return
      const noted = new Set(
        database.all(
          `SELECT DISTINCT visit_code FROM encounter
           WHERE facility_code = ? AND visit_code IN (SELECT value FROM json_each(?))`,
          facility,
          JSON.stringify(some.map(({ code }) => code))
        ).map((row) => row.visit_code)
      )
      const lacking = some.filter(({ code }) => !noted.has(code))
      if (lacking.length > 0) transaction(() => lacking.forEach(addEncounters))
    },
    intend: (codes: ReadonlyArray<string>, now: string): ReadonlyArray<string> =>
      transaction(() =>
        codes.map((code) => {
          const row = database.get(
            "SELECT payload, fingerprint FROM visit WHERE facility_code = ? AND visit_code = ?",
            facility,
            code
          )
          const payload = String(row?.payload)
          if (fingerprint(payload) !== row?.fingerprint) {
            throw new JournalError({
              file,
              reason: new Failure.Corrupt({ detail: "a frozen visit differs from its fingerprint" })
            })
          }
          apply({ code, event: { _tag: "Intended" } }, now)
          return payload
        })
      ),
    record: (events: ReadonlyArray<Recorded>, now: string): ReadonlyArray<JournalVisit> =>
      events.length === 0 ? [] : transaction(() => events.map((event) => apply(event, now))),
    openVisits: (partialBefore: string): ReadonlyArray<OpenVisit> =>
      withVersions(
        database.all(
          `SELECT ${columns} FROM visit WHERE facility_code = ? AND state IN
             ('VERIFY', 'DOUBT', 'UNKNOWN', 'CONFLICT', 'REFUSED', 'PARTIAL')
           AND (state IN ('VERIFY', 'DOUBT')
             OR (state IN ('UNKNOWN', 'CONFLICT') AND looked = 0)
             OR (state = 'REFUSED' AND open = 1 AND looked = 0)
             OR (state = 'PARTIAL' AND max(coalesce(listed_at, ''), coalesce(attempted_at, '')) <= ?))
           ORDER BY admitted_at, visit_code`,
          facility,
          partialBefore
        ).map(visitOf)
      )
  }
}

const standingColumns = ({ held, looked, open, state }: Standing) => ({
  state,
  open: open ? 1 : 0,
  held: held ? 1 : 0,
  looked: looked ? 1 : 0
})

/** The frozen bytes are patient data: they are kept only as long as they may have to be sent, or sent again. */
const mayBeSent = ({ state }: Standing): boolean => state === "READY" || state === "SENDING" || state === "UNKNOWN"

const factColumns = (
  before: JournalVisit,
  after: Standing,
  { event, listed }: Recorded,
  now: string
): Readonly<Record<string, SqlValue>> => {
  switch (event._tag) {
    case "Intended":
      return { attempts: before.attempts + 1, attempted_at: now, sent_fingerprint: before.fingerprint }
    case "Answered": {
      const { outcome } = event
      switch (outcome._tag) {
        case "Stored":
          return {
            uuid: outcome.uuid ?? before.uuid,
            problem: null,
            field: null,
            more_fields: 0,
            http_status: 200,
            listed_status: null
          }
        case "PartlyStored":
          return {
            uuid: outcome.uuid ?? before.uuid,
            problem: null,
            field: null,
            more_fields: 0,
            http_status: 200,
            listed_status: null,
            held_fingerprint: before.fingerprint,
            held_admitted_at: before.admittedAt
          }
        case "Refused":
          return {
            problem: outcome.reason,
            field: outcome.field ?? null,
            more_fields: outcome.more ?? 0,
            http_status: outcome.status
          }
        case "Unknown":
          return { problem: null, field: null, more_fields: 0, http_status: outcome.status ?? null }
      }
    }
    case "Withheld":
      return { problem: event.because, field: null, more_fields: 0, http_status: null }
    case "Released":
      return { problem: "released", field: null, more_fields: 0, http_status: null, listed_status: null }
    case "Looked":
      return {
        listed_at: now,
        ...(before.state === "STORED" ? { unlisted: isUnlisted(event.evidence, before) ? 1 : 0 } : {}),
        ...(event.evidence._tag !== "Ours" ? {} : {
          uuid: listed?.uuid ?? before.uuid,
          listed_status:
            event.evidence.status === "other" || (before.state === "STORED" && event.evidence.status === "partial")
              ? listed?.status ?? null
              : null
        }),
        ...foundColumns(before, after)
      }
    default:
      return {}
  }
}

/** The service's words go with the refusal they are about, and with whatever was refused once the service holds it. */
const saidColumns = ({ state }: Standing, event: VisitEvent): Readonly<Record<string, SqlValue>> => {
  if (event._tag === "Answered" && event.outcome._tag === "Refused") {
    const { said } = event.outcome
    return { said: said === undefined ? null : Redacted.value(said) }
  }
  const isOver = event._tag === "Answered" || event._tag === "Released" || state === "STORED" || state === "PARTIAL"
  return isOver ? { said: null } : {}
}

/** A list that shows nothing to tell by leaves it as it was. */
const isUnlisted = ({ _tag }: ListEvidence, { unlisted }: JournalVisit): boolean =>
  _tag === "NotListed" || _tag === "Anothers" || (unlisted && _tag !== "Ours")

/** Which bytes are at the service, when the list has just shown that some of ours are. */
const foundColumns = (before: JournalVisit, after: Standing): Readonly<Record<string, SqlValue>> => {
  if (after.state === "STORED" && before.state !== "STORED") {
    const at = bytesAtService(before)
    return {
      problem: null,
      field: null,
      more_fields: 0,
      fingerprint: at ?? before.fingerprint,
      changed_since: (at !== null && at !== before.fingerprint) || before.changedSince ? 1 : 0,
      unseen: before.open || before.held ? 0 : 1
    }
  }
  if (after.held && !before.held) {
    return { held_fingerprint: before.sentFingerprint, held_admitted_at: before.admittedAt }
  }
  return {}
}

/** An update that was refused, or not sent, leaves the bytes of the partial record; everything else the bytes sent last. */
const bytesAtService = (visit: JournalVisit): string | null =>
  visit.held && visit.state !== "UNKNOWN" ? visit.heldFingerprint : visit.sentFingerprint

const detailOf = (event: VisitEvent): string | null => {
  switch (event._tag) {
    case "Answered":
      switch (event.outcome._tag) {
        case "Refused":
          return event.outcome.field === undefined
            ? event.outcome.reason
            : `${event.outcome.reason}: ${event.outcome.field}`
        case "Unknown":
          return event.outcome.why
        default:
          return event.outcome._tag
      }
    case "Looked":
      return event.evidence._tag === "Ours" ? `Ours, ${event.evidence.status}` : event.evidence._tag
    case "Withheld":
      return event.because
    default:
      return null
  }
}
