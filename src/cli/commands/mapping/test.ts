import { Effect, FileSystem } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { basename, dirname, join, resolve } from "node:path"
import { collate } from "../../../diagnostic/collate.ts"
import { number, plural } from "../../../diagnostic/count.ts"
import { render } from "../../../diagnostic/render/render.ts"
import { cut } from "../../../diagnostic/shown.ts"
import { shownFile } from "../../../diagnostic/Span.ts"
import type { Facility } from "../../../facility/Facility.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import { maxSettingsBytes, readTextFile } from "../../../source/read/readTextFile.ts"
import type { Mismatch } from "../../../studio/cases/compareVisit.ts"
import { type CasePage, readCases } from "../../../studio/cases/readCases.ts"
import { type CaseResult, type CaseRun, runCase } from "../../../studio/cases/runCase.ts"
import { updatePage } from "../../../studio/cases/updatePage.ts"
import { mappingContextOf, mappingFile } from "../../facility/mappingOf.ts"
import { writeWhole } from "../../files/WholeFile.ts"
import { argumentFor, common, facility, numberFlag, optional, switchFlag, textFlag } from "../../flags.ts"
import { perform } from "../../perform.ts"
import { near, shippedFolder } from "../../PipelineApi.ts"
import { Ended, exitCodes, someNotDone } from "../../process/exitCode.ts"
import { Screen } from "../../screen/Screen.ts"
import { UsageError } from "../../UsageError.ts"
import { withHelp } from "../../withHelp.ts"

const pages = argumentFor(
  "page",
  "Case files or folders, of the mapping next to their folder `cases` (default: those of the facility)"
).pipe(
  Argument.variadic()
)

const update = switchFlag("update", "Update the expected results in the case files")

const roundTrip = switchFlag(
  "round-trip",
  "Convert synthetic visits to FHIR and back instead, and list the fields that are lost"
)

const visits = numberFlag("visits", "With --round-trip: number of visits (default: 100)").pipe(Flag.withDefault(100))

const seed = optional(
  numberFlag("seed", "With --round-trip: random seed (default: random)", { min: -Infinity })
)

const except = textFlag("except", "FIELD", "With --round-trip: a field or section to ignore. Repeatable").pipe(
  Flag.atLeast(0)
)

const testConfig = { pages, facility, update, roundTrip, visits, seed, except, ...common }

export const testCommand = Command.make("test", testConfig, (flags) => perform(flags, execute(flags))).pipe(withHelp(
  "Run the cases of a mapping. Cases are Markdown files with records and the expected visit. Exit code 1: a case failed, or with "
    + "--round-trip a field was lost.",
  ["fhir2visit mapping test --facility hospital-a/", "Run the cases of the facility"],
  ["fhir2visit mapping test cases/triages.md --update", "Update the expected results"],
  ["fhir2visit mapping test --facility hospital-a/ --round-trip", "Test the facility's mapping with synthetic visits"]
))

export type TestFlags = Command.Command.Config.Infer<typeof testConfig>

/** `mapping test`: the cases of a mapping, or the round trip of invented visits. The proof is loaded on demand. */
const execute = Effect.fn("mapping test")(function*(flags: TestFlags) {
  if (!flags.roundTrip) return yield* runCases(flags)
  const { proveRoundTrip } = yield* Effect.promise(() => import("./roundTrip.ts"))
  return yield* proveRoundTrip(flags)
})

/** Runs the cases of a mapping, or of the pages that are named. */
const runCases = Effect.fnUntraced(function*(flags: TestFlags) {
  const screen = yield* Screen
  const owner = flags.facility === undefined ? yield* ownerOf(flags.pages) : undefined
  const ofFacility = owner === undefined || basename(owner) !== "mapping.yaml"
  const folder = ofFacility ? owner ?? flags.facility : undefined
  const facility = yield* readFacility(folder)
  const mapping = ofFacility ? yield* mappingFile({ facility: folder }) : near(owner)
  const pages = yield* findPages(flags.pages.length > 0 ? flags.pages : [join(dirname(mapping), "cases")])
  if (pages.length === 0) {
    return yield* new UsageError({
      title: `there are no cases next to \`${shownFile(mapping)}\``,
      help: [
        `write one:  ${shownFile(near(join(dirname(mapping), "cases", "visit.md")))}   (docs/mapping.md shows the form)`
      ]
    })
  }
  const run = yield* caseRunOf(facility, mapping)
  let cases = 0
  let wrong = 0
  let broken = 0
  let unread = 0
  for (const file of pages) {
    const read = yield* readTextFile(file, 16 * maxSettingsBytes)
    if (read._tag === "Unreadable") {
      return yield* new UsageError({ title: `the page \`${shownFile(file)}\` cannot be read: ${read.why}` })
    }
    const { text } = read
    const page = readCases(file, text)
    const results = yield* Effect.forEach(page.cases, (one) => runCase(page, one, run))
    cases += results.length
    unread += page.problems.length
    broken += results.filter((result) => result.broken.length > 0).length
    const differing = results.filter(({ differences }) => differences.length > 0).length
    if (flags.update && differing > 0) {
      yield* writeWhole(file, updatePage(page, results))
    } else wrong += differing
    yield* report(page, results, flags.update)
  }
  yield* screen.say(
    `  ${plural(cases, "case")}      ${number(cases - wrong - broken)} ok      ${number(wrong)} wrong${
      broken === 0 ? "" : `      ${number(broken)} that cannot be run`
    }${
      unread === 0
        ? ""
        : `      ${plural(unread, "part of a page that is not a case", "parts of pages that are not a case")}`
    }`
  )
  if (broken + unread > 0) return yield* new Ended({ code: exitCodes.wrong })
  if (wrong > 0) return yield* someNotDone
})

