import { Clock, Effect, Stream, SubscriptionRef } from "effect"
import { hash } from "node:crypto"
import { setImmediate } from "node:timers/promises"
import { type Collated, Collator } from "../../diagnostic/collate.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { render } from "../../diagnostic/render.ts"
import { plain } from "../../diagnostic/Style.ts"
import type { Syntax } from "../../mapping/language/MappingSyntax.ts"
import type { Input } from "../../source/read/findInputs.ts"
import { readInputs } from "../../source/read/readInput.ts"
import { RecordCollector, type RecordIndex } from "../../source/records/RecordIndex.ts"
import { VersionWatch } from "../../source/versions/VersionWatch.ts"
import { type Applied, applyMapping, type GoodMapping } from "./Applied.ts"
import { describeVisit } from "./describeVisit.ts"
import { changes, stampOf, withFolders } from "./watchFiles.ts"
import type { MappingView, Mistake, PageStatus, VisitList, VisitView } from "./Wire.ts"

/** The settings and the mapping of a facility as they are on disk: a valid mapping, or its problems. */
export interface OnDisk {
  readonly good: GoodMapping | undefined
  readonly problems: ReadonlyArray<Diagnostic>
  /** Every file that was read, and the names of files that may be created. */
  readonly texts: ReadonlyMap<string, string>
  /** Files of reference data, whether or not they exist. */
  readonly listFiles: ReadonlyArray<string>
}

/** The input files as they are on disk. */
export interface InputsOnDisk {
  readonly inputs: ReadonlyArray<Input>
  /** What was found beside the inputs, or why there are none. */
  readonly problems: ReadonlyArray<Diagnostic>
}

/** The inputs and the facility that the workbench works on. */
export interface BenchOptions<R> {
  /** Lists the input files again. */
  readonly find: Effect.Effect<InputsOnDisk, never, R>
  /** Reads the settings and the mapping again. */
  readonly load: Effect.Effect<OnDisk, never, R>
}

/** The requests that the page makes. */
export interface Workbench {
  readonly status: Stream.Stream<PageStatus>
  readonly list: () => VisitList
  readonly mapping: () => MappingView
  /** Returns a visit with its provenance, under the current mapping. */
  readonly visit: (key: string) => VisitView | undefined
}

/** How long visits are mapped before requests are answered, in milliseconds. */
const slice = 12

const nothingYet: PageStatus = {
  phase: "reading",
  records: 0,
  made: 0,
  madeAt: 0,
  first: null,
  listed: 0,
  total: 0,
  mapped: 0,
  ready: 0,
  rejected: 0,
  before: null,
  changed: null,
  mistakes: [],
  facility: null,
  mapping: null
}

interface Outcome {
  readonly code: string | null
  readonly ready: boolean
  readonly count: number
  readonly problems: ReadonlySet<string>
  /** Distinguishes this outcome from others. */
  readonly print: string
}

/** What visits are made of, as it is on disk; the stamps tell one state of standard data and inputs from another. */
interface Disk {
  readonly mapping: OnDisk
  readonly lists: string
  readonly found: InputsOnDisk
  readonly input: string
}

/** What visits are made of. */
interface Made extends Disk {
  readonly good: GoodMapping
}

/** All visits under one mapping. */
interface Pass {
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly ready: number
  readonly rejected: number
}

