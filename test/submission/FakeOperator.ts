import { Effect, Layer, Redacted } from "effect"
import { at } from "../../src/at.ts"
import { Operator, type ProcessedVisit } from "../../src/service/Operator.ts"
import { OperatorError } from "../../src/service/OperatorError.ts"
import type { Outcome } from "../../src/service/responses/Outcome.ts"
import { PatientCode, VisitCode } from "../../src/visit/values/Code.ts"

/** What goes wrong with one request that submits visits. */
export type Fault =
  | "none"
  /** Nothing left: no connection. */
  | "unreachable"
  /** The token endpoint does not respond. */
  | "no-token"
  /** 429, and the wait would be too long; refused before it was looked at. */
  | "limited"
  | "denied"
  /** The request is lost on the way. */
  | "lost-request"
  /** It is stored, and the answer is lost. */
  | "lost-answer"
  /** No answer in time; it arrives later, when something else has been asked. */
  | "late"
  | "500-not-stored"
  | "500-stored"
  /** Something in between sends it twice and gives the second answer. */
  | "repeated"
  /** 200, and not a word that is understood. */
  | "gibberish"
  | "redirect"
  /** It is stored, and no answer ever comes. */
  | "silence"
  /** It waits for a limit, and nothing leaves. */
  | "queued"
  /** The client itself breaks after the request has left. */
  | "client-breaks"

/** What goes wrong with one listing. */
export type ListFault = "none" | "no-list" | "denied" | "500" | "limited" | "no-connection" | "silence"

export interface StoredVisit {
  readonly code: string
  readonly patientCode: string
  readonly admittedAt: string
  readonly status: 1 | 3
  readonly payload: string
  readonly uuid: string
  /** Listings that have to pass before it is shown. */
  hidden: number
  /** How often a request made or changed it. */
  effects: number
}

export type LogEntry =
  | {
    readonly _tag: "Submit"
    readonly codes: ReadonlyArray<string>
    readonly payloads: ReadonlyArray<string>
    readonly fault: Fault
    /** The outcome that the client got, or the fault if it got none. */
    readonly outcome: string
  }
  | { readonly _tag: "List"; readonly from: string; readonly to: string; readonly fault: ListFault }

interface Payload {
  readonly code: string
  readonly patient_code: string
  readonly admitted_at: string
  readonly discharged_at: string | null
  readonly visit_type: string
}

/**
 * The service of the specification, in memory: its blocking rules (§3, §7), its list (§4.6), and faults on demand. It outlives
 * the runs of a test, as the service does.
 */
export class FakeService {
  readonly stored = new Map<string, StoredVisit>()
  readonly log: Array<LogEntry> = []
  /** The faults for the next requests, in order. */
  readonly faults: Array<Fault> = []
  readonly listFaults: Array<ListFault> = []
  /** How many listings a new record stays hidden. */
  lag = 0
  /** What the list shows of a record. */
  details: "all" | "none" = "all"
  /** The status the list shows, when it is not the record's own. */
  listedStatus: string | null = null
  /** A request with one bad visit stores the visits before it, or none. */
  batches: "all-or-nothing" | "one-by-one" = "all-or-nothing"
  /** Requests larger than this are refused with 413. */
  maxBytes = Number.POSITIVE_INFINITY
  /** Visits for which the answer is always 500, and which are never stored. */
  readonly poisoned = new Set<string>()
  /** Patients it does not know yet. */
  readonly unknownPatients = new Set<string>()
  /** Number of errors that it finds in a refused visit beyond the one it names. */
  moreFaults = 0
  #late: Array<ReadonlyArray<string>> = []
  #uuids = 0

