import { Clock, Effect, Latch, Option, Stream, SubscriptionRef } from "effect"
import { setImmediate } from "node:timers/promises"
import { Collator } from "../../diagnostic/collate.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import { mappingEntriesOf, type Syntax } from "../../mapping/language/MappingSyntax.ts"
import type { CountedCode } from "../../run/convertRecords.ts"
import type { Input } from "../../source/read/findInputs.ts"
import { readInputs } from "../../source/read/readInput.ts"
import { RecordCollector, type RecordIndex } from "../../source/records/RecordIndex.ts"
import type {
  CaseView,
  CodeView,
  KeptCase,
  MappingView,
  PageStatus,
  PlanView,
  ValueHit,
  VisitList,
  VisitView
} from "../viewer/bench/Wire.ts"
import { type Applied, applyMapping, type GoodMapping } from "./Applied.ts"
import { caseOfVisit, recordsOfCase } from "./caseOfVisit.ts"
import { readRowsOf } from "./caseRows.ts"
import { describeVisit } from "./describeVisit.ts"
import { findValues } from "./findValues.ts"
import { collatedMistake, mappingNamesOf, mistakeOf } from "./mappingViews.ts"
import { outcomeOf, type Pass, visitListOf, type VisitOutcome } from "./outcomes.ts"
import { planEdit } from "./planEdit.ts"
import { changes, stampOf, withFolders } from "./watchFiles.ts"

/** The settings and the mapping of a facility as they are on disk: a valid mapping, or its problems. */
export interface OnDisk {
  readonly good: GoodMapping | undefined
  readonly problems: ReadonlyArray<Diagnostic>
  /** Every file that was read, and the names of files that may be created. */
  readonly texts: ReadonlyMap<string, string>
  /** The files that an edit can change: those of the mapping that belong to the facility. */
  readonly editable: ReadonlySet<string>
  /** Files of reference data, whether or not they exist. */
  readonly listFiles: ReadonlyArray<string>
}

/** The input files as they are on disk. */
interface InputsOnDisk {
  readonly inputs: ReadonlyArray<Input>
  /** The problems of the input folders, or why there are no inputs. */
  readonly problems: ReadonlyArray<Diagnostic>
}

/** The inputs and the facility that the workbench works on. */
interface WorkbenchOptions<R> {
  /** Lists the input files again. */
  readonly find: Effect.Effect<InputsOnDisk, never, R>
  /** Reads the settings and the mapping again; `given` are texts to use instead of files. */
  readonly load: (given: ReadonlyMap<string, string>) => Effect.Effect<OnDisk, never, R>
  /** The text of a file on disk; `undefined` if it cannot be read. */
  readonly read: (file: string) => Effect.Effect<string | undefined, never, R>
  /** Writes a file; returns why it cannot be written. */
  readonly write: (file: string, text: string) => Effect.Effect<string | undefined, never, R>
  /** Fills in the expected results of a case with the mapping on disk; `why` is why it cannot be a case, if it cannot. */
  readonly fillCase: (page: string) => Effect.Effect<
    { readonly text: string; readonly problems: ReadonlyArray<string>; readonly why: string | null },
    never,
    R
  >
  readonly keepCase: (name: string, page: string) => Effect.Effect<KeptCase, never, R>
  /** The unmapped codes with suggestions, and the rows that were accepted. */
  readonly codes: (
    unmapped: ReadonlyArray<CountedCode>,
    good: GoodMapping
  ) => Effect.Effect<ReadonlyArray<CodeView>, never, R>
  /** Writes a row into the code table of the facility. */
  readonly acceptCode: (
    row: Pick<CodeView, "table" | "system" | "code" | "display" | "value">,
    unmapped: ReadonlyArray<CountedCode>,
    good: GoodMapping
  ) => Effect.Effect<KeptCase, never, R>
}

