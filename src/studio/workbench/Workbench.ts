import { Effect, Semaphore, type Stream, SubscriptionRef } from "effect"
import { shownFile } from "../../diagnostic/Span.ts"
import type { CountedCode } from "../../run/Conversion.ts"
import type {
  AcceptedCode,
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
import { describeCase, type FilledCase } from "./case/describeCase.ts"
import { describeVisit } from "./describeVisit.ts"
import type { GoodMapping } from "./disk/Applied.ts"
import { Edits } from "./disk/Edits.ts"
import { type DiskReader, watchDisk } from "./disk/watchDisk.ts"
import { findValues } from "./findValues.ts"
import { MappedVisits } from "./MappedVisits.ts"
import { mappingNamesOf, mistakeOf } from "./mappingViews.ts"
import { pauseForRequests, slice } from "./server/pauseForRequests.ts"
import { nothingYet, type ReportStatus } from "./server/Status.ts"

/** The inputs and the facility that the workbench works on. */
interface WorkbenchOptions<R> extends DiskReader<R> {
  /** The text of a file on disk; `undefined` if it cannot be read. */
  readonly read: (file: string) => Effect.Effect<string | undefined, never, R>
  /** Writes a file; returns why it cannot be written. */
  readonly write: (file: string, text: string) => Effect.Effect<string | undefined, never, R>
  /** Fills in the expected results of a case with the mapping on disk. */
  readonly fillCase: (page: string) => Effect.Effect<FilledCase, never, R>
  readonly keepCase: (name: string, page: string) => Effect.Effect<KeptCase, never, R>
  /** The unmapped codes with suggestions, and the rows that were accepted. */
  readonly codes: (
    unmapped: ReadonlyArray<CountedCode>,
    good: GoodMapping
  ) => Effect.Effect<ReadonlyArray<CodeView>, never, R>
  /** Writes a row into the code table of the facility. */
  readonly acceptCode: (
    row: AcceptedCode,
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
  /**
   * Uses a text instead of the file with a shown name, until the text is saved or undone. `from` is the text that the user began to edit.
   * Returns the revision.
   */
  readonly edit: (name: string, text: string, from: string) => Effect.Effect<number>
  /** Returns the files that were edited, with the texts before the edits. */
  readonly undo: Effect.Effect<
    { readonly revision: number; readonly files: ReadonlyArray<{ readonly name: string; readonly text: string }> }
  >
  /** Writes the edited files; `problem` is why it did not. */
  readonly save: Effect.Effect<{ readonly revision: number; readonly problem: string | null }>
  /** Returns a visit as a case, with identities replaced; `undefined` if the mapping does not make it. */
  readonly caseOf: (key: string, name: string) => Effect.Effect<CaseView | undefined>
  readonly codes: Effect.Effect<ReadonlyArray<CodeView>>
  readonly acceptCode: (row: AcceptedCode) => Effect.Effect<KeptCase>
  /** Writes it to the cases of the mapping. */
  readonly keepCase: (key: string, name: string) => Effect.Effect<KeptCase>
}

/** The mapping and the records that visits are made from, kept up to date with the files of both. */
export const startWorkbench = Effect.fn("startWorkbench")(function*<R>(options: WorkbenchOptions<R>) {
  const status = yield* SubscriptionRef.make(nothingYet)
  const report: ReportStatus = (change) => SubscriptionRef.update(status, (known) => ({ ...known, ...change }))
  const edits = new Edits()
  const disk = watchDisk(options, edits, report)
  const visits = new MappedVisits(edits, report)

  const keepUp = Effect.gen(function*() {
    const first = yield* disk.first
    let known = first.disk
    let running = first.valid
    while (true) {
      const working = running === undefined ? Effect.never : Effect.andThen(visits.remap(running), Effect.never)
      running = yield* Effect.raceFirst(working, disk.next(known, running))
      known = running
    }
  })

  const changed = Effect.suspend(() => {
    const revision = edits.change()
    return Effect.as(report({ edited: edits.files.map(shownFile), revision }), revision)
  })

  const saveEdits = Effect.gen(function*() {
    const isSeen = [...edits.texts].every(([file, text]) => visits.last?.texts.get(file) === text)
    for (const [file, from] of edits.begun) {
      if ((yield* options.read(file)) !== from) {
        return `\`${
          shownFile(file)
        }\` has changed on disk since the edit began. Copy your lines, undo the edit, and make it again.`
      }
    }
    for (const [file, text] of edits.texts) {
      const why = yield* options.write(file, text)
      if (why !== undefined) return why
      edits.saved(file, text)
    }
    if (isSeen && edits.isEmpty) visits.keepAsBase()
    return null
  })

  const caseOf = Effect.fnUntraced(function*(key: string, name: string) {
    const { inputs } = yield* options.find
    // Cases are filled with the mapping on disk.
    const ifSaved = (filled: FilledCase): FilledCase =>
      edits.isEmpty ? filled : { ...filled, why: "An edit is not saved. Save it or undo it first." }
    return yield* describeCase(visits, { key, name }, inputs, (page) => Effect.map(options.fillCase(page), ifSaved))
  })

  // A write reads the file first, so two at a time would lose one of them.
  const writing = yield* Semaphore.make(1)
  const services = yield* Effect.context<R>()
  const bench: Workbench = {
    status: SubscriptionRef.changes(status),
    list: () => visits.list,
    plan: () => visits.plan,
    mapping: () => {
      const { mapping, revision } = disk.shown()
      const { applied } = visits
      return {
        texts: SubscriptionRef.getUnsafe(status).texts,
        revision,
        files: [...mapping?.texts ?? []].map(([name, text]) => ({
          name: shownFile(name),
          editable: mapping?.editable.has(name) === true,
          text
        })),
        warnings: applied === undefined ? [] : applied.mapping.warnings.map(mistakeOf(applied.mapping.texts)),
        names: mappingNamesOf(applied?.mapping.syntax)
      }
    },
    visit: (key) => {
      visits.viewed.openUnsafe()
      return visits.applied === undefined ? undefined : describeVisit(visits.applied, key, visits.made)
    },
    find: Effect.fnUntraced(function*(text: string) {
      if (visits.applied === undefined) return []
      const search = findValues(visits.applied, visits.last, text)
      while (true) {
        const sliceEnds = performance.now() + slice
        let step = search.next()
        while (step.done !== true && performance.now() < sliceEnds) step = search.next()
        if (step.done === true) return step.value
        yield* pauseForRequests
      }
    }),
    edit: (name, text, begun) =>
      Effect.suspend(() => {
        const file = [...disk.shown().mapping?.editable ?? []].find((one) => shownFile(one) === name)
        if (file === undefined) return Effect.succeed(edits.revision)
        edits.set(file, text, begun)
        return changed
      }),
    undo: Effect.suspend(() => {
      const files = Array.from(edits.begun, ([name, text]) => ({ name: shownFile(name), text }))
      edits.clear()
      return Effect.map(changed, (revision) => ({ revision, files }))
    }),
    save: Effect.gen(function*() {
      const problem = yield* Effect.provide(saveEdits, services)
      return { revision: yield* changed, problem }
    }).pipe(writing.withPermit),
    caseOf: (key, name) => Effect.provide(caseOf(key, name), services),
    keepCase: (key, name) =>
      Effect.gen(function*() {
        const view = yield* caseOf(key, name)
        if (view === undefined) return { problem: "The mapping no longer makes this visit." }
        return view.why === null ? yield* options.keepCase(name, view.text) : { problem: view.why }
      }).pipe(Effect.provide(services), writing.withPermit),
    codes: Effect.suspend(() =>
      visits.applied === undefined ? Effect.succeed([]) : options.codes(visits.unmapped, visits.applied.mapping)
    ).pipe(Effect.provide(services)),
    acceptCode: (row) =>
      Effect.suspend(() =>
        visits.applied === undefined
          ? Effect.succeed({ problem: "There is no mapping yet." })
          // A new file is in no folder that is watched.
          : Effect.tap(options.acceptCode(row, visits.unmapped, visits.applied.mapping), changed)
      ).pipe(Effect.provide(services), writing.withPermit)
  }
  return { bench, keepUp }
})
