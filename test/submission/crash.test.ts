import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { at } from "../../src/at.ts"
import { Operator } from "../../src/service/Operator.ts"
import type { WireForm } from "../../src/service/wireForm.ts"
import { Journal } from "../../src/submission/journal/Journal.ts"
import type { JournalOptions } from "../../src/submission/journal/JournalFile.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import type { JournalVisit } from "../../src/submission/journal/JournalVisit.ts"
import { visitStates } from "../../src/submission/journal/VisitState.ts"
import { addDays, admissionDateOf } from "../../src/submission/list/AdmissionTime.ts"
import type { SubmitResult } from "../../src/submission/status/tally.ts"
import { fingerprint, type Submission } from "../../src/submission/Submission.ts"
import { submit, type SubmitOptions } from "../../src/submission/submit.ts"
import { encounterCodesOf } from "../../src/visit/encounterCodes.ts"
import { VisitCode } from "../../src/visit/values/Code.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"
import { visitCode } from "../visitCodes.ts"
import { drive } from "./drive.ts"
import { FakeService, type Fault, type ListFault } from "./FakeOperator.ts"
import { journalIn, type SampleVisit, visit } from "./samples.ts"

/** Thrown at the step at which the process dies. Nothing is written after it. */
class PowerCut extends Error {}

/** In memory where there is such a folder: the death of a process loses nothing that was written, and each commit waits for the disk. */
const scratch = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

/** Everything that outlives a run: the service, the journal's file, the source, the clock. */
class World {
  readonly service = new FakeService()
  readonly folder = mkdtempSync(join(scratch, "fhir2visit-"))
  readonly journal: JournalOptions = journalIn(this.folder)
  readonly source = new Map<string, SampleVisit>()
  /** Codes whose requests had no recorded outcome when the process died, and where in the service's log that was. */
  readonly lost: Array<{ readonly at: number; readonly codes: ReadonlySet<string> }> = []
  journalWasLost = false
  now = Date.parse("2026-03-10T08:00:00Z")
  /** Steps until the process dies. */
  #steps = Number.POSITIVE_INFINITY
  #dead = false
  #inFlight = new Set<string>()

  /** The visits of the source, without those that have an encounter of an earlier one: they do not come so far (§4.5 rule 3). */
  get input(): ReadonlyArray<Submission> {
    const seen = new Set<string>()
    return [...this.source.values()].map(visit).filter(({ encounters }) => {
      if (encounters.some(({ code }) => seen.has(code))) return false
      for (const { code } of encounters) seen.add(code)
      return true
    })
  }

  /** One run in a process of its own, which dies after so many steps; `null` when it does not. */
  async run(crashAfter: number | null, options: SubmitOptions): Promise<SubmitResult | null> {
    this.#steps = crashAfter ?? Number.POSITIVE_INFINITY
    this.#dead = false
    this.#inFlight = new Set()
    this.now += 3_600_000
    const visits = this.input
    const layer = this.#breakable(Layer.merge(Journal.layer(this.journal), this.service.layer))
    const exit = await Effect.runPromiseExit(
      TestClock.setTime(this.now).pipe(
        Effect.andThen(drive(Effect.provide(submit(Stream.fromIterable(visits), options), layer, { local: true }))),
        Effect.provide(TestClock.layer())
      )
    )
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    if (!(error instanceof PowerCut)) throw error
    if (this.#inFlight.size > 0) this.lost.push({ at: this.service.log.length, codes: this.#inFlight })
    return null
  }

  read(): Promise<ReadonlyMap<string, JournalVisit>> {
    return Effect.runPromise(Effect.provide(
      Effect.gen(function*() {
        const visits = yield* (yield* JournalReader).visits(visitStates)
        return new Map(visits.map((visit) => [visit.code, visit]))
      }),
      JournalReader.layer(this.journal),
      { local: true }
    ))
  }

  loseJournal(): void {
    this.journalWasLost = true
    rmSync(dirname(this.journal.file), { recursive: true, force: true })
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** A place at which the process may die. */
  readonly #step = Effect.suspend(() => {
    if (this.#dead || this.#steps-- <= 0) {
      this.#dead = true
      return Effect.die(new PowerCut())
    }
    return Effect.void
  })