/** What the page can request. */
export interface Workbench {
  readonly status: Stream.Stream<PageStatus>
  readonly list: () => VisitList
  readonly mapping: () => MappingView
  /** Returns a visit with its provenance, under the current mapping. */
  readonly visit: (key: string) => VisitView | undefined
  /** Returns what the edit changes over all visits; `undefined` while it is not known. */
  readonly plan: () => PlanView | undefined
  readonly find: (text: string) => Effect.Effect<ReadonlyArray<ValueHit>>
  /** Uses a text instead of a file, until it is saved or undone; `from` is the text that the user began to edit. Returns the revision. */
  readonly edit: (file: string, text: string, from: string) => Effect.Effect<number>
  /** Returns the files that were edited, with the texts before the edits. */
  readonly undo: Effect.Effect<
    { readonly revision: number; readonly files: ReadonlyArray<{ readonly name: string; readonly text: string }> }
  >
  /** Writes the edited files; `problem` is why it did not. */
  readonly save: Effect.Effect<{ readonly revision: number; readonly problem: string | null }>
  /** Returns a visit as a case, with identities replaced; `undefined` if the mapping does not make it. */
  readonly caseOf: (key: string, name: string) => Effect.Effect<CaseView | undefined>
  readonly codes: Effect.Effect<ReadonlyArray<CodeView>>
  readonly acceptCode: (
    row: Pick<CodeView, "table" | "system" | "code" | "display" | "value">
  ) => Effect.Effect<KeptCase>
  /** Writes it to the cases of the mapping. */
  readonly keepCase: (key: string, name: string) => Effect.Effect<KeptCase>
}

/** How long visits are mapped before requests are answered, in milliseconds. */
const slice = 12

/** How long all visits wait for the page to request the one in view, in milliseconds. */
const inViewPause = 150

/** How long after the first list the next one is sent, in milliseconds. Each takes longer to fill, so the pause doubles. */
const firstListPause = 500

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
  edited: [],
  revision: 0,
  texts: 0,
  before: null,
  changed: null,
  mistakes: [],
  facility: null,
  mapping: null
}

/** Everything that visits are made from, as it is on disk. `lists` and `input` change with the standard data and the inputs. */
interface Disk {
  readonly mapping: OnDisk
  readonly lists: string
  readonly found: InputsOnDisk
  readonly input: string
  /** The revision of the edits in the mapping. */
  readonly revision: number
}

/** The same with a valid mapping. */
interface ValidDisk extends Disk {
  readonly good: GoodMapping
}