  readonly layer: Layer.Layer<Operator> = Layer.succeed(
    Operator,
    Operator.of({
      submit: (visits, options) => Effect.suspend(() => this.#submit(visits, options?.onWaiting)),
      processed: (from, to) => Effect.suspend(() => this.#processed(from, to)),
      standardData: () => Effect.succeed([]),
      beneficiaries: () => Effect.succeed([])
    })
  )

  /** Puts a record there that is not ours. */
  hold(visit: { readonly code: string; readonly patientCode: string; readonly admittedAt: string }): void {
    this.stored.set(visit.code, { ...visit, status: 1, payload: "", uuid: "another", hidden: 0, effects: 0 })
  }

  submitted(code: string): number {
    return this.log.filter((entry) => entry._tag === "Submit" && entry.codes.includes(code)).length
  }

  get listings(): number {
    return this.log.filter(({ _tag }) => _tag === "List").length
  }

  #submit(
    visits: ReadonlyArray<string>,
    waiting: (isWaiting: boolean) => void = () => undefined
  ): Effect.Effect<Outcome, OperatorError> {
    const fault = this.faults.shift() ?? "none"
    this.#arrive()
    const codes = visits.map((visit) => parse(visit).code)
    const entry = { _tag: "Submit" as const, codes, payloads: visits, fault, outcome: fault }
    const answer = (outcome: Outcome) => {
      this.log.push({ ...entry, outcome: outcome._tag })
      return Effect.succeed(outcome)
    }
    const fail = (reason: OperatorError["reason"], about: { readonly withoutToken?: boolean } = {}) => {
      this.log.push(entry)
      return Effect.fail(new OperatorError({ reason, ...about }))
    }
    const lost = (why: string, status?: number) =>
      answer({ _tag: "Unknown", why, ...(status === undefined ? {} : { status }) })
    switch (fault) {
      case "none":
        return answer(this.#take(visits))
      case "unreachable":
        return fail({ _tag: "Unreachable", detail: "connection refused" })
      case "no-token":
        return fail({ _tag: "Unreachable", detail: "the connection was reset" }, { withoutToken: true })
      case "limited":
        return fail({ _tag: "RateLimited", retryAfterSeconds: 3600 })
      case "denied":
        return fail({ _tag: "AccessDenied", detail: "403" })
      case "lost-request":
        return lost("connection reset")
      case "lost-answer":
        this.#take(visits)
        return lost("connection reset")
      case "late":
        this.#late.push(visits)
        return lost("no response in time")
      case "500-not-stored":
        return lost("the service responded with 500", 500)
      case "500-stored":
        this.#take(visits)
        return lost("the service responded with 500", 500)
      case "repeated":
        this.#take(visits)
        return answer(this.#take(visits))
      case "gibberish":
        this.#take(visits)
        return lost("the response is not a JSON object", 200)
      case "redirect":
        return lost("the response is a redirect, which is not followed", 302)
      case "silence":
        this.#take(visits)
        this.log.push(entry)
        return Effect.never
      case "queued":
        this.log.push(entry)
        waiting(true)
        return Effect.never
      case "client-breaks":
        this.#take(visits)
        this.log.push(entry)
        return Effect.die(new Error("a bug in the client"))
    }
  }

  #processed(from: string, to: string): Effect.Effect<ReadonlyArray<ProcessedVisit>, OperatorError> {
    const fault = this.listFaults.shift() ?? "none"
    this.log.push({ _tag: "List", from, to, fault })
    const fail = (reason: OperatorError["reason"]) => Effect.fail(new OperatorError({ reason }))
    switch (fault) {
      case "no-list":
        return fail({ _tag: "UnexpectedResponse", status: 404, detail: "the processed list cannot be read" })
      case "denied":
        return fail({ _tag: "AccessDenied", detail: "403" })
      case "500":
        return fail({ _tag: "ServiceFailed", status: 500 })
      case "limited":
        return fail({ _tag: "RateLimited", retryAfterSeconds: 3600 })
      case "no-connection":
        return fail({ _tag: "Unreachable", detail: "connection refused" })
      case "silence":
        return fail({ _tag: "Unreachable", detail: "no response", silent: true })
      case "none": {
        const rows: Array<ProcessedVisit> = []
        for (const visit of this.stored.values()) {
          // the service keeps its days in UTC
          const day = utc(visit.admittedAt).slice(0, 10)
          if (day < from || day > to || visit.hidden-- > 0) continue
          const details = this.details === "all"
          rows.push({
            visitCode: VisitCode(visit.code),
            patientCode: details ? PatientCode(visit.patientCode) : null,
            admittedAt: details ? utc(visit.admittedAt) : null,
            status: this.listedStatus ?? String(visit.status),
            uuid: visit.uuid
          })
        }
        this.#arrive()
        return Effect.succeed(rows)
      }
    }
  }

  /** What was late is there now. */
  #arrive(): void {
    const late = this.#late
    this.#late = []
    for (const visits of late) this.#take(visits)
  }

  #take(payloads: ReadonlyArray<string>): Outcome {
    const visits = payloads.map(parse)
    if (payloads.join(",").length > this.maxBytes) return refuse("too-large", 413)
    if (visits.some(({ code }) => this.poisoned.has(code))) {
      return { _tag: "Unknown", why: "the service responded with 500", status: 500 }
    }
    const bad = visits.findIndex(({ visit_type }) => visit_type === "")
    if (bad >= 0) {
      return {
        ...refuse("field-refused", 422, bad, "visit_type"),
        ...(this.moreFaults === 0 ? {} : { more: this.moreFaults })
      }
    }
    const unknown = visits.findIndex(({ patient_code }) => this.unknownPatients.has(patient_code))
    if (unknown >= 0) {
      const stated = `The selected visits.${unknown}.patient_code is invalid.`
      return { ...refuse("field-refused", 422, unknown, "patient_code"), said: Redacted.make(stated) }
    }
    const before = new Map(this.stored)
    let partly = false
    let uuid: string | null = null
    for (const [index, visit] of visits.entries()) {
      const blocked = this.#blocked(visit)
      if (blocked !== null) {
        if (this.batches === "all-or-nothing" && visits.length > 1) this.#restore(before)
        return refuse(blocked, 422, blocked === "visit-already-submitted" ? index : undefined)
      }
      const known = this.stored.get(visit.code)
      const status = visit.discharged_at === null ? 3 : 1
      partly ||= status === 3
      uuid = known?.uuid ?? `uuid-${++this.#uuids}`
      this.stored.set(visit.code, {
        code: visit.code,
        patientCode: visit.patient_code,
        admittedAt: visit.admitted_at,
        status,
        payload: at(payloads, index),
        uuid,
        hidden: this.lag,
        effects: (known?.effects ?? 0) + 1
      })
    }
    return partly ? { _tag: "PartlyStored", uuid } : { _tag: "Stored", uuid }
  }