/** The mapping and the records that visits are made from, kept up to date with the files of both. */
export const startBench = Effect.fn("startBench")(function*<R>({ find, load }: BenchOptions<R>) {
  const status = yield* SubscriptionRef.make(nothingYet)
  const tell = (news: Partial<PageStatus>) => SubscriptionRef.update(status, (known) => ({ ...known, ...news }))
  let applied: Applied | undefined
  let made = 0
  let last: Pass | undefined
  let list: VisitList = { listed: 0, visits: [], problems: [], outside: [] }
  let read:
    | { readonly layout: string; readonly records: RecordIndex; readonly problems: ReadonlyArray<Diagnostic> }
    | undefined

  /** Reads the inputs, and reads them again if they change or the mapping declares other tables. */
  const recordsFor = Effect.fnUntraced(function*({ found: { inputs, problems }, good, input }: Made) {
    const layout = `${layoutOf(good.syntax)}\n${input}`
    if (read?.layout === layout) return read
    yield* tell({ phase: "reading", records: 0 })
    const collector = new RecordCollector({
      sameServer: good.facility.sameServer,
      copies: good.checked.plan.grouping.copies
    })
    const found: Array<Diagnostic> = [...problems]
    const versions = new VersionWatch(good.checked.plan.followed.types, good.facility.fhirVersion)
    let count = 0
    let reported = 0
    yield* Stream.runForEachArray(
      readInputs(inputs, { tables: good.checked.plan.tables, versions }),
      (items) =>
        Effect.gen(function*() {
          for (const item of items) {
            if (item._tag === "Problem") found.push(item.diagnostic)
            else collector.add(item)
            if (item._tag === "Record") count++
          }
          if (count - reported < 1000) return
          reported = count
          yield* tell({ records: count })
          yield* breathe
        })
    )
    const records = collector.index()
    read = { layout, records, problems: [...versions.problems(), ...versions.notes(), ...found, ...records.problems] }
    yield* tell({ records: count })
    return read
  })

  /** Applies a mapping: to the selected visit on request, and to all others in order. */
  const remap = Effect.fnUntraced(function*(of: Made) {
    const { good } = of
    const { problems: ofInput, records } = yield* recordsFor(of)
    const now = yield* Clock.currentTimeMillis
    const current = applyMapping(good, records, now)
    applied = current
    made++
    const total = current.groups.size
    const before = last === undefined ? null : { ready: last.ready, rejected: last.rejected }
    const counts = { mapped: 0, ready: 0, rejected: 0 }
    yield* tell({
      ...counts,
      phase: "mapping",
      made,
      madeAt: now,
      first: current.groups.keys().next().value ?? null,
      total,
      before,
      changed: null,
      mistakes: [],
      facility: good.facility.code,
      mapping: good.checked.plan.name
    })
    // The page requests its visit now.
    yield* breathe
    const outcomes = new Map<string, Outcome>()
    const outside = new Collator()
    const keys = current.groups.keys()
    let sliceEnds = performance.now() + slice
    let tellAt = 0
    for (const { code, json, problems, ready } of current.visits) {
      // Errors first: they are what keeps the visit from being sent.
      const worstFirst = problems.toSorted((one, other) => one.severity.localeCompare(other.severity))
      const codes = new Set(worstFirst.map((problem) => `${problem.severity} ${problem.code}`))
      outcomes.set(keys.next().value!, {
        code,
        ready,
        count: problems.length,
        problems: codes,
        print: printOf(json, problems)
      })
      counts.mapped++
      counts[ready ? "ready" : "rejected"]++
      if (performance.now() < sliceEnds) continue
      if (performance.now() > tellAt) {
        yield* tell(counts)
        tellAt = performance.now() + 150
      }
      yield* breathe
      sliceEnds = performance.now() + slice
    }
    const totals = current.totals()
    outside.addAll([...ofInput, ...totals.rejectedRecords.flatMap(({ problems }) => problems)])
    const previous = last
    last = { outcomes, ready: counts.ready, rejected: counts.rejected }
    list = listOf(made, last, previous, outside.all().map(drawnBy(good.texts)))
    yield* tell({
      ...counts,
      phase: "done",
      listed: made,
      changed: previous === undefined ? null : list.visits.filter(({ changed }) => changed).length
    })
  })

  /** Runs many times a second, so it is excluded from traces. */
  const inputsNow = Effect.gen(function*() {
    const found = yield* find
    const stamp = yield* stampOf(found.inputs.flatMap((input) => (input._tag === "File" ? [input.path] : [])))
    const names = found.inputs.map(({ name }) => name).join("\n")
    return { found, input: `${names}\n${stamp}\n${found.problems.map(({ title }) => title).join("\n")}` }
  }).pipe(Effect.withTracerEnabled(false))

  const readDisk = Effect.gen(function*() {
    const { found, input } = yield* inputsNow
    const mapping = yield* load
    return { found, input, mapping, lists: yield* stampOf(mapping.listFiles) } satisfies Disk as Disk
  })

  /** Waits until the files change what visits are made from. Reports the problems of an invalid mapping. */
  const nextGood = Effect.fnUntraced(function*(given: Disk, running: Made | undefined) {
    let known = given
    while (true) {
      const names = withFolders(new Set([...known.mapping.texts.keys(), ...(running?.mapping.texts.keys() ?? [])]))
      const look = Effect.zipWith(
        stampOf([...names, ...known.mapping.listFiles]),
        inputsNow,
        (files, { input }) => `${files}\n${input}`
      )
      const before = yield* look
      const next = yield* readDisk
      if (isSame(next, known)) {
        yield* changes(look, before)
        continue
      }
      known = next
      const { good, problems, texts } = next.mapping
      if (good === undefined) yield* tell({ mistakes: problems.map(drawnOne(texts)) })
      else if (running !== undefined && isMadeAlike({ ...next, good }, running)) yield* tell({ mistakes: [] })
      else return { ...next, good }
    }
  })

  const keepUp = Effect.gen(function*() {
    let known = yield* readDisk
    let running = madeOf(known)
    if (running === undefined) yield* tell({ mistakes: known.mapping.problems.map(drawnOne(known.mapping.texts)) })
    while (true) {
      const working = running === undefined ? Effect.never : Effect.andThen(remap(running), Effect.never)
      running = yield* Effect.raceFirst(working, nextGood(known, running))
      known = running
    }
  })

  const bench: Workbench = {
    status: SubscriptionRef.changes(status),
    list: () => list,
    mapping: () => ({
      made,
      files: applied === undefined ? [] : filesOf(applied.mapping),
      warnings: applied === undefined ? [] : applied.mapping.warnings.map(drawnOne(applied.mapping.texts))
    }),
    visit: (key) => applied === undefined ? undefined : describeVisit(applied, key, made)
  }
  return { bench, keepUp }
})