/** The mapping and the records that visits are made from, kept up to date with the files of both. */
export const startWorkbench = Effect.fn("startWorkbench")(function*<R>(options: WorkbenchOptions<R>) {
  const { acceptCode, codes, fillCase, find, keepCase, load, read: readText, write } = options
  const status = yield* SubscriptionRef.make(nothingYet)
  const report = (change: Partial<PageStatus>) => SubscriptionRef.update(status, (known) => ({ ...known, ...change }))
  let applied: Applied | undefined
  let made = 0
  let listed = 0
  /** The visits before the edits that are not saved. */
  let base: Pass | undefined
  let last: Pass | undefined
  let plan: PlanView | undefined
  /** As of the last pass over all visits. */
  let unmapped: ReadonlyArray<CountedCode> = []
  let mappingTexts: OnDisk | undefined
  let textsRevision = 0
  /** Edited texts by file, with the text that the user began to edit. */
  const edits = new Map<string, { readonly text: string; readonly from: string }>()
  const edited = { revision: 0, next: Promise.withResolvers<void>() }
  /** Closed while an edit is waiting to be loaded: all other visits wait for it. */
  const loaded = Latch.makeUnsafe(true)
  /** Closed from the time a mapping is applied until the visit in view is requested. */
  const viewed = Latch.makeUnsafe(true)
  let list: VisitList = { listed: 0, visits: [], problems: [], outside: [] }
  let read:
    | { readonly layout: string; readonly records: RecordIndex; readonly problems: ReadonlyArray<Diagnostic> }
    | undefined

  /** Reads the inputs, and reads them again if they change or the mapping declares other tables. */
  const recordsFor = Effect.fnUntraced(function*({ found: { inputs, problems }, good, input }: ValidDisk) {
    const layout = `${layoutOf(good.syntax)}\n${input}`
    if (read?.layout === layout) return read
    yield* report({ phase: "reading", records: 0 })
    const collector = new RecordCollector({
      sameServer: good.facility.sameServer,
      copies: good.checked.plan.grouping.copies
    })
    const found: Array<Diagnostic> = [...problems]
    const versions = watchVersions(good.checked.plan, good.facility.fhirVersion)
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
          yield* report({ records: count })
          yield* pauseForRequests
        })
    )
    const records = collector.index()
    read = { layout, records, problems: [...versions.problems(), ...versions.notes(), ...found, ...records.problems] }
    yield* report({ records: count })
    return read
  })

  /** Applies a mapping: to the selected visit on request, and to all others in order. */
  const remap = Effect.fnUntraced(function*(of: ValidDisk) {
    const { good } = of
    const known = read
    const { problems: ofInput, records } = yield* recordsFor(of)
    const now = yield* Clock.currentTimeMillis
    const current = applyMapping(good, records, now)
    applied = current
    made++
    const total = current.groups.size
    const before = base === undefined ? null : { ready: base.ready, rejected: base.rejected }
    const counts = { mapped: 0, ready: 0, rejected: 0 }
    const outcomes = new Map<string, VisitOutcome>()
    const previous = base
    const publish = (outside: VisitList["outside"]) => {
      list = visitListOf(++listed, current, outcomes, previous, outside)
    }
    const isNew = read !== known
    if (isNew) publish([])
    viewed.closeUnsafe()
    yield* report({
      ...counts,
      listed,
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
    yield* Effect.timeoutOption(viewed.await, inViewPause)
    // Let the response to that request be written first.
    yield* pauseForRequests
    yield* pauseForRequests
    const outside = new Collator()
    const keys = current.groups.keys()
    let sliceEnds = performance.now() + slice
    let reportAt = 0
    let listPause = firstListPause
    let listAt = performance.now() + listPause
    for (const visit of current.visits) {
      const { value: key } = keys.next()
      if (key !== undefined) outcomes.set(key, outcomeOf(visit))
      counts.mapped++
      counts[visit.ready ? "ready" : "rejected"]++
      if (performance.now() < sliceEnds) continue
      if (isNew && performance.now() > listAt) {
        publish([])
        listPause *= 2
        listAt = performance.now() + listPause
      }
      if (performance.now() > reportAt) {
        yield* report({ ...counts, listed })
        reportAt = performance.now() + 150
      }
      yield* pauseForRequests
      yield* loaded.await
      sliceEnds = performance.now() + slice
    }
    const totals = current.totals()
    outside.addAll([...ofInput, ...totals.rejectedRecords.flatMap(({ problems }) => problems)])
    last = { texts: good.texts, outcomes, ready: counts.ready, rejected: counts.rejected }
    unmapped = totals.unmapped
    publish(outside.all().map(collatedMistake(good.texts)))
    const change = previous === undefined ? undefined : planEdit(previous, last)
    plan = change
    // Edits that are not saved are compared with what is on disk.
    if (edits.size === 0) base = last
    yield* report({
      ...counts,
      phase: "done",
      listed,
      changed: change === undefined ? null : list.visits.filter(({ changed }) => changed).length + change.gone
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
    const { revision } = edited
    const mapping = yield* load(new Map([...edits].map(([file, { text }]) => [file, text])))
    if (
      mappingTexts === undefined || textsRevision !== revision || !isSameTexts(mappingTexts.texts, mapping.texts)
    ) {
      mappingTexts = mapping
      textsRevision = revision
      yield* SubscriptionRef.update(status, (known) => ({ ...known, texts: known.texts + 1 }))
    }
    const lists = yield* stampOf(mapping.listFiles)
    if (revision === edited.revision) yield* loaded.open
    const disk: Disk = { found, input, mapping, revision, lists }
    return disk
  })

  /** Waits until the files change what visits are made from. Reports the problems of an invalid mapping. */
  const nextGood = Effect.fnUntraced(function*(given: Disk, running: ValidDisk | undefined) {
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
        yield* Effect.raceFirst(
          changes(look, before),
          next.revision === edited.revision ? Effect.promise(() => edited.next.promise) : Effect.void
        )
        continue
      }
      known = next
      const { good, problems, texts } = next.mapping
      if (good === undefined) yield* report({ mistakes: problems.map(mistakeOf(texts)) })
      else if (running !== undefined && isSameInput({ ...next, good }, running)) yield* report({ mistakes: [] })
      else return { ...next, good }
    }
  })

  const keepUp = Effect.gen(function*() {
    let known = yield* readDisk
    let running = madeOf(known)
    if (running === undefined) yield* report({ mistakes: known.mapping.problems.map(mistakeOf(known.mapping.texts)) })
    while (true) {
      const working = running === undefined ? Effect.never : Effect.andThen(remap(running), Effect.never)
      running = yield* Effect.raceFirst(working, nextGood(known, running))
      known = running
    }
  })

  const changed = Effect.suspend(() => {
    edited.revision++
    loaded.closeUnsafe()
    edited.next.resolve()
    edited.next = Promise.withResolvers()
    return Effect.as(report({ edited: [...edits.keys()], revision: edited.revision }), edited.revision)
  })

  const save = Effect.gen(function*() {
    const isSeen = [...edits].every(([file, { text }]) => last?.texts.get(file) === text)
    for (const [file, { from }] of edits) {
      if ((yield* readText(file)) !== from) {
        return `\`${file}\` has changed on disk since the edit began. Copy your lines, undo the edit, and make it again.`
      }
    }
    for (const [file, { text }] of edits) {
      const why = yield* write(file, text)
      if (why !== undefined) return why
      if (edits.get(file)?.text === text) edits.delete(file)
    }
    if (isSeen && edits.size === 0) base = last
    return undefined
  })

  const services = yield* Effect.context<R>()
  const caseOf = Effect.fnUntraced(function*(key: string, name: string) {
    const group = applied?.groups.get(key)
    if (applied === undefined || group === undefined) return undefined
    const current = applied
    const records = recordsOfCase(current, group)
    const { inputs } = yield* find
    const files = yield* Effect.option(readRowsOf(inputs, records, current.mapping.checked.plan.tables))
    if (Option.isNone(files)) return { text: "", differing: [], why: "A file of its rows cannot be read." }
    const page = caseOfVisit(current, group, records, files.value, name)
    const { problems, text, why } = yield* fillCase(page)
    // Ids are replaced, so a problem of a record is compared without its id.
    const withoutId = (line: string): string => line.replace(/^(\S+ [^\s/.[]+)\/.*$/u, "$1")
    const lines = new Set(records.map(({ origin: { file, line } }) => `${file}:${line}`))
    const ofRecords = (read?.problems ?? []).filter(({ origin }) => lines.has(`${origin?.file}:${origin?.line}`))
    const inVisit = new Set(
      [...describeVisit(current, key, made)?.problems ?? [], ...ofRecords].map(({ code, field, source }) =>
        withoutId(`${code} ${field ?? source ?? ""}`.trimEnd())
      )
    )
    const inCase = new Set(problems.map(withoutId))
    const differing = [...inCase.symmetricDifference(inVisit)].filter((line) => !line.startsWith("null-field"))
    return { text, differing, why: edits.size > 0 ? "An edit is not saved. Save it or undo it first." : why }
  })

  const bench: Workbench = {
    status: SubscriptionRef.changes(status),
    list: () => list,
    plan: () => plan,
    find: Effect.fnUntraced(function*(text: string) {
      if (applied === undefined) return []
      const search = findValues(applied, last, text)
      while (true) {
        const sliceEnds = performance.now() + slice
        let step = search.next()
        while (step.done !== true && performance.now() < sliceEnds) step = search.next()
        if (step.done === true) return step.value
        yield* pauseForRequests
      }
    }),
    edit: (file, text, begun) =>
      Effect.suspend(() => {
        if (mappingTexts?.editable.has(file) !== true) return Effect.succeed(edited.revision)
        const from = edits.get(file)?.from ?? begun
        if (text === from) edits.delete(file)
        else edits.set(file, { text, from })
        return changed
      }),
    undo: Effect.suspend(() => {
      const files = [...edits].map(([name, { from }]) => ({ name, text: from }))
      edits.clear()
      return Effect.map(changed, (revision) => ({ revision, files }))
    }),
    save: Effect.gen(function*() {
      const problem = yield* Effect.provide(save, services)
      return { revision: yield* changed, problem: problem ?? null }
    }),
    caseOf: (key, name) => Effect.provide(caseOf(key, name), services),
    codes: Effect.suspend(() => applied === undefined ? Effect.succeed([]) : codes(unmapped, applied.mapping)).pipe(
      Effect.provide(services)
    ),
    acceptCode: (row) =>
      Effect.suspend(() =>
        applied === undefined
          ? Effect.succeed({ problem: "There is no mapping yet." })
          // A new file is in no folder that is watched.
          : Effect.tap(acceptCode(row, unmapped, applied.mapping), changed)
      ).pipe(Effect.provide(services)),
    keepCase: (key, name) =>
      Effect.gen(function*() {
        const view = yield* caseOf(key, name)
        if (view === undefined) return { problem: "The mapping no longer makes this visit." }
        return view.why === null ? yield* keepCase(name, view.text) : { problem: view.why }
      }).pipe(Effect.provide(services)),
    mapping: () => ({
      texts: SubscriptionRef.getUnsafe(status).texts,
      revision: textsRevision,
      files: [...mappingTexts?.texts ?? []].map(([name, text]) => ({
        name,
        editable: mappingTexts?.editable.has(name) === true,
        text
      })),
      warnings: applied === undefined ? [] : applied.mapping.warnings.map(mistakeOf(applied.mapping.texts)),
      names: mappingNamesOf(applied?.mapping.syntax)
    }),
    visit: (key) => {
      viewed.openUnsafe()
      return applied === undefined ? undefined : describeVisit(applied, key, made)
    }
  }
  return { bench, keepUp }
})

/** Yields so that requests can be answered. */
const pauseForRequests = Effect.promise(() => setImmediate())

/** The mapping's table declarations as text: equal texts read the same records. */
const layoutOf = (syntax: Syntax): string =>
  JSON.stringify(
    syntax.kind === "map"
      ? [
        syntax.entries.get("table")?.value,
        ...["copies", "status"].map((key) => mappingEntriesOf(syntax, "grouping").get(key))
      ]
      : undefined,
    (key, value: unknown) =>
      key === "span" || key === "key" || key === "textColumn" ? undefined : value instanceof Map ? [...value] : value
  ) ?? ""

const madeOf = (disk: Disk): ValidDisk | undefined =>
  disk.mapping.good === undefined ? undefined : { ...disk, good: disk.mapping.good }

const isSame = (one: Disk, other: Disk): boolean =>
  isSameTexts(one.mapping.texts, other.mapping.texts) &&
  one.mapping.problems.length === other.mapping.problems.length && one.lists === other.lists &&
  one.input === other.input

const isSameTexts = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([file, text]) => other.get(file) === text)

const isSameInput = (one: ValidDisk, other: ValidDisk): boolean =>
  isSameTexts(one.good.texts, other.good.texts) && one.lists === other.lists && one.input === other.input &&
  JSON.stringify(one.good.facility) === JSON.stringify(other.good.facility)
