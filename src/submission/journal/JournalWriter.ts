import { Redacted } from "effect"
import type { Database, SqlValue } from "../../service/Database.ts"
import type { ProcessedVisit } from "../../service/Operator.ts"
import { readForm, type WireForm, wireForm, writeForm } from "../../service/wireForm.ts"
import type { FacilityCode, VisitCode } from "../../visit/values/Code.ts"
import { nextState } from "../nextState.ts"
import { fingerprint, type VisitFacts } from "../Submission.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalOptions } from "./JournalFile.ts"
import { type JournalVisit, listErrorIn, visitColumns, visitOf } from "./JournalVisit.ts"
import { unsent, type VisitEvent, type VisitStatus } from "./VisitState.ts"

/** A visit whose bytes are to be frozen. */
export interface VisitPayload extends VisitFacts {
  readonly payload: string
  /** Hash of the mapping that produced it. */
  readonly mapping: string | null
}

/** An event of a visit, and the row of the processed list that is its evidence, if there is one. */
export interface Recorded {
  readonly code: VisitCode
  readonly event: VisitEvent
  readonly listed?: ProcessedVisit | null
}

/** The id and form of an attempt. */
export interface Intention {
  /** Its id. */
  readonly attempt?: string
  /** The form for visits that were not sent before. */
  readonly form: WireForm
}

/** The writes of a run on the open database. Every call but `apply` is one commit. */
export class JournalWriter {
  readonly #facility: FacilityCode
  readonly #file: string
  readonly #database: Database
  readonly #run: number

  constructor({ facility, file }: Pick<JournalOptions, "facility" | "file">, database: Database, run: number) {
    this.#facility = facility
    this.#file = file
    this.#database = database
    this.#run = run
  }

