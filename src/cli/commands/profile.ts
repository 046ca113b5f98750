import { Clock, Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { basename, dirname, join } from "node:path"
import type { Collated } from "../../diagnostic/collate.ts"
import { number, plural } from "../../diagnostic/count.ts"
import type { Facility } from "../../facility/Facility.ts"
import { readFacility } from "../../facility/readFacility.ts"
import { shippedMappings } from "../../facility/shippedMappings.ts"
import { watchVersions } from "../../mapping/grouping/watchVersions.ts"
import { mappingEntriesOf } from "../../mapping/language/MappingSyntax.ts"
import { loadMapping } from "../../mapping/load/loadMapping.ts"
import { increment } from "../../maps.ts"
import { FileLabels } from "../../run/accounts/fileLabels.ts"
import { findInputs, type Input } from "../../source/read/findInputs.ts"
import { missingPages } from "../../source/read/missingPages.ts"
import { readInputs } from "../../source/read/readInput.ts"
import type { SearchPage } from "../../source/read/ReadItem.ts"
import { recordTypeOf } from "../../source/records/LazyRecord.ts"
import { sniffTable } from "../../source/tables/rows/sniffTable.ts"
import type { TableLayout } from "../../source/tables/TableLayout.ts"
import { isTabular } from "../../studio/profile/draft/facilityFolder.ts"
import { overlayText } from "../../studio/profile/draft/overlayText.ts"
import type { Suggestions } from "../../studio/profile/draft/suggest.ts"
import { makeProfile } from "../../studio/profile/makeProfile.ts"
import type { Profile } from "../../studio/profile/Profile.ts"
import { Profiler } from "../../studio/profile/Profiler.ts"
import { renderProfile } from "../../studio/profile/renderProfile.ts"
import { joinAlike, type SniffedFile } from "../../studio/profile/tables/facts/alikeFiles.ts"
import { profileTable } from "../../studio/profile/tables/facts/profileTable.ts"
import type { TableProfiler } from "../../studio/profile/tables/facts/TableProfiler.ts"
import { thisYear } from "../../visit/values/thisYear.ts"
import { validMapping } from "../facility/mappingOf.ts"
import { expectOutputApart } from "../files/outputTargets.ts"
import { writeWhole } from "../files/WholeFile.ts"
import { common, facility, inputs, outputFlag, wordFlag } from "../flags.ts"
import { perform } from "../perform.ts"
import { near, shippedFolder } from "../PipelineApi.ts"
import { someNotDone } from "../process/exitCode.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"
import { withHelp } from "../withHelp.ts"

const config = {
  inputs,
  facility,
  output: outputFlag(
    "FILE",
    "Write the profile to FILE: .html, .json, or .txt, with mode 0600 (default: standard output)"
  ).pipe(Flag.withDefault("-")),
  ...common,
  format: wordFlag(
    "format",
    "FORMAT",
    ["human", "json", "line", "html"],
    "Output format: human, json, line, or html (default: human)"
  ).pipe(Flag.withDefault("human"))
}

export const profileCommand = Command.make(
  "profile",
  config,
  (flags) => perform({ ...flags, format: flags.format === "html" ? "human" : flags.format }, execute(flags))
).pipe(withHelp(
  "Profile FHIR or CSV data, and suggest mapping lines. The profile lists types, elements and how often they are filled, identifier and "
    + "code systems, date formats, reference styles, and links to encounters; for tables their columns, keys, and links. The data is read "
    + "once, with constant memory. Values are not shown. Codes are shown only if several people have them, or if their system is shared by everyone.",
  ["fhir2visit profile export/", "Profile an export"],
  ["fhir2visit profile export/ --facility hospital-a/", "Show what the facility's mapping still lacks"],
  ["fhir2visit profile tables/", "Profile CSV files and suggest their `table:` lines"],
  ["fhir2visit profile export/ -o profile.html", "Write a page to share"]
))

type Flags = Command.Command.Config.Infer<typeof config>

/** `profile`: shows what is in the data, and suggests mapping lines. */
const execute = Effect.fn("profile")(function*(flags: Flags) {
  const screen = yield* Screen
  if (!/^-$|\.(?:html?|json|txt)$/iu.test(flags.output)) {
    return yield* new UsageError({
      title: `\`${flags.output}\` is not a file of a known kind`,
      help: ["its name ends in .html, .json or .txt; - is the standard output"]
    })
  }
  yield* expectOutputApart(flags.output, flags.inputs)
  const facility = yield* readFacility(flags.facility)
  const made = yield* profileInputs(flags.inputs, facility, flags.showValues)
  const own = ownMapping(facility)
  const overlay = made.suggestions.overlay === ""
    ? ""
    : overlayText(
      made,
      own === null
        ? { mapping: "our-facility", extends: isTabular(made) ? "csv" : basename(dirname(facility.mapping)) }
        : null
    )
  const name = flags.output
  const format = formatOf(flags, name)
  const text = format === "html"
    ? yield* Effect.promise(async () => {
      const [{ profileJson }, { writePage }] = await Promise.all([
        import("../../studio/viewer/profile/ProfileJson.ts"),
        import("../../studio/viewer/writePage.ts")
      ])
      return writePage({ page: "profile", language: "en", profile: profileJson(made), overlay })
    })
    : format === "json"
    ? `${JSON.stringify(profileJson(made, overlay), null, 2)}\n`
    : `${
      [
        renderProfile(made),
        ...meaning(made.suggestions, overlay, own === null ? "a new file" : `lines for ${own}`)
      ]
        .join("\n\n")
    }\n`
  if (name === "-") yield* screen.print(text.trimEnd())
  else yield* writeWhole(name, text)
  yield* screen.problems(made.problems.filter(({ first }) => first.severity === "error"))
  if (made.unreadable > 0) return yield* someNotDone
})

const formatOf = ({ format }: Flags, name: string): "html" | "json" | "text" =>
  format === "html" || /\.html?$/iu.test(name) ? "html" : format === "json" || /\.json$/iu.test(name) ? "json" : "text"

const profileJson = (made: Profile, overlay: string) => ({
  ...made,
  problems: made.problems.map(({ count, first: { code, severity, title } }) => ({
    code,
    severity,
    count,
    message: title
  })),
  suggestions: { overlay, substitutes: made.suggestions.substitutes, notes: made.suggestions.notes }
})

/** The facility's own mapping file, relative to the working folder; `null` if it uses a shipped one. */
const ownMapping = ({ mapping }: Facility): string | null =>
  [...shippedMappings().values()].includes(mapping) ? null : near(mapping)

/** Reads the inputs, and returns their profile. They are read again if an older version of a record came before the newest. */
export const profileInputs = Effect.fnUntraced(
  function*(inputs: ReadonlyArray<string>, facility: Facility, showValues: boolean, zoneIsGuess = false) {
    const screen = yield* Screen
    const clock = yield* Clock.Clock
    const mapping = yield* Effect.cached(validMapping(facility))
    // The base mapping reads no tables, so tables can be profiled without it.
    const declared = isBase(facility) ? [] : (yield* mapping).plan.tables
    // If the mapping reads no tables, the input can still be a canonical extract.
    const canonical = declared.length > 0 ? [] : yield* canonicalTables
    const found = yield* findInputs(inputs)
    const labels = new FileLabels()
    const tables: Array<TableProfiler> = []
    let rows = 0
    const problems = [...found.problems]
    let profiler = new Profiler()
    const started = clock.currentTimeMillisUnsafe()
    const plan = yield* Effect.scoped(Effect.gen(function*() {
      yield* screen.progress(() => {
        const seconds = Math.max(0.1, (clock.currentTimeMillisUnsafe() - started) / 1000)
        const all = profiler.records + rows
        return `reading   ${plural(all, "record")}   ${number(Math.round(all / seconds))} a second`
      })
      const fhir: Array<Input> = []
      const files: Array<SniffedFile<Input>> = []
      for (const input of found.inputs) {
        const sniffed = yield* knownTable(input, declared, canonical)
        if (sniffed === undefined) fhir.push(input)
        else files.push({ input, sniffed })
      }
      for (const alike of joinAlike(files)) {
        tables.push(
          yield* profileTable(alike, {
            onRows: (count) => void (rows += count),
            onProblem: (diagnostic) => void problems.push(diagnostic)
          })
        )
      }
      const plan = fhir.length === 0 && tables.length > 0 ? undefined : (yield* mapping).plan
      const readRecords = Effect.fnUntraced(function*(profiler: Profiler) {
        for (const problem of problems) profiler.add({ _tag: "Problem", diagnostic: problem })
        if (plan === undefined) return
        const pages: Array<SearchPage> = []
        const versions = watchVersions(plan)
        const read = new Map<string, number>()
        yield* Stream.runForEachArray(readInputs(fhir, { versions }), (items) =>
          Effect.sync(() => {
            for (const item of items) {
              profiler.add(item)
              if (item._tag === "Record") {
                labels.learn(item.record)
                increment(read, `${recordTypeOf(item.record)} ${item.record.origin.file}`)
              }
              if (item._tag === "Page") pages.push(item.page)
            }
          }))
        const readOf = (file: string, type: string): number => read.get(`${type} ${file}`) ?? 0
        for (const diagnostic of [...versions.problems(readOf), ...versions.notes()]) {
          profiler.add({ _tag: "Problem", diagnostic })
        }
        missingPages(pages).forEach((problem) => profiler.add(problem))
      })
      yield* readRecords(profiler)
      // Standard input cannot be read twice.
      if (profiler.hasCountedOlder && fhir.every(({ _tag }) => _tag !== "StandardInput")) {
        profiler = new Profiler(profiler)
        yield* readRecords(profiler)
      }
      return plan
    }))
    const icd10 = profiler.facts.hasSnomed || tables.length > 0 ? yield* icd10FromSnomed : new Map<string, string>()
    const made = makeProfile(profiler, plan, {
      everything: showValues,
      files: found.inputs.length,
      icd10,
      tables,
      year: thisYear(yield* Clock.currentTimeMillis),
      zoneIsGuess
    })
    return showValues ? made : { ...made, problems: made.problems.map((problem) => labelled(problem, labels)) }
  }
)

/** Returns whether the mapping of a facility is the base mapping, which is valid and reads no tables. */
const isBase = ({ accepted, mapping, tables }: Facility): boolean =>
  accepted === null && tables.length === 0 && mapping === shippedMappings().get("fhir-r4")

/** The tables of the mapping `csv`. */
const canonicalTables = Effect.map(
  loadMapping(near(shippedMappings().get("csv") ?? ""), shippedFolder()),
  ({ checked }) => checked?.plan.tables ?? []
)

/** Returns the table in a file. It is one of the canonical extract only if the extract has every column of the file. */
const knownTable = Effect.fnUntraced(function*(
  input: Input,
  tables: ReadonlyArray<TableLayout>,
  canonical: ReadonlyArray<TableLayout>
) {
  const sniffed = yield* sniffTable(input, [...tables, ...canonical])
  if (sniffed === undefined || sniffed.declared.every((table) => tables.includes(table))) return sniffed
  const known = new Set(sniffed.declared.flatMap(({ columns }) => columns.flatMap(({ from }) => from.map(String))))
  return sniffed.header.every((name) => known.has(name)) ? sniffed : yield* sniffTable(input, tables)
})

/** Replaces file names that can contain a patient's name. */
const labelled = (problem: Collated, labels: FileLabels): Collated => {
  const { origin } = problem.first
  return origin === undefined
    ? problem
    : { ...problem, first: { ...problem.first, origin: { ...origin, file: labels.of(origin.file) } } }
}

/** The rows of a mapping that comes with the program: diagnoses of SNOMED CT, reviewed by hand. Only the file that has them is read. */
const icd10FromSnomed = Effect.map(
  Effect.suspend(() => loadMapping(join(shippedFolder(), "us-synthetic", "concept-maps.yaml"), shippedFolder())),
  ({ syntax }) => {
    const map = syntax?.kind === "map"
      ? mappingEntriesOf(syntax, "conceptMap").get("icd10_from_snomed")?.value
      : undefined
    const rows = map?.kind === "map" ? [...mappingEntriesOf(map, "table")] : []
    return new Map(rows.flatMap(([code, { value }]) => value.kind === "scalar" ? [[code, String(value.value)]] : []))
  }
)

/** The end of a profile: the lines to paste, and what the mapping cannot fix. */
const meaning = ({ notes }: Suggestions, overlay: string, where: string): ReadonlyArray<string> => [
  overlay === ""
    ? "For the mapping: no missing lines were found"
    : `For the mapping: ${where}\n\n${overlay.trimEnd()}`,
  ...(notes.length === 0
    ? []
    : [["For people to decide, or to correct in the source", ...notes.map((note) => `  ${note}`)].join("\n")])
]
