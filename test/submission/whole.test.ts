import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Context, Effect, Exit, Layer, References, Result, Scope, Stream } from "effect"
import fc from "fast-check"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Windows } from "../../src/service/countRequests.ts"
import { Operator } from "../../src/service/Operator.ts"
import { type Fault, type FaultPlace, type FaultWord, parseFaults } from "../../src/service/sandbox/Faults.ts"
import { type Sandbox, startSandbox } from "../../src/service/sandbox/Sandbox.ts"
import { Journal } from "../../src/submission/journal/Journal.ts"
import type { JournalOptions } from "../../src/submission/journal/JournalFile.ts"
import { JournalReader } from "../../src/submission/journal/JournalReader.ts"
import { Machine } from "../../src/submission/journal/monotonicTime.ts"
import { visitStates } from "../../src/submission/journal/VisitState.ts"
import { openWindowStore } from "../../src/submission/journal/WindowStore.ts"
import { forecast } from "../../src/submission/plan/forecast.ts"
import { planAgainst } from "../../src/submission/plan/intake.ts"
import type { SubmitResult } from "../../src/submission/status/tally.ts"
import { fingerprint, type Submission } from "../../src/submission/Submission.ts"
import { submit, type SubmitOptions } from "../../src/submission/submit.ts"
import { encounterCodesOf } from "../../src/visit/encounterCodes.ts"
import { FacilityCode, PatientCode, VisitCode } from "../../src/visit/values/Code.ts"
import { present } from "../present.ts"
import { runs, timeout } from "../runs.ts"
import { configFor } from "../service/configFor.ts"
import { sampleVisit } from "../service/sandbox/sampleVisit.ts"
import { FastClock } from "./FastClock.ts"

/** A second lasts ten milliseconds. */
const speed = 100
const today = Date.parse("2026-04-01T08:00:00Z")
/** §8 in small: the peaks are counted by the service. */
const limits = { token: { count: 20, windowMillis: 60_000 }, data: { count: 8, windowMillis: 60_000 } }

class PowerCut extends Error {}

/** Everything that outlives a run: the service over HTTP, the journal's file, the source, the machine and its clock. */
class World {
  readonly folder = mkdtempSync(join(tmpdir(), "fhir2visit-"))
  readonly clock = new FastClock(speed, today)
  readonly serviceClock = new FastClock(speed, today)
  readonly faults: Array<Fault> = []
  readonly source = new Map<number, string>()
  readonly journal: JournalOptions
  readonly sandbox: Sandbox["Service"]
  deaths = 0
  #steps = Number.POSITIVE_INFINITY
  #jumpAt = Number.POSITIVE_INFINITY
  #jump = 0

  static readonly make = Effect.fnUntraced(function*() {
    const injected: Array<Fault> = []
    const faults = { ...Result.getOrThrow(parseFaults("seed=1,delay-ms=3000")), faults: injected }
    const serviceClock = new FastClock(speed, today)
    const sandbox = yield* startSandbox({ faults, limits }).pipe(Effect.provideService(Clock.Clock, serviceClock))
    return new World(sandbox, injected, serviceClock)
  })

  constructor(sandbox: Sandbox["Service"], faults: Array<Fault>, serviceClock: FastClock) {
    this.sandbox = sandbox
    this.faults = faults
    this.serviceClock = serviceClock
    this.journal = { file: join(this.folder, "journal.sqlite"), facility: FacilityCode("F1"), service: sandbox.url }
  }

  get submissions(): Array<Submission> {
    return Array.from(this.source, ([number, note]): Submission => {
      const visit = sampleVisit(number, { consultations: [note], patient_code: "P25000001" })
      return {
        code: VisitCode(String(visit["code"])),
        facility: FacilityCode("F1"),
        patientCode: PatientCode(String(visit["patient_code"])),
        admittedAt: String(visit["admitted_at"]),
        encounters: encounterCodesOf(visit),
        payload: JSON.stringify(visit)
      }
    })
  }

  /** One run in a process of its own, which dies after so many steps; `null` when it does. The clock is set at a step. */
  async run(dies: number | null, options: SubmitOptions, jump = { at: 0, by: 0 }): Promise<SubmitResult | null> {
    this.#steps = dies ?? Number.POSITIVE_INFINITY
    this.#jumpAt = jump.at
    this.#jump = jump.by
    const exit = await Effect.runPromiseExit(
      submit(Stream.fromIterable(this.submissions), { waitMillis: 500, ...options }).pipe(
        Effect.provide(this.#breakable, { local: true }),
        Effect.provideService(Clock.Clock, this.clock),
        Effect.provideService(References.MinimumLogLevel, "None")
      )
    )
    if (Exit.isSuccess(exit)) return exit.value
    const error = Cause.squash(exit.cause)
    if (!(error instanceof PowerCut)) throw error
    this.deaths++
    return null
  }

  read<A, E>(work: Effect.Effect<A, E, JournalReader>): Promise<A> {
    return Effect.runPromise(
      work.pipe(
        Effect.provide(JournalReader.layer(this.journal), { local: true }),
        Effect.provideService(Clock.Clock, this.clock),
        Effect.provideService(Machine, this.#machine)
      )
    )
  }

  readonly #machine = Effect.sync(() => ({ boot: "this one", sinceBoot: this.clock.passed }))

  /** A step at which the process may be killed, or the clock set. */
  readonly #step = Effect.suspend(() => {
    if (this.#jumpAt-- <= 0) {
      this.clock.offset += this.#jump
      this.#jump = 0
    }
    return this.#steps-- <= 0 ? Effect.die(new PowerCut()) : Effect.void
  })

