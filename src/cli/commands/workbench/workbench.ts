import { Effect, FileSystem } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { dirname, join, relative } from "node:path"
import type { Diagnostic } from "../../../diagnostic/Diagnostic.ts"
import { shownFile } from "../../../diagnostic/Span.ts"
import { listFile, standardDataFolder } from "../../../facility/lists/StandardData.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import { loadMapping } from "../../../mapping/load/loadMapping.ts"
import { findInputs } from "../../../source/read/findInputs.ts"
import { readTextFile } from "../../../source/read/readTextFile.ts"
import type { SourceError } from "../../../source/SourceError.ts"
import { readCases } from "../../../studio/cases/readCases.ts"
import { runCase } from "../../../studio/cases/runCase.ts"
import { updatePage } from "../../../studio/cases/updatePage.ts"
import type { OnDisk } from "../../../studio/workbench/disk/watchDisk.ts"
import { serveWorkbench } from "../../../studio/workbench/server/serveWorkbench.ts"
import { startWorkbench } from "../../../studio/workbench/Workbench.ts"
import { referenceListTypes } from "../../../visit/Field.ts"
import { mappingContextOf } from "../../facility/mappingOf.ts"
import { writeWhole } from "../../files/WholeFile.ts"
import { common, facility, inputs, portFlag } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { near, shippedFolder } from "../../PipelineApi.ts"
import { titleOfFailure } from "../../screen/explainFailure.ts"
import { Screen } from "../../screen/Screen.ts"
import { UsageError } from "../../UsageError.ts"
import { withHelp } from "../../withHelp.ts"
import { caseRunOf } from "../mapping/test.ts"
import { acceptCode, codesToFill } from "./codes.ts"

const config = {
  inputs: inputs.pipe(
    Argument.withDescription("Input files, folders, or globs; gzip is detected")
  ),
  facility,
  port: portFlag("Port on 127.0.0.1 (default: any free port)").pipe(Flag.withDefault(0)),
  ...common
}

export const workbenchCommand = Command.make("workbench", config, (flags) => perform(flags, execute(flags))).pipe(
  withHelp(
    "Show records, mapping, and visits side by side in the browser. The page is served on this machine. It shows for every field the "
      + "mapping line and the elements that it read. Edit the mapping in the page or in your editor, and see what changes over all visits before you save. The page shows patient "
      + "data, only to the browser that opens the printed URL.",
    [
      "fhir2visit workbench export/ --facility hospital-a/",
      "Open the printed URL, edit the mapping, and see the changes"
    ],
    ["fhir2visit workbench samples/outpatient-fever/input --port 8800", "Use a fixed port"]
  )
)

/** `workbench`: serves the page until it is interrupted. */
const execute = Effect.fn("workbench")(function*(flags: Command.Command.Config.Infer<typeof config>) {
  const screen = yield* Screen
  if (flags.inputs.includes("-")) {
    return yield* new UsageError({
      title: "the workbench cannot read standard input",
      help: ["name files: it reads them again when they or the mapping's tables change"]
    })
  }
  return yield* Effect.scoped(Effect.gen(function*() {
    const { keepUp, port, url } = yield* openWorkbench(flags.inputs, flags.facility, flags.port)
    yield* screen.print(flags.format === "json" ? JSON.stringify({ url, port }) : url)
    yield* screen.say(
      "\nopen this address in a browser: its key opens once. The page shows patient data.\nstop it with Ctrl-C"
    )
    return yield* keepUp
  }))
})

/**
 * Serves the workbench until the scope ends. `keepUp` converts the inputs, and again whenever a file of the mapping, the standard data, or an
 * input changes.
 */
export const openWorkbench = Effect.fnUntraced(function*(
  inputs: ReadonlyArray<string>,
  settings: string | undefined,
  port: number
) {
  // Report invalid settings and inputs before anything is served.
  yield* readFacility(settings)
  yield* findInputs(inputs)
  const { bench, keepUp } = yield* startWorkbench({
    find: Effect.catch(
      findInputs(inputs),
      ({ reason }) => Effect.succeed({ inputs: [], problems: [goneInput(reason)] })
    ),
    load: (given) => onDisk(settings, given),
    read: (file) => Effect.map(readTextFile(file), (read) => (read._tag === "Text" ? read.text : undefined)),
    write: (file, text) =>
      Effect.gen(function*() {
        // A mapping has no patient data, so it keeps its permissions.
        const fs = yield* FileSystem.FileSystem
        const { mode } = yield* fs.stat(file)
        yield* writeWhole(file, text)
        yield* fs.chmod(file, mode & 0o777)
        return undefined
      }).pipe(
        Effect.catch(({ reason }) =>
          Effect.succeed(`\`${shownFile(file)}\` is not saved: ${typeof reason === "string" ? reason : reason._tag}`)
        )
      ),
    fillCase: (page) => fillCase(settings, page),
    keepCase: (name, page) => keepCase(settings, name, page),
    codes: codesToFill,
    acceptCode
  })
  return { ...yield* serveWorkbench(bench, port), keepUp }
})