  /** Applies one event to a visit, with its row in the history; in a transaction of the caller. */
  apply(recorded: Recorded, now: string): JournalVisit {
    const before = this.#read(recorded.code)
    const after = nextState(before, recorded.event)
    if (after === null) throw new Error(`a visit that is ${before.state} cannot take ${recorded.event._tag}`)
    this.#update(before.code, {
      ...statusColumns(after),
      ...(mayBeSent(after) ? {} : { payload: null, form: null }),
      ...factColumns(before, after, recorded, now),
      ...messageColumns(after, recorded.event),
      ...(after.state === before.state ? {} : { updated_at: changedAt(before, recorded.event) ?? now })
    })
    const visit = this.#read(before.code)
    this.#note(before, visit, recorded, now)
    return visit
  }

  receive(receipts: ReadonlyArray<VisitPayload>, now: string): void {
    if (receipts.length === 0) return
    this.#transaction(() => {
      for (const receipt of receipts) this.#freeze(receipt, now)
    })
  }

  noteChanged(codes: ReadonlyArray<VisitCode>): void {
    this.#setChangedSince(codes, 1)
  }

  noteUnchanged(codes: ReadonlyArray<VisitCode>): void {
    this.#setChangedSince(codes, 0)
  }

  #setChangedSince(codes: ReadonlyArray<VisitCode>, changedSince: 0 | 1): void {
    if (codes.length === 0) return
    this.#transaction(() =>
      this.#database.run(
        `UPDATE visit SET changed_since = ?
       WHERE facility_code = ? AND visit_code IN (SELECT value FROM json_each(?)) AND changed_since <> ?`,
        changedSince,
        this.#facility,
        JSON.stringify(codes),
        changedSince
      )
    )
  }

  noteWithdrawn(codes: ReadonlyArray<VisitCode>): void {
    this.#transaction(() => {
      this.#database.run(
        `UPDATE visit SET withdrawn = 0
       WHERE facility_code = ? AND withdrawn = 1 AND visit_code NOT IN (SELECT value FROM json_each(?))`,
        this.#facility,
        JSON.stringify(codes)
      )
      this.#database.run(
        `UPDATE visit SET withdrawn = 1
       WHERE facility_code = ? AND visit_code IN (SELECT value FROM json_each(?)) AND withdrawn = 0`,
        this.#facility,
        JSON.stringify(codes)
      )
    })
  }

  noteEncounters(visits: ReadonlyArray<VisitFacts>): void {
    const some = visits.filter(({ encounters }) => encounters.length > 0)
    if (some.length === 0) return
    const noted = new Set(
      this.#database.all(
        `SELECT DISTINCT visit_code FROM encounter
         WHERE facility_code = ? AND visit_code IN (SELECT value FROM json_each(?))`,
        this.#facility,
        JSON.stringify(some.map(({ code }) => code))
      ).map((row) => row.visit_code)
    )
    const lacking = some.filter(({ code }) => !noted.has(code))
    if (lacking.length > 0) this.#transaction(() => lacking.forEach((visit) => this.#addEncounters(visit)))
  }

  intend(codes: ReadonlyArray<VisitCode>, now: string, { attempt, form }: Intention): ReadonlyArray<string> {
    return this.#transaction(() =>
      codes.map((code) => {
        const row = this.#database.get(
          "SELECT payload, fingerprint, open, form FROM visit WHERE facility_code = ? AND visit_code = ?",
          this.#facility,
          code
        )
        const payload = String(row?.payload)
        if (fingerprint(payload) !== row?.fingerprint) {
          throw new JournalError({
            file: this.#file,
            reason: { _tag: "Corrupt", detail: "a frozen visit differs from its fingerprint" }
          })
        }
        this.apply({ code, event: { _tag: "Intended", ...(attempt === undefined ? {} : { attempt }) } }, now)
        // a visit that may have been stored is sent again in its earlier form, if known: an earlier journal format did not store it
        const kept = row.open === 1 && row.form !== null ? String(row.form) : writeForm(form)
        this.#update(code, { form: kept })
        return wireForm(payload, readForm(kept))
      })
    )
  }

  record(events: ReadonlyArray<Recorded>, now: string): ReadonlyArray<JournalVisit> {
    return events.length === 0 ? [] : this.#transaction(() => events.map((event) => this.apply(event, now)))
  }

  /** Ensures that a run writes nothing after a later run has begun, because its own data may be out of date. */
  #expectOurs(): void {
    const row = this.#database.get(
      "SELECT pid, host, started_at FROM run WHERE id > ? ORDER BY id DESC LIMIT 1",
      this.#run
    )
    if (row === undefined) return
    const [pid, host, since] = [Number(row.pid), String(row.host), String(row.started_at)]
    throw new JournalError({ file: this.#file, reason: { _tag: "TakenOver", pid, host, since } })
  }

  #transaction<A>(body: () => A): A {
    return this.#database.transaction(() => {
      this.#expectOurs()
      return body()
    })
  }

  #read(code: VisitCode): JournalVisit {
    const row = this.#database.get(
      `SELECT ${visitColumns} FROM visit WHERE facility_code = ? AND visit_code = ?`,
      this.#facility,
      code
    )
    if (row === undefined) throw new Error("the visit is not in the journal")
    return visitOf(row)
  }

  #update(code: VisitCode, changes: Readonly<Record<string, SqlValue>>): void {
    const names = Object.keys(changes)
    this.#database.run(
      `UPDATE visit SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE facility_code = ? AND visit_code = ?`,
      ...Object.values(changes),
      this.#facility,
      code
    )
  }

  #note(before: JournalVisit, after: JournalVisit, { event }: Recorded, now: string): void {
    this.#database.run(
      `INSERT INTO attempt (facility_code, visit_code, run, at, event, number, state_before, state_after, fingerprint,
         patient_code, admitted_at, detail, http_status, uuid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.#facility,
      before.code,
      this.#run,
      now,
      event._tag,
      Math.max(before.attempts, after.attempts),
      before.state,
      after.state,
      after.fingerprint,
      after.patientCode,
      after.admittedAt,
      detailOf(event),
      after.status,
      after.uuid
    )
  }

  #addEncounters({ code, encounters }: VisitFacts): void {
    for (const encounter of encounters) {
      this.#database.run(
        "INSERT OR IGNORE INTO encounter (facility_code, encounter_code, visit_code) VALUES (?, ?, ?)",
        this.#facility,
        encounter.code,
        code
      )
    }
  }

  #freeze(receipt: VisitPayload, now: string): void {
    const known = this.#database.get(
      `SELECT ${visitColumns} FROM visit WHERE facility_code = ? AND visit_code = ?`,
      this.#facility,
      receipt.code
    )
    const bytes = {
      payload: receipt.payload,
      form: null,
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
        facility_code: this.#facility,
        visit_code: receipt.code,
        received_at: now,
        ...statusColumns(unsent),
        ...bytes
      }
      const names = Object.keys(row)
      this.#database.run(
        `INSERT INTO visit (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
        ...Object.values(row)
      )
      this.#addEncounters(receipt)
      return
    }
    const before = visitOf(known)
    const after = nextState(before, { _tag: "Changed" })
    if (after === null) throw new Error(`a visit that is ${before.state} cannot change its bytes`)
    // the service may hold other bytes of it, if a person released it
    const unseen = before.open && before.fingerprint !== receipt.fingerprint ? { unseen: 1 } : {}
    this.#update(receipt.code, { ...statusColumns(after), ...bytes, ...unseen })
    // keep the encounters of the bytes that the service holds, or may hold
    if (!before.held && !before.open) {
      this.#database.run(
        "DELETE FROM encounter WHERE facility_code = ? AND visit_code = ?",
        this.#facility,
        receipt.code
      )
    }
    this.#addEncounters(receipt)
    this.#note(before, this.#read(receipt.code), { code: receipt.code, event: { _tag: "Changed" } }, now)
  }
}