  #around<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.#step.pipe(Effect.andThen(effect), Effect.tap(() => this.#step))
  }

  get #breakable(): Layer.Layer<Journal | Operator, unknown> {
    const windows = Layer.effect(Windows, openWindowStore(this.journal))
    const config = configFor(this.sandbox.url, {
      limits: { ...limits, reserve: 1, maxWaitMillis: 3_900_000 },
      deadlineMillis: 20_000,
      readRetryMillis: 100,
      tokenFile: join(this.folder, "token")
    })
    const layer = Operator.layer(config).pipe(
      Layer.provide(windows),
      Layer.provide(Layer.succeed(Machine, this.#machine)),
      Layer.provideMerge(Journal.layer(this.journal))
    )
    return Layer.effectContext(Effect.gen({ self: this }, function*() {
      const context = yield* Layer.build(layer)
      const journal = Context.get(context, Journal)
      const operator = Context.get(context, Operator)
      return Context.make(
        Journal,
        Journal.of({
          ...journal,
          receive: (receipts) => this.#around(journal.receive(receipts)),
          intend: (...given) => this.#around(journal.intend(...given)),
          record: (events) => this.#around(journal.record(events)),
          finish: (...reported) => this.#around(journal.finish(...reported))
        })
      ).pipe(Context.add(
        Operator,
        Operator.of({
          ...operator,
          submit: (...given) => this.#around(operator.submit(...given)),
          processed: (from, to, lane) => this.#around(operator.processed(from, to, lane))
        })
      ))
    }))
  }

  /** What must be true whenever the process is not running. */
  async check(): Promise<void> {
    const there = new Map((await Effect.runPromise(this.sandbox.visits)).map((visit) => [visit.code, visit]))
    const rows = await this.read(Effect.flatMap(JournalReader, ({ visits }) => visits(visitStates)))
    for (const { code, fingerprint: known, held, state } of rows) {
      const stored = there.get(code)
      const says = `${code} is ${state}`
      if (state === "STORED") {
        assert.strictEqual(stored?.status, 1, `I3: ${says}, and the service does not hold it whole`)
        const body = await Effect.runPromise(this.sandbox.body(FacilityCode("F1"), code))
        assert.strictEqual(fingerprint(present(body)), known, `I5: ${says} with other bytes`)
      }
      if (state === "PARTIAL") assert.isDefined(stored, `I3: ${says}, and the service does not hold it`)
      if (state === "READY" && !held) assert.isUndefined(stored, `I2: ${says}, and the service has it`)
      assert.notInclude(["DUPLICATE", "CONFLICT", "REFUSED"], state, `I3: there is no other sender, and ${says}`)
    }
    const { peaks } = await Effect.runPromise(this.sandbox.stats)
    // a request on its way when its process died was counted when it left
    for (const peak of Object.values(peaks.data)) assert.isAtMost(peak, limits.data.count + this.deaths, "I7: data")
    for (const peak of Object.values(peaks.token)) assert.isAtMost(peak, limits.token.count + this.deaths, "I7: tokens")
  }

  /** Ends all faults: every outcome is known then, and the run does what --dry-run forecasts. */
  async settle(): Promise<void> {
    this.faults.length = 0
    await this.run(null, {})
    const codes = this.submissions
    const [tags, expected] = await this.read(
      Effect.gen(function*() {
        const plan = yield* planAgainst(Stream.fromIterable(codes), { facility: FacilityCode("F1") })
        const tags = Array.from(plan.visits, ({ decision }) => decision._tag)
        return [tags, yield* forecast(plan, yield* JournalReader)] as const
      }).pipe(Effect.scoped)
    )
    const before = (await Effect.runPromise(this.sandbox.stats)).requests
    const result = await this.run(null, {})
    const after = (await Effect.runPromise(this.sandbox.stats)).requests
    const made = (endpoint: string) =>
      Object.values(after[endpoint] ?? {}).reduce((sum, count) => sum + count, 0) -
      Object.values(before[endpoint] ?? {}).reduce((sum, count) => sum + count, 0)
    const sends = tags.filter((tag) => tag === "Send").length
    const asks = tags.filter((tag) => tag === "LookUp").length
    const posts = made("POST /api/v1/external/visits")
    assert.isTrue(posts >= sends && posts <= sends + asks, `${posts} sent, ${sends} + ${asks} said`)
    const lists = made("GET /api/v1/external/visits/processed")
    assert.isTrue(lists >= expected.listings && (expected.listings > 0 || lists === 0), `${lists} asked`)
    await this.check()
    assert.isNull(present(result).stopped)
    const rows = await this.read(Effect.flatMap(JournalReader, ({ find }) => find(codes.map(({ code }) => code))))
    for (const { code } of codes) {
      assert.include(["STORED", "PARTIAL"], rows.get(code)?.state, `I2: ${code} is resolved`)
    }
    const stored = await Effect.runPromise(this.sandbox.visits)
    assert.sameMembers(stored.map(({ code }) => code), [...rows.keys()])
  }
}

