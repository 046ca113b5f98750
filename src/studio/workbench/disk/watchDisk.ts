import { Effect } from "effect"
import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import type { Input } from "../../../source/read/findInputs.ts"
import { mistakeOf } from "../mappingViews.ts"
import type { ReportStatus } from "../server/Status.ts"
import type { GoodMapping } from "./Applied.ts"
import type { Edits } from "./Edits.ts"
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

/** Reads everything that visits are made from. */
export interface DiskReader<R> {
  /** Lists the input files again. */
  readonly find: Effect.Effect<InputsOnDisk, never, R>
  /** Reads the settings and the mapping again; `given` are texts to use instead of files. */
  readonly load: (given: ReadonlyMap<string, string>) => Effect.Effect<OnDisk, never, R>
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
export interface ValidDisk extends Disk {
  readonly good: GoodMapping
}

/** Reads the disk, with the edits instead of the files they are made in, and waits until it changes what visits are made from. */
export const watchDisk = <R>({ find, load }: DiskReader<R>, edits: Edits, report: ReportStatus) => {
  let shown: OnDisk | undefined
  let shownRevision = 0
  let shownTexts = 0

  /** Runs many times a second, so it is excluded from traces. */
  const inputsNow = Effect.gen(function*() {
    const found = yield* find
    const stamp = yield* stampOf(found.inputs.flatMap((input) => (input._tag === "File" ? [input.path] : [])))
    const names = found.inputs.map(({ name }) => name).join("\n")
    return { found, input: `${names}\n${stamp}\n${found.problems.map(({ title }) => title).join("\n")}` }
  }).pipe(Effect.withTracerEnabled(false))

  const readDisk = Effect.gen(function*() {
    const { found, input } = yield* inputsNow
    const { revision } = edits
    const mapping = yield* load(edits.texts)
    if (shown === undefined || shownRevision !== revision || !isSameTexts(shown.texts, mapping.texts)) {
      shown = mapping
      shownRevision = revision
      yield* report({ texts: ++shownTexts })
    }
    const lists = yield* stampOf(mapping.listFiles)
    if (revision === edits.revision) yield* edits.loaded.open
    const disk: Disk = { found, input, mapping, revision, lists }
    return disk
  })

  return {
    /** The mapping whose texts the page shows, and the revision of the edits in them. */
    shown: () => ({ mapping: shown, revision: shownRevision }),

    /** Reads the disk for the first time. Reports the problems of an invalid mapping. */
    first: Effect.gen(function*() {
      const disk = yield* readDisk
      const { good, problems, texts } = disk.mapping
      if (good === undefined) yield* report({ mistakes: problems.map(mistakeOf(texts)) })
      return { disk, valid: good === undefined ? undefined : { ...disk, good } }
    }),

    /** Waits until the files change what visits are made from. Reports the problems of an invalid mapping. */
    next: Effect.fnUntraced(function*(given: Disk, running: ValidDisk | undefined) {
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
            next.revision === edits.revision ? Effect.promise(() => edits.next) : Effect.void
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
  }
}

const isSame = (one: Disk, other: Disk): boolean =>
  isSameTexts(one.mapping.texts, other.mapping.texts) &&
  one.mapping.problems.length === other.mapping.problems.length && one.lists === other.lists &&
  one.input === other.input

const isSameTexts = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([file, text]) => other.get(file) === text)

const isSameInput = (one: ValidDisk, other: ValidDisk): boolean =>
  isSameTexts(one.good.texts, other.good.texts) && one.lists === other.lists && one.input === other.input &&
  JSON.stringify(one.good.facility) === JSON.stringify(other.good.facility)