  #around<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.#step.pipe(Effect.andThen(effect), Effect.tap(() => this.#step))
  }

  #breakable<E>(layer: Layer.Layer<Journal | JournalReader | Operator, E>): Layer.Layer<Journal | Operator, E> {
    return Layer.effectContext(Effect.gen({ self: this }, function*() {
      const context = yield* Layer.build(layer)
      const journal = Context.get(context, Journal)
      const operator = Context.get(context, Operator)
      return Context.make(
        Journal,
        Journal.of({
          ...journal,
          receive: (receipts) => this.#around(journal.receive(receipts)),
          noteChanged: (codes) => this.#around(journal.noteChanged(codes)),
          noteUnchanged: (codes) => this.#around(journal.noteUnchanged(codes)),
          noteWithdrawn: (codes) => this.#around(journal.noteWithdrawn(codes)),
          noteEncounters: (visits) => this.#around(journal.noteEncounters(visits)),
          intend: (...given) => this.#around(journal.intend(...given)),
          record: (events) =>
            this.#around(Effect.tap(journal.record(events), () =>
              Effect.sync(() => {
                for (const { code } of events) this.#inFlight.delete(code)
              }))),
          finish: (...reported) => this.#around(journal.finish(...reported))
        })
      ).pipe(Context.add(
        Operator,
        Operator.of({
          ...operator,
          submit: (visits, options) =>
            this.#around(Effect.suspend(() => {
              for (const payload of visits) this.#inFlight.add(visitCode(payload))
              return operator.submit(visits, options)
            })),
          processed: (from, to, lane) => this.#around(operator.processed(from, to, lane))
        })
      ))
    }))
  }
}

/** The operator may change the form between two runs. A visit in doubt keeps its bytes. */
const usualForm: WireForm = { optional: "null", noReferral: "null", tilte: false }
const otherForm: WireForm = { ...usualForm, noReferral: "nulls" }

const inUsualForm = (payload: string): string =>
  payload.replace("\"referrals\":{\"referred_from\":null,\"referred_to\":null}", "\"referrals\":null")

/** What must be true whenever the process is not running. */
const check = async (world: World): Promise<void> => {
  const known = await world.read()
  for (const row of known.values()) {
    const there = world.service.stored.get(row.code)
    const ours = there !== undefined && there.uuid !== "another"
    const says = `${row.code} is ${row.state}`
    if (row.state === "STORED") {
      assert.isTrue(ours && there.status === 1, `I3: ${says}, and the service does not hold it`)
      if (!world.journalWasLost) {
        assert.strictEqual(
          fingerprint(inUsualForm(present(there).payload)),
          row.fingerprint,
          `I3: ${says} with other bytes`
        )
      }
    }
    if (row.state === "PARTIAL") assert.isTrue(ours, `I3: ${says}, and the service does not hold it`)
    // after the journal was lost, a record with the details of an earlier version looks like another's
    if (row.state === "DUPLICATE" && !world.journalWasLost) {
      assert.isTrue(there !== undefined && !ours, `I3: ${says}, and it is not another's`)
    }
    if ((row.state === "REFUSED" || row.state === "CONFLICT") && !row.held && !world.journalWasLost) {
      assert.isFalse(ours, `I3: ${says}, and the service has it`)
    }
    if (row.state === "READY" && !row.held && !world.journalWasLost) {
      assert.isFalse(ours, `I2: ${says}, and the service has it`)
    }
  }
  checkRequests(world)
  checkEncounters(world)
}

/** §4.5 rule 3: no two visits of ours that the service has have an encounter in common. */
const checkEncounters = ({ journalWasLost, service }: World): void => {
  if (journalWasLost) return
  const seen = new Map<string, string>()
  for (const { code, payload, uuid } of service.stored.values()) {
    if (uuid === "another") continue
    for (const encounter of encounterCodesOf(JSON.parse(payload))) {
      assert.isUndefined(seen.get(encounter.code), `${code} has an encounter of another visit`)
      seen.set(encounter.code, code)
    }
  }
}

/** I1 I5: after a request without a response, the list is read before the next request, which has the same bytes. */
const checkRequests = ({ journalWasLost, lost, service }: World): void => {
  if (journalWasLost) return
  const open = new Map<string, { payload: string; asked: boolean }>()
  for (const [nth, entry] of service.log.entries()) {
    for (const cut of lost) {
      if (cut.at !== nth) continue
      for (const code of cut.codes) {
        const payload = lastPayload(service, code, nth)
        if (payload !== null) open.set(code, { payload, asked: false })
      }
    }
    if (entry._tag === "List") {
      for (const doubt of open.values()) {
        const date = present(admissionDateOf(JSON.parse(doubt.payload).admitted_at))
        if (entry.from <= addDays(date, -1) && entry.to >= addDays(date, 1)) doubt.asked = true
      }
      continue
    }
    for (const [index, code] of entry.codes.entries()) {
      const payload = at(entry.payloads, index)
      const before = open.get(code)
      if (before !== undefined) {
        assert.isTrue(before.asked, `I1: ${code} was sent again before the list was asked`)
        if (service.stored.get(code)?.status !== 3 && service.stored.get(code)?.effects === 1) {
          assert.strictEqual(payload, before.payload, `I5: ${code} was sent again with other bytes`)
        }
      }
      const nothingSent = ["unreachable", "limited", "denied"].includes(entry.fault)
      const clear = ["Stored", "PartlyStored", "Refused"].includes(entry.outcome)
      if (clear) open.delete(code)
      else if (!nothingSent) open.set(code, { payload, asked: false })
    }
  }
}