export const caseRunOf = Effect.fnUntraced(function*(facility: Facility, mapping: string) {
  const { accepted, lists, tables } = yield* mappingContextOf(facility)
  const run: CaseRun = {
    tables,
    accepted,
    mapping,
    shippedMappings: shippedFolder(),
    settings: {
      timezone: facility.timezone,
      ...(facility.code === null ? {} : { facility: facility.code }),
      ...(facility.system === null ? {} : { system: facility.system })
    },
    validation: { ...facility.validation, lists }
  }
  return run
})

/** Returns the facility, otherwise the mapping, next to the folder `cases` that holds the pages. */
const ownerOf = Effect.fnUntraced(function*(pages: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const owners = new Set<string>()
  for (const page of pages) {
    const folder = resolve(page.endsWith(".md") ? dirname(page) : page)
    if (basename(folder) !== "cases") continue
    const beside = ["facility.yaml", "mapping.yaml"].map((name) => join(dirname(folder), name))
    const [owner] = yield* Effect.filter(beside, (file) => Effect.orElseSucceed(fs.exists(file), () => false))
    if (owner !== undefined) owners.add(owner)
  }
  const [owner, other] = owners
  if (other === undefined) return owner
  return yield* new UsageError({
    title: "the pages are of several mappings",
    help: ["give the pages of one of them"]
  })
})

/** Returns the Markdown files; those of a folder in the order of their names. */
const findPages = Effect.fnUntraced(function*(names: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const pages: Array<string> = []
  for (const name of names) {
    const folder = yield* Effect.orElseSucceed(fs.readDirectory(name), () => undefined)
    if (folder !== undefined) {
      for (const file of folder.filter((file) => file.endsWith(".md")).toSorted()) {
        const { type } = yield* Effect.orElseSucceed(fs.stat(join(name, file)), () => ({ type: "File" }))
        if (type !== "Directory") pages.push(join(name, file))
      }
    } else if (yield* Effect.orElseSucceed(fs.exists(name), () => false)) pages.push(name)
    else if (!name.endsWith("cases")) return yield* new UsageError({ title: `there is no page \`${name}\`` })
  }
  return pages
})

const report = Effect.fnUntraced(function*(page: CasePage, results: ReadonlyArray<CaseResult>, updated: boolean) {
  const screen = yield* Screen
  const file = shownFile(page.file)
  if (screen.format !== "human") {
    yield* screen.problems(collate(page.problems), "stdout")
    for (const { broken, case: { line, name }, differences } of results) {
      const ok = broken.length === 0 && (differences.length === 0 || updated)
      if (screen.format === "json") {
        const problems = broken.map(({ title }) => title)
        yield* screen.print(JSON.stringify({ file, line, case: name, ok, differences, problems }))
      } else if (!ok) {
        for (const text of [...broken.map(({ title }) => title), ...differences.map(inWords)]) {
          yield* screen.print(`${file}:${line}:1: error: ${name}: ${text}`)
        }
      }
    }
    return
  }
  const lines = [file]
  const pageText = (name: string): string | undefined => (name === page.file ? page.text : undefined)
  for (const collated of collate(page.problems)) {
    lines.push(render(collated, { ...screen.renderOptions, textOf: pageText }))
  }
  for (const { broken, case: { name }, differences, texts } of results) {
    const word = broken.length > 0 ? "cannot be run" : differences.length === 0 ? "ok" : updated ? "updated" : "WRONG"
    lines.push(`  ${word.padEnd(7)}  ${name}`)
    if (!updated) { for (const difference of differences) lines.push(`             ${inWords(difference)}`) }
    for (const collated of collate(broken)) {
      const textOf = (file: string): string | undefined => texts.get(file) ?? screen.renderOptions.textOf(file)
      lines.push(render(collated, { ...screen.renderOptions, textOf }))
    }
  }
  yield* screen.say(`${lines.join("\n")}\n`)
})

/** Values of cases are invented; they are shown. */
const inWords = ({ actual, expected, path }: Mismatch): string =>
  path === "problems"
    ? actual === undefined ? `missing problem: ${String(expected)}` : `unexpected problem: ${String(actual)}`
    : `${path}  is ${shown(actual)}, expected ${shown(expected)}`

const shown = (value: unknown): string => cut(value === undefined ? "missing" : JSON.stringify(value), 80)