/** Yields so that requests can be answered. */
const breathe = Effect.promise(() => setImmediate())

/** The mapping's table declarations as text: equal texts read the same records. */
const layoutOf = (syntax: Syntax): string =>
  JSON.stringify(
    syntax.kind === "map" ? syntax.entries.get("table")?.value : undefined,
    (key, value: unknown) =>
      key === "span" || key === "key" || key === "textColumn" ? undefined : value instanceof Map ? [...value] : value
  ) ?? ""

const printOf = (json: string, problems: ReadonlyArray<Diagnostic>): string =>
  hash(
    "sha256",
    json + problems.map(({ code, field, severity }) => `${severity} ${code} ${field}`).join("\n"),
    "base64"
  )

const madeOf = (disk: Disk): Made | undefined =>
  disk.mapping.good === undefined ? undefined : { ...disk, good: disk.mapping.good }

const isSame = (one: Disk, other: Disk): boolean =>
  isSameTexts(one.mapping.texts, other.mapping.texts) &&
  one.mapping.problems.length === other.mapping.problems.length && one.lists === other.lists &&
  one.input === other.input

const isSameTexts = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([file, text]) => other.get(file) === text)

const isMadeAlike = (one: Made, other: Made): boolean =>
  isSameTexts(one.good.texts, other.good.texts) && one.lists === other.lists && one.input === other.input &&
  JSON.stringify(one.good.facility) === JSON.stringify(other.good.facility)

const drawnBy = (texts: ReadonlyMap<string, string>) => (collated: Collated): Mistake & { readonly count: number } => ({
  severity: collated.first.severity,
  title: collated.first.title,
  drawn: render(collated, { style: plain, textOf: (file) => texts.get(file), showValues: true }),
  count: collated.count
})

const drawnOne = (texts: ReadonlyMap<string, string>) => (first: Diagnostic): Mistake =>
  drawnBy(texts)({ first, count: 1, visits: 0 })

const filesOf = ({ isOwn, texts }: GoodMapping): MappingView["files"] =>
  [...texts].map(([name, text]) => ({ name, own: isOwn(name), text }))

const listOf = (listed: number, pass: Pass, before: Pass | undefined, outside: VisitList["outside"]): VisitList => {
  const counts = new Map<string, number>()
  for (const { problems } of pass.outcomes.values()) {
    for (const problem of problems) counts.set(problem, (counts.get(problem) ?? 0) + 1)
  }
  const problems = [...counts].toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  const indexes = new Map(problems.map(([name], index) => [name, index]))
  return {
    listed,
    visits: [...pass.outcomes].map(([key, { code, count, print, problems, ready }]) => ({
      key,
      code,
      ready,
      changed: before !== undefined && before.outcomes.get(key)?.print !== print,
      count,
      problems: [...problems].map((problem) => indexes.get(problem)!)
    })),
    problems: problems.map(([name, visits]) => {
      const [severity, code] = name.split(" ") as [string, VisitList["problems"][number]["code"]]
      return { code, severity, visits }
    }),
    outside
  }
}