const lastPayload = (service: FakeService, code: string, before: number): string | null => {
  for (let nth = before - 1; nth >= 0; nth--) {
    const entry = at(service.log, nth)
    if (entry._tag !== "Submit") continue
    const index = entry.codes.indexOf(code)
    if (index >= 0) return ["unreachable", "limited", "denied"].includes(entry.fault) ? null : at(entry.payloads, index)
  }
  return null
}

/** I2: the counts of a run that ended add up. */
const checkCounts = (result: SubmitResult | null): void => {
  if (result === null) return
  const { changedSince: _, sent: __, visits, ...places } = result.counts
  assert.strictEqual(Object.values(places).reduce((sum, count) => sum + count, 0), visits, "I2: the counts add up")
}

type Command = fc.AsyncCommand<object, World>

class Run implements Command {
  readonly faults: ReadonlyArray<Fault>
  readonly listFaults: ReadonlyArray<ListFault>
  readonly crashAfter: number | null
  readonly options: SubmitOptions
  readonly lag: number

  constructor(
    faults: ReadonlyArray<Fault>,
    listFaults: ReadonlyArray<ListFault>,
    crashAfter: number | null,
    options: SubmitOptions,
    lag: number
  ) {
    this.faults = faults
    this.listFaults = listFaults
    this.crashAfter = crashAfter
    this.options = options
    this.lag = lag
  }

  check = () => true

  async run(_: object, world: World): Promise<void> {
    world.service.faults.splice(0, Infinity, ...this.faults)
    world.service.listFaults.splice(0, Infinity, ...this.listFaults)
    world.service.lag = this.lag
    checkCounts(await world.run(this.crashAfter, this.options))
    await check(world)
  }

  toString = () =>
    `run(${this.faults.join(" ")} | ${this.listFaults.join(" ")} | dies after ${this.crashAfter} | lag ${this.lag} | ${
      JSON.stringify(this.options)
    })`
}

class Edit implements Command {
  readonly code: string
  readonly change: Partial<SampleVisit>
  constructor(code: string, change: Partial<SampleVisit>) {
    this.code = code
    this.change = change
  }
  check = () => true
  async run(_: object, world: World): Promise<void> {
    world.source.set(this.code, { ...world.source.get(this.code), ...this.change, code: this.code })
  }
  toString = () => `edit(${this.code} ${JSON.stringify(this.change)})`
}

/** Another sender submits under one of our codes, or for one of our patients. */
class Foreign implements Command {
  readonly code: string
  readonly patientCode: string
  constructor(code: string, patientCode: string) {
    this.code = code
    this.patientCode = patientCode
  }
  check = () => true
  async run(_: object, { service }: World): Promise<void> {
    const admittedAt = "2026-03-03T08:00:00.000+07:00"
    const taken = [...service.stored.values()].some((other) =>
      other.code === this.code || (other.patientCode === this.patientCode && other.admittedAt === admittedAt)
    )
    if (!taken) service.hold({ code: this.code, patientCode: this.patientCode, admittedAt })
  }
  toString = () => `foreign(${this.code} ${this.patientCode})`
}

/** Another extract: the visit is not in it. */
class LeaveOut implements Command {
  readonly code: string
  constructor(code: string) {
    this.code = code
  }
  check = () => true
  async run(_: object, { source }: World): Promise<void> {
    source.delete(this.code)
  }
  toString = () => `leave out(${this.code})`
}

class LoseJournal implements Command {
  check = () => true
  async run(_: object, world: World): Promise<void> {
    world.loseJournal()
  }
  toString = () => "lose the journal"
}