const statusColumns = ({ held, looked, open, state, unlisted }: VisitStatus) => ({
  state,
  open: open ? 1 : 0,
  held: held ? 1 : 0,
  looked: looked ? 1 : 0,
  unlisted: unlisted ? 1 : 0
})

/** Whether a visit may have to be sent, or sent again. The frozen bytes are patient data, so they are kept only until then. */
const mayBeSent = ({ state }: VisitStatus): boolean => state === "READY" || state === "SENDING" || state === "UNKNOWN"

const factColumns = (
  before: JournalVisit,
  after: VisitStatus,
  { event, listed }: Recorded,
  now: string
): Readonly<Record<string, SqlValue>> => {
  switch (event._tag) {
    case "Intended":
      return { attempts: before.attempts + 1, attempted_at: now, sent_fingerprint: before.fingerprint }
    // the service has not processed a request that a limit blocked, or that found no connection
    case "NotSent":
      return { attempts: Math.max(0, before.attempts - 1) }
    case "Answered": {
      const { outcome } = event
      switch (outcome._tag) {
        case "Stored":
        case "PartlyStored":
          return {
            uuid: outcome.uuid ?? before.uuid,
            problem: null,
            field: null,
            more_fields: 0,
            http_status: 200,
            listed_status: null,
            unseen: 0,
            ...(outcome._tag === "Stored"
              ? {}
              : { held_fingerprint: before.fingerprint, held_admitted_at: before.admittedAt })
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
    case "Accepted":
      return { ...foundColumns(before, after), problem: "accepted", listed_status: null, list_error: null }
    case "Looked":
      return {
        listed_at: now,
        list_error: event.evidence._tag === "NoList" ? listErrorIn(event.evidence.status) : null,
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

/** Returns the columns for the service's message. It is erased with its refusal, and also once the service holds the refused visit. */
const messageColumns = ({ state }: VisitStatus, event: VisitEvent): Readonly<Record<string, SqlValue>> => {
  if (event._tag === "Answered" && event.outcome._tag === "Refused") {
    const { said: message } = event.outcome
    return { said: message === undefined ? null : Redacted.value(message) }
  }
  const isOver = event._tag === "Answered" || event._tag === "Released" || state === "STORED" || state === "PARTIAL"
  return isOver ? { said: null } : {}
}

/** Returns the columns for the bytes at the service, when the list has just shown that it holds a version of ours. */
const foundColumns = (before: JournalVisit, after: VisitStatus): Readonly<Record<string, SqlValue>> => {
  if (after.state === "STORED" && before.state !== "STORED") {
    const at = bytesAtService(before)
    return {
      problem: null,
      field: null,
      more_fields: 0,
      fingerprint: at ?? before.fingerprint,
      changed_since: (at !== null && at !== before.fingerprint) || before.changedSince ? 1 : 0,
      unseen: (before.open || before.held) && !before.unseen ? 0 : 1
    }
  }
  if (after.held && !before.held) {
    return { held_fingerprint: before.sentFingerprint, held_admitted_at: before.admittedAt }
  }
  return {}
}

/**
 * Returns the hash of the bytes at the service. An update that was refused, or not sent, leaves the bytes of the partial record;
 * otherwise it is the bytes sent last.
 */
const bytesAtService = (visit: JournalVisit): string | null =>
  visit.held && visit.state !== "UNKNOWN" ? visit.heldFingerprint : visit.sentFingerprint

/** Since when a visit has its new state: one of a killed process has no response since its attempt. `null`: since now. */
const changedAt = ({ attemptedAt }: JournalVisit, { _tag }: VisitEvent): string | null =>
  _tag === "Reopened" ? attemptedAt : null

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
    case "Intended":
      return event.attempt ?? null
    default:
      return null
  }
}