  /** §3: the three rules that block a submission. */
  #blocked(visit: Payload) {
    const known = this.stored.get(visit.code)
    if (known !== undefined) {
      if (known.status === 1) return "visit-already-submitted"
      if (known.admittedAt.slice(0, 10) !== visit.admitted_at.slice(0, 10)) return "admission-date-changed"
      return null
    }
    for (const other of this.stored.values()) {
      if (other.patientCode === visit.patient_code && Date.parse(other.admittedAt) === Date.parse(visit.admitted_at)) {
        return "admission-time-taken"
      }
    }
    return null
  }

  #restore(before: ReadonlyMap<string, StoredVisit>): void {
    this.stored.clear()
    for (const [code, visit] of before) this.stored.set(code, visit)
  }
}

const refuse = (
  reason: Extract<Outcome, { _tag: "Refused" }>["reason"],
  status: number,
  index?: number,
  field?: string
): Extract<Outcome, { _tag: "Refused" }> => ({
  _tag: "Refused",
  reason,
  status,
  ...(index === undefined ? {} : { index }),
  ...(field === undefined ? {} : { field })
})

const parse = (payload: string): Payload => JSON.parse(payload)

const utc = (timestamp: string): string => {
  const instant = Date.parse(timestamp)
  return new Date(instant).toISOString()
}