const codes = ["V1", "V2", "V3", "V4"]
const code = fc.constantFrom(...codes)
const fault = fc.constantFrom<Fault>(
  "none",
  "none",
  "none",
  "unreachable",
  "limited",
  "denied",
  "lost-request",
  "lost-answer",
  "late",
  "500-not-stored",
  "500-stored",
  "repeated",
  "gibberish"
)
const listFault = fc.constantFrom<ListFault>(
  "none",
  "none",
  "none",
  "no-list",
  "denied",
  "500",
  "limited",
  "no-connection"
)
const run = fc.tuple(
  fc.array(fault, { maxLength: 8 }),
  fc.array(listFault, { maxLength: 5 }),
  fc.option(fc.integer({ min: 0, max: 40 }), { freq: 2 }),
  fc.record({
    batch: fc.constantFrom(1, 1, 3),
    form: fc.constantFrom(usualForm, usualForm, otherForm),
    listFirst: fc.constantFrom<boolean | "auto">("auto", true, false)
  }),
  fc.constantFrom(0, 0, 1, 3)
).map(([faults, listFaults, crash, options, lag]) => new Run(faults, listFaults, crash, options, lag))
const change = fc.oneof(
  fc.constantFrom("a", "b", "c").map((note) => ({ note })),
  fc.constantFrom<string | null>(null, "2026-03-03T09:30:00.000+07:00").map((dischargedAt) => ({ dischargedAt })),
  fc.constantFrom("OPD", "OPD", "").map((visitType) => ({ visitType })),
  fc.constantFrom("2026-03-03T08:00:00.000+07:00", "2026-03-03T08:10:00.000+07:00", "2026-03-04T08:00:00.000+07:00")
    .map((admittedAt) => ({ admittedAt })),
  fc.constantFrom("P-V1", "P-shared").map((patient) => ({ patient }))
)
const encounters = fc.constantFrom([], ["E-V1"], ["E-V2"], ["E-V1", "E-V2"]).map((encounters) => ({ encounters }))
const edit = fc.tuple(code, change, fc.oneof(fc.constant({}), encounters)).map(([code, change, encounters]) =>
  new Edit(code, { ...change, ...encounters })
)
const leaveOut = code.map((code) => new LeaveOut(code))
// a record with our code and all of our details is not distinguishable from ours
const foreign = fc.oneof(
  code.map((code) => new Foreign(code, "P-other")),
  fc.constantFrom("P-V1", "P-V2", "P-shared").map((patient) => new Foreign("X1", patient))
)

const histories = (numRuns: number, ...more: ReadonlyArray<fc.Arbitrary<Command>>) =>
  fc.assert(
    fc.asyncProperty(
      fc.commands([run, run, edit, leaveOut, foreign, ...more], { maxCommands: 14 }),
      async (commands) => {
        const world = new World()
        for (const code of codes.slice(0, 2)) world.source.set(code, { code, encounters: [`E-${code}`] })
        try {
          await fc.asyncModelRun(() => ({ model: {}, real: world }), commands)
          await settle(world)
        } finally {
          world.dispose()
        }
      }
    ),
    { numRuns: runs(numRuns) }
  )

/** Ends all faults: after two quiet runs no outcome may be unknown. */
const settle = async (world: World): Promise<void> => {
  const { service, source } = world
  service.faults.length = 0
  service.listFaults.length = 0
  service.lag = 0
  for (const visit of service.stored.values()) visit.hidden = 0
  await world.run(null, {})
  const result = await world.run(null, {})
  checkCounts(result)
  await check(world)
  assert.isNull(present(result).stopped)
  const known = await world.read()
  const given = new Set<string>(world.input.map(({ code }) => code))
  for (const code of source.keys()) {
    if (!given.has(code)) continue
    const row = known.get(VisitCode(code))
    assert.isDefined(row, `I2: ${code} is in the journal`)
    assert.notInclude(["READY", "SENDING", "UNKNOWN", "VERIFY", "DOUBT"], row?.state, `I2: ${code} is resolved`)
    const there = service.stored.get(code)
    if (there !== undefined && there.uuid !== "another" && there.status === 1) {
      // after the journal was lost, a changed visit looks like another's, or its new version is refused
      const states = world.journalWasLost ? ["STORED", "DUPLICATE", "REFUSED", "CONFLICT"] : ["STORED"]
      assert.include(states, row?.state, `I2: ${code} is stored at the service`)
    }
    if (there === undefined) {
      assert.include(["REFUSED", "CONFLICT"], row?.state, `I2: ${code} is not at the service, and why`)
    }
  }
  const { left, unknown } = present(result).counts
  assert.deepStrictEqual({ left, unknown }, { left: 0, unknown: 0 })
}

describe("I1 I2 I3 I5: whatever is killed, lost, late, repeated or edited", () => {
  it(
    "each visit is stored at most once, every verdict is true, nothing is sent again without a lookup, and every outcome is known",
    () => histories(40),
    timeout
  )

  it("holds when the journal is lost", () => histories(15, fc.constant(new LoseJournal())), timeout)

  it("a run that is killed after any step is resumed by the next", async () => {
    const visits = ["V1", "V2"]
    for (const batch of [1, 2]) {
      for (const fault of ["none", "lost-answer", "lost-request"] as const) {
        let completed = false
        for (let steps = 0; !completed; steps++) {
          const world = new World()
          for (const code of visits) world.source.set(code, { code })
          world.service.faults.push(fault)
          completed = await world.run(steps, { batch }) !== null
          await check(world)
          await settle(world)
          for (const code of visits) assert.strictEqual(world.service.stored.get(code)?.effects, 1, `${steps} steps`)
          world.dispose()
          assert.isBelow(steps, 100)
        }
      }
    }
  }, 3 * timeout)
})
