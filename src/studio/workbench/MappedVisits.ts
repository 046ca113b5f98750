import { Clock, Effect, Latch } from "effect"
import { Collator } from "../../diagnostic/collate.ts"
import type { CountedCode } from "../../run/Conversion.ts"
import type { ConvertedState } from "../../submission/status/sendingOutcomes.ts"
import type { PageStatus, PlanView, VisitList } from "../viewer/bench/Wire.ts"
import { type Applied, applyMapping } from "./disk/Applied.ts"
import type { Edits } from "./disk/Edits.ts"
import { inputReader, type ReadRecords } from "./disk/readRecords.ts"
import type { ValidDisk } from "./disk/watchDisk.ts"
import { collatedMistake } from "./mappingViews.ts"
import { outcomeOf, type Pass, visitListOf, type VisitOutcome } from "./outcomes.ts"
import { planEdit } from "./planEdit.ts"
import { pauseForRequests, slice } from "./server/pauseForRequests.ts"
import type { ReportStatus } from "./server/Status.ts"

/** How long all visits wait for the page to request the one in view, in milliseconds. */
const inViewPause = 150

/** How long after the first list the next one is sent, in milliseconds. Each takes longer to fill, so the pause doubles. */
const firstListPause = 500

/** How often the counts are reported, in milliseconds. */
const reportPause = 150

/** The visits that the current mapping makes of the records: the one in view at once, all others in order. */
export class MappedVisits {
  readonly #edits: Edits
  readonly #report: ReportStatus
  readonly #records: ReturnType<typeof inputReader>
  /** Closed from the time a mapping is applied until the visit in view is requested. */
  readonly viewed = Latch.makeUnsafe(true)
  applied: Applied | undefined
  /** How many mappings have been applied. */
  made = 0
  list: VisitList = { listed: 0, visits: [], problems: [], outside: [] }
  /** What the edits change over all visits; `undefined` while it is not known. */
  plan: PlanView | undefined
  /** The unmapped codes of the last pass over all visits. */
  unmapped: ReadonlyArray<CountedCode> = []
  last: Pass | undefined
  /** The visits before the edits that are not saved. */
  #base: Pass | undefined

  constructor(edits: Edits, report: ReportStatus) {
    this.#edits = edits
    this.#report = report
    this.#records = inputReader(report)
  }

  get read(): ReadRecords | undefined {
    return this.#records.latest()
  }

  /** Compares the next edits with the last visits: they are what the mapping on disk makes. */
  keepAsBase(): void {
    this.#base = this.last
  }

  /** Applies a mapping to all visits. It pauses for requests, and for edits that are to be loaded. */
  remap(disk: ValidDisk) {
    return Effect.gen({ self: this }, function*() {
      const { good } = disk
      const known = this.read
      const read = yield* this.#records.read(disk)
      const isNew = this.read !== known
      const now = yield* Clock.currentTimeMillis
      const applied = applyMapping(good, read, now)
      this.applied = applied
      this.made++
      const base = this.#base
      const pass: MutablePass = { texts: good.texts, outcomes: new Map(), counts: { ready: 0, rejected: 0, open: 0 } }
      const publish = (outside: VisitList["outside"]) => {
        this.list = visitListOf(applied, {
          listed: this.list.listed + 1,
          outcomes: pass.outcomes,
          before: base,
          outside
        })
      }
      if (isNew) publish([])
      this.viewed.closeUnsafe()
      yield* this.#report({
        ...countsOf(pass),
        listed: this.list.listed,
        phase: "mapping",
        made: this.made,
        madeAt: now,
        first: applied.groups.keys().next().value ?? null,
        total: applied.groups.size,
        before: base?.counts ?? null,
        changed: null,
        mistakes: [],
        facility: good.facility.code,
        mapping: good.checked.plan.name
      })
      yield* Effect.timeoutOption(this.viewed.await, inViewPause)
      // Let the response to that request be written first.
      yield* pauseForRequests
      yield* pauseForRequests
      yield* this.#makeAll(applied, pass, isNew ? () => publish([]) : undefined)
      const totals = applied.totals()
      const outside = new Collator()
      outside.addAll([...read.problems, ...totals.rejectedRecords.flatMap(({ problems }) => problems)])
      this.last = pass
      this.unmapped = totals.unmapped
      publish(outside.all().map(collatedMistake(good.texts)))
      const change = base === undefined ? undefined : planEdit(base, pass)
      this.plan = change
      // Edits that are not saved are compared with what is on disk.
      if (this.#edits.isEmpty) this.keepAsBase()
      yield* this.#report({
        ...countsOf(pass),
        phase: "done",
        listed: this.list.listed,
        changed: change === undefined ? null : this.list.visits.filter(({ changed }) => changed).length + change.gone
      })
    })
  }

  /** Makes every visit, in slices of time. `publish` sends the list of the visits made so far. */
  #makeAll(applied: Applied, pass: MutablePass, publish: (() => void) | undefined) {
    return Effect.gen({ self: this }, function*() {
      const keys = applied.groups.keys()
      let sliceEnds = performance.now() + slice
      let reportAt = 0
      let listPause = firstListPause
      let listAt = performance.now() + listPause
      for (const visit of applied.visits) {
        const { value: key } = keys.next()
        const outcome = outcomeOf(visit)
        if (key !== undefined) pass.outcomes.set(key, outcome)
        pass.counts[outcome.state]++
        if (performance.now() < sliceEnds) continue
        if (publish !== undefined && performance.now() > listAt) {
          publish()
          listPause *= 2
          listAt = performance.now() + listPause
        }
        if (performance.now() > reportAt) {
          yield* this.#report({ ...countsOf(pass), listed: this.list.listed })
          reportAt = performance.now() + reportPause
        }
        yield* pauseForRequests
        yield* this.#edits.loaded.await
        sliceEnds = performance.now() + slice
      }
    })
  }
}

/** A pass that is not over. */
interface MutablePass extends Pass {
  readonly outcomes: Map<string, VisitOutcome>
  readonly counts: Record<ConvertedState, number>
}

const countsOf = ({ counts }: Pass): Pick<PageStatus, "mapped" | ConvertedState> => ({
  mapped: counts.ready + counts.rejected + counts.open,
  ...counts
})