type Command = fc.AsyncCommand<object, World>

class Run implements Command {
  readonly faults: ReadonlyArray<Fault>
  readonly dies: number | null
  readonly options: SubmitOptions
  readonly jump: { readonly at: number; readonly by: number }
  constructor(
    faults: ReadonlyArray<Fault>,
    dies: number | null,
    options: SubmitOptions,
    jump: { readonly at: number; readonly by: number }
  ) {
    this.faults = faults
    this.dies = dies
    this.options = options
    this.jump = jump
  }
  check = () => true
  async run(_: object, world: World): Promise<void> {
    world.faults.splice(0, Infinity, ...this.faults)
    await world.run(this.dies, this.options, this.jump)
    await world.check()
  }
  toString = () =>
    `run(${this.faults.map(({ place, rate, word }) => `${word}@${place}=${rate}`).join(",")} dies ${this.dies} ${
      JSON.stringify({ ...this.options, ...this.jump })
    })`
}

class Edit implements Command {
  readonly number: number
  readonly note: string
  constructor(number: number, note: string) {
    this.number = number
    this.note = note
  }
  check = () => true
  async run(_: object, world: World): Promise<void> {
    world.source.set(this.number, this.note)
  }
  toString = () => `edit(${this.number} ${this.note})`
}

const everywhere: ReadonlyArray<readonly [FaultPlace, ReadonlyArray<FaultWord>]> = [
  [
    "visits",
    [
      "drop-before",
      "drop-after",
      "500-before",
      "500-after",
      "503",
      "429",
      "429-bare",
      "html",
      "html-after",
      "truncated",
      "slow-body",
      "wrong-type",
      "delay",
      "burst",
      "expire",
      "revoke",
      "restart",
      "partial"
    ]
  ],
  ["processed", ["drop-before", "500-before", "503", "429", "html", "truncated", "slow-body", "revoke", "burst"]],
  ["token", ["drop-before", "drop-after", "500-before", "429", "html", "truncated"]]
]
const fault = fc.oneof(
  ...everywhere.map(([place, words]) =>
    fc.record({ place: fc.constant(place), word: fc.constantFrom(...words), rate: fc.constantFrom(0.2, 0.5) })
  )
)
const run = fc.tuple(
  fc.array(fault, { maxLength: 3 }),
  fc.option(fc.integer({ min: 0, max: 40 }), { freq: 2 }),
  fc.record({ batch: fc.constantFrom(1, 1, 3) }),
  fc.record({
    at: fc.integer({ min: 0, max: 20 }),
    by: fc.constantFrom(0, 0, 3_600_000, -3_600_000, 400 * 86_400_000, -400 * 86_400_000)
  })
).map(([faults, dies, options, jump]) => new Run(faults, dies, options, jump))
const edit = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom("a", "b", "c")).map(([number, note]) =>
  new Edit(number, note)
)

describe("I1 I2 I3 I5 I7: the journal, the client and the service as one", () => {
  it(
    "whatever fails on the wire, dies, is edited, or sets the clock: stored once, nothing lost, the journal agrees, the limits hold",
    () =>
      fc.assert(
        fc.asyncProperty(fc.commands([run, run, edit], { maxCommands: 6 }), async (commands) => {
          const scope = Scope.makeUnsafe()
          const world = await Effect.runPromise(Scope.provide(World.make(), scope))
          for (let number = 1; number <= 6; number++) world.source.set(number, "first")
          try {
            await fc.asyncModelRun(() => ({ model: {}, real: world }), commands)
            await world.settle()
          } finally {
            await Effect.runPromise(Scope.close(scope, Exit.void))
            rmSync(world.folder, { recursive: true, force: true })
          }
        }),
        { numRuns: runs(6) }
      ),
    timeout
  )
})