/** Runs the case of a page, and fills in what the mapping makes of it. */
const fillCase = (settings: string | undefined, text: string) =>
  Effect.gen(function*() {
    const facility = yield* readFacility(settings)
    const page = readCases("case.md", text)
    const run = yield* caseRunOf(facility, near(facility.mapping))
    const results = yield* Effect.forEach(page.cases, (one) => runCase(page, one, run))
    const [problem] = [...page.problems, ...results.flatMap(({ broken }) => broken)]
    return {
      text: updatePage(page, results),
      problems: results.flatMap(({ problems }) => problems),
      why: problem?.title ??
        (results.some(({ visit }) => Array.isArray(visit))
          ? "With the replaced texts, its records do not make one visit."
          : null)
    }
  }).pipe(
    Effect.catch((error) => Effect.promise(async () => ({ text, problems: [], why: await titleOfFailure(error) })))
  )

/** Writes a case file next to the mapping. An existing file is kept. */
const keepCase = (settings: string | undefined, name: string, text: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const folder = join(dirname(near((yield* readFacility(settings)).mapping)), "cases")
    const words = name.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu)
    if (words === null) return { problem: "Give the case a name." }
    const file = join(folder, `${words.join("-").slice(0, 60)}.md`)
    if (yield* fs.exists(file)) return { problem: `\`${shownFile(file)}\` exists: give the case another name.` }
    yield* fs.makeDirectory(folder, { recursive: true })
    yield* writeWhole(file, text)
    return { file: shownFile(file) }
  }).pipe(
    Effect.catch((error) =>
      Effect.promise(async () => ({ problem: `The case is not saved: ${await titleOfFailure(error)}` }))
    )
  )

/** An input that could be read when the workbench started. */
const goneInput = (reason: SourceError["reason"]): Diagnostic => ({
  code: "unreadable-input",
  severity: "error",
  title: `${"input" in reason ? `\`${reason.input}\`` : "an input"} is no longer there, or cannot be read`,
  help: ["restore the file: the workbench then continues"]
})

/** The settings and the mapping that are on disk now. */
const onDisk = Effect.fnUntraced(function*(settings: string | undefined, given: ReadonlyMap<string, string>) {
  const read = Effect.gen(function*() {
    const facility = yield* readFacility(settings)
    const context = yield* mappingContextOf(facility)
    const file = near(facility.mapping)
    const own = facility.file === null ? new Map<string, string>() : yield* textOf(near(facility.file))
    const { checked, problems, syntax, texts } = yield* loadMapping(file, shippedFolder(), {
      ...context,
      given
    })
    const folder = standardDataFolder(facility)
    const home = facility.file === null ? undefined : dirname(near(facility.file))
    const isOwn = (name: string) => (home !== undefined && isBelow(home, name)) || !isBelow(shippedFolder(), name)
    const all = new Map([...texts, ...own])
    const others = new Set([context.accepted, ...context.tables.map((table) => table.file)])
    const editable = new Set(
      [...texts.keys()].filter((name) => /\.ya?ml$/u.test(name) && isOwn(name) && !others.has(name))
    )
    return {
      problems,
      texts: all,
      editable,
      listFiles: folder === null ? [] : referenceListTypes.map((type) => listFile(folder, type)),
      good: checked === undefined || syntax === undefined
        ? undefined
        : { facility, lists: context.lists, checked, syntax, texts: all, warnings: problems, isOwn }
    }
  })
  return yield* Effect.catchTags(read, {
    InvalidFacility: ({ problems }) =>
      Effect.map(textsOf(problems), (texts): OnDisk => ({
        good: undefined,
        problems,
        texts,
        editable: new Set(),
        listFiles: []
      })),
    // The environment was read before anything was served, and has not changed.
    ConfigError: Effect.die
  })
})

const isBelow = (folder: string, file: string): boolean => !relative(folder, file).startsWith("..")

const textOf = Effect.fnUntraced(function*(file: string) {
  const read = yield* readTextFile(file)
  return new Map(read._tag === "Text" ? [[file, read.text]] : [])
})

const textsOf = (problems: ReadonlyArray<Diagnostic>) =>
  Effect.map(
    Effect.forEach([...new Set(problems.flatMap(({ mapping }) => mapping?.file ?? []))], textOf),
    (maps) => new Map(maps.flatMap((one) => [...one]))
  )
